"""Judges a request by what stands around it in the message: what governs it before, what takes it back after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gopher.domain.write_intent.asking import Asked
from gopher.domain.write_intent.clauses import Clause
from gopher.domain.write_intent.moods import Mood
from gopher.domain.write_intent.requests import Plainness, Refusal, WriteAction
from gopher.domain.write_intent.words import EXCLAIMING, FINITE, OTHERS, REPORTING, UNFINISHED


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseReading:
    """A clause with what it is."""

    clause: Clause
    mood: Mood
    complete: bool
    """False: it hangs on what follows."""
    actions: frozenset[WriteAction]
    """The actions that its words name."""
    words: tuple[str, ...]
    """Those that may not be passed over."""
    possessive: bool
    """Something in it is somebody's: `Ada's words`."""
    polite: bool
    """Nothing but a courtesy: `please`, `ok`."""
    asked: Asked | None = None

    @property
    def first(self) -> str:
        """The first of the words; empty where there are none."""
        return self.words[0] if self.words else ""

    @property
    def last(self) -> str:
        """The last of the words; empty where there are none."""
        return self.words[-1] if self.words else ""


Verdict = Plainness | Refusal
"""EXPLICIT: nothing speaks against the request."""

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
_COULD: Final = frozenset({"can", "could", "would", "will"})
_TAKING_BACK: Final = frozenset({Refusal.RETRACTED, Refusal.NEGATED, Refusal.REPORTED})
_SHORT: Final = 4


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
    yield from _governed(readings[:index], own)
    yield from _introduced(readings[:index], own)
    yield from _by_itself(readings, own)
    open_until = own.asked.open_until if own.asked else 0
    for position, after in enumerate(readings[index + 1 :], start=index + 1):
        at_once = position == index + 1
        for verdict in _taken_back(own, after, at_once=at_once):
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


def _governed(before: Sequence[ClauseReading], own: ClauseReading) -> Iterator[Verdict]:
    """What stands before the request in its own sentence."""
    lead = own.clause.lead
    for each in reversed(before):
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
            or (each.mood is Mood.STATEMENT and not _is_about_it(each))
            or (each.mood is Mood.REQUEST and each.clause.closed_by == ":")
        ):
            yield Plainness.UNSURE
        lead = each.clause.lead


def _may_call(each: ClauseReading) -> bool:
    """Say whether words before a comma may call somebody: they make no sentence and exclaim nothing."""
    if each.mood is Mood.CALL or each.first in ("to", "attn"):
        return True
    words = frozenset(each.words)
    return each.mood is Mood.STATEMENT and not words & (FINITE | EXCLAIMING | _SUBJECTS)


def _is_about_it(each: ClauseReading) -> bool:
    """Say whether a statement beside a request is plainly the requester's own: about this, or about themselves."""
    if each.last in _HINGLISH_FINITE and each.first not in OTHERS | _THIRD:
        return True
    return each.first in _ABOUT_IT or bool(EXCLAIMING.intersection(each.words[:_START]))


_HINGLISH_FINITE: Final = frozenset(
    ["hai", "ho", "tha", "thi", "gaya", "gayi", "diya", "kiya", "liya", "hoga", "tune", "tumne"]
)
_THIRD: Final = frozenset(["usne", "unhone", "wo", "usko", "unko"])


_START: Final = 2
_ABOUT_IT: Final = frozenset(
    (
        "this that it these those they there i we me my our mine the a an here people everyone everybody someone nobody some"
        " most many all each every let us you your because since so lots thanks sorry agreed ye wo isme mujhe hum humko humara"
        " mera bahut bohot sab log yaha kaafi important zaroori no one what which now just"
    ).split()
)


def _goes_on(each: ClauseReading) -> bool:
    """Say whether a statement may end in what follows it: `the sign is`, `and she was like`, `my boss was all`."""
    return each.mood is Mood.STATEMENT and each.last in UNFINISHED | REPORTING | {"all", "goes", "went"}


_SUBJECTS: Final = frozenset(["i", "we", "they", "it", "he", "she", "you", "let", "us", "lets"])


def _negated(each: ClauseReading, lead: str) -> Iterator[Verdict]:
    if not each.complete or lead in ("or", "and"):
        yield Refusal.NEGATED
    elif lead not in _FRESH_STARTS:
        yield Plainness.UNSURE


def _introduced(before: Sequence[ClauseReading], own: ClauseReading) -> Iterator[Verdict]:
    """What stands before the request, in this sentence or an earlier one, and hands over to it."""
    for each in before:
        if each.mood is Mood.OVERRIDE or (each.asked is not None and each.asked.open_until > own.clause.start):
            yield Plainness.UNSURE
        if each.clause.closed_by == ":" and each.mood in _SPEAKING and each.last not in _HARMLESS_HEADINGS:
            yield Plainness.UNSURE  # `bob: nice. pin this`: what follows a speaker's name may be his to the end
        if each.mood is Mood.NEGATED:
            if each.clause.closed_by == ":" or _POINTING_FORWARD & {each.first, each.last}:
                yield Refusal.NEGATED
            elif _shares(each, own):
                yield Plainness.UNSURE
    if not before:
        return
    last = before[-1]
    if last.clause.closed_by == ":" and last.mood is not Mood.REQUEST and last.last not in _HARMLESS_HEADINGS:
        yield Plainness.UNSURE if last.mood is Mood.EMPTY and not last.last else Refusal.REPORTED
    if last.mood is Mood.RETRACTION and last.last in _BARE_NEGATIONS:
        yield Refusal.NEGATED
    if last.clause.sentence != own.clause.sentence:
        yield from _sentence_before(last, own)


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
        yield Refusal.NEGATED if len(last.words) <= _SHORT else Plainness.UNSURE
    if last.mood in (Mood.CONDITION, Mood.HYPOTHESIS) and alone:
        yield Plainness.UNSURE


def _taken_back(own: ClauseReading, after: ClauseReading, *, at_once: bool) -> Iterator[Verdict]:
    """What stands after the request and takes from it."""
    if after.mood is Mood.RETRACTION:
        yield Refusal.RETRACTED
    if after.mood is Mood.NEGATED:
        if _shares(after, own):
            yield Refusal.NEGATED
        elif len(after.words) <= _SHORT and not after.actions:
            yield Plainness.UNSURE
    if after.mood is Mood.REPORT and after.first in _ATTRIBUTING:
        yield Refusal.REPORTED
    if at_once:
        yield from _followed(own, after)
    if after.clause.sentence == own.clause.sentence:
        yield from _qualified(after)


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
    consequence = after.clause.lead in ("and", "then") and after.first in _SUBJECTS and after.asked is None
    if after.clause.lead == "or" or consequence:
        yield Plainness.UNSURE  # `delete this and I will cry`
    match after.mood:
        case Mood.CONDITION:
            yield Plainness.UNSURE if after.first in ("before", "after", "while") else Refusal.CONDITIONAL
        case Mood.REPORT:
            yield Refusal.REPORTED if len(after.words) <= _SHORT else Plainness.UNSURE
        case Mood.QUESTION | Mood.HYPOTHESIS | Mood.PRESENTING | Mood.OVERRIDE | Mood.CALL | Mood.OTHER:
            yield Plainness.UNSURE
        case Mood.STATEMENT if _CASES.intersection(after.words) or not _is_about_it(after):
            yield Plainness.UNSURE
        case _:
            pass


_CASES: Final = frozenset({"if", "unless", "agar", "jab"})


def _shares(negated: ClauseReading, own: ClauseReading) -> bool:
    return own.asked is not None and any(request.action in negated.actions for request in own.asked.requests)
