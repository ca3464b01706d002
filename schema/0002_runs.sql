-- Requests and runs: the outbox that starts agent workflows, and everything a run said and did, keyed by run and sequence.

-- The request outbox, written in the transaction that journals the trigger. A dispatcher starts what is `queued`: requests of
-- one member in one channel in their order, a few members of a channel in parallel.
create table agent_requests (
    request_id   bigint primary key,      -- the trigger's snowflake; the workflow is `agent/<request_id>`
    surface      text not null check (surface in ('discord', 'terminal')),
    trigger      text not null check (trigger in ('message', 'interaction')),
    guild_id     bigint,
    channel_id   bigint not null,
    user_id      bigint not null,
    prompt       text,                    -- for interactions: the option's text; null when the trigger is a journaled message
    user_name    text,                    -- for interactions: the display name; a journaled message has it itself
    interaction_token text,               -- to answer an interaction; dead 15 minutes after `created_at`; erased when finished
    state        text not null default 'queued' check (state in ('queued', 'started', 'finished')),
    traceparent  text,                    -- W3C trace context of the gateway event
    attempts     integer not null default 0,             -- how often a dispatcher claimed it
    available_at timestamptz not null default now(),     -- not to be claimed before
    leased_until timestamptz,                            -- a dispatcher is about to start it; null when none is
    created_at   timestamptz not null default now(),
    started_at   timestamptz,
    finished_at  timestamptz
);
create index agent_requests_unfinished on agent_requests (channel_id, user_id, request_id) where state <> 'finished';

create table agent_runs (
    request_id        bigint primary key references agent_requests on delete cascade,
    workflow_run_id   text,               -- Temporal's, for the link; null when the run ended before it began
    model             text,
    status            text not null default 'running' check (status in ('running', 'completed', 'failed', 'cancelled')),
    error_code        text,
    iterations        integer not null default 0,
    tool_calls        integer not null default 0,
    prompt_tokens     bigint not null default 0,
    completion_tokens bigint not null default 0,
    trace_id          text,
    started_at        timestamptz not null default now(),
    completed_at      timestamptz
);
create index agent_runs_started on agent_runs (started_at desc);

-- What the model was shown, by layer, in order.
create table agent_prompts (
    request_id bigint not null references agent_runs on delete cascade,
    position   integer not null,
    layer      text not null,             -- persona, policy, recent, request, …
    role       text not null check (role in ('system', 'user', 'assistant')),
    content    text not null,
    primary key (request_id, position)
);

-- A finished model turn. The key makes a retried activity return it instead of paying for a second one.
create table agent_turns (
    request_id        bigint not null references agent_runs on delete cascade,
    iteration         integer not null check (iteration >= 1),
    model             text not null,
    content           text not null,
    tool_calls        jsonb not null default '[]',  -- [{id, name, arguments}] as the provider gave them, in its order
    finish_reason     text not null,
    prompt_tokens     integer not null default 0,
    completion_tokens integer not null default 0,
    first_token_ms    integer,
    duration_ms       integer not null,
    created_at        timestamptz not null default now(),
    primary key (request_id, iteration)
);

create table agent_tool_calls (
    request_id  bigint not null,
    iteration   integer not null,
    position    integer not null,          -- the model's order within the turn, from 0
    call_id     text not null,             -- as the provider gave it; not unique
    tool_name   text not null,
    effect      text check (effect in ('read', 'write')),  -- null when there is no such tool
    success     boolean not null,
    error_code  text,
    result      text not null,             -- what the model sees: a JSON document
    duration_ms integer not null,
    created_at  timestamptz not null default now(),
    primary key (request_id, iteration, position),
    foreign key (request_id, iteration) references agent_turns on delete cascade
);

-- What is sent to the requester, one row a message. A row is claimed with its text before the send and gets its message id
-- after; a claimed row without one means: ask the channel before sending again.
create table deliveries (
    request_id bigint not null references agent_requests on delete cascade,
    purpose    text not null check (purpose in ('answer', 'notice')),
    chunk      integer not null,           -- from 0
    nonce      text not null,
    content    text not null,
    message_id bigint,
    claimed_at timestamptz not null default now(),
    sent_at    timestamptz,
    primary key (request_id, purpose, chunk)
);
create index deliveries_message on deliveries (message_id) where message_id is not null;
