"""Turns a frame that fits into a request: its slots into targets, channels, contents, emoji, names."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from typing import Final, TypeVar, cast

from gopher.domain.write_intent import contents
from gopher.domain.write_intent.emojis import EMOJI
from gopher.domain.write_intent.frames import Frame
from gopher.domain.write_intent.grammar import Filled, Fit
from gopher.domain.write_intent.moods import Mood, mood_of
from gopher.domain.write_intent.requests import (
    ChannelRef,
    MessageRef,
    Plainness,
    Replacement,
    Scope,
    WriteAction,
    WriteRequest,
)
from gopher.domain.write_intent.targets import CHANNEL, TARGET
from gopher.domain.write_intent.tokens import Text, Token, TokenKind
from gopher.domain.write_intent.words import FINITE, NEGATORS, QUESTION_WORDS, UNFINISHED

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A request as one fit of one frame makes it."""

    request: WriteRequest
    closed: bool
    """It holds no unquoted words of which it is not sure where they end."""
    sealed: bool = False
    """Its words follow a colon, so that all that follows belongs to them."""


_WITH_CONTENT: Final = frozenset({WriteAction.SEND, WriteAction.REPLY, WriteAction.EDIT, WriteAction.MEMORY_REMEMBER})
_ON_MEMORIES: Final = frozenset({WriteAction.MEMORY_REMEMBER, WriteAction.MEMORY_FORGET})
_CHANGES: Final = frozenset(
    "be include mention sound have add remove fix look contain make use become match reflect".split()
)
_FOR_PROGRAMS: Final = frozenset(
    "each every any all processing handling background worker workers daemon main single multiple gui ui socket sockets client clients task tasks loop io cpu process timer connection connections queue job jobs async uploads downloads".split()
)
_FOR_THE_REQUEST: Final = frozenset("if unless when whenever once until till agar jab".split())
_TIMES: Final = frozenset(
    "tomorrow tonight later kal baad monday tuesday wednesday thursday friday saturday sunday".split()
)


def draft(text: Text, frame: Frame, fit: Fit, *, start: int) -> Draft | None:
    """Make the request that a fit from `start` on stands for; None when its words deny it (`post no messages`)."""
    spans = [filled for filled in fit.slots if isinstance(filled.value, tuple) and filled.slot != EMOJI]
    if len(fit.values(TARGET)) > 1:
        return None  # two objects: `wo isko pin kare` has a subject
    unsure = frame.plainness is Plainness.UNSURE
    for filled in spans:
        tokens = text.tokens[filled.start : filled.end]
        if (filled.slot == contents.LOOSE or unsure) and _denies(tokens):
            return None
        if filled.start <= start and _governs(tokens, filled.slot):
            return None
        if all(token.word in _LIGHT for token in tokens) or _names_nothing(text, frame, filled):
            return None
        if unsure and filled.slot in (contents.LITERAL, contents.LOOSE) and _is_beside_the_point(text, frame, filled):
            return None
    request = WriteRequest(
        action=frame.action,
        plainness=frame.plainness,
        target=_first(fit, TARGET, MessageRef),
        channel=_last(fit, CHANNEL, ChannelRef),
        archived=_first(fit, "archived", bool),
        scope=Scope(_first(fit, "scope", str) or Scope.USER),
        memory_id=_first(fit, "memory_id", int),
        emojis=tuple(each for group in fit.values(EMOJI) for each in _strings(group)),
        replacement=_replacement(text, fit),
    )
    request = _with_words(text, request, fit)
    opening = (contents.LITERAL, contents.LOOSE, contents.TOPIC)
    return Draft(
        request=_doubts(text, request, fit),
        closed=all(filled.slot not in opening for filled in spans),
        sealed=any(_after_colon(text, filled) for filled in spans),
    )


_GOVERNING: Final = frozenset(
    {
        Mood.NEGATED,
        Mood.HYPOTHESIS,
        Mood.REPORT,
        Mood.QUESTION,
        Mood.CONDITION,
        Mood.OTHER,
        Mood.OVERRIDE,
        Mood.PRESENTING,
        Mood.RETRACTION,
    }
)


def _governs(tokens: tuple[Token, ...], slot: str) -> bool:
    """Say whether free words at the very beginning, as Hinglish has them, are rather what governs the request."""
    if mood_of(tokens).mood in _GOVERNING or any(token.kind in (TokenKind.QUOTE, TokenKind.CODE) for token in tokens):
        return True
    own = tokens[0].word in contents.OWN
    return slot == contents.TOPIC and not own and any(token.word in FINITE | UNFINISHED for token in tokens)


