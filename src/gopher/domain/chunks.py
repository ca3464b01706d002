"""Splits an answer into messages that Discord accepts, with code fences closed at each end and reopened in the next."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gopher.domain.fences import FenceMap, Fences

MESSAGE_UNITS: Final = 2000
"""Most UTF-16 code units of a message. Discord's limit is 2,000 characters: its API counts code points, clients have
counted code units, and at most this many units satisfies both."""

_SMALLEST_LIMIT: Final = 600  # three fences closed and reopened take up to 350
_ASTRAL: Final = 0xFFFF
_LOOK_BACK: Final = (
    120  # how far a cut inside a word moves to spare what belongs together; longer than any token of Discord's
)
_TOKEN: Final = re.compile(
    r"<a?:\w{1,32}:\d{1,20}>|<[@#][!&]?\d{1,20}>|<t:\d{1,20}(?::\w)?>|`{1,99}|~{2,99}|[ \t]*\r\n"
)
_INLINE_CODE: Final = re.compile(r"(?<!`)(`{1,2})(?!`)[^\n]{1,200}?(?<!`)\1(?!`)")
_JOINER: Final = "\u200d"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """One message of a split text. Bodies and gaps in order, joined, are the stripped text again."""

    opening: str
    """Lines that reopen the fences which the cut before this chunk closed; empty when there are none."""
    body: str
    closing: str
    """Lines that close the fences open at the end of the body; empty when there are none."""
    gap: str
    """White space between this body and the next, which is not sent: Discord would strip it."""

    @property
    def text(self) -> str:
        """What is sent."""
        return f"{self.opening}{self.body}{self.closing}"


def split(text: str, *, limit: int = MESSAGE_UNITS) -> tuple[Chunk, ...]:
    """Split a text into messages of at most `limit` UTF-16 units (at least 600), none of them blank.

    Breaks between paragraphs before lines before words, and outside code before inside. A blank text gives no chunk.
    Whatever fences a chunk opens it closes, also those that the text itself leaves open.
    """
    if limit < _SMALLEST_LIMIT:
        raise ValueError(f"limit is {limit}, but a message needs room for at least {_SMALLEST_LIMIT} units.")
    stripped = text.strip()
    return tuple(_Splitter(stripped, limit).chunks()) if stripped else ()


def units(text: str) -> int:
    """Count UTF-16 code units."""
    return len(text) + sum(1 for letter in text if ord(letter) > _ASTRAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cut:
    """A place to end a chunk at, and where the next begins."""

    end: int
    next: int


class _Splitter:
    """One pass over one stripped text."""

    def __init__(self, text: str, limit: int) -> None:
        self._text = text
        self._limit = limit
        self._fences = FenceMap(text)

    def chunks(self) -> Iterator[Chunk]:
        start = 0
        while start < len(self._text):
            opening = _opening(self._fences.at(start))
            cut = self._cut(start, self._limit - units(opening))
            yield Chunk(
                opening=opening,
                body=self._text[start : cut.end],
                closing=self._closing(cut.end),
                gap=self._text[cut.end : cut.next],
            )
            start = cut.next

    def _closing(self, end: int) -> str:
        lines = [fence.closing for fence in reversed(self._fences.at(end))]
        if not lines:
            return ""
        return ("" if self._text[end - 1] == "\n" else "\n") + "\n".join(lines)

    def _cut(self, start: int, room: int) -> _Cut:
        size = len(self._text)
        if size - start <= room and self._fits(start, size, room):
            return _Cut(end=size, next=size)
        furthest = self._furthest(start, room)
        places = [cut for cut in self._line_ends(start, furthest) if self._fits(start, cut.end, room)]
        return (
            self._best_line(start, furthest, places)
            or self._word_end(start, furthest, room)
            or next((cut for cut in reversed(places) if not self._hollow(start, cut)), None)
            or self._anywhere(start, furthest, room)
        )

    def _fits(self, start: int, end: int, room: int) -> bool:
        return units(self._text[start:end]) + units(self._closing(end)) <= room

    def _furthest(self, start: int, room: int) -> int:
        end = min(start + room, len(self._text))
        while units(self._text[start:end]) > room:
            end -= max(1, (units(self._text[start:end]) - room) // 2)
        return end

    def _line_ends(self, start: int, furthest: int) -> Iterator[_Cut]:
        for line_end in re.compile("\n").finditer(self._text, start, min(furthest + 1, len(self._text))):
            cut = self._around(line_end.start())
            if start < cut.end <= furthest and not self._text[start : cut.end].isspace():
                yield cut

    def _around(self, place: int) -> _Cut:
        """Cut at a white-space character: inside code it alone is dropped, elsewhere all white space around it."""
        if self._fences.at(place):
            return _Cut(end=place, next=place + 1)
        end = len(self._text[:place].rstrip())
        return _Cut(end=end, next=len(self._text) - len(self._text[place:].lstrip()))

    def _best_line(self, start: int, furthest: int, places: list[_Cut]) -> _Cut | None:
        half, quarter = start + (furthest - start) // 2, start + (furthest - start) // 4
        sound = [cut for cut in reversed(places) if cut.end >= quarter and not self._hollow(start, cut)]
        outside = [cut for cut in sound if cut.end >= half and not self._fences.at(cut.end)]
        inside = [cut for cut in sound if cut.end >= half and self._fences.at(cut.end)]
        paragraphs = (cut for cut in outside if self._text.count("\n", cut.end, cut.next) > 1)
        blank_lines = (cut for cut in inside if self._text[cut.next : cut.next + 1] == "\n")
        return next((cut for cuts in (paragraphs, outside, blank_lines, sound) for cut in cuts), None)

    def _hollow(self, start: int, cut: _Cut) -> bool:
        """Say whether the cut leaves an empty block: just after the line that opens a fence, or before its last."""
        state = self._fences.at(cut.end)
        if not state:
            return False
        line_start = max(self._text.rfind("\n", start, cut.end) + 1, start)
        line_end = self._text.find("\n", cut.next)
        next_line = self._text[cut.next : line_end if line_end >= 0 else len(self._text)]
        return len(self._fences.at(line_start)) < len(state) or next_line.strip(" \t\r>") in _markers(state)

    def _word_end(self, start: int, furthest: int, room: int) -> _Cut | None:
        quarter = start + (furthest - start) // 4
        whole = [span.span() for span in _INLINE_CODE.finditer(self._text, start, furthest + _LOOK_BACK)]
        for place in range(min(furthest, len(self._text) - 1), quarter, -1):
            if self._text[place] not in " \t" or any(begin < place < end for begin, end in whole):
                continue
            # Inside code a space is kept, at the end of the line that it ends.
            cut = _Cut(end=place + 1, next=place + 1) if self._fences.at(place) else self._around(place)
            if start < cut.end <= furthest and self._fits(start, cut.end, room):
                return cut
        return None

    def _anywhere(self, start: int, furthest: int, room: int) -> _Cut:
        end = furthest
        while not self._fits(start, end, room):
            end -= 1
        for place in range(end, max(start + 1, end - _LOOK_BACK), -1):
            if self._separable(place) and self._fits(start, place, room):
                end = place
                break
        spaced = self._text[end].isspace() or self._text[end - 1].isspace()
        return self._around(end) if spaced and not self._fences.at(end) else _Cut(end=end, next=end)

    def _separable(self, place: int) -> bool:
        before, after = self._text[place - 1], self._text[place]
        if _JOINER in {before, after} or unicodedata.category(after).startswith("M") or _is_skin_tone(after):
            return False
        if _is_regional(before) and _is_regional(after):
            return False
        window = max(0, place - _LOOK_BACK)
        return not any(token.start() < place < token.end() for token in _TOKEN.finditer(self._text, window))


def _opening(fences: Fences) -> str:
    return "".join(f"{fence.opening}\n" for fence in fences)


def _markers(fences: Fences) -> frozenset[str]:
    return frozenset(fence.marker for fence in fences)


def _is_regional(letter: str) -> bool:
    """Say whether this is half a flag."""
    return "\U0001f1e6" <= letter <= "\U0001f1ff"


def _is_skin_tone(letter: str) -> bool:
    return "\U0001f3fb" <= letter <= "\U0001f3ff"
