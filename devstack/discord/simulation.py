"""Everything that one simulated Discord consists of, wired together for those who act on it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from devstack.discord.attachments import SignedUrls
from devstack.discord.clock import Clock, RecentNonces, Timers
from devstack.discord.documents import JsonValue
from devstack.discord.faults import Faults
from devstack.discord.intents import PRIVILEGED, Intent
from devstack.discord.limits import RateLimits
from devstack.discord.render_message import MessageRenderer
from devstack.discord.sessions import Sessions
from devstack.discord.state import World
from devstack.discord.storage import Storage

_LOGGED_REQUESTS: Final = 20_000
"""The log of requests forgets older ones."""

NONCE_WINDOW: Final = timedelta(minutes=5)
"""How long an enforced nonce is remembered: Discord says "the past few minutes"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRequest:
    """One REST request as it was answered."""

    number: int
    at: datetime
    method: str
    route: str
    """The route as documented, `/channels/{channel_id}/messages`."""
    path: str
    user_id: int | None
    """Who asked; None for requests without a valid token."""
    body: JsonValue
    status: int
    """0 when the answer was withheld on purpose."""
    error_code: int | None = None


@dataclass(slots=True, kw_only=True)
class Simulation:
    """The parts; `build` makes them."""

    world: World
    clock: Clock
    storage: Storage
    urls: SignedUrls
    renderer: MessageRenderer
    sessions: Sessions
    faults: Faults
    limits: RateLimits
    timers: Timers
    nonces: RecentNonces
    privileged_intents: Intent = PRIVILEGED
    """Which privileged intents the bots' applications have been granted."""
    api_url: str = ""
    gateway_url: str = ""
    """Known once the simulation listens."""
    requests: deque[LoggedRequest] = field(default_factory=lambda: deque(maxlen=_LOGGED_REQUESTS))
    request_count: int = 0
    told_presences: dict[int, str] = field(default_factory=dict[int, str])
    """The status of users as it was announced last; absent: offline."""

    def recall_nonces(self) -> None:
        """Take up the nonces of the past few minutes after a restart."""
        since = self.clock.now() - NONCE_WINDOW
        for message in sorted(self.world.messages.values(), key=lambda m: m.id):
            if message.nonce is not None and message.created_at >= since:
                self.nonces.remember(message.author_id, message.nonce, message.id, at=message.created_at)


def build(storage: Storage) -> Simulation:
    """Wire an empty simulation over a storage."""
    clock = Clock()
    world = World(storage, clock)
    faults = Faults()
    urls = SignedUrls(clock)
    timers = Timers()
    return Simulation(
        world=world,
        clock=clock,
        storage=storage,
        urls=urls,
        renderer=MessageRenderer(world, urls),
        sessions=Sessions(world, faults, timers),
        faults=faults,
        limits=RateLimits(),
        timers=timers,
        nonces=RecentNonces(clock, NONCE_WINDOW),
    )
