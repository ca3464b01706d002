"""Valkey: which events have been journaled already. Only a saving: the journal's unique keys decide."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final, TypeVar

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from gopher.errors import ConfigurationError
from gopher.outage import Outage

_log = logging.getLogger(__name__)

REMEMBERED: Final = timedelta(hours=24)
"""Discord repeats an event within seconds, a read-back within the length of an outage."""

ANSWER_WITHIN: Final = timedelta(milliseconds=250)
"""A healthy server answers within 1 ms. Whoever waits longer is faster with the journal's unique keys."""

SHORTEST_PAUSE: Final = timedelta(seconds=1)
LONGEST_PAUSE: Final = timedelta(seconds=30)
"""How long nobody asks a server that failed: doubled with each failure, so that an outage costs no message its time."""

_T = TypeVar("_T")


class SeenEvents:
    """Remembers events by key for a day. When the server fails, nothing was seen and nothing is remembered."""

    def __init__(self, redis_url: str) -> None:
        """Prepare for a server; nothing is connected yet. Raises ConfigurationError when the URL is not one."""
        seconds = ANSWER_WITHIN.total_seconds()
        try:
            self._redis = Redis.from_url(  # pyright: ignore[reportUnknownMemberType] - its options are untyped
                redis_url, socket_timeout=seconds, socket_connect_timeout=seconds, retry=Retry(NoBackoff(), 0)
            )
        except ValueError as error:
            # The client's sentence may quote the URL, password included.
            raise ConfigurationError(
                "REDIS_URL is not a Valkey or Redis address; write it as redis://user:password@host:port/database.",
                code="redis_url",
            ) from error
        self._outage = Outage("Valkey", _log, meanwhile="repeated events are found by the journal's keys instead")
        self._pause = SHORTEST_PAUSE
        self._closed_until = 0.0

    async def check(self, event_key: str) -> bool:
        """Say whether an event was marked. False also when the server does not say so in time."""
        return bool(await self._ask(lambda: self._redis.exists(f"seen:{event_key}")))

    async def mark(self, event_key: str) -> None:
        """Remember an event. To be called after its commit: a mark before the work would lose it in a crash."""
        await self._ask(lambda: self._redis.set(f"seen:{event_key}", b"1", ex=REMEMBERED))

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.aclose()

    async def _ask(self, question: Callable[[], Awaitable[_T]]) -> _T | None:
        now = time.monotonic()
        if now < self._closed_until:
            return None
        if self._outage.away:
            # One caller at a time finds out whether it is back; the others go on without.
            self._closed_until = now + ANSWER_WITHIN.total_seconds() * 2
        try:
            answer = await question()
        except (RedisError, OSError, TimeoutError) as error:
            self._outage.failed(type(error).__name__)
            self._closed_until = time.monotonic() + self._pause.total_seconds()
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
            return None
        self._outage.worked()
        self._pause = SHORTEST_PAUSE
        return answer
