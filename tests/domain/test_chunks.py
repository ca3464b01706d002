from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gopher.domain.chunks import MESSAGE_UNITS, Chunk, split, units
from gopher.domain.fences import FenceMap


def undone(chunks: tuple[Chunk, ...]) -> str:
    return "".join(chunk.body + chunk.gap for chunk in chunks)


def texts(text: str, *, limit: int = MESSAGE_UNITS) -> list[str]:
    return [chunk.text for chunk in split(text, limit=limit)]


def lines(count: int, *, width: int = 60) -> str:
    return "\n".join(f"{number:04d} ".ljust(width, "x") for number in range(count))


def test_a_short_text_is_one_message_as_it_is() -> None:
    assert texts("Hello, *world*.\n\nBye.") == ["Hello, *world*.\n\nBye."]


@pytest.mark.parametrize("text", ["", " ", "\n\n\t", "\u3000"])
def test_a_blank_text_is_no_message(text: str) -> None:
    assert split(text) == ()


def test_exactly_the_limit_is_one_message_and_one_more_is_two() -> None:
    assert [len(text) for text in texts("a" * 2000)] == [2000]
    assert [len(text) for text in texts("a" * 2001)] == [2000, 1]


def test_characters_outside_the_basic_plane_count_twice() -> None:
    assert [len(text) for text in texts("\U0001d54f" * 1500)] == [1000, 500]


def test_a_limit_too_small_for_fences_is_refused() -> None:
    with pytest.raises(ValueError, match="limit is 100"):
        split("a", limit=100)


def test_a_python_block_across_the_boundary_is_closed_and_reopened_with_its_language() -> None:
    text = f"Here it is:\n\n```python\n{lines(61)}\n```\nThat is all."
    assert 3700 < len(text) < 4000
    first, second = texts(text)
    assert first.startswith("Here it is:\n\n```python\n0000 ")
    assert first.endswith("x\n```")
    assert second.startswith("```python\n00")
    assert second.endswith("x\n```\nThat is all.")
    assert undone(split(text)) == text


def test_a_block_that_fits_the_next_message_is_not_cut() -> None:
    text = f"{lines(22)}\n\n```go\n{lines(20)}\n```"
    assert texts(text) == [lines(22), f"```go\n{lines(20)}\n```"]


def test_a_paragraph_is_kept_whole_where_it_can() -> None:
    assert texts(f"{lines(20)}\n\n{lines(15)}") == [lines(20), lines(15)]


def test_a_line_is_kept_whole_where_it_can() -> None:
    first, second = texts(lines(40))
    assert f"{first}\n{second}" == lines(40)
    assert second.startswith("0032 ")


def test_a_word_is_kept_whole_where_it_can() -> None:
    assert all(text.startswith("word") and text.endswith("word") for text in texts(" ".join(["word"] * 600)))


def test_indentation_inside_code_survives_the_cut() -> None:
    text = "```py\n" + "\n".join(f"    step({number})" for number in range(200)) + "\n```"
    for text_of_chunk in texts(text):
        assert text_of_chunk.startswith(("```py\n    step(",))
        assert text_of_chunk.endswith(")\n```")


@pytest.mark.parametrize(
    ("opener", "closer"),
    [
        ("~~~ruby", "~~~"),
        ("````markdown", "````"),
        ("  ```sh", "  ```"),
        ("> ```js", "> ```"),
        ('```python title="a b.py" {1,3}', "```"),
        ("```c++", "```"),
        ("```", "```"),
    ],
)
def test_each_kind_of_fence_is_reopened_as_it_was(opener: str, closer: str) -> None:
    text = f"See:\n{opener}\n{lines(70)}\n{closer}\nDone."
    chunks = split(text)
    assert len(chunks) == 3
    assert chunks[0].text.endswith(f"x\n{closer}")
    assert all(chunk.text.startswith(f"{opener}\n0") for chunk in chunks[1:])
    assert undone(chunks) == text


def test_a_block_that_opens_within_a_line_counts_as_discord_counts_it() -> None:
    chunks = split(f"Run ```sh\n{lines(50)}``` and see.")
    assert chunks[0].text.endswith("x\n```")
    assert chunks[1].text.startswith("```sh\n0")


def test_marks_that_nothing_closes_are_no_fence() -> None:
    text = f"Begin a block with ``` and text.\n{lines(50)}"
    assert all("\n```" not in chunk and not chunk.startswith("```") for chunk in texts(text))


def test_a_block_that_the_text_leaves_open_is_closed() -> None:
    assert texts("```py\nprint(1)") == ["```py\nprint(1)\n```"]


