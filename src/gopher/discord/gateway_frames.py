"""The gateway's events about what is there already, as Discord writes them to the socket: the fields that are used.

They are read from the socket's text and not from the library's objects. The library has no event at all for some of
them where its cache lacks the channel (pins, deleted channels), leaves out whether a reaction is a super reaction, and
hands on a thread that the next event may have changed before a listener looks at it.
"""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter


class _Payload(BaseModel):
    model_config = ConfigDict(frozen=True)


class PlacePayload(_Payload):
    """Where something happened; direct messages have no guild."""

    channel_id: int
    guild_id: int | None = None


class AuthorPayload(_Payload):
    """Who wrote a message."""

    id: int
    username: str
    global_name: str | None = None
    bot: bool = False


class MemberPayload(_Payload):
    """The author as a member of the guild."""

    nick: str | None = None


class AttachmentPayload(_Payload):
    """A file on a message."""

    id: int
    filename: str
    content_type: str | None = None
    size: int
    url: str


class ReferencePayload(_Payload):
    """What a message refers to."""

    message_id: int | None = None


class MessagePayload(PlacePayload):
    """A message, whole or in part: whatever the update does not bring is None."""

    id: int
    type: int | None = None
    flags: int = 0
    author: AuthorPayload | None = None
    member: MemberPayload | None = None
    content: str | None = None
    attachments: tuple[AttachmentPayload, ...] | None = None
    edited_timestamp: AwareDatetime | None = None
    webhook_id: int | None = None
    application_id: int | None = None
    message_reference: ReferencePayload | None = None


class DeletedPayload(PlacePayload):
    """One message that is gone."""

    id: int


class BulkDeletedPayload(PlacePayload):
    """Messages that went at once."""

    ids: tuple[int, ...]


class EmojiPayload(_Payload):
    """An emoji: a custom one has an id, and may have lost its name."""

    id: int | None = None
    name: str | None = None


class ReactionsPayload(PlacePayload):
    """All reactions of a message."""

    message_id: int


class EmojiReactionsPayload(ReactionsPayload):
    """All reactions of a message with one emoji."""

    emoji: EmojiPayload


class ReactionPayload(EmojiReactionsPayload):
    """One member's reaction."""

    user_id: int
    burst: bool = False


class PinsPayload(PlacePayload):
    """A channel whose pins have changed."""

    last_pin_timestamp: AwareDatetime | None = None


class ThreadStatePayload(_Payload):
    """What may change about a thread, besides its name."""

    archived: bool
    locked: bool = False


class ThreadPayload(_Payload):
    """A thread."""

    id: int
    guild_id: int
    parent_id: int
    owner_id: int
    name: str
    thread_metadata: ThreadStatePayload


class ChannelPayload(_Payload):
    """A channel that is gone, or a thread."""

    id: int
    guild_id: int | None = None


class GuildPayload(_Payload):
    """A guild that the bot left, or that Discord cannot serve for now."""

    id: int
    unavailable: bool = False


class MessageUpdated(_Payload):
    """Something about a message is different: its words, or a preview, a pin, a thread."""

    t: Literal["MESSAGE_UPDATE"]
    d: MessagePayload


class MessageDeleted(_Payload):
    """A message was deleted."""

    t: Literal["MESSAGE_DELETE"]
    d: DeletedPayload


class MessagesDeleted(_Payload):
    """Messages were deleted at once."""

    t: Literal["MESSAGE_DELETE_BULK"]
    d: BulkDeletedPayload


class ReactionChanged(_Payload):
    """A reaction came or went."""

    t: Literal["MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE"]
    d: ReactionPayload


class ReactionsCleared(_Payload):
    """All reactions of a message are gone."""

    t: Literal["MESSAGE_REACTION_REMOVE_ALL"]
    d: ReactionsPayload


class EmojiCleared(_Payload):
    """All reactions of a message with one emoji are gone."""

    t: Literal["MESSAGE_REACTION_REMOVE_EMOJI"]
    d: EmojiReactionsPayload


class PinsUpdated(_Payload):
    """A channel's pins have changed."""

    t: Literal["CHANNEL_PINS_UPDATE"]
    d: PinsPayload


class ThreadFrame(_Payload):
    """A thread is new, to the guild or to the bot, or has changed."""

    t: Literal["THREAD_CREATE", "THREAD_UPDATE"]
    d: ThreadPayload


class ChannelDeleted(_Payload):
    """A channel or a thread was deleted."""

    t: Literal["CHANNEL_DELETE", "THREAD_DELETE"]
    d: ChannelPayload


class GuildDeleted(_Payload):
    """The bot is no longer in a guild, or Discord cannot serve it for now."""

    t: Literal["GUILD_DELETE"]
    d: GuildPayload


Frame = (
    MessageUpdated
    | MessageDeleted
    | MessagesDeleted
    | ReactionChanged
    | ReactionsCleared
    | EmojiCleared
    | PinsUpdated
    | ThreadFrame
    | ChannelDeleted
    | GuildDeleted
)

_FRAME: Final[TypeAdapter[Frame]] = TypeAdapter(Annotated[Frame, Field(discriminator="t")])

# Most of what comes is new messages, which are not for this: they are passed over without being parsed again. Within a
# text every quotation mark is escaped, so nobody's words look like the name of an event.
_NAME: Final = re.compile(
    r'"t"\s*:\s*"(MESSAGE_UPDATE|MESSAGE_DELETE|MESSAGE_DELETE_BULK|MESSAGE_REACTION_ADD|MESSAGE_REACTION_REMOVE'
    r"|MESSAGE_REACTION_REMOVE_ALL|MESSAGE_REACTION_REMOVE_EMOJI|CHANNEL_PINS_UPDATE|THREAD_CREATE|THREAD_UPDATE"
    r'|CHANNEL_DELETE|THREAD_DELETE|GUILD_DELETE)"'
)


def frame_name(text: str) -> str | None:
    """Tell the name of the event in a text from the socket; None when it is not one of those here."""
    found = _NAME.search(text)
    return None if found is None else found.group(1)


def read_frame(text: str) -> Frame:
    """Read an event whose name is known here. Raises pydantic's ValidationError, which quotes what it cannot read."""
    return _FRAME.validate_json(text)
