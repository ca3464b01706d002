"""Judges a request by what stands before it: what governs it, and what hands over to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from gopher.domain.write_intent.words import EXCLAIMING, FINITE, REPORTING, UNFINISHED

_GOVERNING: Final[dict[Mood, Refusal]] = {
    Mood.QUESTION: Refusal.QUESTION,
    Mood.CONDITION: Refusal.CONDITIONAL,
    Mood.HYPOTHESIS: Refusal.HYPOTHETICAL,
    Mood.REPORT: Refusal.REPORTED,
    Mood.OTHER: Refusal.ADDRESSED_TO_OTHER,
}
"""Moods that rule everything after them in their sentence."""

_FRESH_STARTS: Final = frozenset({",", "but", "-", "...", "(", ")", ""})
"""After one of these a request stands for itself, whatever was negated before."""

_POINTING_FORWARD: Final = frozenset({"following", "below", "these", "things", "next"})
_BARE_NEGATIONS: Final = frozenset({"dont", "not", "never", "stop"})
_HARMLESS_HEADINGS: Final = frozenset(["favor", "favour", "request", "thing", "question", "ask", "one", "ps", "p.s"])
_SPEAKING: Final = frozenset({Mood.CALL, Mood.OTHER, Mood.REPORT, Mood.PRESENTING, Mood.QUESTION})
_FOREIGN_TEXTS: Final = frozenset(
    (
        "email mail text ticket transcript description letter script prompt log excerpt passage paragraph story article page"
        " quote conversation sentence"
    ).split()
)


def before(readings: Sequence[ClauseReading], own: ClauseReading) -> Iterator[Verdict]:
    """Yield what the clauses before a request, given in order, say of it; nothing when they say nothing."""
    yield from _governed(readings, own)
    yield from _introduced(readings, own)


def _governed(earlier: Sequence[ClauseReading], own: ClauseReading) -> Iterator[Verdict]:
    """What stands before the request in its own sentence."""
    lead = own.clause.lead
    for each in reversed(earlier):
        if each.clause.sentence != own.clause.sentence:
            break
        if each.mood in _GOVERNING:
            yield _GOVERNING[each.mood]
        elif each.mood is Mood.NEGATED:
            yield from _negated(each, lead)
        elif each.mood is Mood.RETRACTION and each.last in _BARE_NEGATIONS:
            yield Refusal.NEGATED
        elif each.clause.closed_by == ")" and len(each.words) <= 1 and each.asked is None:
            yield Plainness.UNSURE  # `a) pin this`: an item of a list
        elif (
            each.mood in (Mood.PRESENTING, Mood.OVERRIDE)
            or (_may_call(each) and lead not in ("but", "so", "then"))
            or _goes_on(each)
            or (each.mood is Mood.STATEMENT and not is_about_it(each))
            or (each.mood is Mood.REQUEST and each.clause.closed_by == ":")
        ):
            yield Plainness.UNSURE
        lead = each.clause.lead


def _may_call(each: ClauseReading) -> bool:
    """Say whether words before a comma may call somebody: they make no sentence and exclaim nothing."""
    if each.mood is Mood.CALL or each.first in ("to", "attn"):
        return True
    words = frozenset(each.words)
    return each.mood is Mood.STATEMENT and not words & (FINITE | EXCLAIMING | SUBJECTS)


def _goes_on(each: ClauseReading) -> bool:
    """Say whether a statement may end in what follows it: `the sign is`, `and she was like`, `my boss was all`."""
    return each.mood is Mood.STATEMENT and each.last in UNFINISHED | REPORTING | {"all", "goes", "went"}


def _negated(each: ClauseReading, lead: str) -> Iterator[Verdict]:
    if not each.complete or lead in ("or", "and"):
        yield Refusal.NEGATED
    elif lead not in _FRESH_STARTS:
        yield Plainness.UNSURE


def _introduced(earlier: Sequence[ClauseReading], own: ClauseReading) -> Iterator[Verdict]:
    """What stands before the request, in this sentence or an earlier one, and hands over to it."""
    for each in earlier:
        if each.mood is Mood.OVERRIDE or (each.asked is not None and each.asked.open_until > own.clause.start):
            yield Plainness.UNSURE
        if each.clause.closed_by == ":" and each.mood in _SPEAKING and each.last not in _HARMLESS_HEADINGS:
            yield Plainness.UNSURE  # `bob: nice. pin this`: what follows a speaker's name may be his to the end
        if _hands_over(each):
            yield Plainness.UNSURE
        if each.mood is Mood.NEGATED:
            if each.clause.closed_by == ":" or _POINTING_FORWARD & {each.first, each.last}:
                yield Refusal.NEGATED
            elif shares_action(each, own):
                yield Plainness.UNSURE
    if not earlier:
        return
    last = earlier[-1]
    if last.clause.closed_by == ":" and last.mood is not Mood.REQUEST and last.last not in _HARMLESS_HEADINGS:
        yield Plainness.UNSURE if last.mood is Mood.EMPTY and not last.last else Refusal.REPORTED
    if last.mood is Mood.RETRACTION and last.last in _BARE_NEGATIONS:
        yield Refusal.NEGATED
    if last.clause.sentence != own.clause.sentence:
        yield from _sentence_before(last, own)


def _hands_over(each: ClauseReading) -> bool:
    """`here is the email.`, `the ticket is as follows.`: somebody else's words may come next."""
    if not each.words or each.asked is not None:
        return False
    if each.last in ("follows", "following"):
        return True
    return (each.first == "here" or each.last == "below") and bool(_FOREIGN_TEXTS.intersection(each.words))


def _sentence_before(last: ClauseReading, own: ClauseReading) -> Iterator[Verdict]:
    alone = not last.clause.lead and last.clause.sentence == own.clause.sentence - 1
    if last.mood is Mood.OTHER and alone:
        yield Refusal.ADDRESSED_TO_OTHER
    if last.mood in (Mood.CALL, Mood.PRESENTING) and alone:
        yield Plainness.UNSURE
    if last.clause.closed_by == "\n" and _goes_on(last):
        yield Plainness.UNSURE
    if last.mood is Mood.REPORT and (last.last in REPORTING or last.clause.closed_by == "\n"):
        yield Refusal.REPORTED if last.last in REPORTING else Plainness.UNSURE
    if last.mood is Mood.NEGATED and not last.complete and last.clause.closed_by != "?":
        yield Refusal.NEGATED if len(last.words) <= SHORT else Plainness.UNSURE
    if last.mood in (Mood.CONDITION, Mood.HYPOTHESIS) and alone:
        yield Plainness.UNSURE
