"""Looking at servers that somebody else runs before anything is started beside them: reachable, and fit for Gopher?"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from http import HTTPStatus
from typing import NotRequired

import aiohttp
import psycopg
import redis.asyncio
import redis.exceptions
from pydantic import TypeAdapter, ValidationError
from temporalio.client import Client
from temporalio.service import RPCError
from typing_extensions import TypedDict

from gopher.errors import ConfigurationError
from gopher.settings import Settings
from gopher.store.schema import REQUIRED_EXTENSIONS, migrate

PATIENCE_SECONDS = 10
"""For one answer: a healthy server needs far less, also across an ocean."""
DISCORD_API = "https://discord.com/api/v10"
OPENAI_API = "https://api.openai.com/v1"
MESSAGE_CONTENT_FLAGS = 1 << 18 | 1 << 19
"""Application flags: the message content intent, for verified bots and for those in fewer than 100 guilds."""


class Application(TypedDict):
    """What matters of Discord's application object."""

    flags: NotRequired[int]


_APPLICATION = TypeAdapter(Application)


async def check(settings: Settings) -> None:
    """Check every server that the settings name, and bring a given database to the current schema if all are well.

    Raises:
        ConfigurationError: one or several are not; a sentence each, a line each.
    """
    if settings.discord_api_url is not None and settings.discord_token is None:
        raise ConfigurationError("DISCORD_API_URL is set without DISCORD_TOKEN; set the token too, or remove it.")
    checks: list[Awaitable[None]] = []
    if settings.database_url is not None:
        checks.append(check_database(settings.database_url))
    if settings.redis_url is not None:
        checks.append(check_valkey(settings.redis_url))
    if settings.temporal_address is not None:
        checks.append(check_temporal(settings.temporal_address, settings.temporal_namespace))
    if settings.discord_token is not None:
        checks.append(check_discord(settings.discord_api_url or DISCORD_API, settings.discord_token.get_secret_value()))
    if settings.openai_api_key is not None or settings.openai_base_url is not None:
        key = settings.openai_api_key.get_secret_value() if settings.openai_api_key is not None else None
        checks.append(check_model(settings.openai_base_url or OPENAI_API, key))
    results = await asyncio.gather(*checks, return_exceptions=True)
    problems = [str(result) for result in results if isinstance(result, ConfigurationError)]
    if problems:
        raise ConfigurationError("\n".join(problems))
    for result in results:
        if isinstance(result, BaseException):
            raise result
    if settings.database_url is not None:
        await migrate(settings.database_url)


async def check_database(url: str) -> None:
    """Check that PostgreSQL answers and has the extensions to offer."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS), await psycopg.AsyncConnection.connect(url) as connection:
            cursor = await connection.execute(
                "select name::text from pg_available_extensions where name = any(%(names)s::text[])",
                {"names": list(REQUIRED_EXTENSIONS)},
            )
            available = {row[0] for row in await cursor.fetchall()}
    except psycopg.ProgrammingError:
        raise ConfigurationError("DATABASE_URL cannot be understood; correct it, or remove it.") from None
    except TimeoutError:
        raise _away("DATABASE_URL", "the database", "no answer") from None
    except psycopg.Error as error:
        # The first line names host and reason; the rest repeats it for every address tried. No password is in it.
        raise _away("DATABASE_URL", "the database", str(error).splitlines()[0]) from None
    missing = [name for name in REQUIRED_EXTENSIONS if name not in available]
    if missing:
        raise ConfigurationError(
            f"DATABASE_URL: the server does not have the extension {' or '.join(missing)}; install it there "
            "(Debian's packages are postgresql-N-pgvector and postgresql-contrib), or remove DATABASE_URL."
        )


async def check_valkey(url: str) -> None:
    """Check that Valkey or Redis answers."""
    try:
        client = redis.asyncio.from_url(url, socket_connect_timeout=PATIENCE_SECONDS, socket_timeout=PATIENCE_SECONDS)
    except ValueError:
        raise ConfigurationError("REDIS_URL cannot be understood; correct it, or remove it.") from None
    try:
        await client.get("gopher:preflight")
    except (redis.exceptions.RedisError, OSError) as error:
        raise _away("REDIS_URL", "Valkey", str(error)) from None
    finally:
        await client.aclose()


async def check_temporal(address: str, namespace: str) -> None:
    """Check that Temporal answers and has the namespace."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            client = await Client.connect(address, namespace=namespace)
            await client.count_workflows()
    except TimeoutError:
        raise _away("TEMPORAL_ADDRESS", "Temporal", "no answer") from None
    except RuntimeError:
        raise _away("TEMPORAL_ADDRESS", "Temporal", "no Temporal frontend answers there") from None
    except RPCError as error:
        raise ConfigurationError(
            f"TEMPORAL_ADDRESS or TEMPORAL_NAMESPACE: the namespace {namespace} cannot be used there "
            f"({error.message}); create it, or correct the variables."
        ) from None


async def check_discord(api_url: str, token: str) -> None:
    """Check that Discord takes the token and that the bot may read messages."""
    status, body = await _get(f"{api_url.rstrip('/')}/applications/@me", f"Bot {token}", "DISCORD_TOKEN", "Discord")
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        raise ConfigurationError(
            "DISCORD_TOKEN is refused by Discord; copy the bot's token from the developer portal, or reset it there."
        )
    if status != HTTPStatus.OK:
        raise ConfigurationError(
            f"DISCORD_API_URL: what answers there is not Discord's API (status {status}); correct it, or remove it."
        )
    try:
        application = _APPLICATION.validate_python(body)
    except ValidationError:
        raise ConfigurationError(
            "DISCORD_API_URL: what answers there is not Discord's API; correct it, or remove it."
        ) from None
    if not application.get("flags", 0) & MESSAGE_CONTENT_FLAGS:
        raise ConfigurationError(
            "DISCORD_TOKEN: the bot may not read messages; switch on the Message Content Intent "
            "in the developer portal, under Bot."
        )


async def check_model(base_url: str, key: str | None) -> None:
    """Check that an OpenAI-compatible API answers and takes the key."""
    url = f"{base_url.rstrip('/')}/models"
    status, body = await _get(url, f"Bearer {key}" if key else None, "OPENAI_BASE_URL", "the model's provider")
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        what = "is refused by the provider; correct it" if key else "is not set, and the provider wants one; set it"
        raise ConfigurationError(f"OPENAI_API_KEY {what}, or remove OPENAI_BASE_URL for the offline demo model.")
    # Some providers have no list of models: that is no reason to stop. A page for people is.
    if body is None:
        raise ConfigurationError(
            f"OPENAI_BASE_URL: what answers there is not an OpenAI-compatible API (status {status}, no JSON); "
            "its path usually ends in /v1."
        )


async def _get(url: str, authorization: str | None, variable: str, whom: str) -> tuple[int, object]:
    """Ask once; returns the status and the JSON, None when it is none."""
    headers = {"Authorization": authorization} if authorization is not None else {}
    timeout = aiohttp.ClientTimeout(total=PATIENCE_SECONDS)
    try:
        async with aiohttp.ClientSession(timeout=timeout, headers=headers) as session, session.get(url) as response:
            try:
                return response.status, await response.json(content_type=None)
            except ValueError:
                return response.status, None
    except (aiohttp.ClientError, OSError) as error:
        raise _away(variable, whom, str(error) or "no answer") from None


def _away(variable: str, whom: str, reason: str) -> ConfigurationError:
    reason = reason.strip().rstrip(".")
    return ConfigurationError(
        f"{variable}: {whom} cannot be reached ({reason}); start it, correct {variable}, or remove it."
    )
