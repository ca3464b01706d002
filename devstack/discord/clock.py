"""The simulated Discord's time: ids, a clock of validity that tests set forward, recent nonces, what comes later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from gopher.domain.ids import DISCORD_EPOCH

_TIMESTAMP_SHIFT: Final = 22
_MILLISECOND: Final = timedelta(milliseconds=1)


class Clock:
    """Two times: `now` for ids and timestamps, and `validity_now`, which tests set forward, for all that expires.

    They are apart so that a test can let a token expire without messages from the future.
    """

    def __init__(self) -> None:
        self._ahead = timedelta()
        self._last_id = 0

    def now(self) -> datetime:
        """Tell the time, in UTC."""
        return datetime.now(UTC)

    def validity_now(self) -> datetime:
        """Tell the time by which attachment URLs, interaction tokens and nonces expire."""
        return datetime.now(UTC) + self._ahead

    def advance(self, by: timedelta) -> None:
        """Set the clock of validity forward."""
        self._ahead += by

    def next_id(self) -> int:
        """Make a snowflake greater than every one before."""
        candidate = ((datetime.now(UTC) - DISCORD_EPOCH) // _MILLISECOND) << _TIMESTAMP_SHIFT
        self._last_id = max(candidate, self._last_id + 1)
        return self._last_id

    def seen_id(self, snowflake: int) -> None:
        """Continue after an id that was read from storage."""
        self._last_id = max(self._last_id, snowflake)


class RecentNonces:
    """Which messages were sent with which nonce in the past few minutes, by author."""

    def __init__(self, clock: Clock, window: timedelta) -> None:
        self._clock = clock
        self._window = window
        self._sent: dict[tuple[int, str], tuple[datetime, int]] = {}

    def remember(self, author_id: int, nonce: str | int, message_id: int, *, at: datetime | None = None) -> None:
        """Note a message that was sent with a nonce; an earlier one with the same nonce is forgotten."""
        self._sent.pop((author_id, str(nonce)), None)
        self._sent[author_id, str(nonce)] = (at or self._clock.validity_now(), message_id)
        self._forget()

    def find(self, author_id: int, nonce: str | int) -> int | None:
        """Find the message that an author sent with a nonce; None when there is none, or when it is too long ago."""
        self._forget()
        found = self._sent.get((author_id, str(nonce)))
        return None if found is None else found[1]

    def _forget(self) -> None:
        oldest = self._clock.validity_now() - self._window
        while self._sent:
            key = next(iter(self._sent))
            if self._sent[key][0] >= oldest:
                return
            del self._sent[key]


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
