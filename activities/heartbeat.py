"""Heartbeats for every remote activity, for its whole duration, whether or not it thinks of them."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final

from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

BEATS_PER_TIMEOUT: Final = 3
"""Two beats may be lost or late before the server gives the attempt up."""


class AutoHeartbeat(Interceptor):
    """Beats from a task of its own while an activity with a heartbeat timeout runs.

    The beat says that the process lives and its event loop turns. An activity that blocks the loop stops its own beat,
    and that of every other activity of the worker.
    """

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002 # Temporal's name
        """Wrap every activity."""
        return _Beating(next)


class _Beating(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002, ANN401 # Temporal's signature
        timeout = activity.info().heartbeat_timeout
        if not timeout:
            return await self.next.execute_activity(input)
        beating = asyncio.create_task(_beat(timeout / BEATS_PER_TIMEOUT))
        try:
            return await self.next.execute_activity(input)
        finally:
            beating.cancel()
            with suppress(asyncio.CancelledError):
                await beating


async def _beat(interval: timedelta) -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(interval.total_seconds())
