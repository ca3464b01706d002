"""Things that happen a little later in the simulated Discord."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta


class Timers:
    """Things that happen a little later, all cancelled when the simulation stops."""

    def __init__(self) -> None:
        self._handles: set[asyncio.TimerHandle] = set()

    def later(self, delay: timedelta, action: Callable[[], None]) -> None:
        """Do something once, after a delay."""
        loop = asyncio.get_running_loop()

        def fire() -> None:
            self._handles.discard(handle)
            action()

        handle = loop.call_later(delay.total_seconds(), fire)
        self._handles.add(handle)

    def close(self) -> None:
        """Cancel what has not happened yet."""
        for handle in self._handles:
            handle.cancel()
        self._handles.clear()
