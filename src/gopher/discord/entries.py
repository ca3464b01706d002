"""What waits in a channel's lane to be journaled: messages, commands, and changes of what is there already."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from gopher.discord.changes import Change, ChannelDeleted, Edited, EditedUnseen, Sighted, ThreadFound
from gopher.domain.ids import ChannelId, snowflake_time
from gopher.domain.journal import JournalMessage, NewRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageEntry:
    """A message to journal, with the request that it opens, if any."""

    message: JournalMessage
    request: NewRequest | None
    read_back: bool = False
    """True when it was looked for because the journal lacks it: then Valkey is not asked, which may remember more than
    a database that was restored."""

    @property
    def channel_id(self) -> ChannelId:
        """Where it was said."""
        return self.message.channel_id

    @property
    def event_key(self) -> str:
        """Its name in the log."""
        return f"message_create:{self.message.message_id}"

    @property
    def seen_key(self) -> str:
        """The name under which Valkey remembers it."""
        return self.event_key

    @property
    def trusts_seen(self) -> bool:
        """Whether it need not be journaled when Valkey remembers it."""
        return not self.read_back

    @property
    def at_least(self) -> int:
        """Its place in the channel."""
        return self.message.message_id


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionEntry:
    """A command to journal with its request. Discord does not repeat it: what is lost here is lost."""

    request: NewRequest
    user_name: str
    give_up: Callable[[], Awaitable[None]]
    """Tells the member, and nobody else, that the command could not be stored while it could be answered."""

    @property
    def channel_id(self) -> ChannelId:
        """Where it was given."""
        return self.request.channel_id

    @property
    def event_key(self) -> str:
        """Its name in the log."""
        return f"interaction_create:{self.request.request_id}"

    @property
    def seen_key(self) -> str:
        """The name under which Valkey remembers it."""
        return self.event_key

    @property
    def trusts_seen(self) -> bool:
        """Whether it need not be journaled when Valkey remembers it."""
        return True

    @property
    def at_least(self) -> int:
        """Its place in the channel."""
        return self.request.request_id

    @property
    def occurred_at(self) -> datetime:
        """When it was given, in UTC."""
        return snowflake_time(self.request.request_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEntry:
    """A change of what is there already. Discord does not repeat it either."""

    change: Change
    observed_at: datetime
    """When the gateway told of it, in UTC: lanes may wait out an outage."""

    @property
    def channel_id(self) -> ChannelId:
        """Where it happened."""
        return self.change.channel_id

    @property
    def also_after(self) -> tuple[ChannelId, ...]:
        """The other channels of which nothing that was said before may be journaled after it."""
        return self.change.thread_ids if isinstance(self.change, ChannelDeleted) else ()

    @property
    def event_key(self) -> str:
        """Its name in the log."""
        return self.change.event_key

    @property
    def seen_key(self) -> str | None:
        """The name under which Valkey remembers it; None when it is not to be remembered.

        Reactions, pins and the like have no key: the same may happen again. Deletions have one, but a process whose
        lanes lag behind must close what it has just journaled, even though another one has recorded the deletion.
        """
        keyed = isinstance(self.change, Edited | EditedUnseen | ThreadFound)
        return self.event_key if keyed else None

    @property
    def trusts_seen(self) -> bool:
        """Whether it need not be journaled when Valkey remembers it."""
        return True

    @property
    def at_least(self) -> int:
        """The newest message that has to be journaled before it; 0 when there is none."""
        return self.change.at_least

    @property
    def expendable(self) -> bool:
        """Whether nothing that the bot remembers depends on it, so that it goes first when memory is full."""
        return isinstance(self.change, Sighted)


Entry = MessageEntry | InteractionEntry | ChangeEntry


def in_order(read_back: Iterable[MessageEntry], waiting: Iterable[Entry]) -> list[Entry]:
    """Put what was read back of a channel among what waits there.

    Snowflakes of messages and interactions are in the order of time. Changes have none: they stay after what they
    followed, and come after the messages that they are about.
    """
    placed: list[tuple[int, Entry]] = [(entry.at_least, entry) for entry in read_back]
    latest = 0
    for entry in waiting:
        latest = max(latest, entry.at_least)
        placed.append((latest, entry))
    return [entry for _, entry in sorted(placed, key=_place)]


def _place(placed: tuple[int, Entry]) -> int:
    return placed[0]
