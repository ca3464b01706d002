"""What can happen to messages, threads and channels that are there already, as it waits to be journaled.

Each knows its channel, a name for the log that has no words in it, and the newest message that has to be journaled
before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from gopher.domain.ids import ChannelId, MessageId
from gopher.domain.journal import JournalMessage
from gopher.domain.journal_changes import Place, Thread
from gopher.store.occurrences import Occurrence

AFTER_EVERYTHING: Final = (1 << 63) - 1
"""Above every snowflake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A message says something else now."""

    message: JournalMessage
    edited_at: datetime

    @property
    def channel_id(self) -> ChannelId:
        """Where it was said."""
        return self.message.channel_id

    @property
    def event_key(self) -> str:
        """The name of this edit, and of no other one."""
        return _edit_key(self.message.message_id, self.edited_at)

    @property
    def at_least(self) -> int:
        """The message."""
        return self.message.message_id


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedUnseen:
    """A message was edited, but Discord did not tell by whom or to what: it has to be asked."""

    place: Place
    message_id: MessageId
    edited_at: datetime

    @property
    def channel_id(self) -> ChannelId:
        """Where it was said."""
        return self.place.channel_id

    @property
    def event_key(self) -> str:
        """The name of this edit, and of no other one."""
        return _edit_key(self.message_id, self.edited_at)

    @property
    def at_least(self) -> int:
        """The message."""
        return self.message_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """Messages are gone: one, or several at once."""

    place: Place
    message_ids: tuple[MessageId, ...]
    """At least one."""

    @property
    def channel_id(self) -> ChannelId:
        """Where they were said."""
        return self.place.channel_id

    @property
    def event_key(self) -> str:
        """The first message, and how many more."""
        return f"message_delete:{self.message_ids[0]}+{len(self.message_ids) - 1}"

    @property
    def at_least(self) -> int:
        """The newest of them."""
        return max(self.message_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadFound:
    """A thread is new, to the guild or to the bot."""

    thread: Thread

    @property
    def channel_id(self) -> ChannelId:
        """The thread itself."""
        return self.thread.place.channel_id

    @property
    def event_key(self) -> str:
        """The name of this thread's beginning."""
        return f"thread_create:{self.channel_id}"

    @property
    def at_least(self) -> int:
        """Nothing has to come before it."""
        return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadDeleted:
    """A thread is gone, and its messages with it."""

    place: Place

    @property
    def channel_id(self) -> ChannelId:
        """The thread itself."""
        return self.place.channel_id

    @property
    def event_key(self) -> str:
        """The name of this thread's end."""
        return f"thread_delete:{self.channel_id}"

    @property
    def at_least(self) -> int:
        """All that was said there."""
        return AFTER_EVERYTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelDeleted:
    """A channel is gone, and its threads and all their messages with it."""

    place: Place
    thread_ids: tuple[ChannelId, ...] = ()
    """The threads that this process knows of. The event does not name them."""

    @property
    def channel_id(self) -> ChannelId:
        """The channel itself."""
        return self.place.channel_id

    @property
    def event_key(self) -> str:
        """The name of this channel's end."""
        return f"channel_delete:{self.channel_id}"

    @property
    def at_least(self) -> int:
        """All that was said there."""
        return AFTER_EVERYTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighted:
    """Something happened that Discord gives neither an id nor a time."""

    occurrence: Occurrence

    @property
    def channel_id(self) -> ChannelId:
        """Where it happened. What happens to a guild waits under the guild's id."""
        return ChannelId(self.occurrence.channel_id or self.occurrence.guild_id or 0)

    @property
    def event_key(self) -> str:
        """What and where: the same name for the same again."""
        return f"{self.occurrence.event_type}:{self.channel_id}"

    @property
    def at_least(self) -> int:
        """Nothing has to come before it."""
        return 0


Change = Edited | EditedUnseen | Deleted | ThreadFound | ThreadDeleted | ChannelDeleted | Sighted


def _edit_key(message_id: MessageId, edited_at: datetime) -> str:
    return f"message_edit:{message_id}:{edited_at.astimezone(UTC).isoformat()}"
