"""What passes between the agent workflow and its activities: ids, names, counts and codes, never content.

Everything here becomes part of a Temporal history that operators read and that outlives an erasure, so no field may
hold words of a member or of a model. Content lies in PostgreSQL under (run, iteration) and is read there by who needs
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from gopher.domain.ids import ChannelId, GuildId, MessageId, RequestId, UserId


class TaskQueue(StrEnum):
    """Where an activity is served."""

    GOPHER = "gopher"
    """Workflows, the model, the store and the web: served by worker.py."""
    DISCORD = "discord"
    """Every call to Discord: served by bot.py, since one token has one rate-limit domain."""
    BACKGROUND = "gopher-background"
    """Consolidation, embedding, summaries, retention: never in the way of an answer."""


class Surface(StrEnum):
    """Where a request came from, and so where its answer goes."""

    DISCORD = "discord"
    TERMINAL = "terminal"


class RunStatus(StrEnum):
    """How far a run has come."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Effect(StrEnum):
    """Whether a tool changes anything."""

    READ = "read"
    WRITE = "write"


class Purpose(StrEnum):
    """Why something is sent; part of its nonce, so that an answer and a notice of one request never collide."""

    ANSWER = "answer"
    NOTICE = "notice"
    """A plain sentence that tells the requester why there is no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """The hard controls of one run. Defaults and bounds are those of `gopher.settings`."""

    iterations: int = 8
    """Model turns, at least 1."""
    tool_calls: int = 24
    """Tool calls over the whole run."""
    parallel_reads: int = 6
    """Parallel-safe reads in flight at once."""
    identical_calls: int = 2
    """How often one tool may be called with the same canonical arguments."""
    tool_timeout: timedelta = timedelta(seconds=30)
    """One tool call, unless the tool names its own."""
    run_timeout: timedelta = timedelta(seconds=120)
    """The whole request by workflow time, from start to delivery."""
    turn_timeout: timedelta = timedelta(seconds=100)
    """One attempt of one model turn, its body included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentInput:
    """What starts an agent workflow."""

    request_id: RequestId
    surface: Surface
    guild_id: GuildId | None
    """None in a direct message and in a terminal."""
    channel_id: ChannelId
    user_id: UserId
    """The requester."""
    limits: RunLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextLoaded:
    """What the context activity stored for the model: counts only."""

    messages: int
    """Prompt messages, the request included."""
    characters: int
    """Of all prompt messages together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSummary:
    """One tool call that a turn asked for; its arguments lie in `agent_turns`."""

    position: int
    """Order within the turn, from 0: the model's own order."""
    name: str
    """The tool's name if it is known, else `unknown`: a model's words are content."""
    effect: Effect
    parallel_safe: bool
    queue: TaskQueue
    local: bool
    """Made inside the workflow task, as short work on the store is; False for everything that waits for somebody
    else."""
    timeout: timedelta | None
    """The tool's own; None means the run's `tool_timeout`."""
    fingerprint: str
    """Hash of name and canonical arguments: equal calls are recognised by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnInput:
    """One model turn to take."""

    request_id: RequestId
    iteration: int
    """From 1."""
    tools_enabled: bool
    """False in the last turn, which answers from what is there."""
    deadline: timedelta
    """For the whole attempt, the response body included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnVerdict:
    """What a finished turn asks for. No calls means: its content is the answer."""

    iteration: int
    calls: tuple[CallSummary, ...]
    model: str
    prompt_tokens: int
    """0 when the provider did not say."""
    completion_tokens: int
    characters: int
    """Of the turn's text."""
    preview: str | None = None
    """Its first words: content, and so None unless an operator has asked for it (TEMPORAL_PREVIEWS)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolInput:
    """One tool call to make. The activity reads the arguments under (run, iteration, position)."""

    request_id: RequestId
    iteration: int
    position: int
    name: str
    deadline: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedCall:
    """A tool call that is not made: its structured result says why and the run goes on."""

    position: int
    code: str
    """`unknown_tool`, `tool_budget`, `repeated_call`, `run_timeout`, …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusals:
    """Calls of one turn that are not made."""

    request_id: RequestId
    iteration: int
    calls: tuple[RefusedCall, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolVerdict:
    """How a tool call ended. Its result lies in `agent_tool_calls`."""

    position: int
    ok: bool
    code: str | None
    """None when it went well."""
    characters: int
    """Of the result as the model will see it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryInput:
    """Something to send to the requester."""

    request_id: RequestId
    purpose: Purpose
    code: str | None
    """The error code that a notice explains; None for an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryVerdict:
    """What was sent, once and only once."""

    chunks: int
    message_id: MessageId | None
    """The first message; None where the surface has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """How a run ended: written to `agent_runs` and `agent_requests` in one transaction; twice changes nothing."""

    request_id: RequestId
    status: RunStatus
    error_code: str | None
    iterations: int
    tool_calls: int
    prompt_tokens: int
    completion_tokens: int
