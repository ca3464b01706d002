"""Arguments as models write them: plausible types are mended, everything else is named by path, nothing is repeated."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from gopher.domain.arguments import canonical_json, fingerprint, parse_arguments, raw_fingerprint
from gopher.domain.tools import ToolArguments
from gopher.errors import Rejected


class Inner(ToolArguments):
    depth: int = 1


class Search(ToolArguments):
    query: str = Field(min_length=1, max_length=20)
    limit: int = Field(default=5, ge=1, le=20)
    kinds: list[str] = Field(default_factory=list[str], max_length=3)
    scope: Literal["auto", "user"] = "auto"
    channel_id: str | None = None
    deep: bool = False
    inner: Inner = Inner()


class Nothing(ToolArguments):
    pass


@pytest.mark.parametrize("written", ["", "  ", "null", "{}", "{ }", '""', '"{}"', '"null"'])
def test_nothing_means_no_arguments(written: str) -> None:
    assert parse_arguments(Nothing, written) == Nothing()


@pytest.mark.parametrize(
    ("written", "field", "expected"),
    [
        pytest.param('{"limit": "5"}', "limit", 5, id="a number as text"),
        pytest.param('{"limit": 5.0}', "limit", 5, id="a whole number with a point"),
        pytest.param('{"channel_id": 123456789012345678}', "channel_id", "123456789012345678", id="an id as number"),
        pytest.param('{"deep": "true"}', "deep", True, id="a truth value as text"),
        pytest.param('{"kinds": "fact"}', "kinds", ["fact"], id="one thing for a list of it"),
        pytest.param('{"kinds": "[\\"a\\", \\"b\\"]"}', "kinds", ["a", "b"], id="a list inside text"),
        pytest.param('{"inner": "{\\"depth\\": \\"2\\"}"}', "inner", Inner(depth=2), id="an object inside text"),
        pytest.param('{"limit": null}', "limit", 5, id="null for what has a default"),
        pytest.param('{"kinds": null}', "kinds", [], id="null for a list that has a default"),
        pytest.param('{"channel_id": null}', "channel_id", None, id="null where null is allowed"),
    ],
)
def test_a_type_that_models_confuse_is_mended(written: str, field: str, expected: object) -> None:
    value = json.loads(written) | {"query": " words "}
    parsed = parse_arguments(Search, json.dumps(value))
    assert getattr(parsed, field) == expected
    assert parsed.query == "words"


def test_arguments_that_were_escaped_twice_are_read() -> None:
    assert parse_arguments(Search, json.dumps(json.dumps({"query": "x"}))).query == "x"


@pytest.mark.parametrize(
    ("written", "code", "paths"),
    [
        pytest.param('{"query": ', "invalid_json", ["not JSON"], id="torn"),
        pytest.param("query=x", "invalid_json", ["not JSON"], id="no JSON"),
        pytest.param("[" * 100_000, "invalid_json", ["not JSON"], id="too deep"),
        pytest.param('["x"]', "invalid_arguments", ["JSON object"], id="a list"),
        pytest.param("{}", "invalid_arguments", ["query: "], id="missing"),
        pytest.param('{"query": null}', "invalid_arguments", ["query: "], id="null for what is required"),
        pytest.param('{"query": "x", "limit": 99}', "invalid_arguments", ["limit: "], id="out of bounds"),
        pytest.param('{"query": "x", "limit": "many"}', "invalid_arguments", ["limit: "], id="not a number"),
        pytest.param('{"query": "x", "scope": "all"}', "invalid_arguments", ["scope: ", "'auto'"], id="not of the set"),
        pytest.param('{"query": "x", "more": 1}', "invalid_arguments", ["more: "], id="unknown"),
        pytest.param('{"query": "x", "kinds": [1, {}]}', "invalid_arguments", ["kinds[1]: "], id="inside a list"),
        pytest.param('{"query": "x", "inner": {"depth": "a"}}', "invalid_arguments", ["inner.depth: "], id="nested"),
    ],
)
def test_every_other_violation_is_named_by_path(written: str, code: str, paths: list[str]) -> None:
    with pytest.raises(Rejected) as rejected:
        parse_arguments(Search, written)
    assert rejected.value.code == code
    assert all(path in str(rejected.value) for path in paths)


def test_at_most_six_violations_are_named() -> None:
    written = json.dumps({"query": "x"} | {f"unknown{number}": number for number in range(9)})
    with pytest.raises(Rejected) as rejected:
        parse_arguments(Search, written)
    assert str(rejected.value).count("unknown") == 6
    assert str(rejected.value).endswith("and 3 more")


def test_a_violation_repeats_no_value() -> None:
    with pytest.raises(Rejected) as rejected:
        parse_arguments(Search, '{"query": "canary canary canary canary", "limit": "canary", "scope": "canary"}')
    assert "canary" not in str(rejected.value)
    assert rejected.value.__cause__ is None


def outcome(written: str) -> str | None:
    """The code of a rejection; None when the arguments can be used."""
    try:
        parse_arguments(Search, written)
    except Rejected as error:
        return error.code
    return None


@given(st.text())
def test_any_text_gives_arguments_or_is_rejected(written: str) -> None:
    assert outcome(written) in {None, "invalid_json", "invalid_arguments"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["query", "limit", "kinds", "scope", "channel_id", "deep", "inner", "other"])


@given(st.dictionaries(FIELDS, JSON, max_size=5))
def test_any_json_gives_arguments_or_is_rejected(value: dict[str, object]) -> None:
    assert outcome(json.dumps(value)) in {None, "invalid_arguments"}


def test_equal_calls_have_equal_fingerprints_however_they_are_written() -> None:
    spellings = ['{"query":"x"}', '{"limit": 5, "query": "x"}', '{"query": " x ", "limit": "5", "kinds": null}']
    assert len({fingerprint("search", parse_arguments(Search, written)) for written in spellings}) == 1


def test_other_arguments_and_other_tools_have_other_fingerprints() -> None:
    one = parse_arguments(Search, '{"query":"x"}')
    other = parse_arguments(Search, '{"query":"y"}')
    prints = {fingerprint("search", one), fingerprint("search", other), fingerprint("find", one)}
    assert len(prints | {raw_fingerprint("search", "x"), raw_fingerprint("find", "x")}) == 5


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_canonical_json_is_json_and_independent_of_order(value: dict[str, object]) -> None:
    text = canonical_json(value)
    assert json.loads(text) == value
    assert canonical_json(dict(reversed(value.items()))) == text
