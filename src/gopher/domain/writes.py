"""What an authorization is decided from: the request, the write that a model proposes, and Discord's fresh facts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gopher.domain.ids import ChannelId, GuildId, MessageId, UserId
from gopher.domain.write_intent.requests import Listener, Scope, WriteAction


class Permission(StrEnum):
    """The permissions of Discord that writes need, by Discord's own names."""

    VIEW_CHANNEL = "view_channel"
    SEND_MESSAGES = "send_messages"
    SEND_MESSAGES_IN_THREADS = "send_messages_in_threads"
    ADD_REACTIONS = "add_reactions"
    READ_MESSAGE_HISTORY = "read_message_history"
    CREATE_PUBLIC_THREADS = "create_public_threads"
    MANAGE_MESSAGES = "manage_messages"
    MANAGE_THREADS = "manage_threads"


class ChannelKind(StrEnum):
    """What sort of channel it is, as far as writes differ."""

    TEXT = "text"
    """A text or announcement channel of a guild."""
    PUBLIC_THREAD = "public_thread"
    PRIVATE_THREAD = "private_thread"
    DIRECT = "direct"
    """A direct-message channel."""
    OTHER = "other"
    """Where messages are not written: a category, a voice channel, a forum, …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelFacts:
    """A channel as Discord describes it now."""

    channel_id: ChannelId
    guild_id: GuildId | None
    """None for a direct-message channel."""
    kind: ChannelKind
    name: str = ""
    """Empty for a direct-message channel."""
    name_is_unique: bool = True
    """No other channel of the guild has this name."""
    direct_with: UserId | None = None
    """The person at the other end of a direct-message channel; None for every other channel."""
    thread_owner_id: UserId | None = None
    """Who created the thread; None for what is no thread."""
    archived: bool = False
    locked: bool = False
    requester_permissions: frozenset[Permission] = frozenset()
    """What the requester may do here, with overwrites, roles, and Administrator taken into account."""
    bot_permissions: frozenset[Permission] = frozenset()
    requester_is_member: bool = False
    """Of a private thread."""
    bot_is_member: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFacts:
    """The message that a write is about, as it is now."""

    message_id: MessageId
    channel_id: ChannelId
    author_id: UserId
    requested_by: UserId | None = None
    """For a message of this bot: whose request it was sent for; None when that is not known."""
    content: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFacts:
    """The memory that is to be forgotten, as it is stored."""

    memory_id: int
    scope: Scope
    subject_id: UserId | None
    """Whose it is, for a memory of scope user."""
    guild_id: GuildId | None
    key: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFacts:
    """Everything outside the request that a decision rests on. All of it is read for this decision, none remembered."""

    writes_enabled: bool
    requester_is_administrator: bool = False
    """In the guild of the request."""
    requester_is_owner: bool = False
    """Of the guild, or of this deployment."""
    place: ChannelFacts | None = None
    """Where the write happens: the channel of the message that it is about, or that is sent to, or the thread that it
    changes. None: there is no such channel, or the action is on a memory."""
    message: MessageFacts | None = None
    """The message that it is about; None when the call names none, or one that does not exist."""
    memory: MemoryFacts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentRequest:
    """The message by which the requester asks, and what its words can point at."""

    text: str
    """As written: never what was quoted to it, replied to, attached, or said earlier."""
    requester_id: UserId
    guild_id: GuildId | None
    channel_id: ChannelId
    listener: Listener
    message_id: MessageId | None = None
    """The request itself; None for a slash command."""
    replied_to: MessageId | None = None
    requester_last_message_id: MessageId | None = None
    """The requester's newest message in this channel before the request; None when there is none."""
    bot_last_message_id: MessageId | None = None
    """Likewise the bot's."""
    previous_message_id: MessageId | None = None
    """Likewise anybody's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedWrite:
    """One write as a tool call proposes it, its arguments validated."""

    action: WriteAction
    channel_id: ChannelId | None = None
    """Where it happens; None means the channel of the request."""
    message_id: MessageId | None = None
    content: str | None = None
    """What is sent, or what a message becomes, or what is remembered."""
    emoji: str | None = None
    name: str | None = None
    """A thread's."""
    archived: bool | None = None
    """What a thread becomes; None leaves it."""
    scope: Scope = Scope.USER
    memory_id: int | None = None


class Confirmation(StrEnum):
    """What happens to a request that is not explicit enough while nothing forbids it: WRITE_CONFIRMATION."""

    ASK = "ask"
    """The requester is asked."""
    DENY = "deny"
