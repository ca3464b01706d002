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
create index discord_events_message on discord_events (message_id, id) where message_id is not null;
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
create index chat_messages_channel on chat_messages (channel_id, message_id desc);
create index chat_messages_request on chat_messages (request_id) where request_id is not null;

-- The ingestion outbox: one row a channel. Each journaled message adds 1 to `generation` in its own transaction; whoever drains
-- the channel reads the generation before it looks for messages and closes the row only under the generation it read
-- (`closed_generation`), so a message journaled in between reopens it.
create table memory_ingestion_jobs (
    channel_id        bigint primary key,
    guild_id          bigint,
    generation        bigint not null default 1,
    closed_generation bigint not null default 0,
    opened_at         timestamptz not null default now()  -- when the oldest message that is not drained yet was journaled
);
create index memory_ingestion_jobs_open on memory_ingestion_jobs (opened_at) where generation > closed_generation;
