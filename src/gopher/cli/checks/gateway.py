"""Discord: is the token valid, and may the bot read messages?"""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

import aiohttp
from pydantic import BaseModel, ConfigDict, ValidationError

from gopher.cli.checks.findings import Finding
from gopher.settings import Settings

PART: Final = "discord"
DISCORD_API: Final = "https://discord.com/api/v10"
ANSWER_WITHIN_SECONDS: Final = 10
MESSAGE_CONTENT: Final = 1 << 18 | 1 << 19
"""Flags of an application with the Message Content Intent: verified ones, and those in fewer than 100 guilds. It is the
only privileged intent that the bot asks for."""


class _Application(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    name: str
    flags: int = 0


async def examine(settings: Settings) -> list[Finding]:
    """Ask Discord whose the token is."""
    if settings.discord_token is None:
        remedy = "Start ./gopher up, which simulates Discord, or set DISCORD_TOKEN."
        return [Finding(part=PART, what="no token is set", remedy=remedy)]
    api = (settings.discord_api_url or DISCORD_API).rstrip("/")
    try:
        status, body = await _ask(f"{api}/applications/@me", settings.discord_token.get_secret_value())
    except (aiohttp.ClientError, OSError) as error:  # a timeout is an OSError
        reason = str(error).rstrip(".") or "no answer in time"
        remedy = "Check the network, or correct DISCORD_API_URL."
        return [Finding(part=PART, what=f"it does not answer: {reason}", remedy=remedy)]
    return _judge(status, body, settings)


async def _ask(url: str, token: str) -> tuple[int, bytes]:
    headers = {"Authorization": f"Bot {token}"}
    timeout = aiohttp.ClientTimeout(total=ANSWER_WITHIN_SECONDS)
    async with aiohttp.ClientSession(timeout=timeout, headers=headers) as session, session.get(url) as response:
        return response.status, await response.read()


def _judge(status: int, body: bytes, settings: Settings) -> list[Finding]:
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        remedy = "Copy the bot's token from the developer portal, under Bot, into DISCORD_TOKEN, or reset it there."
        return [Finding(part=PART, what=f"the token is refused (status {status})", remedy=remedy)]
    try:
        application = _Application.model_validate_json(body)
    except ValidationError:
        suspect = "DISCORD_API_URL" if settings.discord_api_url else "the network for a proxy that answers instead"
        return [Finding(part=PART, what=f"what answers is not Discord (status {status})", remedy=f"Check {suspect}.")]
    where = f" at {settings.discord_api_url}" if settings.discord_api_url else ""
    token = Finding(part=PART, what=f"the token is {application.name}'s (application {application.id}){where}")
    if application.flags & MESSAGE_CONTENT:
        return [token, Finding(part=PART, what="Message Content Intent is on")]
    remedy = "Switch on the Message Content Intent in the developer portal, under Bot."
    return [token, Finding(part=PART, what="Message Content Intent is off: messages arrive empty", remedy=remedy)]
