"""Tool calls: each is made once, whatever happens is a structured result, stored before it is reported."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from pydantic import BaseModel
from temporalio import activity

from gopher.domain import results
from gopher.domain.arguments import parse_arguments
from gopher.domain.conversation import RequestedCall
from gopher.domain.ids import RequestId
from gopher.domain.refusals import refusal_message
from gopher.domain.results import JsonValue
from gopher.domain.runs import Refusals, ToolInput, ToolVerdict
from gopher.domain.tools import ToolRegistry, ToolSpec
from gopher.domain.transcripts import StoredCall, ToolResult
from gopher.errors import Conflict, GopherError, Rejected

if TYPE_CHECKING:
    from gopher.store.runs import RunStore

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """What a tool's body gets."""

    request_id: RequestId
    iteration: int
    position: int
    """With the iteration: which call of the run this is; the same in every attempt."""
    arguments: BaseModel
    """Of the tool's own argument type, validated."""


class ToolBody(Protocol):
    """What a tool does. It may be cancelled at its deadline, and it may be run again after a crash.

    It returns what the model reads. A GopherError becomes a structured error with its code and sentence; anything else
    that it raises becomes `tool_failed`.
    """

    def __call__(self, call: ToolCall, /) -> Awaitable[JsonValue]:
        """Make the call."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """The model's view of a call, and its code when it went wrong."""

    result: str
    code: str | None


class ToolActivities:
    """Makes the calls whose bodies this process has. The same activities are served on every queue that has tools."""

    def __init__(self, *, runs: RunStore, tools: ToolRegistry, bodies: Mapping[str, ToolBody]) -> None:
        self._runs = runs
        self._tools = tools
        self._bodies = bodies

    @activity.defn
    async def call_tool(self, call: ToolInput) -> ToolVerdict:
        """Make one call and store its result. Repeated after that, it returns the stored result.

        Raises:
            StoreError: the turn could not be read or the result not stored.
        """
        known = await self._call(call.request_id, call.iteration, call.position)
        if known.ended is not None:
            return known.ended
        begun = perf_counter()
        outcome = await self._make(call, known.requested)
        duration_ms = round((perf_counter() - begun) * 1000)
        result = self._result(call.iteration, call.position, known.requested, outcome, duration_ms=duration_ms)
        stored = await self._runs.save_tool_result(call.request_id, result)
        return ToolVerdict(
            position=call.position, ok=stored.success, code=stored.error_code, characters=len(stored.result)
        )

    @activity.defn
    async def call_local_tools(self, calls: tuple[ToolInput, ...]) -> None:
        """Make calls together, inside the workflow task, and store their results. Repeated, it makes those without one.

        They are one activity, since each local activity is a marker in the history and a turn of the workflow: 10 ms.

        Raises:
            StoreError: as `call_tool`, once every call has ended or failed.
        """
        outcomes = await asyncio.gather(*(self.call_tool(call) for call in calls), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome

    @activity.defn
    async def refuse_tools(self, refusals: Refusals) -> None:
        """Store the structured results of calls that are not made. Results that are stored already stay.

        Raises:
            StoreError: the turn could not be read or a result not stored.
        """
        for refused in refusals.calls:
            known = await self._call(refusals.request_id, refusals.iteration, refused.position)
            if known.ended is None:
                result = self._result(refusals.iteration, refused.position, known.requested, _failed(refused.code))
                await self._runs.save_tool_result(refusals.request_id, result)

    async def _call(self, request_id: RequestId, iteration: int, position: int) -> StoredCall:
        known = await self._runs.call(request_id, iteration, position)
        if known is None:
            raise Conflict("The turn that asked for this call does not exist any more.", code="request_gone")
        return known

    async def _make(self, call: ToolInput, requested: RequestedCall) -> _Outcome:
        spec = self._tools.get(requested.name)
        body = self._bodies.get(requested.name)
        if spec is None or body is None:
            return _failed("tool_unavailable")
        try:
            async with asyncio.timeout(call.deadline.total_seconds()):
                return await _run(call, spec, body, requested.arguments)
        except TimeoutError:
            return _failed("tool_timeout")

    def _result(
        self, iteration: int, position: int, requested: RequestedCall, outcome: _Outcome, *, duration_ms: int = 0
    ) -> ToolResult:
        spec = self._tools.get(requested.name)
        return ToolResult(
            iteration=iteration,
            position=position,
            call_id=requested.id,
            tool_name=requested.name,
            effect=None if spec is None else spec.effect,
            success=outcome.code is None,
            error_code=outcome.code,
            result=outcome.result,
            duration_ms=duration_ms,
        )


async def _run(call: ToolInput, spec: ToolSpec, body: ToolBody, written: str) -> _Outcome:
    try:
        arguments = parse_arguments(spec.arguments, written)
        value = await body(
            ToolCall(request_id=call.request_id, iteration=call.iteration, position=call.position, arguments=arguments)
        )
        result = results.success(value, keep=spec.keep)
    except Rejected as error:
        return _failed(error.code, str(error))
    except GopherError as error:
        logger.warning("tool %s failed with %s", spec.name, error.code, exc_info=error)
        return _failed(error.code, str(error))
    except TimeoutError:
        raise  # the deadline's
    except Exception:  # a tool's bug is a result for the model, and a line for us
        logger.exception("tool %s failed unexpectedly", spec.name)
        return _failed("tool_failed")
    return _Outcome(result=result, code=None)


def _failed(code: str, message: str | None = None) -> _Outcome:
    return _Outcome(result=results.failure(code, message or refusal_message(code)), code=code)
