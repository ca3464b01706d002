from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gopher.providers.thinking import VisibleText

FRAGMENTS = st.lists(
    st.sampled_from(
        ["<think>", "</think>", "<thinking>", "</THINKING>", "<", "thi", "`", "```", "\n", " a ", "<b>", "é"]
    ),
    max_size=12,
).map("".join)


def visible(*pieces: str) -> str:
    text = VisibleText()
    for piece in pieces:
        text.feed(piece)
    text.finish()
    return text.text


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("plain", "plain"),
        ("<think>a</think>b", "b"),
        ("<think>\na\n</think>\n\nb", "b"),
        ("<THINKING>a</thinking>b<think>c</think>d", "bd"),
        ("b<think>never closed", "b"),
        ("<think>never closed", ""),
        ("reasoning without its beginning\n</think>\n\nb", "b"),
        ("the tag `<think>` opens a block", "the tag `<think>` opens a block"),
        ("```\n<think>x</think>\n```", "```\n<think>x</think>\n```"),
        ("it ends with </think> in the middle of a line", "it ends with </think> in the middle of a line"),
        ("```\n</think>\n```\nkept", "```\n</think>\n```\nkept"),
        ("a < b and <thin ice>", "a < b and <thin ice>"),
        ("ends with <thi", "ends with <thi"),
    ],
)
def test_only_reasoning_is_removed(answer: str, expected: str) -> None:
    assert visible(answer) == expected


@given(answer=FRAGMENTS, cuts=st.lists(st.integers(0, 60), max_size=6))
def test_how_an_answer_is_cut_into_pieces_makes_no_difference(answer: str, cuts: list[int]) -> None:
    places = [0, *sorted(cut for cut in cuts if cut <= len(answer)), len(answer)]
    pieces = [answer[begin:end] for begin, end in pairwise(places)]
    assert visible(*pieces) == visible(answer)


@given(answer=FRAGMENTS)
def test_what_streams_and_what_is_kept_back_are_the_same_text(answer: str) -> None:
    text = VisibleText()
    streamed = "".join([*(text.feed(character) for character in answer), text.finish()])
    whole = VisibleText()
    assert whole.feed(answer) + whole.finish() == streamed
