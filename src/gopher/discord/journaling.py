"""Journals what the gateway delivers: in order in each channel, again until PostgreSQL has it, in bounded memory."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from gopher.discord.backoff import Backoff
from gopher.domain.ids import ChannelId, snowflake_time
from gopher.domain.journal import JournalMessage, NewRequest
from gopher.errors import Unavailable
from gopher.outage import Outage
from gopher.store.journal import Journal
from gopher.valkey import SeenEvents

_log = logging.getLogger(__name__)

NEARLY_FULL: Final = 0.8
NEARLY_EMPTY: Final = 0.1
WRITERS: Final = 4
"""Transactions at once, so that the pool has connections left for the rest of the process."""

FIRST_PAUSE: Final = timedelta(milliseconds=200)
LONGEST_PAUSE: Final = timedelta(seconds=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalBounds:
    """How much is kept while PostgreSQL is away, and how long a command waits for it."""

    capacity: int = 20_000
    """Entries in memory: some 40 MB of ordinary talk, an hour of it in a guild with five messages a second."""
    interaction_life: timedelta = timedelta(minutes=14)
    """An interaction's token dies after 15 minutes; before that the member is told that nothing will come."""
    refusals: int = 8
    """Attempts, over half a minute, for an entry that PostgreSQL refuses while it serves: a schema in the making needs
    seconds, and what is refused after that is refused for good."""


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
        """The name under which Valkey remembers it."""
        return f"message_create:{self.message.message_id}"


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
        """The name under which Valkey remembers it."""
        return f"interaction_create:{self.request.request_id}"

    @property
    def occurred_at(self) -> datetime:
        """When it was given, in UTC."""
        return snowflake_time(self.request.request_id)


Entry = MessageEntry | InteractionEntry


@dataclass(slots=True)
class _Lane:
    """What waits in one channel, oldest first."""

    entries: deque[Entry] = field(default_factory=deque[Entry])
    held: bool = False
    """True while older messages of the channel may still be read back: nothing newer may be journaled before them."""
    writer: asyncio.Task[None] | None = None


