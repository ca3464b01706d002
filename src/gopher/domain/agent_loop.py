"""The bounded loop of a run as a pure planner: what is known goes in, the next step comes out.

Whoever drives it asks `next_step`, does what it says, and reports with one of the `after_…` functions. The hard
controls are here and nowhere else. A limit that is hit never throws away what was gathered: calls that still fit are
made, the others are refused with a code that the model reads, and a last turn without tools answers from what is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from typing import Final, TypeAlias

from gopher.domain.runs import CallSummary, Effect, RefusedCall, RunLimits, TurnVerdict
from gopher.domain.tools import UNKNOWN_TOOL

LAST_TURN_SHARE: Final = 4
"""A quarter of the run's time is kept for the last turn as soon as there is something to answer from: less would waste
the tools' work in a turn that is cut off, more would keep the tools from their work."""

LAST_TURN_MOST: Final = timedelta(seconds=30)
"""No turn without tools needs longer: 4,000 tokens at a slow 150 tokens a second take 27 s."""

WORTHWHILE_SHARE: Final = 20
"""A step with tools is begun only while a twentieth of the run's time is left for it: in 500 ms of a 10 s run a read
can still answer, in less it would only be cut off."""


class RefusalCode(StrEnum):
    """Why the planner does not let a call be made."""

    UNKNOWN_TOOL = "unknown_tool"
    REPEATED_CALL = "repeated_call"
    TOOL_BUDGET = "tool_budget"
    RUN_TIMEOUT = "run_timeout"


