"""Messages that are news: event, message, ingestion job and request, written by one statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg.types.json import Jsonb

from gopher.domain.journal import Journaled, JournalMessage, NewRequest
from gopher.store.messages import message_document
from gopher.store.pool import Connection, cursor_of

# One document holds all messages of a call: for one message that is as cheap as a parameter a column, for many it is
# the same statement. The event's unique key decides whether a message is news; job and request hang on that decision,
# so a repeated call adds nothing. The message row may be there before its event (an edit of a message that this journal
# never saw) and the bot's own message may come back from the gateway before its delivery is recorded; then only the
# missing link to its run is added. A message that its channel's consolidation has passed already (it was read back, or
# committed later than its neighbours) is set down for a second reading; the lock on the job decides which of the two it
# is. Everything is locked in the order of ids, events before messages before jobs, so
# that two writers of the same news wait for each other instead of meeting head-on.
SQL_RECORD_MESSAGES = """
with incoming as materialized (
    select *
    from jsonb_to_recordset(%(entries)s::jsonb) as entry (
        message_id bigint, surface text, guild_id bigint, channel_id bigint, author_id bigint, author_name text,
        author_kind text, content text, attachments jsonb, reply_to_message_id bigint, request_id bigint,
        created_at timestamptz, event_payload jsonb, asks boolean, requester_id bigint, traceparent text
    )
), event as (
    insert into discord_events (event_key, event_type, guild_id, channel_id, message_id, actor_user_id, payload,
                                occurred_at)
    select 'message_create:' || message_id, 'message_create', guild_id, channel_id, message_id, author_id,
           event_payload, created_at
    from incoming
    order by message_id
    on conflict (event_key) do nothing
    returning message_id
), message as (
    insert into chat_messages (message_id, surface, guild_id, channel_id, author_id, author_name, author_kind, content,
                               attachments, reply_to_message_id, request_id, created_at)
    select message_id, surface, guild_id, channel_id, author_id, author_name, author_kind, content, attachments,
           reply_to_message_id, request_id, created_at
    from incoming
    where (select count(*) from event) >= 0
    order by message_id
    on conflict (message_id) do update set request_id = excluded.request_id
        where chat_messages.request_id is null and excluded.request_id is not null
    returning message_id
), job as (
    insert into memory_ingestion_jobs as job (channel_id, guild_id, generation)
    select incoming.channel_id, max(incoming.guild_id), count(*)
    from incoming
    join event using (message_id)
    where (select count(*) from message) >= 0
    group by incoming.channel_id
    order by incoming.channel_id
    on conflict (channel_id) do update set
        generation = job.generation + excluded.generation,
        opened_at = coalesce(job.opened_at, now())
    returning channel_id, checkpoint, opened_at = now() as opened
), late as (
    insert into memory_rereads as reread (message_id, channel_id, reason)
    select incoming.message_id, incoming.channel_id, 'late'
    from incoming
    join event using (message_id)
    join job using (channel_id)
    where incoming.message_id <= job.checkpoint
    order by incoming.message_id
    on conflict (message_id) do update set version = reread.version + 1
), request as (
    insert into agent_requests (request_id, surface, trigger, guild_id, channel_id, user_id, traceparent)
    select message_id, surface, 'message', guild_id, channel_id, requester_id, traceparent
    from incoming
    join event using (message_id)
    where asks
    order by message_id
    on conflict (request_id) do nothing
    returning request_id
)
select incoming.message_id,
       event.message_id is not null as new,
       request.request_id is not null as requested,
       case when request.request_id is not null then pg_notify('agent_requests', '') end as notified,
       (select string_agg(pg_notify('memory_ingestion', channel_id::text)::text, '') from job where opened) as poked
from incoming
left join event using (message_id)
left join request on request.request_id = incoming.message_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    message_id: int
    new: bool
    requested: bool
    notified: str | None
    """What `pg_notify` returns: nothing."""
    poked: str | None
    """The same, for each channel whose ingestion job this opened."""


async def write_messages(
    connection: Connection, entries: Sequence[tuple[JournalMessage, NewRequest | None]]
) -> tuple[Journaled, ...]:
    """Journal messages on the caller's connection; see `Journal.record_messages`."""
    documents = {message.message_id: _entry_document(message, request) for message, request in reversed(entries)}
    async with cursor_of(connection, _Written) as cursor:
        await cursor.execute(SQL_RECORD_MESSAGES, {"entries": Jsonb(list(documents.values()))})
        written = {row.message_id: row for row in await cursor.fetchall()}
    journaled: list[Journaled] = []
    for message, _ in entries:
        row = written.pop(message.message_id, None)  # a message that stands twice in the batch is news once
        journaled.append(Journaled(new=row is not None and row.new, requested=row is not None and row.requested))
    return tuple(journaled)


def _entry_document(message: JournalMessage, request: NewRequest | None) -> dict[str, object]:
    if request is not None and request.request_id != message.message_id:
        raise ValueError("the request that a message opens has the id of the message")
    return {
        **message_document(message),
        "event_payload": {
            "author_kind": message.author_kind,
            "reply_to_message_id": message.reply_to_message_id,
            "attachments": len(message.attachments),
            "characters": len(message.content),
        },
        "asks": request is not None,
        "requester_id": None if request is None else request.user_id,
        "traceparent": None if request is None else request.traceparent,
    }