_DIRECT: Final = frozenset("dm dms pm pms privately inbox whisper".split())


_WORKS: Final = frozenset(
    "script function program code class method query regex essay letter email mail poem story".split()
)


_LIGHT: Final = frozenset("do de dena dijiye kar karo karna lo le na hai ho".split())
"""The rest of a Hinglish verb is no content."""


def _names_nothing(text: Text, frame: Frame, filled: Filled) -> bool:
    """`a thread on this` is about no topic: it hangs on a message."""
    creates = frame.action is WriteAction.THREAD_CREATE and filled.slot == contents.TOPIC
    return creates and contents.is_empty(_span_text(text, filled))


def _is_beside_the_point(text: Text, frame: Frame, filled: Filled) -> bool:
    """Say whether words make a doubtful request none: a condition, a private message, something written for me."""
    tokens = text.tokens[filled.start : filled.end]
    words = {token.word for token in tokens}
    if words & _DIRECT or words & _WORKS or any(token.word in _FOR_THE_REQUEST for token in tokens[1:]):
        return True
    return frame.action is WriteAction.SEND and contents.is_described(_span_text(text, filled), marked=False)


def _strings(group: object) -> tuple[str, ...]:
    return tuple(str(each) for each in cast("tuple[object, ...]", group)) if isinstance(group, tuple) else ()


def _first(fit: Fit, slot: str, kind: type[_T]) -> _T | None:
    return next((value for value in fit.values(slot) if isinstance(value, kind)), None)


def _last(fit: Fit, slot: str, kind: type[_T]) -> _T | None:
    return next((value for value in reversed(fit.values(slot)) if isinstance(value, kind)), None)


def _denies(tokens: tuple[Token, ...]) -> bool:
    """Words that are content only by their place, beside a negation: `post no spam`, `kuch mat bhejna`."""
    words = [token.word for token in tokens]
    return bool(words) and (words[0] in NEGATORS or words[-1] in NEGATORS or "mat" in words)


def _span_text(text: Text, filled: Filled) -> str:
    return contents.tidy(text.slice(filled.start, filled.end))


def _replacement(text: Text, fit: Fit) -> Replacement | None:
    sides: dict[str, str] = {}
    for filled in fit.slots:
        if filled.slot in ("old", "new"):
            sides[filled.slot] = filled.value if isinstance(filled.value, str) else _span_text(text, filled)
    return Replacement(old=sides["old"], new=sides["new"]) if len(sides) == len(("old", "new")) else None


def _with_words(text: Text, request: WriteRequest, fit: Fit) -> WriteRequest:
    given: list[str] = []
    topic: str | None = None
    for filled in fit.slots:
        if filled.slot == contents.QUOTED and isinstance(filled.value, str):
            given.append(filled.value)
        elif filled.slot in (contents.LITERAL, contents.LOOSE):
            given.append(_span_text(text, filled))
        elif filled.slot == contents.TOPIC:
            topic = _span_text(text, filled)
    words = tuple(each for each in given if each)
    if request.action in (WriteAction.THREAD_CREATE, WriteAction.THREAD_EDIT):
        thread = request.channel if request.action is WriteAction.THREAD_EDIT else None
        channel = None if thread else request.channel
        return replace(request, names=words, topic=topic, thread=thread, channel=channel)
    return replace(request, contents=words, topic=topic)


def _doubts(text: Text, request: WriteRequest, fit: Fit) -> WriteRequest:
    """Make a request unsure whose words are only described, may hold a condition, or speak of programs."""
    unsure = False
    for filled in fit.slots:
        tokens = text.tokens[filled.start : filled.end]
        if filled.slot not in (contents.LITERAL, contents.LOOSE, contents.TOPIC) or not tokens:
            continue
        if request.action in _WITH_CONTENT and filled.slot != contents.TOPIC:
            unsure |= _is_described(text, request.action, filled)
        if request.action in _ON_MEMORIES:
            unsure |= _hangs_on_others(tokens) or (
                request.action is WriteAction.MEMORY_FORGET and tokens[-1].word in _TIMES
            )
        else:
            unsure |= _may_be_condition(text, filled, channel_follows=filled.end < fit.end)
        unsure |= _is_attributed(tokens)
        if request.action is WriteAction.THREAD_CREATE and filled.slot == contents.TOPIC:
            unsure |= any(token.word in _FOR_PROGRAMS for token in tokens)
        if request.action is WriteAction.MEMORY_FORGET and filled.slot == contents.TOPIC:
            words = _span_text(text, filled)
            unsure |= _IDLE.fullmatch(words) is not None or _FOR_A_WHILE.search(words) is not None
        if request.action is WriteAction.REPLY and _after_colon(text, filled):
            unsure |= tokens[0].word in QUESTION_WORDS or _span_text(text, filled).endswith("?")
    if unsure:
        return replace(request, plainness=Plainness.UNSURE, contents=(), names=())
    return request


