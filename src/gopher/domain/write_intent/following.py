"""Judges a request by what stands after it: what takes it back, attributes it, or makes it depend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gopher.domain.write_intent.clause_readings import (
    SHORT,
    SUBJECTS,
    ClauseReading,
    Verdict,
    is_about_it,
    shares_action,
)
from gopher.domain.write_intent.moods import Mood
from gopher.domain.write_intent.requests import Plainness, Refusal


def taken_back(own: ClauseReading, after: ClauseReading, *, at_once: bool) -> Iterator[Verdict]:
    """Yield what one clause after a request says of it; `at_once`: it is the very next."""
    if after.mood is Mood.RETRACTION:
        yield Refusal.RETRACTED
    if after.mood is Mood.NEGATED:
        if shares_action(after, own):
            yield Refusal.NEGATED
        elif len(after.words) <= SHORT and not after.actions:
            yield Plainness.UNSURE
    if after.mood is Mood.REPORT and after.first in _ATTRIBUTING:
        yield Refusal.REPORTED
    if after.first in _SIGNING_OFF:
        yield Plainness.UNSURE
    if at_once:
        yield from _followed(own, after)
    if after.clause.sentence == own.clause.sentence:
        yield from _qualified(after)


_SIGNING_OFF: Final = frozenset({"regards", "sincerely", "yours", "xoxo"})
"""A letter ends: it may have been somebody else's."""
_ATTRIBUTING: Final = frozenset(
    ["said", "says", "that", "those", "this", "quote", "unquote", "according", "as", "per", "is", "was", "were"]
)


def _followed(own: ClauseReading, after: ClauseReading) -> Iterator[Verdict]:
    """What the very next clause says, also when it begins a sentence of its own."""
    if _attributes(after) or after.clause.lead == "or":
        yield Plainness.UNSURE
    if after.mood is Mood.CONDITION and after.clause.sentence != own.clause.sentence:
        if after.first in ("only", "unless", "provided", "assuming", "but") or len(after.words) <= _A_TIME:
            yield Refusal.CONDITIONAL
        else:
            yield Plainness.UNSURE


_A_TIME: Final = 2
"""Words that name a time and no more: `tomorrow`, `on monday`."""


def _attributes(after: ClauseReading) -> bool:
    """`— Ada`, `those were Ada's words`: may say whose the words before are."""
    signed = after.clause.lead == "-" and after.mood in (Mood.CALL, Mood.OTHER)
    return signed or (after.possessive and after.first in _ATTRIBUTING)


def _qualified(after: ClauseReading) -> Iterator[Verdict]:
    consequence = after.clause.lead in ("and", "then") and after.first in SUBJECTS and after.asked is None
    if after.clause.lead == "or" or consequence:
        yield Plainness.UNSURE  # `delete this and I will cry`
    match after.mood:
        case Mood.CONDITION:
            yield Plainness.UNSURE if after.first in ("before", "after", "while") else Refusal.CONDITIONAL
        case Mood.REPORT:
            yield Refusal.REPORTED if len(after.words) <= SHORT else Plainness.UNSURE
        case Mood.QUESTION | Mood.HYPOTHESIS | Mood.PRESENTING | Mood.OVERRIDE | Mood.CALL | Mood.OTHER:
            yield Plainness.UNSURE
        case Mood.STATEMENT if _CASES.intersection(after.words) or not is_about_it(after):
            yield Plainness.UNSURE
        case _:
            pass


_CASES: Final = frozenset({"if", "unless", "agar", "jab"})
