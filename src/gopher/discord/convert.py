"""Turns Discord's messages into the project's records: what is journaled, and the facts that routing needs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NotRequired, TypedDict

import disnake

from gopher.domain.ids import ChannelId, GuildId, MessageId, UserId, snowflake_time
from gopher.domain.journal import Attachment, AuthorKind, JournalMessage
from gopher.domain.routes import AddressFacts, MessageKind
from gopher.domain.runs import Surface

_KINDS: Final[Mapping[disnake.MessageType, MessageKind]] = MappingProxyType(
    {
        disnake.MessageType.default: MessageKind.TALK,
        disnake.MessageType.reply: MessageKind.REPLY,
        disnake.MessageType.application_command: MessageKind.TALK,
        disnake.MessageType.context_menu_command: MessageKind.TALK,
    }
)
"""All others, and those that are invented later, are notices of Discord's own."""

TALK_TYPES: Final = frozenset(message_type.value for message_type in _KINDS)
"""The numbers of the types of messages that are part of a conversation."""


class OwnAuthorPayload(TypedDict):
    """The bot as the author of a message."""

    id: str
    username: str
    global_name: NotRequired[str | None]


class ReferencePayload(TypedDict):
    """What a message replies to."""

    message_id: NotRequired[str]


class OwnMessagePayload(TypedDict):
    """The fields that are used of one of the bot's own messages, as Discord's HTTP API answers."""

    id: str
    channel_id: str
    author: OwnAuthorPayload
    content: str
    message_reference: NotRequired[ReferencePayload]


def kind_of(message: disnake.Message) -> MessageKind:
    """Tell talk from Discord's own notices."""
    return _KINDS.get(message.type, MessageKind.SYSTEM)


def author_kind_of(message: disnake.Message, bot_id: UserId) -> AuthorKind:
    """Tell who wrote a message. An application that answers a command does so by a webhook, but it is a bot."""
    if message.author.id == bot_id:
        return AuthorKind.ASSISTANT
    if message.webhook_id is not None and message.application_id is None:
        return AuthorKind.WEBHOOK
    return AuthorKind.BOT if message.author.bot else AuthorKind.MEMBER


def is_direct(message: disnake.Message) -> bool:
    """Say whether the message is in a direct-message channel. A guild that is not known yet does not make one."""
    channel_type = getattr(message.channel, "type", None)
    return message.guild is None and channel_type is disnake.ChannelType.private


def journal_message(message: disnake.Message, bot_id: UserId) -> JournalMessage:
    """Record a message as it was sent."""
    return JournalMessage(
        message_id=MessageId(message.id),
        surface=Surface.DISCORD,
        guild_id=None if message.guild is None else GuildId(message.guild.id),
        channel_id=ChannelId(message.channel.id),
        author_id=UserId(message.author.id),
        author_name=message.author.display_name,
        author_kind=author_kind_of(message, bot_id),
        content=message.content,
        attachments=tuple(_attachment(attachment) for attachment in message.attachments),
        reply_to_message_id=_reply_to(message),
        created_at=snowflake_time(message.id),
    )


def address_facts(message: disnake.Message, bot_id: UserId) -> AddressFacts:
    """Collect what the decision whether the bot is addressed needs; nothing is fetched for it."""
    return AddressFacts(
        kind=kind_of(message),
        author_id=UserId(message.author.id),
        author_kind=author_kind_of(message, bot_id),
        content=message.content,
        mentioned_user_ids=frozenset(UserId(user.id) for user in message.mentions),
        direct_message=is_direct(message),
        replied_to_user_id=_replied_to(message),
    )


def own_message(payload: OwnMessagePayload, guild_id: GuildId | None) -> JournalMessage:
    """Record one of the bot's own messages from an answer of the HTTP API, which leaves the guild out."""
    message_id = int(payload["id"])
    author = payload["author"]
    replied_to = payload.get("message_reference", {}).get("message_id")
    return JournalMessage(
        message_id=MessageId(message_id),
        surface=Surface.DISCORD,
        guild_id=guild_id,
        channel_id=ChannelId(int(payload["channel_id"])),
        author_id=UserId(int(author["id"])),
        author_name=author.get("global_name") or author["username"],
        author_kind=AuthorKind.ASSISTANT,
        content=payload["content"],
        reply_to_message_id=None if replied_to is None else MessageId(int(replied_to)),
        created_at=snowflake_time(message_id),
    )


def _reply_to(message: disnake.Message) -> MessageId | None:
    # A forwarded message, a pin notice and others have references too, which are no replies.
    if message.type is not disnake.MessageType.reply or message.reference is None:
        return None
    message_id = message.reference.message_id
    return None if message_id is None else MessageId(message_id)


def _replied_to(message: disnake.Message) -> UserId | None:
    if message.type is not disnake.MessageType.reply or message.reference is None:
        return None
    resolved = message.reference.resolved
    return UserId(resolved.author.id) if isinstance(resolved, disnake.Message) else None


def _attachment(attachment: disnake.Attachment) -> Attachment:
    return Attachment(
        attachment_id=attachment.id,
        filename=attachment.filename,
        content_type=attachment.content_type,
        size=attachment.size,
        url=attachment.url,
    )
