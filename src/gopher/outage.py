"""Notes that something which a process needs is away, and says so once when it goes and once when it is back."""

from __future__ import annotations

import logging
import time


class Outage:
    """Whether one part (PostgreSQL, Valkey, …) is away, as its caller saw it last."""

    def __init__(self, part: str, log: logging.Logger, *, meanwhile: str) -> None:
        """Watch a part. `meanwhile` says, after a colon, what happens until it is back."""
        self._part = part
        self._log = log
        self._meanwhile = meanwhile
        self._since: float | None = None

    @property
    def away(self) -> bool:
        """Whether the last attempt failed."""
        return self._since is not None

    def failed(self, reason: object) -> None:
        """Note a failed attempt."""
        if self._since is None:
            self._since = time.monotonic()
            self._log.warning("%s is away (%s): %s", self._part, reason, self._meanwhile)

    def worked(self) -> None:
        """Note an attempt that worked."""
        if self._since is not None:
            self._log.warning("%s is back after %.1f s", self._part, time.monotonic() - self._since)
            self._since = None
