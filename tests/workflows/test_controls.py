"""Every hard control of the loop on a real server: what fits is done, the rest refused, and it is answered."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from devstack.scripted_turns import ModelTurn, ScriptedCall
from gopher.domain.ids import RequestId
from gopher.domain.prompts import LAST_TURN
from gopher.domain.runs import RunLimits, RunStatus
from tests.workflows.stage import Stage, call
from tests.workflows.toolbox import TOOLS, Toolbox

LIMITS = RunLimits()


@pytest.fixture
def toolbox() -> Toolbox:
    return Toolbox()


@pytest.fixture
def tooled(stage: Stage, toolbox: Toolbox) -> Stage:
    return replace(stage, tools=TOOLS, bodies=toolbox.bodies)


async def codes(stage: Stage, request_id: RequestId) -> list[str | None]:
    return [code for _, _, code in await stage.results(request_id)]


async def test_the_last_turn_of_the_iterations_has_no_tools(tooled: Stage) -> None:
    asking = ModelTurn(calls=(call("lookup", query="a"),))
    tooled.script(asking, asking.model_copy(update={"calls": (call("lookup", query="b"),)}), ModelTurn(text="done"))
    record = await tooled.run(limits=replace(LIMITS, iterations=3))
    assert (record.status, record.iterations, record.tool_calls) == (RunStatus.COMPLETED, 3, 2)
    offered = ["tools" in request.body for request in tooled.providers.requests if isinstance(request.body, dict)]
    assert offered == [True, True, False]
    assert LAST_TURN.strip() in json.dumps(tooled.providers.requests[-1].body, ensure_ascii=False).replace("\\n", "\n")


async def test_calls_that_fit_the_budget_are_made_and_the_rest_refused(tooled: Stage, toolbox: Toolbox) -> None:
    calls = tuple(call("lookup", query=str(number)) for number in range(5))
    tooled.script(ModelTurn(calls=calls), ModelTurn(text="done"))
    record = await tooled.run(limits=replace(LIMITS, tool_calls=3))
    assert (record.status, record.iterations, record.tool_calls) == (RunStatus.COMPLETED, 2, 3)
    assert await codes(tooled, record.request_id) == [None, None, None, "tool_budget", "tool_budget"]
    assert sorted(toolbox.made) == ["0", "1", "2"]


async def test_no_more_reads_are_in_flight_than_allowed(tooled: Stage, toolbox: Toolbox) -> None:
    toolbox.seconds = 0.1
    tooled.script(
        ModelTurn(calls=tuple(call("fetch", query=str(number)) for number in range(7))), ModelTurn(text="done")
    )
    record = await tooled.run(limits=replace(LIMITS, parallel_reads=3))
    assert record.tool_calls == 7
    assert toolbox.most_in_flight == 3


async def test_a_call_is_repeated_unchanged_only_so_often(tooled: Stage, toolbox: Toolbox) -> None:
    spellings = ('{"query":"x"}', '{"limit":5,"query":"x"}', '{"limit":"5","query":" x "}')
    tooled.script(
        *(ModelTurn(calls=(ScriptedCall(name="lookup", arguments=spelling),)) for spelling in spellings),
        ModelTurn(text="done"),
    )
    record = await tooled.run()
    assert (record.status, record.iterations, record.tool_calls) == (RunStatus.COMPLETED, 4, 2)
    assert await codes(tooled, record.request_id) == [None, None, "repeated_call"]
    assert toolbox.made == ["x", "x"]


async def test_a_tool_that_stalls_is_stopped_at_its_own_timeout(tooled: Stage, toolbox: Toolbox) -> None:
    tooled.script(ModelTurn(calls=(call("stall"),)), ModelTurn(text="done"))
    record = await tooled.run()
    assert record.status is RunStatus.COMPLETED
    assert await codes(tooled, record.request_id) == ["tool_timeout"]
    assert toolbox.log == [("begin", "stall"), ("end", "stall")]


async def test_the_run_timeout_stops_tools_early_enough_to_answer(tooled: Stage) -> None:
    calls = (call("lookup", query="a"), call("stall_long"), call("lookup", query="b"))
    tooled.script(ModelTurn(calls=calls), ModelTurn(text="as far as I got"))
    record = await tooled.run(limits=replace(LIMITS, run_timeout=timedelta(seconds=4)))
    assert (record.status, record.iterations) == (RunStatus.COMPLETED, 2)
    assert await codes(tooled, record.request_id) == [None, "tool_timeout", None]
    assert await tooled.answers(record.request_id) == [("answer", "as far as I got")]


async def test_calls_for_which_no_time_is_left_are_refused_and_it_is_answered(tooled: Stage, toolbox: Toolbox) -> None:
    calls = (call("note", text="a"), call("stall_long"), call("note", text="b"))
    # Two of three calls cannot be made together with the stalled one, so the last comes when the tools' time is over.
    toolbox.seconds = 0.01
    tooled.script(ModelTurn(calls=calls), ModelTurn(text="as far as I got"))
    record = await tooled.run(limits=replace(LIMITS, run_timeout=timedelta(seconds=4)))
    assert record.status is RunStatus.COMPLETED
    assert await codes(tooled, record.request_id) == [None, "tool_timeout", "run_timeout"]
    assert toolbox.made == ["a", "stall"]


async def test_a_turn_that_outlasts_the_run_ends_it_with_a_notice(tooled: Stage) -> None:
    tooled.script(ModelTurn(text="late", delay_seconds=20))
    record = await tooled.run(limits=replace(LIMITS, run_timeout=timedelta(seconds=2)))
    assert (record.status, record.error_code) == (RunStatus.FAILED, "run_timeout")
    ((purpose, _),) = await tooled.answers(record.request_id)
    assert purpose == "notice"


async def test_a_slow_turn_with_tools_is_given_up_for_one_that_answers(tooled: Stage) -> None:
    tooled.script(
        ModelTurn(calls=(call("lookup", query="a"),)),
        ModelTurn(calls=(call("lookup", query="b"),), delay_seconds=20),
        ModelTurn(text="from a alone"),
    )
    record = await tooled.run(limits=replace(LIMITS, run_timeout=timedelta(seconds=6)))
    assert (record.status, record.iterations) == (RunStatus.COMPLETED, 3)
    assert await tooled.answers(record.request_id) == [("answer", "from a alone")]


async def test_writes_run_alone_and_in_the_models_order(tooled: Stage, toolbox: Toolbox) -> None:
    toolbox.seconds = 0.05
    calls = (
        call("fetch", query="r1"),
        call("fetch", query="r2"),
        call("note", text="w1"),
        call("note", text="w2"),
        call("fetch", query="r3"),
    )
    tooled.script(ModelTurn(calls=calls), ModelTurn(text="done"))
    record = await tooled.run()
    assert record.tool_calls == 5
    assert [what for _, what in toolbox.log[4:]] == ["w1", "w1", "w2", "w2", "r3", "r3"]
    assert {what for _, what in toolbox.log[:4]} == {"r1", "r2"}


async def test_whatever_is_wrong_with_a_call_is_a_result_and_the_run_goes_on(tooled: Stage) -> None:
    calls = (
        call("no_such_tool", a=1),
        ScriptedCall(name="lookup", arguments='{"query": '),
        ScriptedCall(name="lookup", arguments='{"query": "x", "limit": 99, "more": 1}'),
        ScriptedCall(name="refuse", arguments=""),
        ScriptedCall(name="refuse", arguments=None),
        call("broken"),
    )
    tooled.script(ModelTurn(calls=calls), ModelTurn(text="done"))
    record = await tooled.run()
    assert record.status is RunStatus.COMPLETED
    expected = ["unknown_tool", "invalid_json", "invalid_arguments", "too_odd", "too_odd", "tool_failed"]
    assert await codes(tooled, record.request_id) == expected
    results = {result.position: result.result for result in await tooled.runs.tool_results(record.request_id)}
    assert "limit: " in results[2]
    assert "more: " in results[2]
    assert "canary" not in results[5]


async def test_a_model_that_calls_what_it_was_not_offered_gives_its_text(tooled: Stage) -> None:
    tooled.script(ModelTurn(text="anyway", calls=(call("lookup", query="a"),)))
    record = await tooled.run(limits=replace(LIMITS, iterations=1))
    assert (record.status, record.tool_calls) == (RunStatus.COMPLETED, 0)
    assert await tooled.answers(record.request_id) == [("answer", "anyway")]


async def test_a_call_for_every_event_is_cut_to_what_a_run_may_ever_make(tooled: Stage) -> None:
    calls = tuple(call("no_such_tool", number=number) for number in range(200))
    tooled.script(ModelTurn(calls=calls), ModelTurn(text="done"))
    record = await tooled.run()
    assert record.status is RunStatus.COMPLETED
    assert len(await tooled.results(record.request_id)) == 64
