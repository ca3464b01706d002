"""A member's private channel in a terminal: what is said there is journaled like any message and then waited for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Final

from gopher.domain.ids import ChannelId, MessageId, RequestId, UserId, named_id, snowflake_at
from gopher.domain.journal import AuthorKind, JournalMessage, NewRequest, Trigger
from gopher.domain.runs import RunStatus, Surface
from gopher.store.journal import Journal
from gopher.store.notifications import Listener
from gopher.store.pool import Pool
from gopher.store.requests import RequestOutbox
from gopher.store.runs import RunStore

NEWEST: Final = MessageId(2**63 - 1)
"""Before this is everything."""
LOOK_EVERY: Final = timedelta(seconds=1)
"""Between looks while no notification comes: one may get lost with its connection."""
OWN_MESSAGES: Final = 50
"""How far back to look for the messages of a run: it sends a handful, and nobody else writes here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message of the run that one waits for."""

    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Nothing new: how long one has waited by now."""

    elapsed: timedelta
    taken_up: bool
    """False while no worker has begun with the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The run is over; nothing more is said."""

    status: RunStatus | None
    error_code: str | None


class TerminalChannel:
    """The channel of one member with the bot. For one task at a time; use it as an async context manager."""

    def __init__(self, pool: Pool, *, name: str) -> None:
        """Speak as the member of this name; the same name is the same member with the same channel."""
        self.name = name
        self._user_id = UserId(named_id("terminal member", name))
        self._channel_id = ChannelId(named_id("terminal channel", name))
        self._journal = Journal(pool)
        self._outbox = RequestOutbox(pool)
        self._runs = RunStore(pool)
        self._listener = Listener(pool, "agent_runs")

    async def close(self) -> None:
        """Close the connection that notifications come over."""
        await self._listener.close()

    async def history(self, limit: int) -> tuple[JournalMessage, ...]:
        """The last messages, oldest first."""
        return await self._journal.recent(self._channel_id, before=NEWEST, limit=limit)

    async def say(self, text: str) -> RequestId:
        """Say something to the bot: journal it and open its request. From here on it will be answered."""
        await self._listener.wait(timedelta(milliseconds=1))  # begins to listen, so that no end is missed
        now = datetime.now(UTC)
        message_id = await self._next_id(now)
        message = JournalMessage(
            message_id=message_id,
            surface=Surface.TERMINAL,
            guild_id=None,
            channel_id=self._channel_id,
            author_id=self._user_id,
            author_name=self.name,
            author_kind=AuthorKind.MEMBER,
            content=text,
            created_at=now,
        )
        request = NewRequest(
            request_id=RequestId(message_id),
            surface=Surface.TERMINAL,
            trigger=Trigger.MESSAGE,
            guild_id=None,
            channel_id=self._channel_id,
            user_id=self._user_id,
        )
        await self._journal.record_message(message, request)
        return request.request_id

    async def answers(self, request_id: RequestId) -> AsyncIterator[Said | Waiting | Ended]:
        """Follow a request: every message of its run once, a `Waiting` at least every second, and its end at last."""
        begun = monotonic()
        seen: set[MessageId] = set()
        while True:
            # In this order: what is said before the end is found before the end is.
            facts = await self._outbox.facts(request_id)
            for message in await self._journal.recent(self._channel_id, before=NEWEST, limit=OWN_MESSAGES):
                if message.request_id == request_id and message.message_id not in seen:
                    seen.add(message.message_id)
                    yield Said(content=message.content)
            if facts is None:
                yield Ended(status=None, error_code="request_gone")
                return
            if facts.state == "finished":
                yield await self._ended(request_id)
                return
            yield Waiting(elapsed=timedelta(seconds=monotonic() - begun), taken_up=facts.state != "queued")
            await self._listener.wait(LOOK_EVERY)

    async def _ended(self, request_id: RequestId) -> Ended:
        details = await self._runs.run_details(request_id)
        if details is None:
            return Ended(status=None, error_code="request_gone")
        return Ended(status=details.summary.status, error_code=details.summary.error_code)

    async def _next_id(self, now: datetime) -> MessageId:
        """Make an id after all others of the channel, even when the clock that dates answers is ahead of ours."""
        last = await self._journal.recent(self._channel_id, before=NEWEST, limit=1)
        return MessageId(max([snowflake_at(now), *(message.message_id + 1 for message in last)]))
