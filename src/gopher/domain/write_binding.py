"""Whether a proposed write is the one that the request asks for: its target, place, words, emoji, names and scope."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gopher.domain.ids import MessageId
from gopher.domain.write_codes import AskCode, DenialCode
from gopher.domain.write_intent.emojis import same_emoji
from gopher.domain.write_intent.requests import (
    ChannelRef,
    ChannelRefKind,
    MessageRef,
    MessageRefKind,
    Plainness,
    Scope,
    WriteAction,
    WriteRequest,
)
from gopher.domain.write_words import Likeness, likeness, made_of, mentions, retells
from gopher.domain.writes import ChannelFacts, CurrentRequest, MessageFacts, ProposedWrite, WriteFacts

Doubt = AskCode | DenialCode
"""An AskCode is for the requester to settle, a DenialCode for nobody."""


def doubts(asked: WriteRequest, call: ProposedWrite, request: CurrentRequest, facts: WriteFacts) -> tuple[Doubt, ...]:
    """Return every way in which the call is not what was asked for; empty when it is just that."""
    return tuple(_doubts(asked, call, request, facts))


def resolve(reference: MessageRef | None, request: CurrentRequest) -> MessageId | None:
    """Tell which message the request points at; None when that cannot be told.

    The rule: a link or an id means that message. `this`, `that`, `it`, `the message`, `your`, `my`, `their message`, or
    nothing at all, mean the replied-to message. `your last message` and `my last message` mean the bot's and the
    requester's newest before the request in its channel; `the last message` means the one right before it, unless the
    request is a reply, when it could mean either. `the message above`, `the message you sent` and `what I wrote` mean
    the replied-to message, or without one the last of that kind.
    """
    kind = reference.kind if reference is not None else MessageRefKind.DEICTIC
    if reference is not None and kind is MessageRefKind.ID:
        return reference.message_id
    if kind is MessageRefKind.PREVIOUS:
        return request.previous_message_id if request.replied_to in (None, request.previous_message_id) else None
    if kind is MessageRefKind.BOT_LAST or (kind is MessageRefKind.BOT_SAID and request.replied_to is None):
        return request.bot_last_message_id
    if kind is MessageRefKind.REQUESTER_LAST or (kind is MessageRefKind.REQUESTER_SAID and request.replied_to is None):
        return request.requester_last_message_id
    if kind is MessageRefKind.ABOVE and request.replied_to is None:
        return request.previous_message_id
    return request.replied_to


def _doubts(asked: WriteRequest, call: ProposedWrite, request: CurrentRequest, facts: WriteFacts) -> Iterator[Doubt]:
    if asked.plainness is Plainness.UNSURE:
        yield AskCode.INTENT_UNCLEAR
    match call.action:
        case WriteAction.PIN | WriteAction.UNPIN | WriteAction.DELETE:
            yield from _target(asked, call, request, facts)
        case WriteAction.REACT | WriteAction.UNREACT:
            yield from _target(asked, call, request, facts)
            yield from _emoji(asked, call)
        case WriteAction.SEND:
            yield from _channel(asked.channel, call, request, facts.place)
            yield from _content(asked, call)
        case WriteAction.REPLY:
            yield from _target(asked, call, request, facts)
            yield from _content(asked, call)
        case WriteAction.EDIT:
            yield from _target(asked, call, request, facts)
            yield from _edited(asked, call, facts.message)
        case WriteAction.THREAD_CREATE:
            yield from _new_thread(asked, call, request, facts)
        case WriteAction.THREAD_EDIT:
            yield from _thread_change(asked, call, request, facts)
        case WriteAction.MEMORY_REMEMBER:
            yield from _remembered(asked, call, request, facts)
        case WriteAction.MEMORY_FORGET:
            yield from _forgotten(asked, call, facts)


def _target(asked: WriteRequest, call: ProposedWrite, request: CurrentRequest, facts: WriteFacts) -> Iterator[Doubt]:
    reference = asked.target
    if reference is not None and reference.kind is MessageRefKind.ID:
        elsewhere = reference.guild_id not in (None, request.guild_id) or (
            reference.direct and request.guild_id is not None
        )
        if elsewhere:
            yield DenialCode.DIRECT_MESSAGE if reference.direct else DenialCode.CROSS_GUILD
    meant = resolve(reference, request)
    if meant is None:
        yield AskCode.TARGET_UNCLEAR
    elif meant != call.message_id:
        yield DenialCode.TARGET_NOT_REQUESTED
    if reference is not None and facts.message is not None:
        yield from _described_target(reference, request, facts.message)
    if asked.channel is not None:
        yield from _channel(asked.channel, call, request, facts.place)


def _described_target(reference: MessageRef, request: CurrentRequest, message: MessageFacts) -> Iterator[Doubt]:
    """Hold the message against what the words say of it."""
    by_bot = message.author_id == request.listener.bot_id
    match reference.kind:
        case MessageRefKind.ID if reference.channel_id not in (None, message.channel_id):
            yield DenialCode.TARGET_NOT_REQUESTED
        case MessageRefKind.BOT | MessageRefKind.BOT_LAST | MessageRefKind.BOT_SAID if not by_bot:
            yield DenialCode.TARGET_NOT_REQUESTED
        case MessageRefKind.OTHER if by_bot:
            yield DenialCode.TARGET_NOT_REQUESTED
        case MessageRefKind.REQUESTER | MessageRefKind.REQUESTER_LAST | MessageRefKind.REQUESTER_SAID if (
            message.author_id != request.requester_id
        ):
            yield AskCode.TARGET_UNCLEAR
        case _:
            pass


def _channel(
    named: ChannelRef | None, call: ProposedWrite, request: CurrentRequest, place: ChannelFacts | None
) -> Iterator[Doubt]:
    proposed = call.channel_id if call.channel_id is not None else request.channel_id
    match named.kind if named is not None else ChannelRefKind.CURRENT:
        case ChannelRefKind.CURRENT if proposed != request.channel_id:
            yield DenialCode.CHANNEL_NOT_REQUESTED
        case ChannelRefKind.ID if named is not None and proposed != named.channel_id:
            yield DenialCode.CHANNEL_NOT_REQUESTED
        case ChannelRefKind.NAME if named is not None:
            if place is None or place.channel_id != proposed or _name(place.name) != _name(named.name or ""):
                # In the current channel the words may have meant no channel at all: `say hello in spanish`.
                here = proposed == request.channel_id
                yield AskCode.CHANNEL_UNCLEAR if here else DenialCode.CHANNEL_NOT_REQUESTED
            elif not place.name_is_unique:
                yield AskCode.CHANNEL_UNCLEAR
        case _:
            pass


def _name(name: str) -> str:
    """Fold a channel's name: `📢│announcements` is called `announcements`."""
    return re.sub(r"^[\W_]+|[\W_]+$", "", name.casefold()).replace("_", "-")


