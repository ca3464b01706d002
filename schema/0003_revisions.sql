-- What changes after a message was sent: its earlier texts, and events that Discord gives neither an id nor a time.

-- Each row is what a message said before an edit replaced it.
create table chat_message_revisions (
    message_id  bigint not null references chat_messages on delete cascade,
    edited_at   timestamptz not null,   -- when it was replaced, as Discord says
    content     text not null,
    attachments jsonb not null,
    recorded_at timestamptz not null default now(),
    primary key (message_id, edited_at)
);

-- For reactions, pins, thread updates and departures. `subject` is a path, so that what clears all reactions of a message
-- is an ancestor of each of them: reaction/<message>/<emoji>/<kind>/<member>. Two neighbours of one subject in time that
-- bring the same `state` are one event seen twice (docs/decisions/0024).
alter table discord_events
    add column subject text collate "C",
    add column state   text,
    add constraint discord_events_subject_state check ((subject is null) = (state is null));
create index discord_events_subject on discord_events (subject, occurred_at, id) where subject is not null;

-- The threads of a channel, to find their messages when the channel is deleted.
create index discord_events_threads on discord_events ((payload ->> 'parent_id')) where event_type = 'thread_create';