def test_a_block_shown_inside_a_longer_one_is_balanced_for_both_readings() -> None:
    text = f"````markdown\nLike so:\n```python\n{lines(60)}\n```\nend\n````\nBye."
    first, second = texts(text)
    assert first.endswith("x\n```\n````")
    assert second.startswith("````markdown\n```python\n0")
    assert undone(split(text)) == text


def test_no_empty_block_is_left_at_a_boundary() -> None:
    for filler in range(1900, 2010):
        for text in texts(f"{'y' * filler}\n```go\nfmt.Println()\n```\n{lines(5)}"):
            assert not re.search(r"```(go)?\n```", text)


def test_one_huge_line_of_code_is_cut_inside_its_block() -> None:
    chunks = split("```json\n" + "7" * 7000 + "\n```")
    assert len(chunks) == 4
    assert all(chunk.text.startswith("```json\n7") and chunk.text.endswith("7\n```") for chunk in chunks)
    assert sum(chunk.body.count("7") for chunk in chunks) == 7000


@pytest.mark.parametrize(
    "whole",
    [
        "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
        "\U0001f44b\U0001f3fd",
        "\U0001f1eb\U0001f1f7",
        "e\u0301\u0323",
        "\u2764\ufe0f",
        "<:gopher:1234567890123456789>",
        "<@1234567890123456789>",
    ],
)
def test_what_belongs_together_is_not_cut(whole: str) -> None:
    for shift in range(units(whole)):
        chunks = split("a" * shift + whole * 400)
        assert len(chunks) > 1 or units(whole) * 400 <= MESSAGE_UNITS
        assert sum(chunk.body.count(whole) for chunk in chunks) == 400


def test_inline_code_is_not_cut_at_its_spaces() -> None:
    text = " ".join(["word"] * 396) + " `git commit --amend --no-edit` " + " ".join(["word"] * 100)
    assert any("`git commit --amend --no-edit`" in chunk for chunk in texts(text))


def test_a_long_text_is_split_in_a_moment() -> None:
    text = ("```py\n" + lines(40) + "\n```\n" + "word " * 900 + "\n\n") * 30
    began = time.perf_counter()
    assert undone(split(text)) == text.strip()
    assert time.perf_counter() - began < 5


def repeated(text: str, times: int) -> str:
    return text * times


PIECES = st.one_of(
    st.sampled_from(
        [
            "\n",
            "\n\n",
            " ",
            "```",
            "```python\n",
            "\n```\n",
            "\n````markdown\n",
            "\n````\n",
            "\n~~~\n",
            "\n~~~ruby x\n",
            "  ```go\n",
            "> ```\n",
            "`x y`",
            "`",
            "~",
            "\r\n",
            "\U0001f469\u200d\U0001f467",
            "\U0001f1eb\U0001f1f7",
            "e\u0301",
            "<@123456789012345678>",
        ]
    ),
    st.text(max_size=30),
    st.builds(repeated, st.text(min_size=1, max_size=3), st.integers(1, 900)),
    st.builds(lines, st.integers(1, 12), width=st.integers(6, 200)),
)
TEXTS = st.builds("".join, st.lists(PIECES, max_size=25))


@given(text=TEXTS, limit=st.sampled_from([600, 1000, MESSAGE_UNITS]))
@settings(max_examples=300, deadline=None)
def test_nothing_is_lost_and_nothing_is_too_long_or_blank(text: str, limit: int) -> None:
    chunks = split(text, limit=limit)
    assert undone(chunks) == text.strip()
    for chunk in chunks:
        assert units(chunk.text) <= limit
        assert chunk.text.strip()
        assert not chunk.gap or chunk.gap.isspace()


@given(text=TEXTS)
@settings(max_examples=300, deadline=None)
def test_every_chunk_closes_what_it_opens(text: str) -> None:
    places = FenceMap(text.strip())
    end = 0
    for chunk in split(text):
        open_before, open_after = places.at(end), places.at(end + len(chunk.body))
        assert chunk.opening.splitlines() == [line for fence in open_before for line in fence.opening.splitlines()]
        assert chunk.closing.strip("\n").splitlines() == [fence.closing for fence in reversed(open_after)]
        end += len(chunk.body) + len(chunk.gap)


def block(language: str | None, code: list[str]) -> str:
    return "\n".join(code) if language is None else "\n".join([f"```{language}", *code, "```"])


CODE_LINES = st.text(st.characters(exclude_characters="`~", exclude_categories=["Cs", "Cc"]), max_size=120)
BLOCKS = st.builds(block, st.sampled_from([None, "", "python", "c++", "go"]), st.lists(CODE_LINES, max_size=80))


@given(blocks=st.lists(BLOCKS, max_size=8))
@settings(max_examples=100, deadline=None)
def test_plain_blocks_stay_balanced_by_count(blocks: list[str]) -> None:
    for text in texts("\n".join(blocks)):
        assert text.count("```") % 2 == 0
