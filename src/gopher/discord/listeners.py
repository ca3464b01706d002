"""What happens when the gateway tells of something: decide, show typing, hand it to the journal."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import disnake

from gopher.discord.catch_up import CatchUp
from gopher.discord.change_intake import ChangeIntake
from gopher.discord.commands import Commands, register
from gopher.discord.intake import Intake
from gopher.discord.journaling import Journaling
from gopher.discord.typing_indicator import TypingIndicator
from gopher.domain.ids import UserId

_log = logging.getLogger(__name__)


class Listeners:
    """The listener of the gateway client: nothing in it waits for PostgreSQL, Valkey or Temporal."""

    def __init__(
        self,
        client: disnake.Client,
        *,
        intake: Intake,
        journaling: Journaling,
        catch_up: CatchUp,
        changes: ChangeIntake,
        commands: Commands,
        typing: TypingIndicator,
        ready: Callable[[], None],
    ) -> None:
        """Hand messages to these parts. `ready` is called when a session knows its guilds."""
        self._client = client
        self._intake = intake
        self._journaling = journaling
        self._catch_up = catch_up
        self._changes = changes
        self._commands = commands
        self._typing = typing
        self._ready = ready
        self._registration: asyncio.Task[None] | None = None

    def session_began(self) -> None:
        """Hold the journal's lanes until it is known what was missed."""
        self._catch_up.session_began()

    def session_ready(self) -> None:
        """Read back what was missed; at the first time offer the slash commands."""
        _log.info("gateway session is ready in %d guilds", len(self._client.guilds))
        self._catch_up.session_ready()
        self._changes.session_ready()
        if self._registration is None:
            self._registration = asyncio.create_task(register(self._client), name="register commands")
        self._ready()

    def message_created(self, message: disnake.Message) -> None:
        """Decide whether the bot is addressed, then act: whatever fails later is silent for everybody else."""
        entry = self._intake.entry(message, UserId(self._client.user.id), answer=True)
        if entry is None:
            return
        if entry.request is not None:
            self._typing.begin(entry.channel_id)
        self._journaling.accept(entry)

    async def command_given(self, interaction: disnake.ApplicationCommandInteraction[Any]) -> None:
        """Answer a slash command."""
        await self._commands.given(interaction)

    def frame_received(self, text: str) -> None:
        """Take what happened to messages, threads and channels that are there already."""
        self._changes.take(text, datetime.now(UTC))
