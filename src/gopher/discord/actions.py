"""What the bot does in Discord over its HTTP API: every payload forbids pings, and answers carry a nonce."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

import disnake
from disnake.http import Route

from gopher.discord.convert import OwnMessagePayload, own_message
from gopher.discord.failures import FAILURES, to_discord_error
from gopher.domain.ids import ChannelId, GuildId, MessageId
from gopher.domain.journal import JournalMessage
from gopher.errors import DiscordRejected, DiscordUnavailable

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

CALL_TIMEOUT: Final = timedelta(seconds=12)
"""How long a caller waits for one call, the library's own waiting for rate limits and its five attempts included."""

SUPPRESS_EMBEDS: Final = 1 << 2
"""Message flag: no previews of the links in an answer."""

EPHEMERAL: Final = 1 << 6

NO_PINGS: Final[Mapping[str, object]] = MappingProxyType({"parse": (), "replied_user": False})
HISTORY_PAGE: Final = 100
"""Most messages that Discord gives at once."""


class DiscordActions:
    """Calls of Discord's HTTP API on behalf of the bot. Every method raises DiscordRejected or DiscordUnavailable."""

    def __init__(self, client: disnake.Client, application_id: int) -> None:
        """Act through a client that is logged in; it needs no gateway session."""
        self._client = client
        self._application_id = application_id
        self._abandoned: set[asyncio.Task[Any]] = set()

    async def send(
        self,
        *,
        guild_id: GuildId | None,
        channel_id: ChannelId,
        content: str,
        nonce: str,
        reply_to: MessageId | None,
    ) -> JournalMessage:
        """Send a message that pings nobody and shows no link previews; return it as Discord holds it.

        A second send with the same nonce within Discord's window of some minutes returns the first message instead.
        When the message to reply to is gone, or replying is not permitted, it is sent without the reference.
        """
        payload = _content(content) | {"nonce": nonce, "enforce_nonce": True}
        reference = {} if reply_to is None else {"message_reference": _reference(channel_id, reply_to)}
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel_id)
        try:
            sent = await self._call("send a message", route, payload | reference)
        except DiscordRejected as error:
            if error.code != "reply_refused":
                raise
            sent = await self._call("send a message", route, payload)
        return own_message(cast("OwnMessagePayload", sent), guild_id)

    async def own_messages_after(
        self, *, guild_id: GuildId | None, channel_id: ChannelId, after: MessageId, pages: int
    ) -> tuple[JournalMessage, ...]:
        """Return the bot's own messages after a message, oldest first, from at most `pages` pages of 100 messages."""
        found: list[JournalMessage] = []
        bot_id = str(self._client.user.id)
        for _ in range(pages):
            page = await self._page(channel_id, after)
            own = (payload for payload in reversed(page) if payload["author"]["id"] == bot_id)
            found.extend(own_message(payload, guild_id) for payload in own)
            if len(page) < HISTORY_PAGE:
                break
            after = MessageId(int(page[0]["id"]))
        return tuple(found)

    async def message(self, channel_id: ChannelId, message_id: MessageId) -> object:
        """Return a message in Discord's JSON, without its guild, which this call of Discord leaves out."""
        path = "/channels/{channel_id}/messages/{message_id}"
        return await self._call(
            "read a message", Route("GET", path, channel_id=channel_id, message_id=message_id), None
        )

    async def show_typing(self, channel_id: ChannelId) -> None:
        """Show "is typing" in a channel for ten seconds, or until the bot's next message there."""
        await self._call("show typing", Route("POST", "/channels/{channel_id}/typing", channel_id=channel_id), None)

    async def answer_interaction(self, *, guild_id: GuildId | None, token: str, content: str) -> JournalMessage:
        """Replace the pending response of an interaction by a text; may be repeated while the token lives."""
        route = self._interaction("PATCH", token, "/messages/@original")
        edited = await self._call("answer a command", route, _content(content))
        return own_message(cast("OwnMessagePayload", edited), guild_id)

    async def follow_up(self, *, guild_id: GuildId | None, token: str, content: str) -> JournalMessage:
        """Send one more message to an interaction. Not repeatable: there is no nonce for these."""
        route = self._interaction("POST", token, "?wait=true")
        sent = await self._call("follow up a command", route, _content(content))
        return own_message(cast("OwnMessagePayload", sent), guild_id)

    async def retract_interaction(self, *, token: str, sentence: str) -> None:
        """Take back the pending public response of an interaction and tell a sentence to the member alone."""
        await self._call("retract a response", self._interaction("DELETE", token, "/messages/@original"), None)
        private = _content(sentence) | {"flags": EPHEMERAL}
        await self._call("follow up a command", self._interaction("POST", token, "?wait=true"), private)

    async def wait_for_abandoned(self) -> None:
        """Wait until calls whose callers gave up have ended: before the client is closed."""
        if self._abandoned:
            await asyncio.wait(self._abandoned, timeout=CALL_TIMEOUT.total_seconds())

    async def _page(self, channel_id: ChannelId, after: MessageId) -> Sequence[OwnMessagePayload]:
        route = Route("GET", "/channels/{channel_id}/messages", channel_id=channel_id)
        query = {"after": str(after), "limit": HISTORY_PAGE}
        request = self._client.http.request(route, params=query)
        return cast("Sequence[OwnMessagePayload]", await self._bounded("read a channel", request))

    def _interaction(self, method: str, token: str, rest: str) -> Route:
        # The token is part of the path and not a parameter, since the library counts rate limits by path: Discord has
        # one for every interaction.
        return Route(method, f"/webhooks/{self._application_id}/{token}{rest}")

    async def _call(self, action: str, route: Route, payload: Mapping[str, object] | None) -> object:
        http = self._client.http
        request = http.request(route) if payload is None else http.request(route, json=payload)
        return await self._bounded(action, request)

    async def _bounded(self, action: str, request: Coroutine[Any, Any, _T]) -> _T:
        """Wait for a call, but not for ever. A caller that gives up, or is cancelled, leaves the call to its end.

        The library must not be cancelled: while it waits for a global rate limit that would block it for good.
        """
        if self._client.is_closed():
            request.close()
            raise DiscordUnavailable(f"The connection is closed, so this process cannot {action}.")
        call = asyncio.create_task(request)
        self._abandoned.add(call)
        call.add_done_callback(self._ended)
        try:
            async with asyncio.timeout(CALL_TIMEOUT.total_seconds()):
                return await asyncio.shield(call)
        except FAILURES as error:
            raise to_discord_error(error, action) from error

    def _ended(self, call: asyncio.Task[Any]) -> None:
        self._abandoned.discard(call)
        if not call.cancelled() and (error := call.exception()) is not None:
            # Retrieved, so that the event loop does not complain; whoever still waits has heard it.
            _log.debug("a call of Discord ended with %s", type(error).__name__)


def _content(content: str) -> dict[str, object]:
    return {"content": content, "allowed_mentions": dict(NO_PINGS), "flags": SUPPRESS_EMBEDS}


def _reference(channel_id: ChannelId, message_id: MessageId) -> dict[str, object]:
    return {"channel_id": str(channel_id), "message_id": str(message_id), "fail_if_not_exists": False}