_FOR_A_WHILE: Final = re.compile(
    r"(?i)\bfor (?:a|one|the) (?:night|day|while|second|sec|minute|moment|bit|week|evening)\b"
)
_REMARKING: Final = frozenset("note mind down".split())


def _is_remark(text: Text, filled: Filled) -> bool:
    """`keep in mind that it's late`: something pointed out rather than to be kept, as long as it is not about oneself."""
    before = text.tokens[max(0, filled.start - _VERB_AND_THAT) : filled.start]
    about_oneself = any(token.word in contents.OWN for token in text.tokens[filled.start : filled.end])
    return any(token.word in _REMARKING for token in before) and not about_oneself


_VERB_AND_THAT: Final = 2
_IDLE: Final = re.compile(
    r"(?i)(?:anything|something|nothing|that|this|it)|i (?:ever |just )?(?:said|asked|mentioned|told|exist\w*|was)(?: (?:that|this|it|anything|something|so|you|here|that to you))*"
)
"""`forget I said that`: a turn of phrase, not a wish."""


def _is_described(text: Text, action: WriteAction, filled: Filled) -> bool:
    words = _span_text(text, filled)
    if action is WriteAction.MEMORY_REMEMBER:
        if _is_remark(text, filled):
            return True
        after_that = filled.start > 0 and text.tokens[filled.start - 1].word == "that"
        return contents.is_empty(words) or (after_that and not contents.is_fact(text.tokens[filled.start : filled.end]))
    tokens = text.tokens[filled.start : filled.end]
    # `be shorter` says how to change the message, `Tuesday not Monday` what: neither is what it is to say.
    contrasts = any(token.word in ("not", "rather") for token in tokens[1:]) and not contents.is_statement(tokens)
    changes = action is WriteAction.EDIT and (tokens[0].word in _CHANGES or contrasts)
    return changes or contents.is_described(words, marked=filled.slot == contents.LITERAL)


def _after_colon(text: Text, filled: Filled) -> bool:
    return filled.slot == contents.LITERAL and filled.start > 0 and text.tokens[filled.start - 1].word == ":"


def _may_be_condition(text: Text, filled: Filled, *, channel_follows: bool) -> bool:
    """Say whether unquoted words may hold a condition for the request itself: `saying yes if Ada agrees`.

    `when` and `until` hold a condition of the words themselves where a statement stands before them: `saying the shop
    is closed until Monday`. After a colon everything is what is to be written.
    """
    tokens = text.tokens[filled.start : filled.end]
    if _after_colon(text, filled):
        return False
    for position, token in enumerate(tokens[1:], start=1):
        if token.word in _FOR_THE_REQUEST and not (
            token.word in _OF_THE_WORDS and contents.is_statement(tokens[:position])
        ):
            return True
    short = len(tokens) <= _TOO_SHORT_FOR_A_TIME
    loose = filled.slot == contents.LOOSE
    return loose and not channel_follows and short and len(tokens) > 1 and tokens[-1].word in _TIMES


def _hangs_on_others(tokens: tuple[Token, ...]) -> bool:
    """`my birthday if Ada agrees`: a condition that is none of the requester's own habits."""
    pairs = itertools.pairwise(tokens)
    return any(
        token.word in _FOR_THE_REQUEST - _OF_THE_WORDS and after.word not in _OWN_SUBJECTS for token, after in pairs
    )


_OWN_SUBJECTS: Final = frozenset(["i", "my", "we", "it", "there", "not", "you", "possible"])


def _is_attributed(tokens: tuple[Token, ...]) -> bool:
    """`… said Ada`: may say whose words these are."""
    return any(token.word in ("said", "says") for token in tokens[-_ATTRIBUTION:])


_ATTRIBUTION: Final = 5
_OF_THE_WORDS: Final = frozenset({"when", "until", "till"})
_TOO_SHORT_FOR_A_TIME: Final = 2
