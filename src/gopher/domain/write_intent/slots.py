"""Turns a frame that fits into a request: its slots into targets, channels, contents, emoji, names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeVar, cast

from gopher.domain.write_intent import contents
from gopher.domain.write_intent.doubts import FOR_THE_REQUEST, after_colon, doubted, span_text
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
from gopher.domain.write_intent.words import FINITE, NEGATORS, UNFINISHED

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A request as one fit of one frame makes it."""

    request: WriteRequest
    closed: bool
    """It holds no unquoted words of which it is not sure where they end."""
    sealed: bool = False
    """Its words follow a colon, so that all that follows belongs to them."""


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
        request=doubted(text, request, fit),
        closed=all(filled.slot not in opening for filled in spans),
        sealed=any(after_colon(text, filled) for filled in spans),
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
    return creates and contents.is_empty(span_text(text, filled))


def _is_beside_the_point(text: Text, frame: Frame, filled: Filled) -> bool:
    """Say whether words make a doubtful request none: a condition, a private message, something written for me."""
    tokens = text.tokens[filled.start : filled.end]
    words = {token.word for token in tokens}
    if words & _DIRECT or words & _WORKS or any(token.word in FOR_THE_REQUEST for token in tokens[1:]):
        return True
    return frame.action is WriteAction.SEND and contents.is_described(span_text(text, filled), marked=False)


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


def _replacement(text: Text, fit: Fit) -> Replacement | None:
    sides: dict[str, str] = {}
    for filled in fit.slots:
        if filled.slot in ("old", "new"):
            sides[filled.slot] = filled.value if isinstance(filled.value, str) else span_text(text, filled)
    return Replacement(old=sides["old"], new=sides["new"]) if len(sides) == len(("old", "new")) else None


def _with_words(text: Text, request: WriteRequest, fit: Fit) -> WriteRequest:
    given: list[str] = []
    topic: str | None = None
    for filled in fit.slots:
        if filled.slot == contents.QUOTED and isinstance(filled.value, str):
            given.append(filled.value)
        elif filled.slot in (contents.LITERAL, contents.LOOSE):
            given.append(span_text(text, filled))
        elif filled.slot == contents.TOPIC:
            topic = span_text(text, filled)
    words = tuple(each for each in given if each)
    if request.action in (WriteAction.THREAD_CREATE, WriteAction.THREAD_EDIT):
        thread = request.channel if request.action is WriteAction.THREAD_EDIT else None
        channel = None if thread else request.channel
        return replace(request, names=words, topic=topic, thread=thread, channel=channel)
    return replace(request, contents=words, topic=topic)
