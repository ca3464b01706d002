"""Results of tools: always JSON, never longer than the cap, trimmed per item from the end that matters less."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gopher.domain.results import RESULT_CHARACTERS, JsonValue, failure, success
from gopher.domain.tools import Keep


def read(text: str) -> Any:  # noqa: ANN401 # whatever the document holds
    return json.loads(text)


def test_a_result_that_fits_is_whole() -> None:
    assert read(success({"a": [1, "ü"]})) == {"ok": True, "result": {"a": [1, "ü"]}}


def test_a_failure_has_code_and_message() -> None:
    assert read(failure("x", "why")) == {"ok": False, "error": {"code": "x", "message": "why"}}


def test_a_failures_message_is_cut() -> None:
    assert len(failure("x", "y" * 50_000)) < 1_200


def test_all_of_five_long_pages_are_shown_each_in_part() -> None:
    pages: JsonValue = {"sources": [{"number": number, "content": f"{number}" * 6_000} for number in range(5)]}
    document = read(success(pages))
    assert document["truncated"] is True
    contents = [source["content"] for source in document["result"]["sources"]]
    assert [content[0] for content in contents] == ["0", "1", "2", "3", "4"]
    assert all(len(content) > 2_500 and "characters cut]" in content for content in contents)


def test_only_what_is_long_is_shortened() -> None:
    document = read(success({"items": ["short", "x" * 20_000]}))
    assert document["result"]["items"][0] == "short"
    assert len(document["result"]["items"][1]) > 13_000


MANY: JsonValue = {"messages": [{"id": number, "text": "m" * 150} for number in range(400)]}


def test_the_newest_messages_stay_when_the_last_matter_most() -> None:
    messages = read(success(MANY, keep=Keep.LAST))["result"]["messages"]
    assert messages[-1]["id"] == 399
    assert messages[0] == {"omitted": 400 - len(messages) + 1}
    assert len(messages) > 60


def test_the_best_hits_stay_when_the_first_matter_most() -> None:
    messages = read(success(MANY, keep=Keep.FIRST))["result"]["messages"]
    assert messages[0]["id"] == 0
    assert messages[-1] == {"omitted": 400 - len(messages) + 1}


def test_a_shape_without_anything_to_trim_is_cut_as_text() -> None:
    document = read(success({str(number): number for number in range(5_000)}))
    assert document["truncated"] is True
    assert "characters cut]" in document["result"]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=400),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text(max_size=40), inner, max_size=6),
    max_leaves=40,
)


@pytest.mark.parametrize("keep", list(Keep))
@given(value=JSON, cap=st.integers(500, 3_000))
def test_every_result_is_json_within_the_cap(keep: Keep, value: JsonValue, cap: int) -> None:
    text = success(value, keep=keep, cap=cap)
    assert len(text) <= cap
    document = read(text)
    assert document["ok"] is True
    whole = json.dumps({"ok": True, "result": value}, ensure_ascii=False, separators=(",", ":"))
    assert ("truncated" in document) == (len(whole) > cap)


def test_a_number_that_json_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        success({"score": float("nan")})


def test_the_default_cap_holds_for_text_full_of_escapes() -> None:
    assert len(success({"text": '"\\\n' * 20_000})) <= RESULT_CHARACTERS
