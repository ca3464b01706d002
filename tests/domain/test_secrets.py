"""Credentials are found and taken out; talk about credentials stays."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gopher.domain.secrets import contains_secret, find_secrets, redact

CORPUS = Path(__file__).parent / "secrets"


def lines(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (CORPUS / name).read_text(encoding="utf-8").splitlines()]


def test_the_corpus_has_at_least_300_lines_with_many_of_each_side() -> None:
    assert len(lines("positive.jsonl")) >= 200
    assert len(lines("negative.jsonl")) >= 150


@pytest.mark.parametrize("line", lines("positive.jsonl"), ids=lambda line: line["text"][:40])
def test_a_credential_is_found_under_its_kind(line: dict[str, str]) -> None:
    assert line["kind"] in {span.kind for span in find_secrets(line["text"])}


@pytest.mark.parametrize("line", lines("negative.jsonl"), ids=lambda line: line["text"][:40])
def test_harmless_text_stays_as_it_is(line: dict[str, str]) -> None:
    assert find_secrets(line["text"]) == ()


@pytest.mark.parametrize("line", lines("positive.jsonl"), ids=lambda line: line["text"][:40])
def test_what_is_redacted_holds_no_credential_any_more(line: dict[str, str]) -> None:
    assert not contains_secret(redact(line["text"]))


@given(st.text(max_size=300))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(st.text(max_size=200), st.text(max_size=200))
def test_text_around_a_credential_survives(before: str, after: str) -> None:
    key = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----"
    redacted = redact(f"{before}\n{key}\n{after}")
    assert key not in redacted
    assert redacted.count("[redacted: private_key]") >= 1


@pytest.mark.parametrize(
    "hostile",
    [
        "password is " * 20_000,
        "a" * 100_000,
        "eyJ" * 30_000,
        "1 " * 50_000,
        "x://" + "a:" * 50_000,
        "seed phrase: " + "abc " * 25_000,
    ],
    ids=["phrases", "letters", "jwt heads", "digits", "url", "words"],
)
def test_hostile_text_takes_no_quadratic_time(hostile: str) -> None:
    find_secrets(hostile)  # the suite's timeout is the assertion: a quadratic pattern takes minutes here
