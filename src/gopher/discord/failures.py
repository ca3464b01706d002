"""Translates what the library and the network raise into this project's errors: once, at this border."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import aiohttp
import disnake

from gopher.errors import DiscordError, DiscordRejected, DiscordUnavailable

FAILURES: Final = (disnake.HTTPException, aiohttp.ClientError, OSError, TimeoutError)
"""What a call of Discord's HTTP API may raise."""

_RATE_LIMITED: Final = 429
_SERVER_ERROR: Final = 500

# Discord's documentation, "JSON Error Codes".
_UNKNOWN_CHANNEL: Final = 10003
_UNKNOWN_GUILD: Final = 10004
_UNKNOWN_MESSAGE: Final = 10008
_UNKNOWN_WEBHOOK: Final = 10015
_UNKNOWN_INTERACTION: Final = 10062
_ALREADY_ACKNOWLEDGED: Final = 40060
_MISSING_ACCESS: Final = 50001
_CANNOT_MESSAGE_USER: Final = 50007
_MISSING_PERMISSION: Final = 50013
_INVALID_TOKEN: Final = 50027
_INVALID_FORM: Final = 50035
_NO_HISTORY_FOR_REPLY: Final = 160002

_CODES: Final = {
    _UNKNOWN_CHANNEL: "channel_gone",
    _UNKNOWN_GUILD: "channel_gone",
    _UNKNOWN_MESSAGE: "message_gone",
    _UNKNOWN_WEBHOOK: "interaction_expired",
    _UNKNOWN_INTERACTION: "interaction_expired",
    _INVALID_TOKEN: "interaction_expired",
    _ALREADY_ACKNOWLEDGED: "interaction_acknowledged",
    _MISSING_ACCESS: "missing_permission",
    _CANNOT_MESSAGE_USER: "direct_messages_closed",
    _MISSING_PERMISSION: "missing_permission",
    _NO_HISTORY_FOR_REPLY: "reply_refused",
}


def to_discord_error(error: Exception, action: str) -> DiscordError:
    """Name what went wrong with an action ("send a message"): its code, and whether trying again can help."""
    if not isinstance(error, disnake.HTTPException):
        reason = str(error) or type(error).__name__
        return DiscordUnavailable(f"Discord could not be reached to {action}: {reason}.")
    if error.status == _RATE_LIMITED:
        return DiscordUnavailable(
            f"Discord allows no more requests now, so it would not {action}.",
            code="discord_rate_limited",
            retry_after=_retry_after(error),
        )
    if error.status >= _SERVER_ERROR:
        return DiscordUnavailable(f"Discord failed with status {error.status} when asked to {action}.")
    return DiscordRejected(f"Discord refused to {action}: {_sentence(error)}", code=_code(error))


def _code(error: disnake.HTTPException) -> str:
    if error.code == _INVALID_FORM and "message_reference" in error.text:
        return "reply_refused"
    known = _CODES.get(error.code)
    if known is not None:
        return known
    return "missing_permission" if isinstance(error, disnake.Forbidden) else "discord_rejected"


def _sentence(error: disnake.HTTPException) -> str:
    # The first line is Discord's own sentence; the others may quote what was sent.
    first_line = error.text.partition("\n")[0].rstrip(".")
    return f"{first_line or 'no reason given'} (status {error.status}, code {error.code})."


def _retry_after(error: disnake.HTTPException) -> timedelta | None:
    given = error.response.headers.get("Retry-After")
    try:
        return None if given is None else timedelta(seconds=float(given))
    except ValueError:
        return None
