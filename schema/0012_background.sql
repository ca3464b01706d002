-- Background work: how far each channel's messages are consolidated, what stands in the way, and rolling summaries.

-- The ingestion outbox (0001) says that there is something to do; this says how far it is and who is at it. None of the
-- columns that a message changes is indexed, so that a busy channel's row is still updated in place.
alter table memory_ingestion_jobs
    add column checkpoint   bigint not null default 0,            -- the newest message that was consolidated
    add column leased_until timestamptz,                          -- somebody was told to drain it; null: nobody
    add column available_at timestamptz not null default now(),   -- not before, after a failure
    add column failures     integer not null default 0,           -- in a row; progress sets it back
    add column batch_limit  integer check (batch_limit >= 1),     -- most messages of the next batch; null: the setting's
    add column error_code   text,                                 -- of the last failure
    add column summaries_wanted_at    timestamptz,                -- there may be something to summarize; null: nothing
    add column summaries_leased_until timestamptz;
create index memory_ingestion_jobs_summaries on memory_ingestion_jobs (summaries_wanted_at)
    where summaries_wanted_at is not null;

-- Messages before their channel's checkpoint that are to be understood again, with those around them: journaled late,
-- edited, or let out of quarantine.
create table memory_rereads (
    message_id bigint primary key references chat_messages on delete cascade,
    channel_id bigint not null,
    reason     text not null check (reason in ('late', 'edited', 'revoked', 'released')),
    version    integer not null default 1   -- counts the reasons: one that comes while it is read keeps the row
);
create index memory_rereads_channel on memory_rereads (channel_id, message_id);

-- Messages that consolidation was tried on, alone, and failed because of them. They hold nothing up.
create table memory_quarantine (
    message_id     bigint primary key references chat_messages on delete cascade,
    channel_id     bigint not null,
    reason         text not null,          -- a code
    state          text not null default 'quarantined' check (state in ('quarantined', 'skipped')),
    quarantined_at timestamptz not null default now()
);
create index memory_quarantine_channel on memory_quarantine (channel_id, message_id);

-- Summaries of stretches of a channel. Level 0 tells of messages, level n of neighbouring summaries of level n - 1. A
-- stretch never changes its ends; an edit or a deletion inside makes it dirty, and a dirty one is shown to nobody.
create table channel_summaries (
    channel_id       bigint not null,
    level            integer not null check (level >= 0),
    first_message_id bigint not null,
    last_message_id  bigint not null,
    guild_id         bigint,
    content          text not null,
    messages         integer not null,         -- of the channel, that it tells of
    dirty_since      timestamptz,              -- null: it is as the messages are
    version          integer not null default 1,
    created_at       timestamptz not null default now(),
    updated_at       timestamptz not null default now(),
    primary key (channel_id, level, first_message_id),
    check (first_message_id <= last_message_id)
);
create index channel_summaries_dirty on channel_summaries (dirty_since) where dirty_since is not null;
create index channel_summaries_end on channel_summaries (channel_id, last_message_id, level);

-- Takes back every summary that tells of one of the messages until it is written again.
create function mark_summaries_dirty(of_channel_id bigint, message_ids bigint[]) returns void
language sql as $$
    update channel_summaries
    set dirty_since = coalesce(dirty_since, now()), version = version + 1
    where channel_id = of_channel_id
        and exists (
            select from unnest(message_ids) as message_id where message_id between first_message_id and last_message_id
        )
$$;

-- The same for what is to be forgotten although its messages stay: a summary that is written at this moment either sees
-- that they are not to be told of, or is marked here. Call it after the memory's rows are locked.
create function forget_in_summaries(of_channel_id bigint, message_ids bigint[]) returns void
language plpgsql as $$
begin
    perform pg_advisory_xact_lock(hashtext('channel_summaries'));
    perform mark_summaries_dirty(of_channel_id, message_ids);
end
$$;
