from __future__ import annotations

import json
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from gopher.store.pool import Pool, transaction
from gopher.store.text import json_text, storable

Json: TypeAlias = "str | list[Json] | dict[str, Json]"

EVERY_CHARACTER = st.text(st.characters())
"""Python's own strings: NUL and lone surrogates included."""


@given(EVERY_CHARACTER)
def test_storable_text_has_no_nul_and_can_be_encoded(text: str) -> None:
    stored = storable(text)
    assert "\0" not in stored
    assert stored.encode().decode() == stored


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_ordinary_text_is_kept_as_it_is(text: str) -> None:
    assert storable(text) == text


@given(st.recursive(EVERY_CHARACTER, lambda children: st.lists(children) | st.dictionaries(EVERY_CHARACTER, children)))
def test_json_text_says_the_same_with_every_text_made_storable(value: Json) -> None:
    assert json.loads(json_text(value)) == _storable_everywhere(value)


def _storable_everywhere(value: Json) -> Json:
    match value:
        case str():
            return storable(value)
        case list():
            return [_storable_everywhere(item) for item in value]
        case dict():
            return {storable(key): _storable_everywhere(item) for key, item in value.items()}


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("a\0b", "a\N{REPLACEMENT CHARACTER}b"),
        ("lone \ud83d half", "lone \N{REPLACEMENT CHARACTER} half"),
        ("two \ud83d\ude00 halves", "two 😀 halves"),
        ("the words \\u0000", "the words \\u0000"),
        ("x" * 3_000_000, "x" * 3_000_000),
    ],
    ids=["nul", "lone surrogate", "surrogate pair", "escape as words", "three million characters"],
)
async def test_postgresql_takes_every_text_alone_in_an_array_and_in_a_document(
    pool: Pool, text: str, stored: str
) -> None:
    async with transaction(pool) as connection:
        cursor = await connection.execute(
            "select %(text)s::text, %(array)s::text[], %(document)s::jsonb",
            {"text": text, "array": [text], "document": Jsonb({"key": text})},
        )
        assert await cursor.fetchone() == (stored, [stored], {"key": stored})
