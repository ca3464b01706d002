"""Logs in to Discord and holds the gateway session: for ever, or until something only an operator can mend."""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import timedelta
from typing import Final, NoReturn

import aiohttp
import disnake

from gopher.discord.backoff import Backoff
from gopher.discord.client import GopherClient
from gopher.discord.failures import FAILURES, to_discord_error
from gopher.errors import ConfigurationError, DiscordRejected
from gopher.outage import Outage

_log = logging.getLogger(__name__)

FIRST_PAUSE: Final = timedelta(seconds=1)
LONGEST_PAUSE: Final = timedelta(seconds=30)

IMPATIENCE: Final = timedelta(seconds=60)
"""How long the library may take to reconnect. It doubles its pauses up to 17 minutes, so that after an outage of ten
minutes it could stay away for as long again. Beginning anew begins with short pauses."""

LOOKS: Final = 10
"""How often within that time the connection is looked at."""

FAREWELL: Final = timedelta(seconds=3)
CANCEL_PAUSE: Final = timedelta(milliseconds=200)

_AUTHENTICATION_FAILED: Final = 4004

TOKEN_REFUSED: Final = (
    "Discord does not accept DISCORD_TOKEN; copy the bot's token from the page Bot of your application at "  # noqa: S105 - a sentence
    "https://discord.com/developers/applications and set it again."
)
INTENTS_MISSING: Final = (
    "Discord refuses the intents: switch on Message Content Intent on the page Bot of your application at "
    "https://discord.com/developers/applications and start again."
)


async def log_in(client: disnake.Client, token: str) -> int:
    """Log in and return the id of the application; waits while Discord cannot be reached.

    Raises ConfigurationError when the token is not accepted.
    """
    backoff = Backoff(FIRST_PAUSE, LONGEST_PAUSE)
    outage = Outage("Discord", _log, meanwhile="trying to log in until it answers")
    while True:
        try:
            await client.login(token)
            application_id = (await client.application_info()).id
        except disnake.LoginFailure as error:
            raise ConfigurationError(TOKEN_REFUSED, code="discord_token") from error
        except FAILURES as error:
            failure = to_discord_error(error, "log in")
            await client.http.close()  # the library opens another session at each attempt
            if isinstance(failure, DiscordRejected):
                raise ConfigurationError(f"{failure} Does DISCORD_API_URL name Discord's API?") from error
            outage.failed(failure)
            await backoff.pause()
        else:
            outage.worked()
            return application_id


async def hold(client: GopherClient, *, impatience: timedelta = IMPATIENCE) -> None:
    """Hold the gateway session of a client that is logged in; returns when the client was closed.

    The library resumes and reconnects by itself; when that takes longer than `impatience` it begins anew. Raises
    ConfigurationError when Discord refuses the token, the intents or the session for good.
    """
    backoff = Backoff(FIRST_PAUSE, LONGEST_PAUSE)
    outage = Outage("Discord's gateway", _log, meanwhile="trying to connect until it answers")
    while not client.is_closed():
        try:
            await _connect(client, outage, impatience)
        except disnake.PrivilegedIntentsRequired as error:
            raise ConfigurationError(INTENTS_MISSING, code="discord_intents") from error
        except disnake.ConnectionClosed as error:
            _refused(error)
        except disnake.SessionStartLimitReached as error:
            _log.error("session_start_limit: %s", error)
            await disnake.utils.sleep_until(error.session_start_limit.reset_time)
        except (disnake.GatewayNotFound, aiohttp.ClientError, OSError, TimeoutError) as error:
            outage.failed(type(error).__name__)
            await backoff.pause()


async def _connect(client: GopherClient, outage: Outage, impatience: timedelta) -> None:
    """Connect and stay connected; returns when the client was closed, or when reconnecting takes too long."""
    connection = asyncio.create_task(client.connect())
    seen_open = time.monotonic()
    try:
        while not connection.done() and time.monotonic() - seen_open < impatience.total_seconds():
            await asyncio.wait((connection,), timeout=impatience.total_seconds() / LOOKS)
            if not connection.done() and client.connected:
                seen_open = time.monotonic()
                outage.worked()
            elif not connection.done():
                outage.failed("not connected")
        if connection.done():
            connection.result()
    finally:
        # Again until it ends: before Python 3.12 `asyncio.wait_for`, by which the library connects, can lose a cancel.
        while not connection.done():
            connection.cancel()
            await asyncio.wait((connection,), timeout=CANCEL_PAUSE.total_seconds())


async def leave(client: disnake.Client) -> None:
    """Close the client; waits for Discord's farewell, but not long: a connection that hangs would take 30 s."""
    await asyncio.wait((asyncio.create_task(client.close()),), timeout=FAREWELL.total_seconds())


def _refused(error: disnake.ConnectionClosed) -> NoReturn:
    if error.code == _AUTHENTICATION_FAILED:
        raise ConfigurationError(TOKEN_REFUSED, code="discord_token") from error
    raise ConfigurationError(
        f"Discord closed the gateway session for good with code {error.code} ({error.reason.rstrip('.')}); "
        "this version of Gopher, or a bot so large that it needs sharding, is not what Discord expects.",
        code="discord_gateway",
    ) from error
