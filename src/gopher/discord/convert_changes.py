"""Turns the gateway's events about what is there already into changes: purely."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never

import disnake

from gopher.discord import gateway_frames as frames
from gopher.discord.changes import (
    Change,
    ChannelDeleted,
    Deleted,
    Edited,
    EditedUnseen,
    Sighted,
    ThreadDeleted,
    ThreadFound,
)
from gopher.discord.convert import TALK_TYPES
from gopher.domain.ids import ChannelId, GuildId, MessageId, UserId, snowflake_time
from gopher.domain.journal import Attachment, AuthorKind, JournalMessage
from gopher.domain.journal_changes import Place, Reaction, ReactionChange, Thread
from gopher.domain.runs import Surface
from gopher.store.occurrences import (
    Occurrence,
    guild_left,
    pins_updated,
    reaction_seen,
    reactions_cleared,
    thread_updated,
)

_REPLY: Final = disnake.MessageType.reply.value
_LOADING: Final = 1 << 7
"""Message flag: the bot has yet to write the answer of a command."""


def change_of(frame: frames.Frame, bot_id: UserId) -> Change | None:
    """Tell what the journal records of an event; None when there is nothing to record."""
    match frame:
        case frames.MessageUpdated(d=payload):
            return edit_of(payload, _place(payload), bot_id)
        case frames.MessageDeleted() | frames.MessagesDeleted():
            return _deletion(frame)
        case frames.ThreadFrame(t=name, d=payload):
            thread = _thread(payload)
            new = name == "THREAD_CREATE"
            return ThreadFound(thread=thread) if new else Sighted(occurrence=thread_updated(thread))
        case frames.ChannelDeleted(t=name, d=payload):
            return _gone_channel(payload, thread=name == "THREAD_DELETE")
        case _:
            occurrence = _occurrence(frame)
            return None if occurrence is None else Sighted(occurrence=occurrence)


def edit_of(payload: frames.MessagePayload, place: Place, bot_id: UserId) -> Edited | EditedUnseen | None:
    """Tell how a message was edited; None when it was not.

    Previews of links, pins, threads and embeds come as updates, too: of a message that nobody edited without an edit
    time, of another one with the time and the words of its last edit, which the journal knows already.
    """
    edited_at = payload.edited_timestamp
    if edited_at is None or payload.flags & _LOADING:
        return None
    message_id = MessageId(payload.id)
    author, content, attachments = payload.author, payload.content, payload.attachments
    if payload.type is None or author is None or content is None or attachments is None:
        return EditedUnseen(place=place, message_id=message_id, edited_at=edited_at)
    if payload.type not in TALK_TYPES:
        return None
    nick = None if payload.member is None else payload.member.nick
    message = JournalMessage(
        message_id=message_id,
        surface=Surface.DISCORD,
        guild_id=place.guild_id,
        channel_id=place.channel_id,
        author_id=UserId(author.id),
        author_name=nick or author.global_name or author.username,
        author_kind=_author_kind(payload, author, bot_id),
        content=content,
        attachments=tuple(_attachment(attachment) for attachment in attachments),
        reply_to_message_id=_reply_to(payload),
        created_at=snowflake_time(message_id),
    )
    return Edited(message=message, edited_at=edited_at)


def present_threads(guild: disnake.Guild) -> Iterator[Thread]:
    """List the open threads of a guild as they are now."""
    for thread in guild.threads:
        if thread.owner_id is None:
            continue  # the type allows it, Discord does not do it
        yield Thread(
            place=Place(guild_id=GuildId(guild.id), channel_id=ChannelId(thread.id)),
            parent_id=ChannelId(thread.parent_id),
            owner_id=UserId(thread.owner_id),
            name=thread.name,
            archived=thread.archived,
            locked=thread.locked,
        )


def _occurrence(
    frame: frames.ReactionChanged
    | frames.ReactionsCleared
    | frames.EmojiCleared
    | frames.PinsUpdated
    | frames.GuildDeleted,
) -> Occurrence | None:
    match frame:
        case frames.ReactionChanged(t=name, d=payload):
            change = ReactionChange.ADD if name == "MESSAGE_REACTION_ADD" else ReactionChange.REMOVE
            return reaction_seen(change, _reaction(payload))
        case frames.ReactionsCleared(d=payload):
            return reactions_cleared(_place(payload), MessageId(payload.message_id), None)
        case frames.EmojiCleared(d=payload):
            return reactions_cleared(_place(payload), MessageId(payload.message_id), _emoji(payload.emoji))
        case frames.PinsUpdated(d=payload):
            return pins_updated(_place(payload), payload.last_pin_timestamp)
        case frames.GuildDeleted(d=payload):
            return None if payload.unavailable else guild_left(GuildId(payload.id))
        case _:
            assert_never(frame)


def _deletion(frame: frames.MessageDeleted | frames.MessagesDeleted) -> Deleted | None:
    gone = (frame.d.id,) if isinstance(frame, frames.MessageDeleted) else frame.d.ids
    return Deleted(place=_place(frame.d), message_ids=tuple(map(MessageId, gone))) if gone else None


def _place(payload: frames.PlacePayload) -> Place:
    guild_id = None if payload.guild_id is None else GuildId(payload.guild_id)
    return Place(guild_id=guild_id, channel_id=ChannelId(payload.channel_id))


def _author_kind(payload: frames.MessagePayload, author: frames.AuthorPayload, bot_id: UserId) -> AuthorKind:
    # As `gopher.discord.convert.author_kind_of` tells it of a new message.
    if author.id == bot_id:
        return AuthorKind.ASSISTANT
    if payload.webhook_id is not None and payload.application_id is None:
        return AuthorKind.WEBHOOK
    return AuthorKind.BOT if author.bot else AuthorKind.MEMBER


def _attachment(payload: frames.AttachmentPayload) -> Attachment:
    return Attachment(
        attachment_id=payload.id,
        filename=payload.filename,
        content_type=payload.content_type,
        size=payload.size,
        url=payload.url,
    )


def _reply_to(payload: frames.MessagePayload) -> MessageId | None:
    reference = payload.message_reference
    if payload.type != _REPLY or reference is None or reference.message_id is None:
        return None
    return MessageId(reference.message_id)


def _reaction(payload: frames.ReactionPayload) -> Reaction:
    return Reaction(
        place=_place(payload),
        message_id=MessageId(payload.message_id),
        user_id=UserId(payload.user_id),
        emoji=_emoji(payload.emoji),
        burst=payload.burst,
    )


def _emoji(payload: frames.EmojiPayload) -> str:
    return (payload.name or "") if payload.id is None else str(payload.id)


def _thread(payload: frames.ThreadPayload) -> Thread:
    return Thread(
        place=Place(guild_id=GuildId(payload.guild_id), channel_id=ChannelId(payload.id)),
        parent_id=ChannelId(payload.parent_id),
        owner_id=UserId(payload.owner_id),
        name=payload.name,
        archived=payload.thread_metadata.archived,
        locked=payload.thread_metadata.locked,
    )


def _gone_channel(payload: frames.ChannelPayload, *, thread: bool) -> Change | None:
    if payload.guild_id is None:
        return None  # a direct-message channel that was closed, which deletes nothing
    place = Place(guild_id=GuildId(payload.guild_id), channel_id=ChannelId(payload.id))
    return ThreadDeleted(place=place) if thread else ChannelDeleted(place=place)
