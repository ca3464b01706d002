"""Reads a whole message: what it asks for, clause by clause, and what stands around each request and takes from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from gopher.domain.write_intent.asking import Asked, asked_at
from gopher.domain.write_intent.begun import begun_at
from gopher.domain.write_intent.clause_readings import ClauseReading
from gopher.domain.write_intent.clauses import Clause, split
from gopher.domain.write_intent.language import ACTION_WORDS, GRAMMAR
from gopher.domain.write_intent.moods import Mood, MoodReading, mood_of
from gopher.domain.write_intent.requests import (
    Listener,
    Mention,
    Plainness,
    Reading,
    Refusal,
    WriteRequest,
)
from gopher.domain.write_intent.spans import has_direction_marks
from gopher.domain.write_intent.surroundings import judge
from gopher.domain.write_intent.tokens import Text, Token, TokenKind, tokenize
from gopher.domain.write_intent.words import EXCLAIMING, FINITE, OTHERS, REPORTING, UNFINISHED


def read(text: str, listener: Listener) -> Reading:
    """Read what a message asks the bot to do.

    Equal messages give equal readings. Only the message is read: nothing else can put a request into a reading.
    """
    cut = _spoken_to(tokenize(text), listener)
    clauses = split(cut)
    readings = _clause_readings(cut, clauses)
    requests: list[WriteRequest] = []
    mentions = _quoted(cut)
    capped = cut.unclosed or has_direction_marks(text)
    for index, each in enumerate(readings):
        if each.asked is None:
            mentions.extend(Mention(action=action, reason=_REASONS[each.mood]) for action in sorted(each.actions))
            continue
        verdict = judge(readings, index)
        if isinstance(verdict, Refusal):
            mentions.extend(Mention(action=request.action, reason=verdict) for request in each.asked.requests)
            continue
        unsure = capped or verdict is Plainness.UNSURE
        requests.extend(
            replace(request, plainness=Plainness.UNSURE) if unsure else request for request in each.asked.requests
        )
    return Reading(requests=tuple(requests), mentions=tuple(mentions))


_REASONS: Final[dict[Mood, Refusal]] = {
    Mood.EMPTY: Refusal.NOT_REQUESTED,
    Mood.REQUEST: Refusal.NOT_REQUESTED,
    Mood.NEGATED: Refusal.NEGATED,
    Mood.QUESTION: Refusal.QUESTION,
    Mood.CONDITION: Refusal.CONDITIONAL,
    Mood.HYPOTHESIS: Refusal.HYPOTHETICAL,
    Mood.REPORT: Refusal.REPORTED,
    Mood.OTHER: Refusal.ADDRESSED_TO_OTHER,
    Mood.RETRACTION: Refusal.RETRACTED,
    Mood.PRESENTING: Refusal.QUOTED,
    Mood.OVERRIDE: Refusal.NOT_REQUESTED,
    Mood.STATEMENT: Refusal.NOT_REQUESTED,
    Mood.CALL: Refusal.NOT_REQUESTED,
    Mood.FOREIGN: Refusal.QUOTED,
}


def _spoken_to(text: Text, listener: Listener) -> Text:
    """Read every way of calling the bot as the word `bot`."""
    return replace(text, tokens=tuple(_called(token, listener) for token in text.tokens))


def _called(token: Token, listener: Listener) -> Token:
    by_mention = token.kind is TokenKind.USER and token.ids == (int(listener.bot_id),)
    names = listener.names | {"bot"}
    by_name = token.kind is TokenKind.NAME and token.word.removeprefix("@").rstrip(".") in names
    if by_mention or by_name or (token.kind is TokenKind.WORD and token.raw.lower() in names):
        return replace(token, kind=TokenKind.WORD, word="bot")
    if token.possessive and token.raw.lower().removesuffix("'s") in names:
        return replace(token, word="bots")
    return token


def _quoted(text: Text) -> list[Mention]:
    """Name the actions that only quotations, code and pasted text speak of."""
    words: set[str] = set()
    for token in text.tokens:
        if token.inner:
            words.update(inner.word for inner in tokenize(token.inner).tokens)
    return [Mention(action=action, reason=Refusal.QUOTED) for action, named in ACTION_WORDS.items() if words & named]


def _clause_readings(text: Text, clauses: tuple[Clause, ...]) -> tuple[ClauseReading, ...]:
    readings: list[ClauseReading] = []
    for index, clause in enumerate(clauses):
        covered = max((each.asked.end for each in readings if each.asked), default=0)
        if clause.start < covered:
            # Words of a request before it: no request, and nothing that could take from one but a retraction.
            mood = mood_of(text.tokens[clause.start : clause.end])
            begins = readings[-1].clause.closed_by == ":"
            covering = mood if mood.mood is Mood.RETRACTION and not begins else MoodReading(mood=Mood.EMPTY)
            readings.append(_unasked(text, clause, covering))
            continue
        asked = sum(each.asked is not None for each in readings)
        if asked >= _MOST_REQUESTS or index >= _MOST_CLAUSES:
            readings.append(_unasked(text, clause, mood_of(text.tokens[clause.start : clause.end])))
            continue
        readings.append(_clause_reading(text, clauses, index))
    return tuple(readings)


_MOST_REQUESTS: Final = 12
_MOST_CLAUSES: Final = 160
"""Nobody asks for more in one message; what comes after is not read as a request, so that no text takes long."""


def _clause_reading(text: Text, clauses: tuple[Clause, ...], index: int) -> ClauseReading:
    clause = clauses[index]
    tokens = text.tokens[clause.start : clause.end]
    asked = asked_at(text, clauses, index, clause.start)
    if asked is None:
        mood = mood_of(tokens)
        if mood.mood not in _FIRM:
            asked = _run_on(text, clauses, index) or _begun(text, clause, mood)
        if asked is None:
            return _unasked(text, clause, mood)
    return replace(_unasked(text, clause, MoodReading(mood=Mood.REQUEST)), asked=asked)


_FIRM: Final = frozenset(
    {
        Mood.EMPTY,
        Mood.NEGATED,
        Mood.HYPOTHESIS,
        Mood.REPORT,
        Mood.RETRACTION,
        Mood.FOREIGN,
        Mood.OTHER,
        Mood.PRESENTING,
        Mood.OVERRIDE,
    }
)
"""Moods that no words of the clause can turn into a request."""


def _begun(text: Text, clause: Clause, mood: MoodReading) -> Asked | None:
    return begun_at(text, clause, clause.start) if mood.mood in (Mood.STATEMENT, Mood.CALL) else None


_STARTS: Final = frozenset({"please", "can", "could", "would", "will"})
_HINGLISH_STARTS: Final = frozenset(
    {
        "delete",
        "pin",
        "unpin",
        "react",
        "hata",
        "hatao",
        "isko",
        "is",
        "us",
        "usko",
        "ye",
        "isi",
        "mera",
        "apna",
        "zara",
        "please",
    }
)
_HINGLISH_FINITE: Final = frozenset({"hai", "ho", "tha", "thi", "gaya", "gayi", "raha", "rahi", "hoga", "rahe"})


def _run_on(text: Text, clauses: tuple[Clause, ...], index: int) -> Asked | None:
    """Read `this is important can you pin it` and `ye important hai isko pin kar do`: two clauses without a mark."""
    clause = clauses[index]
    for position in range(clause.start + 1, clause.end):
        word = text.tokens[position].word
        after_finite = text.tokens[position - 1].word in _HINGLISH_FINITE
        marked = word in _STARTS or (word in _HINGLISH_STARTS and after_finite)
        before = text.tokens[clause.start : position]
        asked = asked_at(text, clauses, index, position) if _may_begin(text, position, marked=marked) else None
        if asked is None:
            continue
        mood = mood_of(before)
        whole = _is_sentence(before, mood) and (after_finite or _last(before) not in UNFINISHED | REPORTING | _SUBJECTS)
        exclaimed = asked.courteous and _last(before) in EXCLAIMING
        plain = (marked or exclaimed) and mood.mood in (Mood.STATEMENT, Mood.EMPTY) and whole
        unmarked = _is_sentence(before, mood) and _last(before) not in _BEFORE_A_VERB
        if mood.mood not in (Mood.STATEMENT, Mood.EMPTY, Mood.CALL) or not (plain or unmarked):
            return None
        weaker = tuple(replace(request, plainness=Plainness.UNSURE) for request in asked.requests)
        return asked if plain else replace(asked, requests=weaker)
    return None


_VERBS: Final = frozenset("pin unpin delete remove react reply edit archive rename remember forget send post".split())


def _may_begin(text: Text, position: int, *, marked: bool) -> bool:
    return marked or text.tokens[position].word in _VERBS


def _is_sentence(tokens: tuple[Token, ...], mood: MoodReading) -> bool:
    if mood.mood is Mood.EMPTY:
        return True
    words = [token.word for token in tokens]
    return any(word in FINITE | EXCLAIMING for word in words) and words[0] not in OTHERS


_SUBJECTS: Final = frozenset(["i", "you", "he", "she", "they", "we", "who", "not", "dont", "never"])


def _last(tokens: tuple[Token, ...]) -> str:
    return next((token.word for token in reversed(tokens) if not GRAMMAR.passes(token)), "")


_BEFORE_A_VERB: Final = FINITE | frozenset(
    "i you he she we they it who to someone everyone people mods not dont the a an and or bob please".split()
)


def _unasked(text: Text, clause: Clause, mood: MoodReading) -> ClauseReading:
    tokens = text.tokens[clause.start : clause.end]
    words = [token.word for token in tokens if not GRAMMAR.passes(token)]
    return ClauseReading(
        clause=clause,
        mood=mood.mood,
        complete=mood.complete,
        actions=frozenset(action for action, named in ACTION_WORDS.items() if named & set(words)),
        words=tuple(words),
        possessive=any(token.possessive for token in tokens),
        polite=not words and any(token.word in _POLITE for token in tokens),
    )


_POLITE: Final = frozenset({"please", "ok", "thanks", "kindly"})
