"""Pauses between attempts: doubled each time, up to a longest one."""

from __future__ import annotations

import asyncio
from datetime import timedelta


class Backoff:
    """The pauses of one series of attempts."""

    def __init__(self, first: timedelta, longest: timedelta) -> None:
        self._first = first
        self._longest = longest
        self._next = first

    async def pause(self) -> None:
        """Wait, twice as long as the time before."""
        pause = self._next
        self._next = min(self._next * 2, self._longest)
        await asyncio.sleep(pause.total_seconds())

    def reset(self) -> None:
        """Begin again with the first pause: an attempt worked."""
        self._next = self._first