class Journaling:
    """Lanes of entries by channel. Nothing is forgotten in silence.

    An entry is written as often as it takes. When memory is full, a channel's newest messages are not kept but marked
    as missed, and read back from Discord when the journal has caught up.
    """

    def __init__(
        self,
        journal: Journal,
        seen: SeenEvents,
        *,
        bounds: JournalBounds,
        read_back: Callable[[Iterable[ChannelId]], None],
    ) -> None:
        """Write to a journal. `read_back` is told channels with missed messages, which are held until it fills them."""
        self._journal = journal
        self._seen = seen
        self._bounds = bounds
        self._read_back = read_back
        self._lanes: dict[ChannelId, _Lane] = {}
        self._missed: set[ChannelId] = set()
        self._size = 0
        self._hold_all = False
        self._warned = False
        self._closed = False
        self._writing = asyncio.Semaphore(WRITERS)
        self._idle = asyncio.Event()
        self._idle.set()
        self._outage = Outage("PostgreSQL", _log, meanwhile="events wait in memory, nothing is lost")

    @property
    def size(self) -> int:
        """How many entries wait."""
        return self._size

    def accept(self, entry: Entry) -> None:
        """Take an event, in the order in which the gateway delivered it. Returns at once."""
        channel_id = entry.channel_id
        if self._closed or (isinstance(entry, MessageEntry) and not self._has_room_for(channel_id)):
            return
        lane = self._lane(channel_id)
        lane.entries.append(entry)
        self._count(1)
        self._wake(channel_id, lane)

    def hold_everything(self) -> None:
        """Stop writing until `hold_only`: what was missed has yet to be found out."""
        self._hold_all = True

    def hold_only(self, channel_ids: Iterable[ChannelId]) -> None:
        """Hold these channels until `fill`, and write in all others."""
        held = frozenset(channel_ids)
        self._hold_all = False
        for channel_id in held:
            self._lane(channel_id).held = True
        for channel_id, lane in list(self._lanes.items()):
            lane.held = channel_id in held
            self._wake(channel_id, lane)

    def fill(self, channel_id: ChannelId, entries: Iterable[MessageEntry]) -> None:
        """Add what was read back of a held channel, in order and without what waits there already, and release it."""
        lane = self._lane(channel_id)
        waiting = {entry.event_key for entry in lane.entries}
        added = [entry for entry in entries if entry.event_key not in waiting]
        lane.entries = deque(sorted([*added, *lane.entries], key=_place))
        self._count(len(added))
        lane.held = False
        self._wake(channel_id, lane)

    async def close(self, within: timedelta) -> int:
        """Take no more, write what waits, and say how much could not be written in time.

        What is left of messages is read back from Discord at the next start.
        """
        self._closed = True
        self.hold_only(())
        try:
            async with asyncio.timeout(within.total_seconds()):
                await self._idle.wait()
        except TimeoutError:
            _log.error("journal_backlog_left: %d events are not journaled; the next start reads them back", self._size)
        writers = [lane.writer for lane in self._lanes.values() if lane.writer is not None]
        for writer in writers:
            writer.cancel()
        await asyncio.gather(*writers, return_exceptions=True)
        return self._size

    def _has_room_for(self, channel_id: ChannelId) -> bool:
        if channel_id in self._missed:
            return False  # a newer message in the journal would hide the missed ones from the read-back
        if self._size >= self._bounds.capacity:
            _log.error("journal_backlog_full: messages of channel %d are read back from Discord later", channel_id)
            self._missed.add(channel_id)
            return False
        return True

    def _count(self, change: int) -> None:
        self._size += change
        nearly_full = self._size >= self._bounds.capacity * NEARLY_FULL
        if nearly_full and not self._warned:
            _log.error(
                "journal_backlog_near_bound: %d of %d events wait for PostgreSQL", self._size, self._bounds.capacity
            )
        self._warned = nearly_full
        if self._size:
            self._idle.clear()
        else:
            self._idle.set()
        if self._missed and self._size <= self._bounds.capacity * NEARLY_EMPTY:
            missed, self._missed = self._missed, set()
            for channel_id in missed:
                self._lane(channel_id).held = True
            self._read_back(missed)

    def _lane(self, channel_id: ChannelId) -> _Lane:
        return self._lanes.setdefault(channel_id, _Lane())

    def _wake(self, channel_id: ChannelId, lane: _Lane) -> None:
        if lane.entries and lane.writer is None and not lane.held and not self._hold_all:
            lane.writer = asyncio.create_task(self._write_lane(channel_id, lane), name=f"journal {channel_id}")

    async def _write_lane(self, channel_id: ChannelId, lane: _Lane) -> None:
        try:
            while lane.entries and not lane.held and not self._hold_all:
                # Taken out first: `fill` may put older entries before those that wait.
                await self._write_until_done(lane.entries.popleft())
                self._count(-1)
        finally:
            lane.writer = None
            if not lane.entries and not lane.held:
                self._lanes.pop(channel_id, None)

    async def _write_until_done(self, entry: Entry) -> None:
        backoff = Backoff(FIRST_PAUSE, LONGEST_PAUSE)
        refusals = 0
        while refusals < self._bounds.refusals:
            if isinstance(entry, InteractionEntry) and self._expired(entry):
                _log.error("interaction_not_journaled: %s waited too long for PostgreSQL", entry.event_key)
                await entry.give_up()
                return
            try:
                await self._write(entry)
            except Unavailable as error:
                self._outage.failed(error)
            except Exception as error:  # noqa: BLE001 - an outermost loop: one refused entry must not stop its channel
                refusals += 1
                # Without its text, which may quote what was said.
                _log.warning("%s is refused by the journal: %s", entry.event_key, type(error).__name__)
            else:
                return
            await backoff.pause()
        _log.error("journal_entry_refused: %s is not journaled", entry.event_key)
        if isinstance(entry, InteractionEntry):
            await entry.give_up()

    def _expired(self, entry: InteractionEntry) -> bool:
        return time.time() - entry.occurred_at.timestamp() > self._bounds.interaction_life.total_seconds()

    async def _write(self, entry: Entry) -> None:
        read_back = isinstance(entry, MessageEntry) and entry.read_back
        if not read_back and await self._seen.check(entry.event_key):
            return
        async with self._writing:
            match entry:
                case MessageEntry():
                    await self._journal.record_message(entry.message, entry.request)
                case InteractionEntry():
                    await self._journal.record_interaction(
                        entry.request, occurred_at=entry.occurred_at, user_name=entry.user_name
                    )
        self._outage.worked()
        await self._seen.mark(entry.event_key)


def _place(entry: Entry) -> int:
    """Snowflakes are in the order of time, those of messages and interactions alike."""
    match entry:
        case MessageEntry():
            return entry.message.message_id
        case InteractionEntry():
            return entry.request.request_id
