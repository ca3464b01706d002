-- The journal: what Discord said, in one append-only ledger, and the conversation as it stands now.
create extension if not exists vector;
create extension if not exists pg_trgm;

-- Append-only. The key names the event and its occurrence (message id, edit time, …), so that the same event delivered twice
-- is one row and a second occurrence of the same kind is a second row.
create table discord_events (
    id            bigint generated always as identity primary key,
    event_key     text not null unique,
    event_type    text not null check (event_type in (
        'message_create', 'message_edit', 'message_delete', 'message_bulk_delete', 'reaction_add', 'reaction_remove',
        'reaction_clear', 'thread_create', 'thread_update', 'thread_delete', 'channel_delete', 'guild_leave', 'pin_update',
        'interaction_create', 'agent_action')),
    guild_id      bigint,                -- null in direct messages and terminals
    channel_id    bigint,                -- null for events of a whole guild
    message_id    bigint,
    actor_user_id bigint,
    payload       jsonb not null,
    occurred_at   timestamptz not null,  -- when Discord says it happened
    recorded_at   timestamptz not null default now()
);
create index discord_events_channel on discord_events (channel_id, id);
create index discord_events_actor on discord_events (actor_user_id, id) where actor_user_id is not null;

create table chat_messages (
    message_id          bigint primary key,  -- the snowflake
    surface             text not null check (surface in ('discord', 'terminal')),
    guild_id            bigint,
    channel_id          bigint not null,
    author_id           bigint not null,
    author_name         text not null,       -- the display name at that time
    author_kind         text not null check (author_kind in ('member', 'assistant', 'bot', 'webhook')),
    content             text not null,       -- as sent
    attachments         jsonb not null default '[]',
    reply_to_message_id bigint,
    request_id          bigint,              -- for the assistant's messages: the run that sent it
    created_at          timestamptz not null,
    edited_at           timestamptz,
    deleted_at          timestamptz
);
create index chat_messages_channel on chat_messages (channel_id, message_id);
create index chat_messages_request on chat_messages (request_id) where request_id is not null;

-- The ingestion outbox: one row a channel. Each journaled message or change adds 1 to `generation` in its own transaction;
-- whoever drains the channel reads the generation before it looks for messages and closes the row (`opened_at` becomes
-- null) only under the generation it read, so that what is journaled in between keeps it open. `generation` is in no index:
-- a busy channel's row is updated in place, again and again (HOT), for which the table leaves room in its pages.
create table memory_ingestion_jobs (
    channel_id bigint primary key,
    guild_id   bigint,
    generation bigint not null default 1,
    opened_at  timestamptz default now()   -- when the oldest message that is not drained was journaled; null: nothing to do
) with (fillfactor = 50);
create index memory_ingestion_jobs_open on memory_ingestion_jobs (opened_at) where opened_at is not null;
