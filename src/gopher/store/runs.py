"""Runs: what the model was shown and said, what its tools answered, how the run ended. The first write wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from psycopg.types.json import Jsonb

from gopher.domain.conversation import ChatTurn
from gopher.domain.ids import RequestId
from gopher.domain.runs import ContextLoaded, RunRecord
from gopher.domain.transcripts import (
    PromptEntry,
    RunDetails,
    RunSummary,
    StoredCall,
    StoredTurn,
    ToolResult,
    Transcript,
)
from gopher.errors import Conflict
from gopher.store.pool import Pool, cursor_of, statement, transaction
from gopher.store.transcripts import (
    AskedCallRow,
    BegunRow,
    PromptRow,
    SummaryRow,
    ToolCallRow,
    TurnRow,
    call_documents,
    read_prompt,
    read_tool_results,
    read_transcript,
    read_turns,
)

PROMPT_WITHOUT_RUN: Final = "agent_prompts_request_id_fkey"
"""The constraint that refuses a prompt of a run that was erased."""

# A new workflow run of the same request (an operator's reset) opens the run again; the same one changes nothing.
SQL_BEGIN = """
with request as (
    select request_id from agent_requests where request_id = %(request_id)s::bigint
), begun as (
    insert into agent_runs as run (request_id, workflow_run_id, trace_id)
    select request_id, %(workflow_run_id)s::text, %(trace_id)s::text from request
    on conflict (request_id) do update set
        workflow_run_id = excluded.workflow_run_id, trace_id = excluded.trace_id, status = 'running',
        error_code = null, started_at = now(), completed_at = null
        where run.workflow_run_id is distinct from excluded.workflow_run_id
)
select exists (select from request) as known, count(*)::integer as messages,
       coalesce(sum(length(content)), 0)::integer as characters
from agent_prompts
where request_id = %(request_id)s::bigint
"""

# One statement: of two attempts at once the second waits at the key of the first row and is refused whole, so that a
# prompt is never made of both.
SQL_SAVE_PROMPT = """
insert into agent_prompts (request_id, position, layer, role, content)
select %(request_id)s::bigint, entry.position, entry.layer, entry.role, entry.content
from unnest(%(positions)s::integer[], %(layers)s::text[], %(roles)s::text[], %(contents)s::text[])
    as entry (position, layer, role, content)
where not exists (select from agent_prompts where request_id = %(request_id)s::bigint)
returning position, layer, role, content
"""

# The update that changes nothing makes `returning` give the stored row also to the second writer, who may not see it in
# the snapshot of its statement.
SQL_SAVE_TURN = """
insert into agent_turns as turn (request_id, iteration, model, content, tool_calls, finish_reason, prompt_tokens,
                                 completion_tokens, first_token_ms, duration_ms)
values (%(request_id)s::bigint, %(iteration)s::integer, %(model)s::text, %(content)s::text, %(tool_calls)s::jsonb,
        %(finish_reason)s::text, %(prompt_tokens)s::integer, %(completion_tokens)s::integer,
        %(first_token_ms)s::integer, %(duration_ms)s::integer)
on conflict (request_id, iteration) do update set iteration = turn.iteration
returning iteration, model, content, tool_calls, finish_reason, prompt_tokens, completion_tokens, first_token_ms,
          duration_ms
"""

SQL_TURN = """
select iteration, model, content, tool_calls, finish_reason, prompt_tokens, completion_tokens, first_token_ms,
       duration_ms
from agent_turns
where request_id = %(request_id)s::bigint and iteration = %(iteration)s::integer
"""

SQL_SAVE_TOOL_RESULT = """
insert into agent_tool_calls as call (request_id, iteration, position, call_id, tool_name, effect, success, error_code,
                                      result, duration_ms)
values (%(request_id)s::bigint, %(iteration)s::integer, %(position)s::integer, %(call_id)s::text, %(tool_name)s::text,
        %(effect)s::text, %(success)s::boolean, %(error_code)s::text, %(result)s::text, %(duration_ms)s::integer)
on conflict (request_id, iteration, position) do update set position = call.position
returning iteration, position, call_id, tool_name, effect, success, error_code, result, duration_ms
"""

SQL_TOOL_RESULT = """
select iteration, position, call_id, tool_name, effect, success, error_code, result, duration_ms
from agent_tool_calls
where request_id = %(request_id)s::bigint and iteration = %(iteration)s::integer and position = %(position)s::integer
"""

SQL_CALL = """
select turn.tool_calls -> %(position)s::integer as requested, call.success, call.error_code,
       length(call.result) as characters
from agent_turns as turn
left join agent_tool_calls as call
    on call.request_id = turn.request_id and call.iteration = turn.iteration and call.position = %(position)s::integer
