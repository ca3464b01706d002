"""The journal: what Discord or a terminal said, each piece of news in one transaction that may be repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg.types.json import Jsonb

from gopher.domain.ids import ChannelId, MessageId, snowflake_time
from gopher.domain.journal import Journaled, JournalMessage, NewRequest
from gopher.domain.journal_changes import Place, Thread
from gopher.store.gathering import Gathering
from gopher.store.message_changes import (
    Deleted,
    write_channel_delete,
    write_delete,
    write_edit,
    write_thread_delete,
)
from gopher.store.messages import MessageRow
from gopher.store.new_messages import write_messages
from gopher.store.occurrences import Occurrence, write_occurrence, write_thread_create
from gopher.store.pool import Pool, cursor_of, statement, transaction

SQL_RECORD_INTERACTION = """
with event as (
    insert into discord_events (event_key, event_type, guild_id, channel_id, actor_user_id, payload, occurred_at)
    values ('interaction_create:' || %(request_id)s::bigint, 'interaction_create', %(guild_id)s::bigint,
            %(channel_id)s::bigint, %(user_id)s::bigint, %(event_payload)s::jsonb, %(occurred_at)s::timestamptz)
    on conflict (event_key) do nothing
    returning id
), request as (
    insert into agent_requests (request_id, surface, trigger, guild_id, channel_id, user_id, prompt, user_name,
                                interaction_token, traceparent)
    select %(request_id)s::bigint, %(surface)s::text, %(trigger)s::text, %(guild_id)s::bigint, %(channel_id)s::bigint,
           %(user_id)s::bigint, %(prompt)s::text, %(user_name)s::text, %(interaction_token)s::text,
           %(traceparent)s::text
    from event
    on conflict (request_id) do nothing
    returning request_id
)
select exists (select from event) as new,
       exists (select from request) as requested,
       case when exists (select from request) then pg_notify('agent_requests', '') end as notified
"""

# Channels are compared together with messages, as rows: written as `channel_id = …` with the newest first, the planner
# may walk backwards through the messages of all channels until it meets one of a quiet channel, which can be the whole
# table.
#
# The bot's own messages do not count: they are delivered over HTTP also while the gateway is away, and what members
# said before them meanwhile would be taken for read.
SQL_LAST_MESSAGE_IDS = """
select channel.channel_id, last.message_id
from unnest(%(channel_ids)s::bigint[]) as channel (channel_id)
cross join lateral (
    select message.message_id
    from chat_messages as message
    where (message.channel_id, message.message_id) >= (channel.channel_id, 0)
        and (message.channel_id, message.message_id) <= (channel.channel_id, 9223372036854775807)
        and message.author_kind <> 'assistant'
    order by message.channel_id desc, message.message_id desc
    limit 1
) as last
"""

# One row a channel, and from each its newest message: nothing here grows with the length of the conversations.
SQL_DIRECT_CHANNELS = """
select job.channel_id
from memory_ingestion_jobs as job
cross join lateral (
    select message.message_id, message.surface
    from chat_messages as message
    where (message.channel_id, message.message_id) >= (job.channel_id, 0)
        and (message.channel_id, message.message_id) <= (job.channel_id, 9223372036854775807)
    order by message.channel_id desc, message.message_id desc
    limit 1
) as last
where job.guild_id is null and last.surface = 'discord'
order by last.message_id desc
limit %(limit)s::integer
"""

SQL_SELECT_MESSAGE = """
select message_id, surface, guild_id, channel_id, author_id, author_name, author_kind, content, attachments,
       reply_to_message_id, request_id, created_at
from chat_messages
where message_id = %(message_id)s::bigint and deleted_at is null
"""

SQL_SELECT_RECENT = """
select message_id, surface, guild_id, channel_id, author_id, author_name, author_kind, content, attachments,
       reply_to_message_id, request_id, created_at
from chat_messages
where (channel_id, message_id) >= (%(channel_id)s::bigint, 0)
    and (channel_id, message_id) < (%(channel_id)s::bigint, %(before)s::bigint)
    and deleted_at is null
order by channel_id desc, message_id desc
limit %(limit)s::integer
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    new: bool
    requested: bool
    notified: str | None


def _message_id(entry: tuple[JournalMessage, NewRequest | None]) -> MessageId:
    return entry[0].message_id


