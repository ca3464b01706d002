"""Takes what the gateway tells of messages, threads and channels that are there already, and hands it to the lanes."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import UTC, datetime

import disnake
from pydantic import ValidationError

from gopher.discord.changes import Change, ChannelDeleted, Sighted, ThreadFound
from gopher.discord.convert_changes import change_of, present_threads
from gopher.discord.entries import ChangeEntry
from gopher.discord.gateway_frames import frame_name, read_frame
from gopher.discord.journaling import Journaling
from gopher.domain.ids import ChannelId, UserId
from gopher.store.occurrences import thread_updated

_log = logging.getLogger(__name__)


class ChangeIntake:
    """Makes journal entries of the gateway's events. Nobody is ever told anything about them."""

    def __init__(self, client: disnake.Client, journaling: Journaling, bot_id: UserId) -> None:
        """Hand changes to lanes; look up threads in what the client knows."""
        self._client = client
        self._journaling = journaling
        self._bot_id = bot_id

    def take(self, text: str, observed_at: datetime) -> None:
        """Take what came through the socket, received at `observed_at`. Returns at once."""
        name = frame_name(text)
        if name is None:
            return
        try:
            change = change_of(read_frame(text), self._bot_id)
        except ValidationError as error:
            # Where it differs from what is known, but not the values: they are members' words.
            places = [".".join(map(str, detail["loc"])) for detail in error.errors(include_input=False)]
            _log.error("event_unreadable: %s: %s", name, ", ".join(places))
            return
        if change is not None:
            self._accept(change, observed_at)

    def session_ready(self) -> None:
        """Take the threads that there are: some may have come or changed while nobody listened."""
        now = datetime.now(UTC)
        for guild in self._client.guilds:
            for thread in present_threads(guild):
                self._accept(ThreadFound(thread=thread), now)
                self._accept(Sighted(occurrence=thread_updated(thread)), now)

    def _accept(self, change: Change, observed_at: datetime) -> None:
        if isinstance(change, ChannelDeleted):
            guild = self._client.get_guild(change.place.guild_id or 0)
            threads = () if guild is None else guild.threads
            parent_id = change.place.channel_id
            thread_ids = tuple(ChannelId(thread.id) for thread in threads if thread.parent_id == parent_id)
            change = replace(change, thread_ids=thread_ids)
        self._journaling.accept(ChangeEntry(change=change, observed_at=observed_at))
