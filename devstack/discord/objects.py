"""What the simulated Discord is made of: users, guilds, members, roles, channels and threads, as immutable records."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Final


class ChannelKind(IntEnum):
    """Discord's channel types, as far as they exist here."""

    TEXT = 0
    DM = 1
    VOICE = 2
    CATEGORY = 4
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12


THREAD_KINDS: Final = frozenset({ChannelKind.PUBLIC_THREAD, ChannelKind.PRIVATE_THREAD})


class OverwriteKind(IntEnum):
    """Whom a permission overwrite is for."""

    ROLE = 0
    MEMBER = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """An account. The token is part of it: this is a toy."""

    id: int
    username: str
    display_name: str
    colour: int
    token: str
    bot: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Guild:
    """A guild; its @everyone role has the same id."""

    id: int
    name: str
    owner_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """A role and its permission bits."""

    id: int
    guild_id: int
    name: str
    permissions: int
    position: int
    colour: int = 0
    hoist: bool = False
    mentionable: bool = False
    bot_id: int | None = None
    """The bot that this role came with; such roles are managed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A user in a guild."""

    guild_id: int
    user_id: int
    joined_at: datetime
    nick: str | None = None
    role_ids: tuple[int, ...] = ()
    timeout_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overwrite:
    """Permissions that a channel allows and denies to a role or a member."""

    id: int
    kind: OverwriteKind
    allow: int = 0
    deny: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadFacts:
    """What only threads have."""

    owner_id: int
    created_at: datetime
    archive_changed_at: datetime
    archived: bool = False
    locked: bool = False
    invitable: bool = True
    auto_archive_minutes: int = 4320
    message_count: int = 0
    total_sent: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadMember:
    """A user who joined a thread."""

    thread_id: int
    user_id: int
    joined_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A guild channel, a category, a thread or a direct-message channel."""

    id: int
    kind: ChannelKind
    guild_id: int | None = None
    """None for direct messages."""
    name: str = ""
    topic: str | None = None
    position: int = 0
    parent_id: int | None = None
    """The category of a channel, the channel of a thread."""
    overwrites: tuple[Overwrite, ...] = ()
    nsfw: bool = False
    slowmode_seconds: int = 0
    recipient_ids: tuple[int, ...] = ()
    """Both people of a direct-message channel."""
    last_message_id: int | None = None
    last_pin_at: datetime | None = None
    thread: ThreadFacts | None = None

    @property
    def is_thread(self) -> bool:
        """Tell whether this is a thread."""
        return self.kind in THREAD_KINDS

    @property
    def takes_messages(self) -> bool:
        """Tell whether messages can be sent here at all."""
        return self.kind is not ChannelKind.CATEGORY


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """An application command; `definition` is what the application registered, already validated."""

    id: int
    application_id: int
    guild_id: int | None
    """None for a global command."""
    version: int
    definition: str = field(repr=False)
    """A JSON object."""
