"""A small grammar over tokens: phrases written as text, matched with every way they fit, slots collected on the way.

    word        that word, in canonical spelling          a|b      one of these words
    [ … ]       may be there                              ( … | … ) one of these phrases
    NAME        a named phrase, or a slot that code fills

Words that change nothing (please, now, bro) may stand between any two parts of a phrase.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from gopher.domain.write_intent.spelling import canonical
from gopher.domain.write_intent.tokens import Token, TokenKind


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


@dataclass(frozen=True, slots=True)
class Filled:
    """A slot that was filled: by which tokens, and with what."""

    slot: str
    start: int
    end: int
    value: object = None


Filling = tuple[int, object]
"""Where a slot's filling ends, and its value."""
Slot = Callable[["Window", int], Iterator[Filling]]
"""Finds the fillings that begin at a position, the likeliest first."""


def _no_fits() -> dict[tuple[str, int, int], tuple[Fit, ...]]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The part of a message that a phrase must cover."""

    tokens: tuple[Token, ...]
    """Of the whole message; positions count in it."""
    start: int
    end: int
    """Exclusive."""
    memo: dict[tuple[str, int, int], tuple[Fit, ...]] = field(default_factory=_no_fits, compare=False, repr=False)
    """What named phrases fit where; shared by the windows of the same tokens, since most of them are tried again."""

    def word(self, position: int) -> str:
        """Return the canonical word at a position; empty outside the window."""
        return self.tokens[position].word if self.start <= position < self.end else ""

    def kind(self, position: int) -> TokenKind | None:
        """Return the kind of token at a position; None outside the window."""
        return self.tokens[position].kind if self.start <= position < self.end else None


@dataclass(frozen=True, slots=True)
class Fit:
    """One way in which a phrase fits: where it ends, and its slots."""

    end: int
    slots: tuple[Filled, ...] = ()

    def values(self, slot: str) -> tuple[object, ...]:
        """Return what a slot was filled with, in the order of the text."""
        return tuple(filled.value for filled in self.slots if filled.slot == slot)


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


class Grammar:
    """Named phrases, slots, and the words that may be passed over."""

    def __init__(
        self,
        *,
        phrases: Mapping[str, str],
        captures: Mapping[str, tuple[str, object]],
        slots: Mapping[str, tuple[str, Slot]],
        passed: frozenset[str],
    ) -> None:
        """Read the named phrases.

        Args:
            phrases: Named phrases, in the notation of this module.
            captures: For some named phrases: the slot that they fill, and with what.
            slots: Names that code fills: the slot, and what finds its fillings.
            passed: Words that may stand anywhere.

        Raises:
            ValueError: a phrase is malformed or names what does not exist.
        """
        self._phrases = {name: phrase(f"( {text} )") for name, text in phrases.items()}
        self._captures = dict(captures)
        self._slots = dict(slots)
        self._passed = passed
        self._needs: dict[str, tuple[frozenset[str], ...]] = {}
        for each in self._phrases.values():
            self.check(each)

    def check(self, part: Part) -> None:
        """Raise ValueError when a part names a phrase or slot that does not exist."""
        match part:
            case Named(name) if name not in self._phrases and name not in self._slots:
                raise ValueError(f"The grammar has no phrase or slot named {name}.")
            case Sequence(parts):
                for each in parts:
                    self.check(each)
            case Choice(options, _):
                for each in options:
                    self.check(each)
            case Named() | Words():
                pass

    def fits(self, part: Part, window: Window, position: int) -> Iterator[Fit]:
        """Yield every way in which the part fits at the position, the likeliest first; none goes beyond the window."""
        match part:
            case Words(spellings):
                at = self._seek(spellings, window, position)
                if at is not None:
                    yield Fit(at + 1)
            case Named(name):
                key = (name, position, window.end)
                if key not in window.memo:
                    found = self._filled if name in self._slots else self._named
                    window.memo[key] = tuple(found(name, window, position))
                yield from window.memo[key]
            case Choice(options, beginnings):
                ahead = self.ahead(window, position)
                for option, first in zip(options, beginnings, strict=True):
                    if first is None or not first.isdisjoint(ahead):
                        yield from self.fits(option, window, position)
            case Sequence(parts):
                yield from self._in_order(parts, window, position)

    def needs(self, part: Part) -> tuple[frozenset[str], ...]:
        """Return sets of words of each of which a text must hold one for the part to fit; none says nothing."""
        match part:
            case Words(spellings):
                return (spellings,)
            case Named(name):
                return self._needs_of(name)
            case Sequence(parts):
                return tuple(need for each in parts for need in self.needs(each))
            case Choice(options, _):
                needs = [self.needs(option) for option in options]
                if not all(needs):
                    return ()
                return (frozenset(word for each in needs for word in min(each, key=len)),)

    def _needs_of(self, name: str) -> tuple[frozenset[str], ...]:
        if name not in self._needs:
            self._needs[name] = self.needs(self._phrases[name]) if name in self._phrases else ()
        return self._needs[name]

    def ahead(self, window: Window, position: int) -> tuple[str, ...]:
        """Return the words that a part may begin with here: those that may be passed over, and the one after them."""
        end = self.skip(window, position)
        return tuple(window.tokens[at].word for at in range(position, min(end + 1, window.end)))

    def skip(self, window: Window, position: int) -> int:
        """Return the first position from here on whose token may not be passed over."""
        while position < window.end and self.passes(window.tokens[position]):
            position += 1
        return position

    def passes(self, token: Token) -> bool:
        """Say whether a token changes nothing about a request: a filler or a decoration."""
        return token.kind is TokenKind.EMOJI or token.word in self._passed

    def _seek(self, spellings: frozenset[str], window: Window, position: int) -> int | None:
        while position < window.end:
            token = window.tokens[position]
            if token.word in spellings and token.kind in (TokenKind.WORD, TokenKind.MARK):
                return position
            if not self.passes(token):
                return None
            position += 1
        return None

    def _named(self, name: str, window: Window, position: int) -> Iterator[Fit]:
        capture = self._captures.get(name)
        for fit in self.fits(self._phrases[name], window, position):
            if capture is None:
                yield fit
            else:
                yield Fit(fit.end, (*fit.slots, Filled(capture[0], position, fit.end, capture[1])))

    def _filled(self, name: str, window: Window, position: int) -> Iterator[Fit]:
        slot, find = self._slots[name]
        while position <= window.end:
            found = False
            for end, value in find(window, position):
                found = True
                yield Fit(end, (Filled(slot, position, end, value),))
            if found or position >= window.end or not self.passes(window.tokens[position]):
                return
            position += 1

    def _in_order(self, parts: tuple[Part, ...], window: Window, position: int) -> Iterator[Fit]:
        if not parts:
            yield Fit(position)
            return
        for first in self.fits(parts[0], window, position):
            for rest in self._in_order(parts[1:], window, first.end):
                yield Fit(rest.end, first.slots + rest.slots)
