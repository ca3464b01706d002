"""The store's frequent statements touch what they are about, however much history lies beside it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import timedelta
from typing import TypeAlias

import psycopg
import pytest
from psycopg.types.json import Jsonb

from devstack.postgres import Postgres
from gopher.store import deliveries, journal, message_changes, occurrences, requests, runs
from tests.store.samples import MEMBER, NOON

HISTORY = 200_000
QUIET = 99
"""A channel whose only message is the oldest of all."""
BUSY = 100
"""Rows that any of these statements may touch in one step of its plan."""

Node: TypeAlias = "Mapping[str, str | float | list[Node]]"

FILL = f"""
insert into discord_events (event_key, event_type, channel_id, message_id, payload, occurred_at, subject, state)
select 'message_create:' || n, 'message_create', n % 50, n, '{{}}'::jsonb, now(), null, null
from generate_series(1, {HISTORY}) as n
union all
select 'reaction_add:' || n, 'reaction_add', n % 50, n % 1000, '{{}}'::jsonb, now(),
       'reaction/' || n % 5000 || '/x/plain/' || n, 'add'
from generate_series(1, {HISTORY // 4}) as n;
insert into chat_messages (message_id, surface, guild_id, channel_id, author_id, author_name, author_kind, content,
                           created_at)
select n, 'discord', nullif(n % 2, 0), case when n = 1 then {QUIET} else n % 50 end, n % 500, 'Ada', 'member', 'words',
       now()
from generate_series(1, {HISTORY}) as n;
insert into memory_ingestion_jobs (channel_id, guild_id) select n, nullif(n % 2, 0) from generate_series(0, 49) as n;
insert into agent_requests (request_id, surface, trigger, channel_id, user_id, state)
select n, 'discord', 'message', n % 50, n % 500, case when n > {HISTORY} - 40 then 'queued' else 'finished' end
from generate_series(1, {HISTORY}) as n;
insert into agent_runs (request_id) select request_id from agent_requests where request_id % 4 = 0;
analyze;
"""  # noqa: S608 - numbers of this file

OCCURRENCE: Mapping[str, object] = {
    "event_key": "new", "event_type": "reaction_add", "guild_id": None, "channel_id": 1, "message_id": 1,
    "actor_user_id": MEMBER, "event_payload": Jsonb({}), "observed_at": NOON, "state": "add",
    "seen_twice_within": timedelta(seconds=60), "subject": "reaction/7/x/plain/7",
    "ancestors": ["reaction/7", "reaction/7/x", "reaction/7/x/plain", "reaction/7/x/plain/7"],
}  # fmt: skip
CASES: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "claim": (requests.SQL_CLAIM, {"limit": 20, "lease": timedelta(seconds=1), "per_channel": 3}),
    "open channels": (requests.SQL_OPEN_CHANNELS, {"surface": "discord"}),
    "recent messages": (journal.SQL_SELECT_RECENT, {"channel_id": 7, "before": HISTORY // 2, "limit": 20}),
    "recent messages of a quiet channel": (
        journal.SQL_SELECT_RECENT, {"channel_id": QUIET, "before": HISTORY // 2, "limit": 20},
    ),
    "last message ids": (journal.SQL_LAST_MESSAGE_IDS, {"channel_ids": [*range(50), QUIET]}),
    "direct channels": (journal.SQL_DIRECT_CHANNELS, {"limit": 100}),
    "answer": (deliveries.SQL_ANSWER_TEXT, {"request_id": 4}),
    "recent runs": (runs.SQL_RECENT_RUNS, {"limit": 20}),
    "one reaction": (occurrences.SQL_INSERT_OCCURRENCE, OCCURRENCE),
    "a clear": (
        occurrences.SQL_INSERT_OCCURRENCE,
        {**OCCURRENCE, "subject": "reaction/7", "ancestors": ["reaction/7"], "state": "clear"},
    ),
    "a deletion": (
        message_changes.SQL_DELETE_MESSAGES,
        {
            "event_key": "new", "event_type": "message_delete", "guild_id": None, "channel_id": 1,
            "event_message_id": 5, "event_payload": Jsonb({}), "observed_at": NOON, "message_ids": [5],
            "channel_ids": [],
        },
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
async def history(postgres: Postgres) -> AsyncIterator[psycopg.AsyncConnection]:
    """A database with a long history, for these tests together: filling it takes seconds."""
    async with await psycopg.AsyncConnection.connect(postgres.url_of("postgres"), autocommit=True) as admin:
        await admin.execute("create database history template gopher_template strategy file_copy")
    async with await psycopg.AsyncConnection.connect(postgres.url_of("history"), autocommit=True) as connection:
        await connection.execute(FILL.encode())
        yield connection
    async with await psycopg.AsyncConnection.connect(postgres.url_of("postgres"), autocommit=True) as admin:
        await admin.execute("drop database history with (force)")


def steps(node: Node) -> Iterator[tuple[str, float]]:
    """Each step of a plan with the rows that it read, those it threw away included."""
    loops = _number(node, "Actual Loops")
    thrown_away = _number(node, "Rows Removed by Filter") + _number(node, "Rows Removed by Join Filter")
    yield str(node["Node Type"]), (_number(node, "Actual Rows") + thrown_away) * loops
    children = node.get("Plans", [])
    assert isinstance(children, list)
    for child in children:
        yield from steps(child)


def _number(node: Node, name: str) -> float:
    value = node.get(name, 0)
    assert isinstance(value, int | float)
    return value


@pytest.mark.parametrize("case", CASES)
async def test_a_statement_reads_no_more_than_it_is_about(history: psycopg.AsyncConnection, case: str) -> None:
    statement, parameters = CASES[case]
    async with history.transaction(force_rollback=True):
        cursor = await history.execute(f"explain (analyze, format json) {statement}".encode(), parameters)
        (((document,),),) = await cursor.fetchall()
    greedy = [(kind, rows) for kind, rows in steps(document["Plan"]) if rows > BUSY]
    assert greedy == []
