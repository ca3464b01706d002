"""Journals what the gateway delivers: in order in each channel, again until PostgreSQL has it, in bounded memory."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, assert_never

from gopher.discord.backoff import Backoff
from gopher.discord.changes import Edited, EditedUnseen
from gopher.discord.entries import ChangeEntry, Entry, InteractionEntry, MessageEntry, in_order
from gopher.discord.entry_writer import EntryWriter
from gopher.domain.ids import ChannelId, MessageId
from gopher.errors import Unavailable
from gopher.outage import Outage
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
        writer: EntryWriter,
        seen: SeenEvents,
        *,
        bounds: JournalBounds,
        read_back: Callable[[Iterable[ChannelId]], None],
    ) -> None:
        """Write with a writer. `read_back` is told channels with missed messages; they are held until it fills them."""
        self._writer = writer
        self._seen = seen
        self._bounds = bounds
        self._read_back = read_back
        self._lanes: dict[ChannelId, _Lane] = {}
        self._missed: dict[ChannelId, MessageId] = {}
        """Channels that memory had no room for, with the first message that was not kept."""
        self._size = 0
        self._hold_all = False
        self._warned = False
        self._dropping = False
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
        if self._closed or not self._has_room_for(entry):
            return
        self._append(entry.channel_id, self._lane(entry.channel_id), entry)
        if isinstance(entry, ChangeEntry):
            for channel_id in entry.also_after:
                # What waits there would be journaled after the channel's deletion, and stay.
                lane = self._lanes.get(channel_id)
                if lane is not None:
                    self._append(channel_id, lane, entry)

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
        waiting = {entry.event_key for entry in lane.entries if isinstance(entry, MessageEntry)}
        added = [entry for entry in entries if entry.event_key not in waiting]
        lane.entries = deque(in_order(added, lane.entries))
        self._count(len(added))
        lane.held = False
        self._wake(channel_id, lane)

    async def close(self, within: timedelta) -> int:
        """Take no more, write what waits, and say how much could not be written in time.

        What is left of messages is read back from Discord at the next start; nothing else can be.
        """
        self._closed = True
        self.hold_only(())
        try:
            async with asyncio.timeout(within.total_seconds()):
                await self._idle.wait()
        except TimeoutError:
            _log.error(
                "journal_backlog_left: %d events are not journaled; the next start reads messages back", self._size
            )
        writers = [lane.writer for lane in self._lanes.values() if lane.writer is not None]
        for writer in writers:
            writer.cancel()
        await asyncio.gather(*writers, return_exceptions=True)
        return self._size

    def _append(self, channel_id: ChannelId, lane: _Lane, entry: Entry) -> None:
        lane.entries.append(entry)
        self._count(1)
        self._wake(channel_id, lane)

    def _has_room_for(self, entry: Entry) -> bool:
        full = self._size >= self._bounds.capacity
        match entry:
            case MessageEntry():
                return self._has_room_for_message(entry, full=full)
            case InteractionEntry():
                return True
            case ChangeEntry(change=Edited() | EditedUnseen()):
                # A newer message in the journal would hide the missed ones; the read-back brings it as it is then.
                first_missed = self._missed.get(entry.channel_id)
                return first_missed is None or entry.at_least < first_missed
            case ChangeEntry():
                if full and entry.expendable and not self._dropping:
                    _log.error("journal_backlog_full: reactions, pins and changes of threads are lost from now on")
                    self._dropping = True
                return not (full and entry.expendable)
            case _:
                assert_never(entry)

    def _has_room_for_message(self, entry: MessageEntry, *, full: bool) -> bool:
        channel_id = entry.channel_id
        if channel_id in self._missed:
            return False  # a newer message in the journal would hide the missed ones from the read-back
        if full:
            _log.error("journal_backlog_full: messages of channel %d are read back from Discord later", channel_id)
            self._missed[channel_id] = entry.message.message_id
        return not full

    def _count(self, change: int) -> None:
        self._size += change
        nearly_full = self._size >= self._bounds.capacity * NEARLY_FULL
        if nearly_full and not self._warned:
            _log.error(
                "journal_backlog_near_bound: %d of %d events wait for PostgreSQL", self._size, self._bounds.capacity
            )
        self._warned = nearly_full
        self._dropping = self._dropping and nearly_full
        if self._size:
            self._idle.clear()
        else:
            self._idle.set()
        if self._missed and self._size <= self._bounds.capacity * NEARLY_EMPTY:
            missed, self._missed = self._missed, {}
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
        key = entry.seen_key
        if key is not None and entry.trusts_seen and await self._seen.check(key):
            return
        async with self._writing:
            await self._writer.write(entry)
        self._outage.worked()
        if key is not None:
            await self._seen.mark(key)
