"""A small grammar over tokens: phrases matched with every way they fit, and slots that are collected on the way.

Words that change nothing (please, now, bro) may stand between any two parts of a phrase.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from gopher.domain.write_intent.notation import Choice, Named, Part, Sequence, Words, phrase
from gopher.domain.write_intent.tokens import Token, TokenKind


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
