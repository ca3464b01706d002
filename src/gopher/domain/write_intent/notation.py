"""The notation of the grammar: phrases written as text, read into parts.

word        that word, in any spelling of it          a|b      one of these words
[ … ]       may be there                              ( … | … ) one of these phrases
NAME        a named phrase, or a slot that code fills
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from gopher.domain.write_intent.spelling import canonical


@dataclass(frozen=True, slots=True)
class Words:
    """One token that spells one of these."""

    spellings: frozenset[str]


@dataclass(frozen=True, slots=True)
class Named:
    """A phrase or a slot that has a name."""

    name: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """One part after the other."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several, the first that fits first."""

    options: tuple[Sequence, ...]
    beginnings: tuple[frozenset[str] | None, ...]
    """For each option the words with which it can begin; None when that cannot be told from its own words."""


def choice_of(options: Iterable[Sequence]) -> Choice:
    """Make a choice, noting how each option can begin: most can be passed over at a glance."""
    every = tuple(options)
    return Choice(every, tuple(beginning(option) for option in every))


def beginning(part: Part) -> frozenset[str] | None:
    """Return the words with which a part can begin; None when names or emptiness make that unknown."""
    match part:
        case Words(spellings):
            return spellings
        case Sequence(parts) if parts:
            first = beginning(parts[0])
            if first is not None or not _may_be_empty(parts[0]):
                return first
            rest = beginning(Sequence(parts[1:]))
            optional = _optional_beginning(parts[0])
            return optional | rest if optional is not None and rest is not None else None
        case Choice(_, beginnings):
            known = [each for each in beginnings if each is not None]
            return frozenset(word for each in known for word in each) if len(known) == len(beginnings) else None
        case Named() | Sequence():
            return None


def _may_be_empty(part: Part) -> bool:
    return isinstance(part, Choice) and any(not option.parts for option in part.options)


def _optional_beginning(part: Part) -> frozenset[str] | None:
    if not isinstance(part, Choice):
        return None
    filled = [first for option, first in zip(part.options, part.beginnings, strict=True) if option.parts]
    known = [each for each in filled if each is not None]
    return frozenset(word for each in known for word in each) if len(known) == len(filled) else None


Part = Words | Named | Sequence | Choice


_PIECE: Final = re.compile(r"[\[\]()]|[^\s\[\]()]+")


def phrase(text: str) -> Sequence:
    """Read a phrase in the notation above; a malformed one is a mistake of the programmer and raises ValueError."""
    pieces = _PIECE.findall(text)
    sequence, rest = _sequence(pieces, 0)
    if rest != len(pieces):
        raise ValueError(f"The phrase {text!r} has a bracket too many.")
    return sequence


def _sequence(pieces: list[str], at: int) -> tuple[Sequence, int]:
    parts: list[Part] = []
    while at < len(pieces) and pieces[at] not in ("]", ")", "|"):
        piece = pieces[at]
        if piece in ("[", "("):
            choice, at = _choice(pieces, at + 1, closing="]" if piece == "[" else ")")
            parts.append(choice)
        else:
            parts.append(_alternatives(piece))
            at += 1
    return Sequence(tuple(parts)), at


def _alternatives(piece: str) -> Part:
    """`pin` and `pin|stick` are words; a piece with a name in it is a choice."""
    if not any(option.isupper() for option in piece.split("|")):
        return Words(frozenset(_in_one_spelling(word) for word in piece.split("|")))
    if "|" not in piece:
        return Named(piece)
    return choice_of(Sequence((_alternatives(option),)) for option in piece.split("|"))


def _in_one_spelling(word: str) -> str:
    known = " ".join(canonical(word))
    if " " in known:
        raise ValueError(f"The grammar must write {word!r} as the words that it is read as: {known!r}.")
    return known


def _choice(pieces: list[str], at: int, *, closing: str) -> tuple[Choice, int]:
    options: list[Sequence] = []
    while True:
        option, at = _sequence(pieces, at)
        options.append(option)
        if at >= len(pieces):
            raise ValueError(f"The phrase {' '.join(pieces)!r} lacks a {closing!r}.")
        if pieces[at] != "|":
            break
        at += 1
    if pieces[at] != closing:
        raise ValueError(f"The phrase {' '.join(pieces)!r} has {pieces[at]!r} where {closing!r} belongs.")
    if closing == "]":
        options.append(Sequence(()))
    return choice_of(options), at + 1
