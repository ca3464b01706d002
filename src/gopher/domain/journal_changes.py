"""What happens to messages, threads and channels after they were made, as the gateway tells it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gopher.domain.ids import ChannelId, GuildId, MessageId, UserId


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something happened."""

    guild_id: GuildId | None
    """None in a direct message."""
    channel_id: ChannelId
    """A channel, a thread or a direct-message channel."""


class ReactionChange(StrEnum):
    """Whether a reaction came or went."""

    ADD = "add"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    """One member's reaction to a message."""

    place: Place
    message_id: MessageId
    user_id: UserId
    emoji: str
    """The emoji itself, or the id of a custom one: its name may change."""
    burst: bool = False
    """A super reaction, which is another one than the plain reaction with the same emoji."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A thread and what can change about it."""

    place: Place
    """The thread itself."""
    parent_id: ChannelId
    owner_id: UserId
    name: str
    archived: bool
    locked: bool
