"""Tool calls and refusals: one stored result each, whatever happens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Mapping
from datetime import timedelta

import pytest
from temporalio.testing import ActivityEnvironment

from activities.tools import ToolActivities, ToolBody, ToolCall
from gopher.domain.conversation import ChatTurn, RequestedCall
from gopher.domain.ids import RequestId
from gopher.domain.results import JsonValue
from gopher.domain.runs import Refusals, RefusedCall, ToolInput, ToolVerdict
from gopher.errors import Conflict, ProviderUnavailable
from gopher.store.pool import Pool
from gopher.store.runs import RunStore
from tests.activities.samples import journaled, message
from tests.workflows.toolbox import TOOLS, Toolbox


async def asking(pool: Pool, *calls: tuple[str, str]) -> RequestId:
    """A run whose first turn asks for these calls: name and arguments."""
    request_id = await journaled(pool, message(1), request=True)
    await RunStore(pool).begin(request_id, workflow_run_id="w", trace_id=None)
    turn = ChatTurn(
        text="",
        calls=tuple(RequestedCall(id="same", name=name, arguments=arguments) for name, arguments in calls),
        finish_reason="tool_calls",
        model="m",
        prompt_tokens=0,
        completion_tokens=0,
        first_token_ms=None,
        duration_ms=1,
    )
    await RunStore(pool).save_turn(request_id, 1, turn)
    return request_id


async def make(
    pool: Pool, request_id: RequestId, bodies: Mapping[str, ToolBody], *, position: int = 0, deadline: float = 5
) -> ToolVerdict:
    tools = ToolActivities(runs=RunStore(pool), tools=TOOLS, bodies=bodies)
    call = ToolInput(
        request_id=request_id, iteration=1, position=position, name="x", deadline=timedelta(seconds=deadline)
    )
    return await ActivityEnvironment().run(tools.call_tool, call)


async def result(pool: Pool, request_id: RequestId, position: int = 0) -> object:
    stored = await RunStore(pool).tool_result(request_id, 1, position)
    assert stored is not None
    return json.loads(stored.result)


async def test_a_call_is_made_once_and_its_result_stored(pool: Pool) -> None:
    toolbox = Toolbox()
    request_id = await asking(pool, ("lookup", '{"query":"x"}'))
    first = await make(pool, request_id, toolbox.bodies)
    assert await make(pool, request_id, toolbox.bodies) == first
    assert (first.ok, first.code) == (True, None)
    assert toolbox.made == ["x"]
    assert await result(pool, request_id) == {"ok": True, "result": {"found": "x"}}


async def test_calls_of_one_id_keep_apart(pool: Pool) -> None:
    toolbox = Toolbox()
    request_id = await asking(pool, ("lookup", '{"query":"x"}'), ("lookup", '{"query":"y"}'))
    await asyncio.gather(*(make(pool, request_id, toolbox.bodies, position=position) for position in (0, 1)))
    assert await result(pool, request_id, 1) == {"ok": True, "result": {"found": "y"}}


async def test_a_tool_past_its_deadline_is_stopped(pool: Pool) -> None:
    toolbox = Toolbox()
    request_id = await asking(pool, ("stall", ""))
    verdict = await make(pool, request_id, toolbox.bodies, deadline=0.1)
    assert verdict.code == "tool_timeout"
    assert toolbox.log == [("begin", "stall"), ("end", "stall")]


async def test_an_expected_failure_is_told_to_the_model(pool: Pool) -> None:
    def away(call: ToolCall) -> Awaitable[JsonValue]:
        raise ProviderUnavailable(f"The web is away ({call.position}).", code="web_unavailable")

    request_id = await asking(pool, ("lookup", '{"query":"x"}'))
    assert (await make(pool, request_id, {"lookup": away})).code == "web_unavailable"
    expected = {"ok": False, "error": {"code": "web_unavailable", "message": "The web is away (0)."}}
    assert await result(pool, request_id) == expected


@pytest.mark.parametrize("value", [float("inf"), {1, 2}])
async def test_a_value_that_is_no_json_is_the_tools_failure(pool: Pool, value: JsonValue) -> None:
    async def odd(call: ToolCall) -> JsonValue:
        del call
        return value

    request_id = await asking(pool, ("lookup", '{"query":"x"}'))
    assert (await make(pool, request_id, {"lookup": odd})).code == "tool_failed"


async def test_a_tool_without_a_body_here_is_unavailable(pool: Pool) -> None:
    request_id = await asking(pool, ("lookup", "{}"))
    assert (await make(pool, request_id, {})).code == "tool_unavailable"


async def test_a_call_that_no_turn_asked_for_is_refused(pool: Pool) -> None:
    request_id = await asking(pool, ("lookup", "{}"))
    with pytest.raises(Conflict) as gone:
        await make(pool, request_id, Toolbox().bodies, position=7)
    assert gone.value.code == "request_gone"


async def test_refusals_are_stored_and_change_no_result(pool: Pool) -> None:
    request_id = await asking(pool, ("lookup", '{"query":"x"}'), ("invented", "{}"))
    await make(pool, request_id, Toolbox().bodies)
    tools = ToolActivities(runs=RunStore(pool), tools=TOOLS, bodies={})
    calls = (RefusedCall(position=0, code="tool_timeout"), RefusedCall(position=1, code="unknown_tool"))
    refusals = Refusals(request_id=request_id, iteration=1, calls=calls)
    for _ in range(2):
        await ActivityEnvironment().run(tools.refuse_tools, refusals)
    stored = await RunStore(pool).tool_results(request_id)
    assert [(call.tool_name, call.error_code, call.effect) for call in stored] == [
        ("lookup", None, "read"),
        ("invented", "unknown_tool", None),
    ]