def _content(asked: WriteRequest, call: ProposedWrite) -> Iterator[Doubt]:
    if not asked.contents:
        yield AskCode.CONTENT_COMPOSED
        return
    match likeness(call.content or "", asked.contents):
        case Likeness.SAME:
            pass
        case Likeness.NEAR:
            yield AskCode.CONTENT_CHANGED
        case Likeness.OTHER:
            yield DenialCode.CONTENT_NOT_REQUESTED


def _edited(asked: WriteRequest, call: ProposedWrite, message: MessageFacts | None) -> Iterator[Doubt]:
    if asked.replacement is None:
        yield from _content(asked, call)
        return
    before = message.content if message is not None else ""
    pattern = re.compile(re.escape(asked.replacement.old), re.IGNORECASE)
    new = asked.replacement.new
    if (
        not pattern.search(before)
        or likeness(call.content or "", (pattern.sub(lambda _: new, before),)) is not Likeness.SAME
    ):
        yield AskCode.CONTENT_CHANGED


def _emoji(asked: WriteRequest, call: ProposedWrite) -> Iterator[Doubt]:
    if not asked.emojis:
        if call.action is WriteAction.REACT:
            yield AskCode.EMOJI_CHOSEN
    elif not any(same_emoji(call.emoji or "", emoji) for emoji in asked.emojis):
        yield DenialCode.EMOJI_NOT_REQUESTED


