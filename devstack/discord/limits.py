"""Rate limits: the headers on every answer, and, where a test wants them, limits as tight as Discord's own."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Allowance:
    """So many requests in so many seconds."""

    requests: int
    seconds: float


_GENEROUS: Final = Allowance(10_000, 1.0)
"""The default: headers as from Discord, but nobody is made to wait, so that tests and load runs measure the bot."""
_STRICT_DEFAULT: Final = Allowance(50, 1.0)
_STRICT: Final = {
    ("POST", "/channels/{channel_id}/messages"): Allowance(5, 5.0),
    ("PATCH", "/channels/{channel_id}/messages/{message_id}"): Allowance(5, 5.0),
    ("DELETE", "/channels/{channel_id}/messages/{message_id}"): Allowance(5, 1.0),
    ("GET", "/channels/{channel_id}/messages"): Allowance(5, 5.0),
    ("POST", "/channels/{channel_id}/typing"): Allowance(5, 5.0),
    ("PUT", "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me"): Allowance(1, 0.25),
    ("DELETE", "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me"): Allowance(1, 0.25),
}
"""What Discord has been seen to grant."""
_GLOBAL: Final = Allowance(50, 1.0)


@dataclass(slots=True)
class _Window:
    used: int
    ends_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a request stands with its bucket."""

    bucket: str
    limit: int
    remaining: int
    reset_after: float
    """Seconds until the bucket is full again."""
    exceeded: bool
    everything: bool = False
    """Whether the global limit is exceeded, not the bucket's."""

    def headers(self) -> dict[str, str]:
        """Render Discord's headers."""
        return {
            "X-RateLimit-Bucket": self.bucket,
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": f"{time.time() + self.reset_after:.3f}",
            "X-RateLimit-Reset-After": f"{self.reset_after:.3f}",
        }


class RateLimits:
    """Counts requests by user, route and major parameter."""

    def __init__(self) -> None:
        self.strict = False
        """Whether Discord's own limits hold."""
        self._windows: dict[tuple[int, str, str, str], _Window] = {}
        self._globals: dict[int, _Window] = {}

    def count(self, user_id: int, method: str, route: str, major: str) -> Standing:
        """Count a request and tell how it stands."""
        now = time.monotonic()
        allowance = _STRICT.get((method, route), _STRICT_DEFAULT) if self.strict else _GENEROUS
        if self.strict:
            window = self._globals.get(user_id)
            if window is None or now >= window.ends_at:
                window = self._globals[user_id] = _Window(0, now + _GLOBAL.seconds)
            window.used += 1
            if window.used > _GLOBAL.requests:
                return self._standing(method, route, _GLOBAL, window, now, everything=True)
        key = (user_id, method, route, major)
        window = self._windows.get(key)
        if window is None or now >= window.ends_at:
            window = self._windows[key] = _Window(0, now + allowance.seconds)
        window.used += 1
        return self._standing(method, route, allowance, window, now)

    def _standing(
        self, method: str, route: str, allowance: Allowance, window: _Window, now: float, *, everything: bool = False
    ) -> Standing:
        return Standing(
            bucket=bucket(method, route),
            limit=allowance.requests,
            remaining=max(0, allowance.requests - window.used),
            reset_after=max(0.0, window.ends_at - now),
            exceeded=window.used > allowance.requests,
            everything=everything,
        )


def bucket(method: str, route: str) -> str:
    """Name a bucket as Discord does: opaque hexadecimal digits."""
    return hashlib.sha256(f"{method} {route}".encode()).hexdigest()[:32]
