"""Valkey: does it answer, and who is it?"""

from __future__ import annotations

from typing import Final, cast

from redis.asyncio import Redis
from redis.exceptions import RedisError

from gopher.cli.checks.findings import Finding
from gopher.settings import Settings

PART: Final = "valkey"
ANSWER_WITHIN_SECONDS: Final = 5


async def examine(settings: Settings) -> list[Finding]:
    """Ask the server of the settings who it is."""
    if settings.redis_url is None:
        return [Finding(part=PART, what="no Valkey is set", remedy="Start ./gopher up, or set REDIS_URL.")]
    client = Redis.from_url(  # pyright: ignore[reportUnknownMemberType] - its options are untyped
        settings.redis_url, socket_connect_timeout=ANSWER_WITHIN_SECONDS, socket_timeout=ANSWER_WITHIN_SECONDS
    )
    try:
        facts = cast("dict[str, object]", await client.info("server"))  # pyright: ignore[reportUnknownMemberType] - untyped
    except (RedisError, OSError) as error:
        what = f"it does not answer: {str(error).rstrip('.')}"
        return [Finding(part=PART, what=what, remedy="Start the server, or correct REDIS_URL.")]
    finally:
        await client.aclose()
    valkey = facts.get("valkey_version")
    return [Finding(part=PART, what=f"Valkey {valkey}" if valkey else f"Redis {facts.get('redis_version')}")]
