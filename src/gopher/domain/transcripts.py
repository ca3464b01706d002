"""What is kept of a run: the prompt as it was shown, the turns, the tool results, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from gopher.domain.conversation import ChatTurn, RequestedCall, Role
from gopher.domain.ids import ChannelId, GuildId, RequestId, UserId
from gopher.domain.runs import Effect, RunStatus, Surface, ToolVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptEntry:
    """One message of the prompt with the layer that it belongs to."""

    position: int
    """Order in the prompt, from 0."""
    layer: str
    """persona, policy, recent, request, …: for those who inspect a prompt."""
    role: Role
    """Never `tool`: results belong to turns."""
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """A finished turn of the model with its place in the run."""

    iteration: int
    """From 1."""
    turn: ChatTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """How one tool call ended and what the model sees of it."""

    iteration: int
    """The turn that asked for it."""
    position: int
    """Order within the turn, from 0."""
    call_id: str
    """As the provider gave it; not unique."""
    tool_name: str
    """As the model wrote it."""
    effect: Effect | None
    """None when there is no such tool."""
    success: bool
    error_code: str | None
    """None when it went well."""
    result: str
    """A JSON document: what the model sees."""
    duration_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCall:
    """A call that a stored turn asked for."""

    requested: RequestedCall
    ended: ToolVerdict | None
    """None while it has no result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """Everything that the next model call of a run needs. Each part is in its order."""

    prompt: tuple[PromptEntry, ...]
    """By position; empty when the context was not stored yet."""
    turns: tuple[StoredTurn, ...]
    """By iteration."""
    results: tuple[ToolResult, ...]
    """By iteration, then position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """One request and how far its run has come, for operators. No content."""

    request_id: RequestId
    surface: Surface
    guild_id: GuildId | None
    channel_id: ChannelId
    user_id: UserId
    status: RunStatus | None
    """None while the request waits for its run to begin."""
    error_code: str | None
    model: str | None
    """Of the last turn; None when there is none."""
    iterations: int
    tool_calls: int
    prompt_tokens: int
    completion_tokens: int
    workflow_run_id: str | None
    """Temporal's; None when the run never began."""
    trace_id: str | None
    requested_at: datetime
    started_at: datetime | None
    completed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDetails:
    """A run with everything that was shown, said and done in it."""

    summary: RunSummary
    transcript: Transcript
