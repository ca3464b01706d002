"""Waiting for PostgreSQL's notifications: latency only, never truth, so a lost one costs nothing but time."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from time import monotonic
from types import TracebackType
from typing import Final, Self

import psycopg
from psycopg import AsyncConnection, sql
from psycopg.rows import TupleRow

from gopher.store.pool import Pool, address

RECONNECT_PAUSE: Final = timedelta(seconds=1)
"""Between attempts to reach a server that is away."""


class Listener:
    """A connection of its own that LISTENs on one channel and opens itself again after the server was away.

    Use it as an async context manager, from one task at a time.
    """

    def __init__(self, pool: Pool, channel: str) -> None:
        """Listen on a channel of the server that the pool connects to, beside the pool and not out of it."""
        self._address = address(pool)
        self._channel = channel
        self._connection: AsyncConnection[TupleRow] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection. The next `wait` would open a new one."""
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def wait(self, timeout: timedelta) -> frozenset[str]:  # noqa: ASYNC109 - it ends in a result, not an error
        """Wait until something is notified, or until the timeout; return the payloads that came.

        The first call begins to listen: what was notified before is not seen. While the server is away this only waits,
        and returns early, with nothing, as soon as it listens again: what came meanwhile is lost, so look for yourself.
        """
        deadline = monotonic() + timeout.total_seconds()
        while (remaining := deadline - monotonic()) > 0:
            try:
                if self._connection is None:
                    self._connection = await self._listen()
                    return frozenset()
                notifications = self._connection.notifies(timeout=remaining, stop_after=1)
                return frozenset([notification.payload async for notification in notifications])
            except psycopg.Error:
                await self.close()
                await asyncio.sleep(min(RECONNECT_PAUSE.total_seconds(), max(0.0, deadline - monotonic())))
        return frozenset()

    async def _listen(self) -> AsyncConnection[TupleRow]:
        connection = await AsyncConnection.connect(self._address, autocommit=True)
        try:
            await connection.execute(sql.SQL("listen {}").format(sql.Identifier(self._channel)))
        except BaseException:
            await connection.close()
            raise
        return connection