where turn.request_id = %(request_id)s::bigint and turn.iteration = %(iteration)s::integer
"""

# A run that ended before it began has no row yet. One that ended already keeps its end.
SQL_FINISH = """
with request as (
    update agent_requests
    set state = 'finished', finished_at = coalesce(finished_at, now()), interaction_token = null, leased_until = null
    where request_id = %(request_id)s::bigint
    returning request_id
), run as (
    insert into agent_runs as run (request_id, model, status, error_code, iterations, tool_calls, prompt_tokens,
                                   completion_tokens, completed_at)
    select request_id,
           (select turn.model from agent_turns as turn where turn.request_id = request.request_id
            order by turn.iteration desc limit 1),
           %(status)s::text, %(error_code)s::text, %(iterations)s::integer, %(tool_calls)s::integer,
           %(prompt_tokens)s::bigint, %(completion_tokens)s::bigint, now()
    from request
    on conflict (request_id) do update set
        model = excluded.model, status = excluded.status, error_code = excluded.error_code,
        iterations = excluded.iterations, tool_calls = excluded.tool_calls, prompt_tokens = excluded.prompt_tokens,
        completion_tokens = excluded.completion_tokens, completed_at = excluded.completed_at
        where run.completed_at is null
    returning request_id
)
select pg_notify('agent_requests', ''), pg_notify('agent_runs', request_id::text) from run
"""

SQL_RECENT_RUNS = """
select request.request_id, request.surface, request.guild_id, request.channel_id, request.user_id, run.status,
       run.error_code, run.model, coalesce(run.iterations, 0) as iterations, coalesce(run.tool_calls, 0) as tool_calls,
       coalesce(run.prompt_tokens, 0) as prompt_tokens, coalesce(run.completion_tokens, 0) as completion_tokens,
       run.workflow_run_id, run.trace_id, request.created_at as requested_at, run.started_at, run.completed_at
from agent_requests as request
left join agent_runs as run using (request_id)
order by request.request_id desc
limit %(limit)s::integer
"""

SQL_RUN = """
select request.request_id, request.surface, request.guild_id, request.channel_id, request.user_id, run.status,
       run.error_code, run.model, coalesce(run.iterations, 0) as iterations, coalesce(run.tool_calls, 0) as tool_calls,
       coalesce(run.prompt_tokens, 0) as prompt_tokens, coalesce(run.completion_tokens, 0) as completion_tokens,
       run.workflow_run_id, run.trace_id, request.created_at as requested_at, run.started_at, run.completed_at
