"""Making the tool calls of a batch, and seeing to it that each has one stored result, whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final, Protocol, TypeVar

from temporalio import workflow

from activities.tools import ToolActivities
from gopher.domain.agent_loop import AllowedCall, MakeCalls
from gopher.domain.ids import RequestId
from gopher.domain.runs import Refusals, RefusedCall, ToolInput
from workflows import policies
from workflows.failures import StepFailed

TOOL_TIMEOUT: Final = "tool_timeout"
RUN_TIMEOUT: Final = "run_timeout"

ResultT = TypeVar("ResultT")


class TakeStep(Protocol):
    """Takes a step of the workflow, as often as operators repair it; raises StepFailed with its code."""

    async def __call__(self, start: Callable[[], Awaitable[ResultT]], *, timed_out: str) -> ResultT:
        """Take it."""
        ...


class ToolCalls:
    """Orders the tool activities of a run."""

    def __init__(self, request_id: RequestId, take_step: TakeStep) -> None:
        self._request_id = request_id
        self._take_step = take_step

    async def make(self, step: MakeCalls) -> tuple[RefusedCall, ...]:
        """Make the allowed calls of a step together. What is returned may have no result yet, and says why."""
        local = tuple(allowed for allowed in step.allowed if allowed.call.local)
        making = [self._remote(step.iteration, allowed) for allowed in step.allowed if not allowed.call.local]
        if local:
            making.append(self._local(step.iteration, local))
        return tuple(refused for calls in await asyncio.gather(*making) for refused in calls)

    async def refuse(self, iteration: int, calls: tuple[RefusedCall, ...], *, patience: timedelta) -> None:
        """Store why calls were not made; those that have a result keep it. Raises StepFailed."""
        refusals = Refusals(request_id=self._request_id, iteration=iteration, calls=calls)
        await self._take_step(
            lambda: workflow.execute_local_activity_method(
                ToolActivities.refuse_tools, refusals, **policies.store_step(patience)
            ),
            timed_out=RUN_TIMEOUT,
        )

    async def _remote(self, iteration: int, allowed: AllowedCall) -> tuple[RefusedCall, ...]:
        tool = self._input(iteration, allowed)
        return await self._unmade(
            (allowed,),
            lambda: workflow.execute_activity_method(ToolActivities.call_tool, tool, **policies.tool_call(allowed)),
        )

    async def _local(self, iteration: int, allowed: tuple[AllowedCall, ...]) -> tuple[RefusedCall, ...]:
        tools = tuple(self._input(iteration, one) for one in allowed)
        return await self._unmade(
            allowed,
            lambda: workflow.execute_local_activity_method(
                ToolActivities.call_local_tools, tools, **policies.local_tool_calls(allowed)
            ),
        )

    async def _unmade(
        self, allowed: tuple[AllowedCall, ...], start: Callable[[], Awaitable[object]]
    ) -> tuple[RefusedCall, ...]:
        try:
            await self._take_step(start, timed_out=TOOL_TIMEOUT)
        except StepFailed as failed:
            return tuple(RefusedCall(position=one.call.position, code=failed.code) for one in allowed)
        return ()

    def _input(self, iteration: int, allowed: AllowedCall) -> ToolInput:
        return ToolInput(
            request_id=self._request_id,
            iteration=iteration,
            position=allowed.call.position,
            name=allowed.call.name,
            deadline=allowed.deadline,
        )
