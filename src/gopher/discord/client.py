"""The gateway client: which events it asks for, and to whom it hands them."""

from __future__ import annotations

import logging
from typing import Any, Protocol

import disnake
from disnake.http import Route

_log = logging.getLogger(__name__)


class Listener(Protocol):
    """Whoever is told of the gateway's events. A session that was resumed is no news: its events are repeated."""

    def session_began(self) -> None:
        """Note that a new session hears what happens from now on."""
        ...

    def session_ready(self) -> None:
        """Note that the session knows its guilds and channels."""
        ...

    def message_created(self, message: disnake.Message) -> None:
        """Take a message."""
        ...

    async def command_given(self, interaction: disnake.ApplicationCommandInteraction[Any]) -> None:
        """Answer a slash command."""
        ...

    def frame_received(self, text: str) -> None:
        """Take what the gateway sent, whatever it is, as text."""
        ...


def use_api(base_url: str) -> None:
    """Let every client of this process talk to another Discord than Discord's own: base URL with the API's version."""
    Route.BASE = base_url.rstrip("/")


class GopherClient(disnake.Client):
    """A client that keeps no messages and no members, and hands events on. To be made in a running event loop."""

    def __init__(self) -> None:
        super().__init__(
            intents=intents(),
            allowed_mentions=disnake.AllowedMentions.none(),
            max_messages=None,
            member_cache_flags=disnake.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            # How long the stream of guilds may pause at the start; until it ends nothing is answered.
            guild_ready_timeout=1.0,
            # What happens to messages and channels is read from the socket: see `gopher.discord.gateway_frames`.
            enable_debug_events=True,
        )
        self._listener: Listener | None = None
        self.connected = False
        """Whether a gateway session is connected now, new or resumed."""

    def listen_with(self, listener: Listener | None) -> None:
        """Hand events to a listener from now on; None ends that."""
        self._listener = listener

    async def on_connect(self) -> None:
        """Begin a session."""
        self.connected = True
        if self._listener is not None:
            self._listener.session_began()

    async def on_resumed(self) -> None:
        """Go on with a session."""
        self.connected = True

    async def on_disconnect(self) -> None:
        """Lose the connection, for a moment or longer."""
        self.connected = False

    async def on_ready(self) -> None:
        """Know the guilds of a session."""
        if self._listener is not None:
            self._listener.session_ready()

    async def on_message(self, message: disnake.Message) -> None:
        """Hand on a message."""
        if self._listener is not None:
            self._listener.message_created(message)

    async def on_application_command(self, interaction: disnake.ApplicationCommandInteraction[Any]) -> None:
        """Hand on a slash command."""
        if self._listener is not None:
            await self._listener.command_given(interaction)

    async def on_socket_raw_receive(self, text: str) -> None:
        """Hand on what came through the socket, in one order with the messages."""
        if self._listener is not None:
            self._listener.frame_received(text)

    async def on_error(self, event_method: str, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002, ANN401 - the library's signature
        """Log what a listener failed with; one event must not end the session."""
        _log.exception("event_failed: %s", event_method)

    async def on_gateway_error(self, event: str, data: Any, shard_id: int | None, exc: Exception, /) -> None:  # noqa: ARG002, ANN401 - the library's signature
        """Log an event that the library could not read."""
        _log.error("event_unreadable: %s", event, exc_info=exc)


def intents() -> disnake.Intents:
    """Name the events that are needed: messages, their text and reactions. Only the text is privileged."""
    return disnake.Intents(
        guilds=True,
        guild_messages=True,
        dm_messages=True,
        guild_reactions=True,
        dm_reactions=True,
        message_content=True,
    )