class EndCode(StrEnum):
    """Why the planner itself ends a run without an answer."""

    RUN_TIMEOUT = "run_timeout"
    EMPTY_ANSWER = "empty_answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeTurn:
    """Ask the model."""

    iteration: int
    """From 1."""
    tools_enabled: bool
    """False: it is the last turn, whatever it says."""
    deadline: timedelta
    """For one attempt; greater than 0."""
    available: timedelta
    """For all attempts together; at least `deadline`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedCall:
    """A call to make."""

    call: CallSummary
    deadline: timedelta
    """For all attempts together; greater than 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeCalls:
    """Make these calls together, and record a refusal for the others. At least one of the two is not empty."""

    iteration: int
    allowed: tuple[AllowedCall, ...]
    """In the model's order: parallel-safe reads, or exactly one call of another kind."""
    refused: tuple[RefusedCall, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveAnswer:
    """Deliver the text of the last turn."""

    iteration: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveUp:
    """End without an answer and tell the requester why."""

    code: str


Step: TypeAlias = TakeTurn | MakeCalls | GiveAnswer | GiveUp


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopState:
    """What the loop knows. A new run begins with the defaults."""

    iteration: int = 0
    """The last turn asked for."""
    calls_made: int = 0
    """Without those refused."""
    times_made: Mapping[str, int] = field(default_factory=dict[str, int])
    """By fingerprint, without those refused."""
    waiting: tuple[CallSummary, ...] = ()
    """Calls of the last turn that are neither made nor refused, in the model's order."""
    gathered: bool = False
    """There are results of tools to answer from."""
    cut_short: bool = False
    """A limit was hit: the next turn is the last one."""
    answered: bool = False
    """The last turn asked for nothing more."""
    failure: str | None = None
    """The code with which the last turn failed."""


def next_step(state: LoopState, limits: RunLimits, elapsed: timedelta) -> Step:
    """Decide what to do, `elapsed` after the run began.

    The same arguments always give the same step. Asked again after each step's report, it ends after at most
    `limits.iterations` turns.
    """
    if state.waiting:
        return _calls(state, limits, elapsed)
    if state.answered:
        return GiveAnswer(iteration=state.iteration)
    remaining = limits.run_timeout - elapsed
    tool_time = _tool_time(state, limits, elapsed)
    if state.failure is not None and (tool_time > timedelta() or not state.gathered or state.cut_short):
        return GiveUp(code=state.failure)
    if remaining <= timedelta():
        return GiveUp(code=state.failure or EndCode.RUN_TIMEOUT)
    iteration = state.iteration + 1
    tools_enabled = (
        iteration < limits.iterations
        and state.calls_made < limits.tool_calls
        and tool_time > timedelta()
        and not state.cut_short
    )
    available = tool_time if tools_enabled else remaining
    deadline = min(limits.turn_timeout, available)
    return TakeTurn(iteration=iteration, tools_enabled=tools_enabled, deadline=deadline, available=available)


def after_turn(state: LoopState, step: TakeTurn, verdict: TurnVerdict) -> LoopState:
    """Take in a finished turn. Calls of a turn that had no tools are ignored: its text is the answer."""
    calls = verdict.calls if step.tools_enabled else ()
    if not calls and not verdict.characters:
        return replace(state, iteration=step.iteration, failure=EndCode.EMPTY_ANSWER, cut_short=True)
    return replace(
        state,
        iteration=step.iteration,
        waiting=tuple(sorted(calls, key=_position)),
        answered=not calls,
        cut_short=not step.tools_enabled,
        failure=None,
    )


def after_failed_turn(state: LoopState, step: TakeTurn, code: str) -> LoopState:
    """Take in a turn that gave nothing: if the tools' time is over by then, a turn without tools may still answer."""
    return replace(state, iteration=step.iteration, failure=code, cut_short=not step.tools_enabled)


def after_calls(state: LoopState, step: MakeCalls) -> LoopState:
    """Take in that every call of the step has its one result, whatever it says."""
    settled = {allowed.call.position for allowed in step.allowed} | {refused.position for refused in step.refused}
    times_made = dict(state.times_made)
    for allowed in step.allowed:
        times_made[allowed.call.fingerprint] = times_made.get(allowed.call.fingerprint, 0) + 1
    stopped = {RefusalCode.TOOL_BUDGET.value, RefusalCode.RUN_TIMEOUT.value}
    return replace(
        state,
        waiting=tuple(call for call in state.waiting if call.position not in settled),
        calls_made=state.calls_made + len(step.allowed),
        times_made=times_made,
        gathered=True,
        cut_short=state.cut_short or any(refused.code in stopped for refused in step.refused),
    )


def _position(call: CallSummary) -> int:
    return call.position


def _last_turn_reserve(limits: RunLimits) -> timedelta:
    return min(limits.run_timeout / LAST_TURN_SHARE, LAST_TURN_MOST)


def _tool_time(state: LoopState, limits: RunLimits, elapsed: timedelta) -> timedelta:
    """Time left for steps with tools; zero when there is too little to begin one.

    The first turn may use all of the run: before it there is nothing that a last turn could answer from.
    """
    reserve = _last_turn_reserve(limits) if state.gathered or state.waiting else timedelta()
    left = limits.run_timeout - elapsed - reserve
    worthwhile = limits.run_timeout / WORTHWHILE_SHARE if reserve else timedelta()
    return left if left > worthwhile else timedelta()


def _calls(state: LoopState, limits: RunLimits, elapsed: timedelta) -> MakeCalls:
    """Take the calls that may go together from the front of those waiting."""
    tool_time = _tool_time(state, limits, elapsed)
    allowed: list[AllowedCall] = []
    refused: list[RefusedCall] = []
    made_now: dict[str, int] = {}
    for call in state.waiting:
        alone = not _may_share(call)
        if alone and (allowed or refused):
            break
        if not alone and len(allowed) == limits.parallel_reads:
            break
        code = _refusal(call, state, limits, tool_time=tool_time, made_now=made_now)
        if code is not None:
            refused.append(RefusedCall(position=call.position, code=code))
        else:
            made_now[call.fingerprint] = made_now.get(call.fingerprint, 0) + 1
            deadline = min(call.timeout or limits.tool_timeout, tool_time)
            allowed.append(AllowedCall(call=call, deadline=deadline))
        if alone:
            break
    return MakeCalls(iteration=state.iteration, allowed=tuple(allowed), refused=tuple(refused))


def _may_share(call: CallSummary) -> bool:
    return call.parallel_safe and call.effect is Effect.READ and call.name != UNKNOWN_TOOL


def _refusal(
    call: CallSummary, state: LoopState, limits: RunLimits, *, tool_time: timedelta, made_now: Mapping[str, int]
) -> RefusalCode | None:
    if call.name == UNKNOWN_TOOL:
        return RefusalCode.UNKNOWN_TOOL
    if tool_time <= timedelta():
        return RefusalCode.RUN_TIMEOUT
    if state.times_made.get(call.fingerprint, 0) + made_now.get(call.fingerprint, 0) >= limits.identical_calls:
        return RefusalCode.REPEATED_CALL
    if state.calls_made + sum(made_now.values()) >= limits.tool_calls:
        return RefusalCode.TOOL_BUDGET
    return None
