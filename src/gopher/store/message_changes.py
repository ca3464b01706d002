"""Messages that are edited or deleted: the event, the message as it stands now, and what it said before."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from psycopg.types.json import Jsonb

from gopher.domain.ids import ChannelId, MessageId
from gopher.domain.journal import JournalMessage
from gopher.domain.journal_changes import Place
from gopher.store.messages import AttachmentDocument, message_parameters
from gopher.store.pool import Connection, cursor_of
from gopher.store.text import storable

SQL_INSERT_EDITED = """
insert into chat_messages (message_id, surface, guild_id, channel_id, author_id, author_name, author_kind, content,
                           attachments, reply_to_message_id, request_id, created_at, edited_at)
values (%(message_id)s::bigint, %(surface)s::text, %(guild_id)s::bigint, %(channel_id)s::bigint, %(author_id)s::bigint,
        %(author_name)s::text, %(author_kind)s::text, %(content)s::text, %(attachments)s::jsonb,
        %(reply_to_message_id)s::bigint, %(request_id)s::bigint, %(created_at)s::timestamptz,
        %(edited_at)s::timestamptz)
on conflict (message_id) do nothing
returning message_id
"""

SQL_LOCK_MESSAGE = """
select content, attachments, edited_at, deleted_at
from chat_messages
where message_id = %(message_id)s::bigint
for update
"""

SQL_INSERT_EDIT_EVENT = """
insert into discord_events (event_key, event_type, guild_id, channel_id, message_id, actor_user_id, payload,
                            occurred_at)
values (%(event_key)s::text, 'message_edit', %(guild_id)s::bigint, %(channel_id)s::bigint, %(message_id)s::bigint,
        %(author_id)s::bigint, %(event_payload)s::jsonb, %(edited_at)s::timestamptz)
on conflict (event_key) do nothing
"""

# Both parts see the row as it was before the statement.
SQL_REVISE = """
with revision as (
    insert into chat_message_revisions (message_id, edited_at, content, attachments)
    select message_id, %(edited_at)s::timestamptz, content, attachments
    from chat_messages
    where message_id = %(message_id)s::bigint
)
update chat_messages
set content = %(content)s::text, attachments = %(attachments)s::jsonb, edited_at = %(edited_at)s::timestamptz
where message_id = %(message_id)s::bigint
"""

# An edited message that was consolidated is read again; one that was not will be read as it is now.
SQL_REOPEN_JOB = """
with job as (
    insert into memory_ingestion_jobs as job (channel_id, guild_id)
    values (%(channel_id)s::bigint, %(guild_id)s::bigint)
    on conflict (channel_id) do update set
        generation = job.generation + 1,
        opened_at = coalesce(job.opened_at, now())
    returning channel_id, checkpoint, opened_at = now() as opened
), reread as (
    insert into memory_rereads as reread (message_id, channel_id, reason)
    select %(message_id)s::bigint, channel_id, 'edited' from job where checkpoint >= %(message_id)s::bigint
    on conflict (message_id) do update set version = reread.version + 1
)
select mark_summaries_dirty(channel_id, array[%(message_id)s::bigint]),
       case when opened then pg_notify('memory_ingestion', channel_id::text) end
from job
"""

# The messages are closed whether or not the event is news: another process may have journaled the deletion before this
# one journaled the message.
SQL_DELETE_MESSAGES = """
with event as (
    insert into discord_events (event_key, event_type, guild_id, channel_id, message_id, payload, occurred_at)
    values (%(event_key)s::text, %(event_type)s::text, %(guild_id)s::bigint, %(channel_id)s::bigint,
            %(event_message_id)s::bigint, %(event_payload)s::jsonb, %(observed_at)s::timestamptz)
    on conflict (event_key) do nothing
    returning id
), gone as (
    update chat_messages
    set deleted_at = %(observed_at)s::timestamptz
    where deleted_at is null
        and (message_id = any(%(message_ids)s::bigint[]) or channel_id = any(%(channel_ids)s::bigint[]))
    returning message_id, channel_id, guild_id
), summary as (
    select mark_summaries_dirty(channel_id, array_agg(message_id))
    from gone
    where cardinality(%(channel_ids)s::bigint[]) = 0
    group by channel_id
), summaries as (
    delete from channel_summaries where channel_id = any(%(channel_ids)s::bigint[])
), job as (
    insert into memory_ingestion_jobs as job (channel_id, guild_id)
    select channel_id, max(guild_id) from gone group by channel_id order by channel_id
    on conflict (channel_id) do update set
        generation = job.generation + 1,
        opened_at = coalesce(job.opened_at, now())
)
select exists (select from event) as new,
       (select count(*) from gone)::integer as messages