_THREAD_WORDS: Final = frozenset(
    "thread discussion discuss chat talk topic and general notes planning plan".split()  # noqa: SIM905 - words, read as words
)
_UNSAFE_IN_A_NAME: Final = re.compile(r"https?:|www\.|discord\.gg|<[@#:a]|@everyone|@here", re.IGNORECASE)


def _new_thread(
    asked: WriteRequest, call: ProposedWrite, request: CurrentRequest, facts: WriteFacts
) -> Iterator[Doubt]:
    name = call.name or ""
    if asked.target is not None:
        yield from _target(asked, call, request, facts)
    elif asked.channel is not None:
        yield from _channel(asked.channel, call, request, facts.place)
    elif call.message_id not in (None, request.replied_to, request.message_id):
        yield DenialCode.TARGET_NOT_REQUESTED
    elif call.channel_id not in (None, request.channel_id):
        yield DenialCode.CHANNEL_NOT_REQUESTED
    if asked.names:
        match likeness(name, asked.names):
            case Likeness.SAME:
                pass
            case Likeness.NEAR:
                yield AskCode.NAME_CHOSEN
            case Likeness.OTHER:
                yield DenialCode.NAME_NOT_REQUESTED
    elif asked.topic is not None:
        if not made_of(name, asked.topic, besides=_THREAD_WORDS):
            yield AskCode.NAME_CHOSEN
    elif asked.target is None or _UNSAFE_IN_A_NAME.search(name):
        # A thread hung on a message may be named for it by whoever makes it, as Discord's own client does.
        yield AskCode.NAME_CHOSEN


def _thread_change(
    asked: WriteRequest, call: ProposedWrite, request: CurrentRequest, facts: WriteFacts
) -> Iterator[Doubt]:
    yield from _channel(asked.thread, call, request, facts.place)
    if call.name is not None and likeness(call.name, asked.names) is not Likeness.SAME:
        near = asked.plainness is Plainness.UNSURE or likeness(call.name, asked.names) is Likeness.NEAR
        yield AskCode.NAME_CHOSEN if near else DenialCode.NAME_NOT_REQUESTED
    if call.archived is not None and call.archived is not asked.archived:
        unsaid = asked.plainness is Plainness.UNSURE and asked.archived is None
        yield AskCode.INTENT_UNCLEAR if unsaid else DenialCode.STATE_NOT_REQUESTED


_REACH: Final = (Scope.USER, Scope.CHANNEL, Scope.GUILD)


def _remembered(
    asked: WriteRequest, call: ProposedWrite, request: CurrentRequest, facts: WriteFacts
) -> Iterator[Doubt]:
    if _REACH.index(call.scope) > _REACH.index(asked.scope):
        yield DenialCode.SCOPE_NOT_REQUESTED
    given = asked.contents
    if asked.target is not None and not given:
        meant = resolve(asked.target, request)
        message = facts.message
        if meant is None or message is None or message.message_id != meant:
            yield AskCode.TARGET_UNCLEAR
            return
        given = (message.content,)
    if not given:
        yield AskCode.CONTENT_COMPOSED
        return
    match retells(call.content or "", given):
        case Likeness.SAME:
            pass
        case Likeness.NEAR:
            yield AskCode.CONTENT_CHANGED
        case Likeness.OTHER:
            yield DenialCode.CONTENT_NOT_REQUESTED


def _forgotten(asked: WriteRequest, call: ProposedWrite, facts: WriteFacts) -> Iterator[Doubt]:
    if asked.memory_id is not None:
        if asked.memory_id != call.memory_id:
            yield DenialCode.MEMORY_NOT_REQUESTED
        return
    memory = facts.memory
    if memory is None or asked.topic is None or not mentions(f"{memory.key} {memory.content}", asked.topic):
        yield AskCode.MEMORY_UNCLEAR
