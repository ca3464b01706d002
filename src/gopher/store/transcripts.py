"""Reading what is kept of runs: rows to records, and the queries that several readers share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from gopher.domain.conversation import ChatTurn, RequestedCall, Role
from gopher.domain.ids import ChannelId, GuildId, RequestId, UserId
from gopher.domain.runs import Effect, RunStatus, Surface, ToolVerdict
from gopher.domain.transcripts import PromptEntry, RunSummary, StoredCall, StoredTurn, ToolResult, Transcript
from gopher.store.pool import Connection, cursor_of

SQL_PROMPT = """
select position, layer, role, content
from agent_prompts
where request_id = %(request_id)s::bigint
order by position
"""

SQL_TURNS = """
select iteration, model, content, tool_calls, finish_reason, prompt_tokens, completion_tokens, first_token_ms,
       duration_ms
from agent_turns
where request_id = %(request_id)s::bigint
order by iteration
"""

SQL_TOOL_RESULTS = """
select iteration, position, call_id, tool_name, effect, success, error_code, result, duration_ms
from agent_tool_calls
where request_id = %(request_id)s::bigint
order by iteration, position
"""


class CallDocument(TypedDict):
    """One element of `agent_turns.tool_calls`."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRow:
    """One row of `agent_prompts`."""

    position: int
    layer: str
    role: str
    content: str

    def record(self) -> PromptEntry:
        """Give the row its types."""
        return PromptEntry(position=self.position, layer=self.layer, role=Role(self.role), content=self.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRow:
    """One row of `agent_turns`."""

    iteration: int
    model: str
    content: str
    tool_calls: list[CallDocument]
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int
    first_token_ms: int | None
    duration_ms: int

    def record(self) -> StoredTurn:
        """Give the row its types."""
        turn = ChatTurn(
            text=self.content,
            calls=tuple(RequestedCall(**document) for document in self.tool_calls),
            finish_reason=self.finish_reason,
            model=self.model,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            first_token_ms=self.first_token_ms,
            duration_ms=self.duration_ms,
        )
        return StoredTurn(iteration=self.iteration, turn=turn)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallRow:
    """One row of `agent_tool_calls`."""

    iteration: int
    position: int
    call_id: str
    tool_name: str
    effect: str | None
    success: bool
    error_code: str | None
    result: str
    duration_ms: int

    def record(self) -> ToolResult:
        """Give the row its types."""
        return ToolResult(
            iteration=self.iteration,
            position=self.position,
            call_id=self.call_id,
            tool_name=self.tool_name,
            effect=None if self.effect is None else Effect(self.effect),
            success=self.success,
            error_code=self.error_code,
            result=self.result,
            duration_ms=self.duration_ms,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunRow:
    """What `runs.SQL_BEGIN` found."""

    known: bool
    messages: int
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCallRow:
    """One row of `runs.SQL_CALL`; everything but the request is null until the call has ended."""

    requested: CallDocument | None
    success: bool | None
    error_code: str | None
    characters: int | None

    def record(self, position: int) -> StoredCall | None:
        """Give the row its types; None when the turn has no call there."""
        if self.requested is None:
            return None
        ended = None
        if self.success is not None and self.characters is not None:
            ended = ToolVerdict(position=position, ok=self.success, code=self.error_code, characters=self.characters)
        return StoredCall(requested=RequestedCall(**self.requested), ended=ended)


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRow:
    """One request with its run, if that began."""

    request_id: int
    surface: str
    guild_id: int | None
    channel_id: int
    user_id: int
    status: str | None
    error_code: str | None
    model: str | None
    iterations: int
    tool_calls: int
    prompt_tokens: int
    completion_tokens: int
    workflow_run_id: str | None
    trace_id: str | None
    requested_at: datetime
    started_at: datetime | None
    completed_at: datetime | None

    def record(self) -> RunSummary:
        """Give the row its types."""
        return RunSummary(
            request_id=RequestId(self.request_id),
            surface=Surface(self.surface),
            guild_id=None if self.guild_id is None else GuildId(self.guild_id),
            channel_id=ChannelId(self.channel_id),
            user_id=UserId(self.user_id),
            status=None if self.status is None else RunStatus(self.status),
            error_code=self.error_code,
            model=self.model,
            iterations=self.iterations,
            tool_calls=self.tool_calls,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            workflow_run_id=self.workflow_run_id,
            trace_id=self.trace_id,
            requested_at=self.requested_at,
            started_at=self.started_at,
            completed_at=self.completed_at,
        )


def call_documents(calls: Sequence[RequestedCall]) -> list[CallDocument]:
    """Write calls as `agent_turns.tool_calls` holds them, in the model's order."""
    return [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in calls]


async def read_prompt(connection: Connection, request_id: RequestId) -> tuple[PromptEntry, ...]:
    """Return the stored prompt in its order."""
    async with cursor_of(connection, PromptRow) as cursor:
        await cursor.execute(SQL_PROMPT, {"request_id": request_id})
        return tuple(row.record() for row in await cursor.fetchall())


async def read_turns(connection: Connection, request_id: RequestId) -> tuple[StoredTurn, ...]:
    """Return the stored turns by iteration."""
    async with cursor_of(connection, TurnRow) as cursor:
        await cursor.execute(SQL_TURNS, {"request_id": request_id})
        return tuple(row.record() for row in await cursor.fetchall())


async def read_tool_results(connection: Connection, request_id: RequestId) -> tuple[ToolResult, ...]:
    """Return the stored results by iteration and position."""
    async with cursor_of(connection, ToolCallRow) as cursor:
        await cursor.execute(SQL_TOOL_RESULTS, {"request_id": request_id})
        return tuple(row.record() for row in await cursor.fetchall())


async def read_transcript(connection: Connection, request_id: RequestId) -> Transcript:
    """Return prompt, turns and results, sent as one batch: one wait for the server."""
    parameters = {"request_id": request_id}
    async with (
        cursor_of(connection, PromptRow) as prompt,
        cursor_of(connection, TurnRow) as turns,
        cursor_of(connection, ToolCallRow) as results,
    ):
        async with connection.pipeline():
            await prompt.execute(SQL_PROMPT, parameters)
            await turns.execute(SQL_TURNS, parameters)
            await results.execute(SQL_TOOL_RESULTS, parameters)
        return Transcript(
            prompt=tuple(row.record() for row in await prompt.fetchall()),
            turns=tuple(row.record() for row in await turns.fetchall()),
            results=tuple(row.record() for row in await results.fetchall()),
        )