where (select count(*) from summary) >= 0
"""

SQL_THREADS_OF_CHANNEL = """
select channel_id
from discord_events
where event_type = 'thread_create' and payload ->> 'parent_id' = %(parent_id)s::text
"""

# A channel may hold a million messages, and nobody waits for them to be closed.
SQL_TAKE_YOUR_TIME = "set local statement_timeout = '10min'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """What a deletion did."""

    new: bool
    """False when the event had been journaled before."""
    messages: int
    """How many journaled messages this closed; 0 when they were unknown or closed already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Current:
    content: str
    attachments: list[AttachmentDocument]
    edited_at: datetime | None
    deleted_at: datetime | None


async def write_edit(connection: Connection, message: JournalMessage, edited_at: datetime) -> bool:
    """Journal an edit in the caller's transaction; see `Journal.record_edit`."""
    parameters = {
        **message_parameters(message),
        "edited_at": edited_at,
        "event_key": f"message_edit:{message.message_id}:{edited_at.astimezone(UTC).isoformat()}",
        "event_payload": Jsonb({"characters": len(message.content), "attachments": len(message.attachments)}),
    }
    inserted = await connection.execute(SQL_INSERT_EDITED, parameters)
    if inserted.rowcount == 0:
        async with cursor_of(connection, _Current) as cursor:
            await cursor.execute(SQL_LOCK_MESSAGE, parameters)
            (current,) = await cursor.fetchall()
        if _says_the_same(current, message):
            return False
        await connection.execute(SQL_INSERT_EDIT_EVENT, parameters)
        if current.deleted_at is not None or (current.edited_at is not None and current.edited_at >= edited_at):
            return False
        await connection.execute(SQL_REVISE, parameters)
    else:
        await connection.execute(SQL_INSERT_EDIT_EVENT, parameters)
    await connection.execute(SQL_REOPEN_JOB, parameters)
    return True


async def write_delete(
    connection: Connection, place: Place, message_ids: Sequence[MessageId], observed_at: datetime
) -> Deleted:
    """Journal the deletion of one message in the caller's transaction, or of several at once."""
    if len(message_ids) == 1:
        return await _close(
            connection,
            place,
            event_key=f"message_delete:{message_ids[0]}",
            event_type="message_delete",
            payload={},
            observed_at=observed_at,
            message_ids=message_ids,
        )
    ordered = sorted(set(message_ids))
    digest = hashlib.sha256(",".join(map(str, ordered)).encode()).hexdigest()[:32]
    return await _close(
        connection,
        place,
        event_key=f"message_bulk_delete:{place.channel_id}:{digest}",
        event_type="message_bulk_delete",
        payload={"message_ids": [str(message_id) for message_id in ordered]},
        observed_at=observed_at,
        message_ids=ordered,
    )


async def write_thread_delete(connection: Connection, place: Place, observed_at: datetime) -> Deleted:
    """Journal the deletion of a thread, and so of its messages, in the caller's transaction."""
    await connection.execute(SQL_TAKE_YOUR_TIME)
    return await _close(
        connection,
        place,
        event_key=f"thread_delete:{place.channel_id}",
        event_type="thread_delete",
        payload={},
        observed_at=observed_at,
        channel_ids=[place.channel_id],
    )


async def write_channel_delete(
    connection: Connection, place: Place, thread_ids: Sequence[ChannelId], observed_at: datetime
) -> Deleted:
    """Journal the deletion of a channel, and so of its threads and all their messages, in the caller's transaction."""
    await connection.execute(SQL_TAKE_YOUR_TIME)
    cursor = await connection.execute(SQL_THREADS_OF_CHANNEL, {"parent_id": str(place.channel_id)})
    known = [ChannelId(thread_id) for (thread_id,) in await cursor.fetchall()]
    return await _close(
        connection,
        place,
        event_key=f"channel_delete:{place.channel_id}",
        event_type="channel_delete",
        payload={},
        observed_at=observed_at,
        channel_ids=[place.channel_id, *thread_ids, *known],
    )


async def _close(
    connection: Connection,
    place: Place,
    *,
    event_key: str,
    event_type: str,
    payload: dict[str, object],
    observed_at: datetime,
    message_ids: Sequence[MessageId] = (),
    channel_ids: Sequence[ChannelId] = (),
) -> Deleted:
    parameters = {
        "event_key": event_key,
        "event_type": event_type,
        "guild_id": place.guild_id,
        "channel_id": place.channel_id,
        "event_message_id": message_ids[0] if len(message_ids) == 1 else None,
        "event_payload": Jsonb(payload),
        "observed_at": observed_at,
        "message_ids": list(message_ids),
        "channel_ids": list(channel_ids),
    }
    async with cursor_of(connection, Deleted) as cursor:
        await cursor.execute(SQL_DELETE_MESSAGES, parameters)
        (deleted,) = await cursor.fetchall()
        return deleted


def _says_the_same(current: _Current, message: JournalMessage) -> bool:
    """Compare what a member wrote. Attachments count by their ids: their signed URLs are new in every event."""
    before = [document["attachment_id"] for document in current.attachments]
    now = [attachment.attachment_id for attachment in message.attachments]
    return current.content == storable(message.content) and before == now
