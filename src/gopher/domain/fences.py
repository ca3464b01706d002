"""Finds the code fences of a text and tells, for any place in it, which are open there.

Two readings meet. CommonMark, which models write: a fence stands at the start of a line, may have more than three
marks or be made of tildes, and is closed by a line of at least as many. Discord, which shows the text: three
backticks open and close a block wherever they stand. So a fence of three backticks is read as Discord does, a longer
one or one of tildes as CommonMark does, and fences shown inside a longer one are tracked too: text cut anywhere can
be closed and reopened for both readings.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

_LONGEST_MARKER: Final = 16  # nobody fences with more; a longer run is a drawn line
_LONGEST_INFO: Final = 40  # enough for a language; a reopened fence must leave room for code
_LONGEST_PREFIX: Final = 20
_DEEPEST: Final = 3

_OPENER: Final = re.compile(r"(?P<prefix>[ \t>]*)(?P<marker>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>[^\n]*)$")
_RUN: Final = re.compile(r"`{3,}")
_LANGUAGE: Final = re.compile(r"\s*([\w+\-.#]*)\s*$")
_CLOSER: Final = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t\r]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """One open code fence."""

    marker: str
    """The backticks or tildes."""
    info: str
    """What follows the marker, most often a language; empty when there is nothing."""
    prefix: str
    """Indentation and quotation marks before the marker."""
    anywhere: bool
    """True when a run of marks closes it wherever it stands; False when only a line of its own does."""

    @property
    def opening(self) -> str:
        """The line that opens such a fence again, without its end."""
        return f"{self.prefix}{self.marker}{self.info}"

    @property
    def closing(self) -> str:
        """The line that closes it, without its end."""
        return f"{self.prefix}{self.marker}"


Fences = tuple[Fence, ...]
"""The fences open at a place, the outermost first."""


class FenceMap:
    """The fences of one text, by place."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places: list[int] = [0]
        self._states: list[Fences] = [()]
        start = 0
        for line in text.split("\n"):
            self._read_line(line, start)
            start += len(line) + 1

    def at(self, place: int) -> Fences:
        """Tell which fences are open just before the character at this place; a marker's end is inside its fence."""
        return self._states[bisect_right(self._places, place) - 1]

    def _now(self) -> Fences:
        return self._states[-1]

    def _turn(self, place: int, state: Fences) -> None:
        self._places.append(place)
        self._states.append(state)

    def _read_line(self, line: str, start: int) -> None:
        if self._close_by_line(line, start):
            return
        if not self._now() or not self._now()[-1].anywhere:
            opener = _OPENER.match(line)
            if opener is not None and len(opener["marker"]) <= _LONGEST_MARKER and len(self._now()) < _DEEPEST:
                self._turn(start + opener.end("marker"), (*self._now(), _opened_by_line(opener)))
                return
        self._read_runs(line, start)

    def _close_by_line(self, line: str, start: int) -> bool:
        closer = _CLOSER.match(line)
        if closer is None:
            return False
        run = closer[1]
        for depth, fence in enumerate(self._now()):
            # The outermost first: a line that ends a long fence ends whatever was shown inside it.
            if run[0] == fence.marker[0] and len(run) >= len(fence.marker):
                self._turn(start + closer.end(1), self._now()[:depth])
                return True
        return False

    def _read_runs(self, line: str, start: int) -> None:
        for run in _RUN.finditer(line):
            state = self._now()
            if not state:
                opened = self._opened_within(line, run, start)
                if opened is not None:
                    self._turn(start + run.end(), (opened,))
            elif state[-1].anywhere and len(run[0]) >= len(state[-1].marker):
                self._turn(start + run.end(), state[:-1])

    def _opened_within(self, line: str, run: re.Match[str], start: int) -> Fence | None:
        if len(run[0]) > _LONGEST_MARKER or self._text.find(run[0], start + run.end()) < 0:
            return None  # Discord shows marks that nothing closes as they are
        language = _LANGUAGE.match(line, run.end())
        return Fence(marker=run[0], info=_short_info(language[1] if language else ""), prefix="", anywhere=True)


def _opened_by_line(opener: re.Match[str]) -> Fence:
    prefix = opener["prefix"] if len(opener["prefix"]) <= _LONGEST_PREFIX else ""
    marker = opener["marker"]
    return Fence(marker=marker, info=_short_info(opener["info"].strip()), prefix=prefix, anywhere=marker == "```")


def _short_info(info: str) -> str:
    if len(info) <= _LONGEST_INFO:
        return info
    words = info.split()
    return words[0] if len(words[0]) <= _LONGEST_INFO else ""
