"""Decides what kind of clause it is that asks for nothing: a question, a condition, a report, a courtesy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from gopher.domain.write_intent.grammar import Window
from gopher.domain.write_intent.language import ACTION_WORDS, GRAMMAR
from gopher.domain.write_intent.notation import phrase
from gopher.domain.write_intent.set_clauses import GREETINGS, HARMLESS_NEGATIONS, RETRACTIONS
from gopher.domain.write_intent.tokens import Token, TokenKind
from gopher.domain.write_intent.words import (
    CONDITIONS,
    EXCLAIMING,
    FINITE,
    HYPOTHESES,
    INTERJECTIONS,
    NEGATORS,
    OTHERS,
    OVERRIDES,
    PRESENTING,
    QUESTION_WORDS,
    REPORTING,
)


class Mood(StrEnum):
    """What kind of clause it is."""

    EMPTY = "empty"
    """Courtesies, exclamations, a call to the bot."""
    REQUEST = "request"
    NEGATED = "negated"
    QUESTION = "question"
    CONDITION = "condition"
    HYPOTHESIS = "hypothesis"
    REPORT = "report"
    OTHER = "other"
    """Speaks to somebody else."""
    RETRACTION = "retraction"
    PRESENTING = "presenting"
    """Shows or asks about words."""
    OVERRIDE = "override"
    """Talks about instructions, as pasted attacks do."""
    STATEMENT = "statement"
    CALL = "call"
    """A few words that make no sentence: perhaps somebody's name."""
    FOREIGN = "foreign"
    """Block quotes and the like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoodReading:
    """The mood of a clause that asks for nothing."""

    mood: Mood
    complete: bool = True
    """False: a negation or question that hangs on what follows (`don't ever`, `never pin` without an object)."""


_COURTESIES: Final = (
    phrase("AFTER TAIL"),
    phrase(
        "[ COULDYOU ] ( go ahead | do me|us [ a|one ] [ huge|big|quick|small|little|tiny ] favor|favour|solid | be a dear|darling|pal | be so kind"
        " | help me|us [ out ] ) [ here|there ] TAIL"
    ),
    phrase(
        "i [ have ] [ need ] [ got ] a|one [ quick|small|little|last|tiny ] favor|favour|request|thing [ to ask ] [ from|of you ] TAIL"
    ),
    phrase("that would be great|nice|awesome|cool|helpful|lovely|amazing|appreciated TAIL"),
)
_HARMLESS: Final = HARMLESS_NEGATIONS | GREETINGS
_AUXILIARIES: Final = frozenset("can could will would cannot".split())
_SHORT: Final = 4
_EVERY_ACTION_WORD: Final = frozenset(word for words in ACTION_WORDS.values() for word in words)
_HANGING: Final = (
    _EVERY_ACTION_WORD
    | NEGATORS
    | frozenset(
        "do ever to please even try dare circumstances circumstance case way means account condition the following below these things any of just let kuch either".split()
    )
)
_ASKED: Final = frozenset("you i we they people the any these those".split())
_JOKING: Final = frozenset("jk kidding joking mazak mazaak sike psych".split())
_DETERMINERS: Final = frozenset("the a an my our your its these those some all no every each".split())
_RECASTING: Final = ("you are now ", "act as ", "as an ai", "from now on you ", "your new ")
"""How pasted attacks give the bot another part."""
_SPEAKERS: Final = frozenset("as like says per quote unquote".split())


def mood_of(tokens: tuple[Token, ...]) -> MoodReading:
    """Decide the mood of a clause of which the grammar knows no request."""
    if any(token.kind is TokenKind.FOREIGN for token in tokens):
        return MoodReading(mood=Mood.FOREIGN)
    plain = tuple(token for token in tokens if not GRAMMAR.passes(token))
    words = tuple(token.word for token in plain)
    whole = " ".join(token.word for token in tokens if token.kind is not TokenKind.EMOJI)
    bare = " ".join(words)
    if whole in RETRACTIONS or bare in RETRACTIONS:
        return MoodReading(mood=Mood.RETRACTION)
    if not plain or whole in _HARMLESS or bare in _HARMLESS or _is_afterthought(tokens):
        return MoodReading(mood=Mood.EMPTY)
    if whole.startswith(_RECASTING):
        return MoodReading(mood=Mood.OVERRIDE)
    if _speaks_to_others(plain):
        return MoodReading(mood=Mood.OTHER)
    return _by_words(plain, words)


def _is_afterthought(tokens: tuple[Token, ...]) -> bool:
    window = Window(tokens=tokens, start=0, end=len(tokens))
    return any(fit.end == window.end for each in _COURTESIES for fit in GRAMMAR.fits(each, window, 0))


def _speaks_to_others(plain: tuple[Token, ...]) -> bool:
    if plain[0].kind in (TokenKind.USER, TokenKind.NAME, TokenKind.EVERYONE):
        return True
    return all(token.word in OTHERS for token in plain)


_HARMLESS_STARTS: Final = (("no", "cap"), ("no", "lie"), ("no", "joke"), ("no", "doubt"), ("not", "kidding"))
_START: Final = 2
"""How many words decide what a clause begins with."""


def _by_words(plain: tuple[Token, ...], words: tuple[str, ...]) -> MoodReading:
    if words[:_START] in _HARMLESS_STARTS and len(words) > _START:
        plain, words = plain[_START:], words[_START:]
    known = frozenset(words)
    mood = next((mood for mood, holds in _RULES if holds(words, known)), None)
    if mood is None:
        mood = Mood.STATEMENT if _is_sentence(plain, words) else Mood.CALL
    return MoodReading(mood=mood, complete=mood is not Mood.NEGATED or _is_complete(words))


def _is_sentence(plain: tuple[Token, ...], words: tuple[str, ...]) -> bool:
    """Say whether the words are more than a name: they state or exclaim something, or are too many."""
    return (
        bool((FINITE | EXCLAIMING).intersection(words))
        or words[0] in _DETERMINERS
        or len(plain) >= _SHORT
        or any(token.kind in (TokenKind.URL, TokenKind.QUOTE) for token in plain)
    )


def _jokes(words: tuple[str, ...], known: frozenset[str]) -> bool:
    return bool(known & _JOKING) and len(words) <= _SHORT + 1


def _exclaims(_words: tuple[str, ...], known: frozenset[str]) -> bool:
    return known <= INTERJECTIONS and not known & OTHERS


def _imagines(words: tuple[str, ...], known: frozenset[str]) -> bool:
    return bool(known & HYPOTHESES) or words[:_START] in _IMAGINING


def _attributes(words: tuple[str, ...], _known: frozenset[str]) -> bool:
    """`said Ada`, `is what the sign says`: about the words before."""
    return words[0] in REPORTING or words[:_START] in _OF_THE_WORDS_BEFORE


def _reports(words: tuple[str, ...], known: frozenset[str]) -> bool:
    return words[0] in _SPEAKERS or bool(known & REPORTING and not known & _HABITS)


def _is_complete(words: tuple[str, ...]) -> bool:
    """Say whether a negation has an object of its own, so that it does not reach into what follows."""
    if "mat" in words or "nahi" in words:
        return len(words) > 1
    return words[-1] not in _HANGING


def _asks(words: tuple[str, ...], _known: frozenset[str]) -> bool:
    to_somebody = words[0] == "do" and words[1:_START] and words[1] in _ASKED
    return words[0] in QUESTION_WORDS or words[0] in _AUXILIARIES or words[-1] == "kya" or bool(to_somebody)


def _depends(words: tuple[str, ...], known: frozenset[str]) -> bool:
    if known & _CASES and known & _EVERY_ACTION_WORD:
        return True
    return words[0] in CONDITIONS or words[-1] in CONDITIONS or words[:_START] in _DEPENDING


_IMAGINING: Final = (("what", "if"), ("i", "would"), ("i", "could"), ("i", "might"), ("as", "if"))
_OF_THE_WORDS_BEFORE: Final = (("is", "what"), ("was", "what"), ("were", "the"))
_CASES: Final = frozenset(["if", "unless", "once", "until", "agar", "jab"])
_HABITS: Final = frozenset(["keep", "keeps", "kept"])
_DEPENDING: Final = (
    *(
        ("as", "soon"),
        ("as", "long"),
        ("in", "case"),
        ("only", "if"),
        ("even", "if"),
        ("next", "week"),
        ("next", "time"),
        ("wait", "for"),
        ("wait", "until"),
    ),
)
_Rule = Callable[[tuple[str, ...], frozenset[str]], bool]
_RULES: Final[tuple[tuple[Mood, _Rule], ...]] = (
    (Mood.OVERRIDE, lambda _words, known: bool(known & OVERRIDES)),
    (Mood.EMPTY, _exclaims),
    (Mood.HYPOTHESIS, _imagines),
    (Mood.RETRACTION, _jokes),
    (Mood.REPORT, _attributes),
    (Mood.NEGATED, lambda _words, known: bool(known & NEGATORS)),
    (Mood.REPORT, _reports),
    (Mood.QUESTION, _asks),
    (Mood.CONDITION, _depends),
    (Mood.PRESENTING, lambda _words, known: bool(known & PRESENTING)),
)
"""What decides the mood of a clause, the weightiest first."""