class Journal:
    """Writes what happened and reads it back."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._messages = Gathering(self.record_messages, key=_message_id)

    async def record_message(self, message: JournalMessage, request: NewRequest | None = None) -> Journaled:
        """Journal a message together with the request that it opens, if any, and reopen its channel's ingestion job.

        May be repeated: the first call decides. A later one, whatever request it brings, writes nothing, so that a
        message is never answered long after it was passed over. The one exception is the link to its run
        (`message.request_id`), which is added to a message that lacks it. Messages that come at the same time share a
        transaction. Raises Unavailable.
        """
        return await self._messages.add((message, request))

    async def record_messages(
        self, entries: Sequence[tuple[JournalMessage, NewRequest | None]]
    ) -> tuple[Journaled, ...]:
        """Journal messages with their requests in one transaction, as `record_message` does with one; answer in order.

        All or nothing. For what has piled up: many messages cost little more than one. Raises Unavailable.
        """
        async with statement(self._pool) as connection:
            return await write_messages(connection, entries)

    async def record_interaction(self, request: NewRequest, *, occurred_at: datetime, user_name: str) -> Journaled:
        """Journal an interaction and open its request. May be repeated: the first call decides. Raises Unavailable.

        `user_name` is the requester's display name: there is no message that would hold it.
        """
        parameters = {
            "request_id": request.request_id,
            "surface": request.surface,
            "trigger": request.trigger,
            "guild_id": request.guild_id,
            "channel_id": request.channel_id,
            "user_id": request.user_id,
            "prompt": request.prompt,
            "user_name": user_name,
            "interaction_token": request.interaction_token,
            "traceparent": request.traceparent,
            "occurred_at": occurred_at,
            "event_payload": Jsonb({"characters": len(request.prompt or "")}),
        }
        async with statement(self._pool) as connection, cursor_of(connection, _Opened) as cursor:
            await cursor.execute(SQL_RECORD_INTERACTION, parameters)
            (opened,) = await cursor.fetchall()
        return Journaled(new=opened.new, requested=opened.requested)

    async def record_edit(self, message: JournalMessage, *, edited_at: datetime) -> bool:
        """Journal that a message was edited: its content is now this one, the old one becomes a revision.

        `edited_at` is Discord's edit timestamp; an update without one (a link preview, a pin, a thread marker) is no
        edit and not for this. Returns True when the journal's message changed. It does not when it says the same
        already, was deleted, or was edited later. A message that the journal never saw is journaled as it is now. May
        be repeated. Raises Unavailable.
        """
        async with transaction(self._pool) as connection:
            return await write_edit(connection, message, edited_at)

    async def record_delete(self, place: Place, message_id: MessageId, *, observed_at: datetime) -> Deleted:
        """Journal that a message was deleted, whether or not it is known. May be repeated. Raises Unavailable."""
        async with statement(self._pool) as connection:
            return await write_delete(connection, place, [message_id], observed_at)

    async def record_bulk_delete(
        self, place: Place, message_ids: Sequence[MessageId], *, observed_at: datetime
    ) -> Deleted:
        """Journal that messages were deleted at once: one event. May be repeated. Raises Unavailable."""
        async with statement(self._pool) as connection:
            return await write_delete(connection, place, message_ids, observed_at)

    async def record_thread_delete(self, place: Place, *, observed_at: datetime) -> Deleted:
        """Journal that a thread was deleted, which deletes its messages. May be repeated. Raises Unavailable."""
        async with transaction(self._pool) as connection:
            return await write_thread_delete(connection, place, observed_at)

    async def record_channel_delete(
        self, place: Place, *, thread_ids: Sequence[ChannelId], observed_at: datetime
    ) -> Deleted:
        """Journal that a channel was deleted, which deletes the messages in it and in its threads.

        `thread_ids` are the threads that the caller knows of; those whose creation was journaled are found here. May be
        repeated. Raises Unavailable.
        """
        async with transaction(self._pool) as connection:
            return await write_channel_delete(connection, place, thread_ids, observed_at)

    async def record_thread_create(self, thread: Thread) -> bool:
        """Journal a new thread; False when it was journaled before. Raises Unavailable."""
        async with statement(self._pool) as connection:
            return await write_thread_create(connection, thread, snowflake_time(thread.place.channel_id))

    async def record_occurrence(self, occurrence: Occurrence, *, observed_at: datetime) -> bool:
        """Journal what has neither an id nor a time: see the functions of `gopher.store.occurrences` that describe it.

        `observed_at` is when this process got it from the gateway, however long it waited since. Returns False when it
        was seen before, by this process or another one. Raises Unavailable.
        """
        async with transaction(self._pool) as connection:
            return await write_occurrence(connection, occurrence, observed_at)

    async def last_message_ids(self, channel_ids: Sequence[ChannelId]) -> dict[ChannelId, MessageId]:
        """Tell the newest journaled message of each channel, deleted or not, the bot's own left out.

        Channels without any are missing from the result. Raises Unavailable.
        """
        async with statement(self._pool) as connection:
            cursor = await connection.execute(SQL_LAST_MESSAGE_IDS, {"channel_ids": list(channel_ids)})
            return {ChannelId(channel_id): MessageId(message_id) for channel_id, message_id in await cursor.fetchall()}

    async def direct_channels(self, *, limit: int) -> tuple[ChannelId, ...]:
        """Return the direct-message channels of Discord, those with the latest message first. Raises Unavailable."""
        async with statement(self._pool) as connection:
            cursor = await connection.execute(SQL_DIRECT_CHANNELS, {"limit": limit})
            return tuple(ChannelId(channel_id) for (channel_id,) in await cursor.fetchall())

    async def message(self, message_id: MessageId) -> JournalMessage | None:
        """Return a message as its content stands now; None when it is unknown or deleted. Raises Unavailable."""
        async with statement(self._pool) as connection, cursor_of(connection, MessageRow) as cursor:
            await cursor.execute(SQL_SELECT_MESSAGE, {"message_id": message_id})
            row = await cursor.fetchone()
        return None if row is None else row.record()

    async def recent(self, channel_id: ChannelId, *, before: MessageId, limit: int) -> tuple[JournalMessage, ...]:
        """Return the last messages of a channel before one, oldest first, deleted ones left out. Raises Unavailable."""
        async with statement(self._pool) as connection, cursor_of(connection, MessageRow) as cursor:
            await cursor.execute(SQL_SELECT_RECENT, {"channel_id": channel_id, "before": before, "limit": limit})
            rows = await cursor.fetchall()
        return tuple(row.record() for row in reversed(rows))
