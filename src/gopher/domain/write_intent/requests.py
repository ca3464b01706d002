"""The records of a reading: which write a message asks for, of what, with what words, and how plainly."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from gopher.domain.ids import ChannelId, GuildId, MessageId, UserId


class WriteAction(StrEnum):
    """Everything that a requester can ask to be changed. A write that is not listed cannot be authorized."""

    REACT = "react"
    UNREACT = "unreact"
    SEND = "send"
    REPLY = "reply"
    THREAD_CREATE = "thread_create"
    THREAD_EDIT = "thread_edit"
    EDIT = "edit"
    DELETE = "delete"
    PIN = "pin"
    UNPIN = "unpin"
    MEMORY_REMEMBER = "memory_remember"
    MEMORY_FORGET = "memory_forget"


class Plainness(StrEnum):
    """How far a request can be relied on."""

    EXPLICIT = "explicit"
    UNSURE = "unsure"
    """It may be a request: the requester is asked."""


class Refusal(StrEnum):
    """Why words that name an action do not ask for it."""

    NOT_REQUESTED = "not_requested"
    NEGATED = "negated"
    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    CONDITIONAL = "conditional"
    """Also: deferred. A request is for now or not at all."""
    REPORTED = "reported"
    QUOTED = "quoted"
    ADDRESSED_TO_OTHER = "addressed_to_other"
    RETRACTED = "retracted"


class MessageRefKind(StrEnum):
    """The ways in which words point at a message."""

    DEICTIC = "deictic"
    """`this`, `that`, `it`, `the message`, or nothing at all: the replied-to message."""
    ID = "id"
    """A link to the message or its id."""
    BOT = "bot"
    """`your message`: the replied-to message, if the bot wrote it."""
    REQUESTER = "requester"
    """`my message`: the replied-to message, if the requester wrote it."""
    OTHER = "other"
    """`their message`, `Ada's post`: the replied-to message, if the bot did not write it."""
    BOT_SAID = "bot_said"
    """`the message you sent`: the replied-to message, if the bot wrote it, or without one the bot's last."""
    REQUESTER_SAID = "requester_said"
    """`what I just wrote`: the same of the requester."""
    BOT_LAST = "bot_last"
    """`your last message`."""
    REQUESTER_LAST = "requester_last"
    PREVIOUS = "previous"
    """`the last message`: the one right before the request."""
    ABOVE = "above"
    """`the message above`: the replied-to message, or the one right before the request where it is no reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRef:
    """How the request points at a message."""

    kind: MessageRefKind
    message_id: MessageId | None = None
    """For `ID`; None for every other kind."""
    channel_id: ChannelId | None = None
    """The channel in a link; None when the text does not say."""
    guild_id: GuildId | None = None
    """Likewise the guild."""
    direct: bool = False
    """It is a link into a direct message."""


class ChannelRefKind(StrEnum):
    """The ways in which words point at a channel."""

    CURRENT = "current"
    ID = "id"
    NAME = "name"
    """`#general`, `the general channel`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelRef:
    """How the request points at a channel."""

    kind: ChannelRefKind
    channel_id: ChannelId | None = None
    name: str | None = None
    """In lower case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """`change "5pm" to "6pm" in your message`: what to put in the place of what."""

    old: str
    new: str


class Scope(StrEnum):
    """Whose a memory is to be."""

    USER = "user"
    CHANNEL = "channel"
    GUILD = "guild"


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRequest:
    """One write that the message asks for."""

    action: WriteAction
    plainness: Plainness
    target: MessageRef | None = None
    """None: no message is pointed at, so a replied-to one is meant."""
    channel: ChannelRef | None = None
    """None: none is named, so the current one is meant."""
    thread: ChannelRef | None = None
    """For `thread_edit`; None means the current channel."""
    contents: tuple[str, ...] = ()
    """The words to be written, as literally given; several when it is not clear where they end; empty for none."""
    emojis: tuple[str, ...] = ()
    """Emoji as written, or their names in lower case."""
    names: tuple[str, ...] = ()
    """A thread's name, like `contents`."""
    topic: str | None = None
    """What a thread or a forgotten memory is about, in the request's words."""
    replacement: Replacement | None = None
    archived: bool | None = None
    """For `thread_edit`: archive or reopen; None when the state is not to change."""
    scope: Scope = Scope.USER
    memory_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """An action that the message names without asking for it."""

    action: WriteAction
    reason: Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """All that a message asks for, and all that it only names."""

    requests: tuple[WriteRequest, ...] = ()
    mentions: tuple[Mention, ...] = ()

    def of(self, action: WriteAction) -> tuple[WriteRequest, ...]:
        """Return the requests for one action, in the order of the text."""
        return tuple(request for request in self.requests if request.action is action)

    def refusal(self, action: WriteAction) -> Refusal:
        """Say why the action is not asked for: the last thing that the text says of it."""
        reasons = [mention.reason for mention in self.mentions if mention.action is action]
        return reasons[-1] if reasons else Refusal.NOT_REQUESTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """Who the bot is to the requester: how it is spoken to."""

    bot_id: UserId
    names: frozenset[str] = field(default_factory=lambda: frozenset({"gopher"}))
    """In lower case."""
