"""What is said in the simulated Discord: messages, their attachments and reactions, as immutable records."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, IntFlag
from typing import Final

from devstack.discord.documents import JsonObject


class MessageKind(IntEnum):
    """Discord's message types, as far as they exist here."""

    DEFAULT = 0
    PIN_ADDED = 6
    MEMBER_JOINED = 7
    THREAD_CREATED = 18
    REPLY = 19
    COMMAND = 20
    THREAD_STARTER = 21
    CONTEXT_COMMAND = 23


DELETABLE_KINDS: Final = frozenset(MessageKind) - {MessageKind.THREAD_STARTER}
WRITTEN_KINDS: Final = frozenset(
    {MessageKind.DEFAULT, MessageKind.REPLY, MessageKind.COMMAND, MessageKind.CONTEXT_COMMAND}
)
"""Kinds that somebody wrote: they can be edited, replied to, pinned; the others are system messages."""


class MessageFlag(IntFlag):
    """Bits of a message's `flags`."""

    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SUPPRESS_NOTIFICATIONS = 1 << 12
    IS_COMPONENTS_V2 = 1 << 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that belongs to a message; its bytes lie in storage under the same id."""

    id: int
    filename: str
    size_bytes: int
    content_type: str
    description: str | None = None
    width: int | None = None
    """Pixels, for images; None otherwise."""
    height: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    """Who reacted with one emoji, in their order."""

    emoji: str
    """A Unicode emoji, or `name:id` of a custom one."""
    user_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The message that a message replies to, or that a pin notice or a thread notice is about."""

    channel_id: int
    message_id: int | None = None
    guild_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentions:
    """Whom a message pings."""

    user_ids: tuple[int, ...] = ()
    role_ids: tuple[int, ...] = ()
    everyone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """The interaction that a message answers."""

    interaction_id: int
    kind: int
    """Discord's interaction type."""
    user_id: int
    name: str | None = None
    """The command's name, for commands."""
    command_id: int | None = None
    original_response_id: int | None = None
    """For follow-ups: the first answer to the interaction."""
    component_message_id: int | None = None
    """For answers to a component: the message with the component."""
    trigger: Cause | None = None
    """For answers to a modal: the interaction that showed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message as it stands now."""

    id: int
    channel_id: int
    author_id: int
    created_at: datetime
    guild_id: int | None = None
    kind: MessageKind = MessageKind.DEFAULT
    content: str = ""
    edited_at: datetime | None = None
    """None until somebody edits the words: resolved links and pins are no edits."""
    mentions: Mentions = field(default_factory=Mentions)
    attachments: tuple[Attachment, ...] = ()
    embeds: tuple[JsonObject, ...] = ()
    link_embeds: tuple[JsonObject, ...] = ()
    """Previews that Discord itself made of links in the content."""
    components: tuple[JsonObject, ...] = ()
    flags: int = 0
    nonce: str | int | None = None
    tts: bool = False
    pinned_at: datetime | None = None
    """None when it is not pinned."""
    reference: Reference | None = None
    reactions: tuple[Reaction, ...] = ()
    cause: Cause | None = None
    application_id: int | None = None
    """Set for answers to interactions: these come from the application's webhook."""
    ephemeral_for: int | None = None
    """The only user who sees it; None for a message that the channel sees."""

    @property
    def suppresses_embeds(self) -> bool:
        """Tell whether embeds are hidden."""
        return bool(self.flags & MessageFlag.SUPPRESS_EMBEDS)
