"""Gateway sessions: who hears which event, the numbering of events, and the memory of missed ones for resuming."""

from __future__ import annotations

import secrets
import time
from collections import deque
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, Protocol

from devstack.discord.clock import Timers
from devstack.discord.documents import JsonObject, dumps
from devstack.discord.faults import Faults
from devstack.discord.intents import Intent, required
from devstack.discord.objects import Channel, User
from devstack.discord.state import World

_REMEMBERED_EVENTS: Final = 20_000
"""A session that missed more can no longer be resumed."""
_RESUMABLE_SECONDS: Final = 300.0
"""How long after losing its connection a session can be resumed: Discord keeps them for minutes."""
_BETWEEN_DUPLICATES: Final = timedelta(milliseconds=1)
_SHARD_SHIFT: Final = 22


class Wire(Protocol):
    """The connection of a session: takes texts in order, never waits."""

    def push(self, text: str) -> None:
        """Send a text after those before it."""
        ...

    def hang_up(self, code: int) -> None:
        """Close the connection; 0 means to cut it without a word."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that sessions hear of. Each restriction that is set must hold for a session to hear it."""

    name: str
    payload: JsonObject
    guild_id: int | None = None
    """Members of this guild. None: not of a guild, hence a direct message or the like."""
    channel: Channel | None = None
    """Those who see this channel."""
    only: frozenset[int] | None = None
    """These users."""
    people_only: bool = False
    """Not bots."""
    bots_only: bool = False
    """Not people."""
    about: int | None = None
    """A member: bots without the intent GUILD_MEMBERS hear it only about themselves."""
    stripped: JsonObject | None = None
    """What bots without the intent MESSAGE_CONTENT hear instead; None: the same."""
    content_for: frozenset[int] = frozenset()
    """Bots that get the content all the same: the author, and those mentioned."""


@dataclass(slots=True, kw_only=True)
class Session:
    """One identified gateway session, connected or resumable."""

    id: str
    user: User
    intents: Intent
    shard: tuple[int, int] = (0, 1)
    sequence: int = 0
    wire: Wire | None = None
    lost_at: float | None = None
    """Monotonic seconds when the connection went; None while it is there."""
    status: str = "online"
    missed: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=_REMEMBERED_EVENTS))
    """The latest events by number, until the client's heartbeats acknowledge them."""

    def send(self, name: str, data: str) -> None:
        """Number an event, remember it, and send it if somebody is connected. `data` is JSON."""
        self.sequence += 1
        text = f'{{"op":0,"t":"{name}","s":{self.sequence},"d":{data}}}'
        self.missed.append((self.sequence, text))
        if self.wire is not None:
            self.wire.push(text)

    def acknowledge(self, sequence: int) -> None:
        """Forget events that the client has seen."""
        while self.missed and self.missed[0][0] <= sequence:
            self.missed.popleft()

    def can_replay_after(self, sequence: int) -> bool:
        """Tell whether every event after a number is still remembered."""
        if sequence > self.sequence:
            return False
        return sequence == self.sequence or (bool(self.missed) and self.missed[0][0] <= sequence + 1)

    def of_shard(self, guild_id: int | None) -> bool:
        """Tell whether this session's shard serves a guild; direct messages belong to shard 0."""
        index, count = self.shard
        return (0 if guild_id is None else (guild_id >> _SHARD_SHIFT) % count) == index


class Sessions:
    """All gateway sessions, and the delivery of events to them."""

    def __init__(self, world: World, faults: Faults, timers: Timers) -> None:
        self._world = world
        self._faults = faults
        self._timers = timers
        self._sessions: dict[str, Session] = {}

    def all(self) -> list[Session]:
        """List all sessions, resumable ones included."""
        return list(self._sessions.values())

    def open(self, user: User, intents: Intent, shard: tuple[int, int], wire: Wire) -> Session:
        """Begin a session."""
        self._forget_stale()
        session = Session(id=secrets.token_hex(16), user=user, intents=intents, shard=shard, wire=wire)
        self._sessions[session.id] = session
        return session

    def resume(self, session_id: str, user: User, sequence: int, wire: Wire) -> Session | None:
        """Take a session up again and send what it missed; None when it cannot be resumed."""
        self._forget_stale()
        session = self._sessions.get(session_id)
        if session is None or session.user.id != user.id or not session.can_replay_after(sequence):
            return None
        if session.wire is not None:
            session.wire.hang_up(0)
        session.wire = wire
        session.lost_at = None
        for number, text in session.missed:
            if number > sequence:
                wire.push(text)
        session.send("RESUMED", dumps({"_trace": ["simulated-gateway"]}))
        return session

    def lose(self, session: Session, wire: Wire) -> None:
        """Note that a connection went: the session can be resumed for a while."""
        if session.wire is wire:
            session.wire = None
            session.lost_at = time.monotonic()

    def end(self, session: Session) -> None:
        """Forget a session for good."""
        self._sessions.pop(session.id, None)

    def connected(self, user_id: int) -> list[Session]:
        """List a user's sessions that have a connection."""
        return [s for s in self._sessions.values() if s.user.id == user_id and s.wire is not None]

    def dispatch(self, event: Event) -> None:
        """Deliver an event to everybody who may hear it, in the order of calls unless a fault delays it."""
        delivery = self._faults.delivery(event.name)
        self._deliver(event, bots=False)
        if not delivery.delay:
            self._deliver(event, bots=True)
        else:
            self._later(delivery.delay, event)
        if delivery.copies > 1:
            self._later(delivery.delay + _BETWEEN_DUPLICATES, event)

    def _later(self, delay: timedelta, event: Event) -> None:
        self._timers.later(delay, lambda: self._deliver(event, bots=True))

    def _deliver(self, event: Event, *, bots: bool) -> None:
        whole: str | None = None
        stripped: str | None = None
        for session in self._sessions.values():
            if session.user.bot is not bots or not self._hears(session, event):
                continue
            if event.stripped is not None and self._content_withheld(session, event):
                stripped = stripped or dumps(event.stripped)
                session.send(event.name, stripped)
            else:
                whole = whole or dumps(event.payload)
                session.send(event.name, whole)

    def _hears(self, session: Session, event: Event) -> bool:
        if not session.of_shard(event.guild_id) or not self._is_meant(session.user, event):
            return False
        if session.user.bot and not _is_subscribed(session, event):
            return False
        return event.channel is None or self._world.sees(event.channel, session.user.id)

    def _is_meant(self, user: User, event: Event) -> bool:
        if event.only is not None and user.id not in event.only:
            return False
        if (event.people_only and user.bot) or (event.bots_only and not user.bot):
            return False
        return event.guild_id is None or (event.guild_id, user.id) in self._world.members

    def _content_withheld(self, session: Session, event: Event) -> bool:
        return (
            session.user.bot
            and event.guild_id is not None
            and not session.intents & Intent.MESSAGE_CONTENT
            and session.user.id not in event.content_for
        )

    def _forget_stale(self) -> None:
        now = time.monotonic()
        for session in list(self._sessions.values()):
            if session.lost_at is not None and now - session.lost_at > _RESUMABLE_SECONDS:
                del self._sessions[session.id]


def _is_subscribed(session: Session, event: Event) -> bool:
    """Tell whether a bot's intents cover an event."""
    needed = required(event.name, direct=event.guild_id is None)
    if needed and not session.intents & needed:
        return False
    return event.about in (None, session.user.id) or bool(session.intents & Intent.GUILD_MEMBERS)
