"""The request outbox: what members asked, who may start it now, and in which order."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from gopher.domain.ids import ChannelId, GuildId, RequestId, UserId
from gopher.domain.journal import RequestFacts, Trigger
from gopher.domain.runs import Surface
from gopher.store.notifications import Listener
from gopher.store.pool import Pool, cursor_of, statement, transaction

RUNNING_PER_CHANNEL: Final = 3
"""Requests of different members of one channel that may run at once."""

CLAIM_LOCK: Final = 0x636C_6169_6D  # "claim" in ASCII
"""Key of the transaction-level advisory lock that makes claimers take turns."""

SQL_FACTS = """
select request_id, surface, trigger, guild_id, channel_id, user_id, user_name, prompt, interaction_token, traceparent,
       state, created_at
from agent_requests
where request_id = %(request_id)s::bigint
"""

SQL_OPEN_CHANNELS = """
select distinct channel_id
from agent_requests
where state <> 'finished' and surface = %(surface)s::text
"""

# Claimers take turns, and this is a statement of its own so that the claim's snapshot is taken after the turn has come:
# two of them counting the running requests of one channel at the same time would each see room for the same last place.
SQL_TAKE_TURN = "select pg_advisory_xact_lock(%(key)s::bigint)"

# A leased row is one that another dispatcher is starting at this moment: it counts as running. All is chosen among the
# unfinished ones, which are few, before the table is joined by id: it holds every request there ever was.
SQL_CLAIM = """
with running as (
    select channel_id, count(*) as requests
    from agent_requests
    where state <> 'finished' and (state = 'started' or leased_until > now())
    group by channel_id
), eligible as (
    select request.request_id, request.channel_id,
           row_number() over (partition by request.channel_id order by request.request_id) as place
    from agent_requests as request
    where request.state = 'queued' and request.available_at <= now()
        and not exists (
            select from agent_requests as older
            where older.state <> 'finished' and older.channel_id = request.channel_id
                and older.user_id = request.user_id and older.request_id < request.request_id
        )
), chosen as materialized (
    select eligible.request_id
    from eligible
    left join running using (channel_id)
    where eligible.place + coalesce(running.requests, 0) <= %(per_channel)s::integer
    order by eligible.request_id
    limit %(limit)s::integer
), free as (
    select request.request_id
    from agent_requests as request
    join chosen using (request_id)
    where request.state = 'queued' and request.available_at <= now()
    for update of request skip locked
), claimed as (
    update agent_requests as request
    set attempts = request.attempts + 1,
        available_at = now() + %(lease)s::interval,
        leased_until = now() + %(lease)s::interval
    from free
    where request.request_id = free.request_id
    returning request.request_id, request.surface, request.trigger, request.guild_id, request.channel_id,
              request.user_id, request.user_name, request.prompt, request.interaction_token, request.traceparent,
              request.state, request.created_at
)
select * from claimed order by request_id
"""

SQL_STARTED = """
update agent_requests
set state = 'started', started_at = now(), leased_until = null
where request_id = %(request_id)s::bigint and state = 'queued'
"""

SQL_POSTPONE = """
update agent_requests
set available_at = now() + %(delay)s::interval, leased_until = null
where request_id = %(request_id)s::bigint and state = 'queued'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _FactsRow:
    request_id: int
    surface: str
    trigger: str
    guild_id: int | None
    channel_id: int
    user_id: int
    user_name: str | None
    prompt: str | None
    interaction_token: str | None
    traceparent: str | None
    state: str
    created_at: datetime

    def record(self) -> RequestFacts:
        return RequestFacts(
            request_id=RequestId(self.request_id),
            surface=Surface(self.surface),
            trigger=Trigger(self.trigger),
            guild_id=None if self.guild_id is None else GuildId(self.guild_id),
            channel_id=ChannelId(self.channel_id),
            user_id=UserId(self.user_id),
            user_name=self.user_name,
            prompt=self.prompt,
            interaction_token=self.interaction_token,
            traceparent=self.traceparent,
            state=self.state,
            created_at=self.created_at,
        )


class RequestOutbox:
    """Reads and moves requests; `wait` holds a connection of its own until `close`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._listener = Listener(pool, "agent_requests")

    async def facts(self, request_id: RequestId) -> RequestFacts | None:
        """Return what the outbox holds of a request; None when there is no such request. Raises Unavailable."""
        async with statement(self._pool) as connection, cursor_of(connection, _FactsRow) as cursor:
            await cursor.execute(SQL_FACTS, {"request_id": request_id})
            row = await cursor.fetchone()
        return None if row is None else row.record()

    async def open_channels(self, surface: Surface) -> frozenset[ChannelId]:
        """Return the channels that wait for an answer. Raises Unavailable."""
        async with statement(self._pool) as connection:
            cursor = await connection.execute(SQL_OPEN_CHANNELS, {"surface": surface})
            return frozenset(ChannelId(channel_id) for (channel_id,) in await cursor.fetchall())

    async def claim(self, *, limit: int, lease: timedelta) -> tuple[RequestFacts, ...]:
        """Take at most `limit` requests that may start now, oldest first; nobody else gets them while the lease lasts.

        May start: queued, available, no unfinished older request by the same member in the same channel, and fewer than
        RUNNING_PER_CHANNEL running in the channel, those of this batch included. Whoever claims calls `started` or
        `postpone`; otherwise the request is up for claim again when the lease ends. Raises Unavailable.
        """
        parameters = {"limit": limit, "lease": lease, "per_channel": RUNNING_PER_CHANNEL}
        async with transaction(self._pool) as connection, cursor_of(connection, _FactsRow) as cursor:
            await connection.execute(SQL_TAKE_TURN, {"key": CLAIM_LOCK})
            await cursor.execute(SQL_CLAIM, parameters)
            rows = await cursor.fetchall()
        return tuple(row.record() for row in rows)

    async def started(self, request_id: RequestId) -> None:
        """Note that the request's workflow runs. Changes nothing when it is started or finished. Raises Unavailable."""
        async with statement(self._pool) as connection:
            await connection.execute(SQL_STARTED, {"request_id": request_id})

    async def postpone(self, request_id: RequestId, *, delay: timedelta) -> None:
        """Give a claimed request back, to be claimed again after the delay at the earliest. Raises Unavailable."""
        async with statement(self._pool) as connection:
            await connection.execute(SQL_POSTPONE, {"request_id": request_id, "delay": delay})

    async def wait(self, timeout: timedelta) -> None:  # noqa: ASYNC109 - it ends in a return, not an error
        """Wait until a request was opened or finished somewhere, or until the timeout. For one task at a time.

        A missed notification is only latency: look after every return, whatever woke you. A lost server raises nothing.
        """
        await self._listener.wait(timeout)

    async def close(self) -> None:
        """Close the connection of `wait`."""
        await self._listener.close()
