"""What a frame is: a way of asking for one write, and what its slots must hold for the request to be plain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from gopher.domain.write_intent.notation import Sequence, phrase
from gopher.domain.write_intent.requests import Plainness, WriteAction

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One way of asking for a write."""

    action: WriteAction
    body: Sequence
    plainness: Plainness
    reaches_on: bool
    """Its words may run past the end of the clause: content, names, memories, several emoji."""
    despite_negation: bool
    """Its own negation asks: `don't forget that …`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed(Generic[T]):
    """A frame or an opener, with the words that it needs: a text that lacks them need not be tried."""

    needs: tuple[frozenset[str], ...]
    beginning: frozenset[str] | None
    """The words with which it can begin; None when that is not known."""
    entry: T

    def may_fit(self, words: frozenset[str], ahead: tuple[str, ...]) -> bool:
        """Say whether a text of these words, of which the first are `ahead`, could fit."""
        if self.beginning is not None and self.beginning.isdisjoint(ahead):
            return False
        return all(not need.isdisjoint(words) for need in self.needs)


def frames(
    action: WriteAction,
    *bodies: str,
    unsure: bool = False,
    reaches_on: bool = False,
    despite_negation: bool = False,
) -> tuple[Frame, ...]:
    """Make frames of one action from phrases in the grammar's notation."""
    return tuple(
        Frame(
            action=action,
            body=phrase(body),
            plainness=Plainness.UNSURE if unsure else Plainness.EXPLICIT,
            reaches_on=reaches_on,
            despite_negation=despite_negation,
        )
        for body in bodies
    )