from agent_requests as request
left join agent_runs as run using (request_id)
where request.request_id = %(request_id)s::bigint
"""


class RunStore:
    """Keeps the content of runs out of Temporal's histories.

    Everything may be written twice: the first write wins and is returned. What is written for a run needs its `begin`
    first. Every method raises Unavailable; a write raises Conflict when the request was erased meanwhile.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def begin(self, request_id: RequestId, *, workflow_run_id: str, trace_id: str | None) -> ContextLoaded | None:
        """Open the run of a request; tell of the prompt that is stored, None when there is none yet.

        Another workflow run of the request opens it again and keeps what was stored.
        """
        parameters = {"request_id": request_id, "workflow_run_id": workflow_run_id, "trace_id": trace_id}
        async with statement(self._pool) as connection, cursor_of(connection, BegunRow) as cursor:
            await cursor.execute(SQL_BEGIN, parameters)
            (begun,) = await cursor.fetchall()
        if not begun.known:
            raise _gone(request_id)
        return ContextLoaded(messages=begun.messages, characters=begun.characters) if begun.messages else None

    async def save_prompt(self, request_id: RequestId, entries: Sequence[PromptEntry]) -> tuple[PromptEntry, ...]:
        """Store the whole prompt, or nothing when there is one; return what is stored."""
        parameters = {
            "request_id": request_id,
            "positions": [entry.position for entry in entries],
            "layers": [entry.layer for entry in entries],
            "roles": [entry.role for entry in entries],
            "contents": [entry.content for entry in entries],
        }
        try:
            async with statement(self._pool) as connection, cursor_of(connection, PromptRow) as cursor:
                await cursor.execute(SQL_SAVE_PROMPT, parameters)
                saved = [row.record() for row in await cursor.fetchall()]
        except Conflict as error:
            if error.code == PROMPT_WITHOUT_RUN:
                raise _gone(request_id) from error
            saved = []  # another attempt was first, at the same moment
        return tuple(sorted(saved, key=lambda entry: entry.position)) or await self.prompt(request_id)

    async def prompt(self, request_id: RequestId) -> tuple[PromptEntry, ...]:
        """Return the prompt by position; empty when none is stored."""
        async with statement(self._pool) as connection:
            return await read_prompt(connection, request_id)

    async def save_turn(self, request_id: RequestId, iteration: int, turn: ChatTurn) -> ChatTurn:
        """Store a finished turn; return the stored one, which is an earlier attempt's if there was one."""
        parameters = {
            "request_id": request_id,
            "iteration": iteration,
            "model": turn.model,
            "content": turn.text,
            "tool_calls": Jsonb(call_documents(turn.calls)),
            "finish_reason": turn.finish_reason,
            "prompt_tokens": turn.prompt_tokens,
            "completion_tokens": turn.completion_tokens,
            "first_token_ms": turn.first_token_ms,
            "duration_ms": turn.duration_ms,
        }
        async with statement(self._pool) as connection, cursor_of(connection, TurnRow) as cursor:
            await cursor.execute(SQL_SAVE_TURN, parameters)
            (row,) = await cursor.fetchall()
        return row.record().turn

    async def turn(self, request_id: RequestId, iteration: int) -> ChatTurn | None:
        """Return a stored turn; None when it is not finished."""
        async with statement(self._pool) as connection, cursor_of(connection, TurnRow) as cursor:
            await cursor.execute(SQL_TURN, {"request_id": request_id, "iteration": iteration})
            row = await cursor.fetchone()
        return None if row is None else row.record().turn

    async def turns(self, request_id: RequestId) -> tuple[StoredTurn, ...]:
        """Return the finished turns by iteration."""
        async with statement(self._pool) as connection:
            return await read_turns(connection, request_id)

    async def save_tool_result(self, request_id: RequestId, result: ToolResult) -> ToolResult:
        """Store how a call of a stored turn ended; return the stored result, an earlier attempt's if there was one."""
        parameters = {
            "request_id": request_id,
            "iteration": result.iteration,
            "position": result.position,
            "call_id": result.call_id,
            "tool_name": result.tool_name,
            "effect": result.effect,
            "success": result.success,
            "error_code": result.error_code,
            "result": result.result,
            "duration_ms": result.duration_ms,
        }
        async with statement(self._pool) as connection, cursor_of(connection, ToolCallRow) as cursor:
            await cursor.execute(SQL_SAVE_TOOL_RESULT, parameters)
            (row,) = await cursor.fetchall()
        return row.record()

    async def call(self, request_id: RequestId, iteration: int, position: int) -> StoredCall | None:
        """Return a call that a stored turn asked for and how it ended; None when no stored turn asked for it."""
        parameters = {"request_id": request_id, "iteration": iteration, "position": position}
        async with statement(self._pool) as connection, cursor_of(connection, AskedCallRow) as cursor:
            await cursor.execute(SQL_CALL, parameters)
            row = await cursor.fetchone()
        return None if row is None else row.record(position)

    async def tool_result(self, request_id: RequestId, iteration: int, position: int) -> ToolResult | None:
        """Return how a call ended; None when it has not."""
        parameters = {"request_id": request_id, "iteration": iteration, "position": position}
        async with statement(self._pool) as connection, cursor_of(connection, ToolCallRow) as cursor:
            await cursor.execute(SQL_TOOL_RESULT, parameters)
            row = await cursor.fetchone()
        return None if row is None else row.record()

    async def tool_results(self, request_id: RequestId) -> tuple[ToolResult, ...]:
        """Return the results so far by iteration and position."""
        async with statement(self._pool) as connection:
            return await read_tool_results(connection, request_id)

    async def transcript(self, request_id: RequestId) -> Transcript:
        """Return everything that the next model call needs, in one round trip of queries."""
        async with statement(self._pool) as connection:
            return await read_transcript(connection, request_id)

    async def finish(self, record: RunRecord) -> None:
        """Close run and request in one transaction, forget the interaction token, and wake who waits.

        Closing twice changes nothing; neither does closing a request that was erased. Notifies `agent_requests` (the
        member's next request may start) and `agent_runs` with the request id.
        """
        parameters = {
            "request_id": record.request_id,
            "status": record.status,
            "error_code": record.error_code,
            "iterations": record.iterations,
            "tool_calls": record.tool_calls,
            "prompt_tokens": record.prompt_tokens,
            "completion_tokens": record.completion_tokens,
        }
        async with statement(self._pool) as connection:
            await connection.execute(SQL_FINISH, parameters)

    async def recent_runs(self, limit: int) -> tuple[RunSummary, ...]:
        """Return the newest requests with their runs, newest first."""
        async with statement(self._pool) as connection, cursor_of(connection, SummaryRow) as cursor:
            await cursor.execute(SQL_RECENT_RUNS, {"limit": limit})
            rows = await cursor.fetchall()
        return tuple(row.record() for row in rows)

    async def run_details(self, request_id: RequestId) -> RunDetails | None:
        """Return a run with its content; None when there is no such request."""
        async with transaction(self._pool) as connection:
            async with cursor_of(connection, SummaryRow) as cursor:
                await cursor.execute(SQL_RUN, {"request_id": request_id})
                row = await cursor.fetchone()
            if row is None:
                return None
            return RunDetails(summary=row.record(), transcript=await read_transcript(connection, request_id))


def _gone(request_id: RequestId) -> Conflict:
    return Conflict(f"The request {request_id} does not exist any more.", code="request_gone")
