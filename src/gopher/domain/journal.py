"""What the journal holds: Discord's events and messages as plain records, and the request that a message may open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from gopher.domain.ids import ChannelId, GuildId, MessageId, RequestId, UserId
from gopher.domain.runs import Surface


class AuthorKind(StrEnum):
    """Who wrote a message."""

    MEMBER = "member"
    ASSISTANT = "assistant"
    """This bot."""
    BOT = "bot"
    """Another bot or application."""
    WEBHOOK = "webhook"


class Trigger(StrEnum):
    """What opened a request."""

    MESSAGE = "message"
    INTERACTION = "interaction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file on a message, as Discord described it. The URL is signed and expires."""

    attachment_id: int
    filename: str
    content_type: str | None
    size: int
    """Bytes."""
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalMessage:
    """One message of the conversation as it was sent."""

    message_id: MessageId
    surface: Surface
    guild_id: GuildId | None
    channel_id: ChannelId
    author_id: UserId
    author_name: str
    """The display name at that time."""
    author_kind: AuthorKind
    content: str
    attachments: tuple[Attachment, ...] = ()
    reply_to_message_id: MessageId | None = None
    request_id: RequestId | None = None
    """For this bot's own messages: the run that sent it."""
    created_at: datetime
    """Aware, UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRequest:
    """A request to open together with its trigger."""

    request_id: RequestId
    surface: Surface
    trigger: Trigger
    guild_id: GuildId | None
    channel_id: ChannelId
    user_id: UserId
    prompt: str | None = None
    """The text of an interaction's option; None when the trigger is a journaled message."""
    interaction_token: str | None = None
    traceparent: str | None = None
    """W3C trace context of the gateway event; None when nothing is traced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Journaled:
    """What a journal write did."""

    new: bool
    """False when the event had been journaled before: nothing was written."""
    requested: bool
    """True when this write opened a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFacts:
    """A request as the outbox holds it, for those who start, answer or show it."""

    request_id: RequestId
    surface: Surface
    trigger: Trigger
    guild_id: GuildId | None
    channel_id: ChannelId
    user_id: UserId
    user_name: str | None = None
    """The display name at that time, for interactions; None when the trigger is a journaled message, which has it."""
    prompt: str | None
    interaction_token: str | None
    traceparent: str | None
    state: str
    """`queued`, `started` or `finished`."""
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryChunk:
    """One message of an answer or notice, claimed before it is sent."""

    chunk: int
    """From 0."""
    nonce: str
    content: str
    message_id: MessageId | None
    """None until it is known to be sent."""
    fresh: bool
    """True when this claim created the row; False means an earlier attempt may have sent it: ask the channel first."""
    claimed_at: datetime
    """When the first attempt claimed it."""
