"""Reads back from Discord what was said while nobody listened, and puts it into the journal before what is said now."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

import disnake

from gopher.discord.backoff import Backoff
from gopher.discord.entries import MessageEntry
from gopher.discord.failures import FAILURES, to_discord_error
from gopher.discord.intake import Intake
from gopher.discord.journaling import Journaling
from gopher.domain.ids import ChannelId, MessageId, UserId, snowflake_at, snowflake_time
from gopher.errors import DiscordError, DiscordUnavailable
from gopher.outage import Outage
from gopher.store.journal import Journal

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

ANSWER_WITHIN: Final = timedelta(minutes=15)
"""A message that addressed the bot and is older than this is journaled but not answered: its author has moved on."""

MESSAGES_A_CHANNEL: Final = 500
"""Most messages read back of one channel, the newest ones: five calls of Discord."""

DIRECT_CHANNELS: Final = 100
"""Direct-message channels asked after a start, those with the latest talk first. Discord lists none to a bot."""

READERS: Final = 3
"""Channels read at once: a bot may make 50 calls a second, and answers go first."""

ATTEMPTS: Final = 4
FIRST_PAUSE: Final = timedelta(seconds=1)
LONGEST_PAUSE: Final = timedelta(seconds=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gap:
    """A channel whose messages after a place may be missing from the journal."""

    channel_id: ChannelId
    after: MessageId
    newest: int
    """The newest message that is known of, or 0: the channels with the latest talk are read first."""


class CatchUp:
    """Finds and fills the gaps of the journal after a new gateway session, or when memory was too small."""

    def __init__(self, client: disnake.Client, journal: Journal, intake: Intake) -> None:
        """Read through a client. `attach` has to follow, since the lanes and this know each other."""
        self._client = client
        self._journal = journal
        self._intake = intake
        self._lanes: Journaling | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._readers = asyncio.Semaphore(READERS)
        self._outage = Outage("The journal", _log, meanwhile="what was missed is read back when it answers")

    def attach(self, lanes: Journaling) -> None:
        """Name the lanes to hold and to fill."""
        self._lanes = lanes

    @property
    def journaling(self) -> Journaling:
        """The lanes to hold and to fill."""
        if self._lanes is None:
            raise RuntimeError("attach has to be called first")
        return self._lanes

    @property
    def busy(self) -> bool:
        """Whether something is being read back."""
        return bool(self._tasks)

    def session_began(self) -> None:
        """Note that a gateway session is new, so that something was missed: write nothing until that is known."""
        self._cancel()
        self.journaling.hold_everything()

    def session_ready(self) -> None:
        """Read back, in the background, every visible channel that has messages which the journal lacks."""
        self._cancel()
        self._start(self._read_missed())

    def read_back(self, channel_ids: Iterable[ChannelId]) -> None:
        """Read back, in the background, these channels, whose lanes are held."""
        self._start(self._read_channels(dict.fromkeys(channel_ids, 0)))

    async def close(self) -> None:
        """Stop reading. What was not read is missing from the journal still, and the next start finds it."""
        tasks = tuple(self._tasks)
        self._cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _read_missed(self) -> None:
        visible = self._visible_channels()
        direct = await self._until_answered(lambda: self._journal.direct_channels(limit=DIRECT_CHANNELS))
        await self._read_channels({**visible, **dict.fromkeys(direct, 0)}, release_others=True)

    async def _read_channels(self, newest: dict[ChannelId, int], *, release_others: bool = False) -> None:
        known = await self._until_answered(lambda: self._journal.last_message_ids(tuple(newest)))
        gaps = sorted(self._gaps(newest, known), key=lambda gap: gap.newest, reverse=True)
        if release_others:
            self.journaling.hold_only(gap.channel_id for gap in gaps)
        await asyncio.gather(*(self._fill(gap) for gap in gaps))
        if gaps:
            _log.info("read back %d channels", len(gaps))

    def _gaps(self, newest: dict[ChannelId, int], known: dict[ChannelId, MessageId]) -> Iterator[_Gap]:
        # A channel without any journaled message is read as far back as one would still be answered.
        horizon = MessageId(snowflake_at(datetime.now(UTC) - ANSWER_WITHIN))
        for channel_id, last in newest.items():
            after = known.get(channel_id, horizon)
            if last == 0 or last > after:
                yield _Gap(channel_id=channel_id, after=after, newest=last)

    def _visible_channels(self) -> dict[ChannelId, int]:
        """Each guild channel and thread whose history the bot may read, with its newest message."""
        found: dict[ChannelId, int] = {}
        for guild in self._client.guilds:
            for channel in (*guild.text_channels, *guild.voice_channels, *guild.stage_channels, *guild.threads):
                permissions = channel.permissions_for(guild.me)
                if permissions.view_channel and permissions.read_message_history and channel.last_message_id:
                    found[ChannelId(channel.id)] = channel.last_message_id
        return found

    async def _fill(self, gap: _Gap) -> None:
        async with self._readers:
            try:
                entries = await self._read(gap)
            except DiscordError as error:
                _log.warning("catch_up_failed: channel %d is not read back: %s", gap.channel_id, error)
                entries = []
        self.journaling.fill(gap.channel_id, entries)

    async def _read(self, gap: _Gap) -> list[MessageEntry]:
        backoff = Backoff(FIRST_PAUSE, LONGEST_PAUSE)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self._read_once(gap)
            except DiscordUnavailable:
                if attempt == ATTEMPTS:
                    raise
            await backoff.pause()
        raise AssertionError("the last attempt returns or raises")

    async def _read_once(self, gap: _Gap) -> list[MessageEntry]:
        """Read a gap once; oldest first."""
        bot_id = UserId(self._client.user.id)
        answer_after = datetime.now(UTC) - ANSWER_WITHIN
        history = self._channel(gap.channel_id).history(
            limit=MESSAGES_A_CHANNEL, after=disnake.Object(gap.after), oldest_first=False
        )
        entries: list[MessageEntry] = []
        read = 0
        try:
            async for message in history:
                read += 1
                entry = self._intake.entry(message, bot_id, answer=snowflake_time(message.id) > answer_after)
                if entry is not None:
                    entries.append(replace(entry, read_back=True))
        except FAILURES as error:
            raise to_discord_error(error, "read a channel") from error
        if read >= MESSAGES_A_CHANNEL:
            _log.warning("catch_up_bound: more than %d messages of channel %d were missed", read, gap.channel_id)
        return entries[::-1]

    def _channel(self, channel_id: ChannelId) -> disnake.abc.Messageable:
        channel = self._client.get_channel(channel_id)
        if isinstance(channel, disnake.abc.Messageable):
            return channel
        return self._client.get_partial_messageable(channel_id, type=disnake.ChannelType.private)

    async def _until_answered(self, question: Callable[[], Awaitable[_T]]) -> _T:
        """Ask the journal until it answers: without it nothing is written anyway."""
        backoff = Backoff(FIRST_PAUSE, LONGEST_PAUSE)
        while True:
            try:
                answer = await question()
            except Exception as error:  # noqa: BLE001 - an outermost loop: the schema may still be in the making
                self._outage.failed(type(error).__name__)
                await backoff.pause()
            else:
                self._outage.worked()
                return answer

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work, name="catch up")
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("catch_up_broken: what was missed is not read back", exc_info=error)
            self.journaling.hold_only(())

    def _cancel(self) -> None:
        for task in self._tasks:
            task.cancel()
