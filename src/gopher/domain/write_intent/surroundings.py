"""Judges a request by all that stands around it in the message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from gopher.domain.write_intent.clause_readings import ClauseReading, Verdict
from gopher.domain.write_intent.following import taken_back
from gopher.domain.write_intent.moods import Mood
from gopher.domain.write_intent.preceding import before
from gopher.domain.write_intent.requests import Plainness, Refusal

_COULD: Final = frozenset({"can", "could", "would", "will"})
_TAKING_BACK: Final = frozenset({Refusal.RETRACTED, Refusal.NEGATED, Refusal.REPORTED})


def judge(readings: Sequence[ClauseReading], index: int) -> Verdict:
    """Say whether the request in clause `index` stands: EXPLICIT, UNSURE, or refused and why."""
    doubtful = False
    for verdict in _verdicts(readings, index):
        if isinstance(verdict, Refusal):
            return verdict
        doubtful = True
    return Plainness.UNSURE if doubtful else Plainness.EXPLICIT


def _verdicts(readings: Sequence[ClauseReading], index: int) -> Iterator[Verdict]:
    own = readings[index]
    yield from before(readings[:index], own)
    yield from _by_itself(readings, own)
    open_until = own.asked.open_until if own.asked else 0
    for position, after in enumerate(readings[index + 1 :], start=index + 1):
        at_once = position == index + 1
        for verdict in taken_back(own, after, at_once=at_once):
            if after.clause.start >= open_until:
                yield verdict
            elif verdict in _TAKING_BACK or (
                isinstance(verdict, Refusal) and own.asked is not None and not own.asked.sealed
            ):
                # What may belong to the requested words raises doubts, and no more.
                yield Plainness.UNSURE


def _by_itself(readings: Sequence[ClauseReading], own: ClauseReading) -> Iterator[Verdict]:
    if own.clause.asks and not _is_courteous(readings, own):
        yield Plainness.UNSURE
    closed = own.asked is not None and own.asked.open_until <= own.clause.end
    if own.clause.lead in ("or", "/") or (closed and own.clause.closed_by in ("/", "(")):
        yield Plainness.UNSURE


def _is_courteous(readings: Sequence[ClauseReading], own: ClauseReading) -> bool:
    """Say whether the question is one by its form only, here or elsewhere in the sentence.

    `can you react and pin it?` asks by the first clause, `pin it, ok?` by the last.
    """
    same = [each for each in readings if each.clause.sentence == own.clause.sentence]
    if any(each.polite and abs(each.clause.sentence - own.clause.sentence) == 1 for each in readings):
        return True  # `pin this? please?`
    return any(
        each.asked.courteous if each.asked is not None else each.mood is Mood.EMPTY and _is_courtesy(each, own)
        for each in same
    )


def _is_courtesy(each: ClauseReading, own: ClauseReading) -> bool:
    after = each.clause.start > own.clause.start
    return each.first in _COULD or (after and each.polite)
