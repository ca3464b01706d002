"""Shows "is typing" where somebody waits for an answer."""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import timedelta
from typing import Final

from gopher.discord.actions import DiscordActions
from gopher.domain.ids import ChannelId
from gopher.domain.runs import Surface
from gopher.errors import DiscordError
from gopher.outage import Outage
from gopher.store.requests import RequestOutbox

_log = logging.getLogger(__name__)

INTERVAL: Final = timedelta(seconds=8)
"""Discord shows it for ten seconds."""

LONGEST: Final = timedelta(minutes=15)
"""A run that waits for an operator may take days; nobody believes that it is being typed."""


class TypingIndicator:
    """Keeps the indicator on in every channel with an unfinished request, also those of a process that died."""

    def __init__(self, actions: DiscordActions, outbox: RequestOutbox, *, interval: timedelta = INTERVAL) -> None:
        """Look into the outbox at each interval; show it through the actions."""
        self._actions = actions
        self._outbox = outbox
        self._interval = interval
        self._since: dict[ChannelId, float] = {}
        self._showing: set[asyncio.Task[None]] = set()
        self._outage = Outage("PostgreSQL", _log, meanwhile="no typing is shown for running requests")

    def begin(self, channel_id: ChannelId) -> None:
        """Show it now, before anything is stored or started. Returns at once."""
        task = asyncio.create_task(self._show(channel_id), name=f"typing {channel_id}")
        self._showing.add(task)
        task.add_done_callback(self._showing.discard)

    async def run(self) -> None:
        """Keep it on for ever."""
        while True:
            for channel_id in await self._waiting_channels():
                self.begin(channel_id)
            await asyncio.sleep(self._interval.total_seconds())

    async def _waiting_channels(self) -> list[ChannelId]:
        try:
            open_channels = await self._outbox.open_channels(Surface.DISCORD)
        except Exception as error:  # noqa: BLE001 - an outermost loop: the indicator is decoration, and survives everything
            self._outage.failed(type(error).__name__)
            return []
        self._outage.worked()
        now = time.monotonic()
        self._since = {channel_id: self._since.get(channel_id, now) for channel_id in open_channels}
        return [channel_id for channel_id, since in self._since.items() if now - since < LONGEST.total_seconds()]

    async def _show(self, channel_id: ChannelId) -> None:
        try:
            await self._actions.show_typing(channel_id)
        except DiscordError as error:
            _log.info("no typing is shown in channel %d: %s", channel_id, error.code)
