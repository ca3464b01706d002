"""Steps that fail unforeseen wait for a person instead of failing the run."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from temporalio.client import WorkflowExecutionStatus, WorkflowHandle
from temporalio.service import RPCError

from devstack.scripted_turns import ModelTurn
from gopher.domain.ids import RequestId
from gopher.domain.notices import notice
from gopher.domain.runs import Purpose, RunRecord, RunStatus, Surface
from gopher.domain.visibility import OperatorDecision
from tests.workflows.stage import ChannelDelivery, Stage, search_attributes, until
from workflows.agent import AgentWorkflow

Handle = WorkflowHandle[AgentWorkflow, RunRecord]


async def rename(stage: Stage, table: str, name: str) -> None:
    async with stage.pool.connection() as connection:
        await connection.execute(f"alter table {table} rename to {name}".encode())


@pytest.fixture
async def channel(stage: Stage) -> AsyncIterator[ChannelDelivery]:
    async with stage.channel() as channel, stage.worker():
        yield channel


async def waiting_run(stage: Stage, table: str) -> tuple[RequestId, Handle]:
    """A run that waits for an operator because a table is missing."""
    await rename(stage, table, "misplaced")
    stage.script(ModelTurn(text="after all"))
    request_id = await stage.ask(surface=Surface.DISCORD)
    handle = await stage.start(request_id, surface=Surface.DISCORD)
    await until(lambda: _waits(handle))
    return request_id, handle


async def details(handle: Handle) -> str:
    return str(await handle.query("__temporal_workflow_metadata"))


async def _waits(handle: Handle) -> bool:
    try:
        return (await search_attributes(handle)).get("RunStatus") == "needs_operator"
    except RPCError:
        return False


async def test_a_repaired_step_is_taken_again_and_the_run_goes_on(stage: Stage, channel: ChannelDelivery) -> None:
    _, handle = await waiting_run(stage, "agent_prompts")
    assert (await handle.describe()).status is WorkflowExecutionStatus.RUNNING
    await rename(stage, "misplaced", "agent_prompts")
    await handle.signal(AgentWorkflow.operator, OperatorDecision.RETRY)
    record = await handle.result()
    assert record.status is RunStatus.COMPLETED
    assert channel.said == [(Purpose.NOTICE, notice("needs_operator")), (Purpose.ANSWER, "after all")]
    attributes = await search_attributes(handle)
    assert attributes["RunStatus"] == "completed"
    assert "ErrorCode" not in attributes


async def test_an_abandoned_run_fails_and_the_requester_is_told_once(stage: Stage, channel: ChannelDelivery) -> None:
    _, handle = await waiting_run(stage, "agent_prompts")
    await handle.signal(AgentWorkflow.operator, OperatorDecision.ABANDON)
    record = await handle.result()
    assert (record.status, record.error_code) == (RunStatus.FAILED, "internal_error")
    assert channel.said == [(Purpose.NOTICE, notice("needs_operator"))]


async def test_a_turn_that_cannot_be_stored_is_taken_again_after_the_repair(
    stage: Stage, channel: ChannelDelivery
) -> None:
    request_id, handle = await waiting_run(stage, "agent_turns")
    await rename(stage, "misplaced", "agent_turns")
    await handle.signal(AgentWorkflow.operator, OperatorDecision.RETRY)
    record = await handle.result()
    assert (record.status, record.iterations) == (RunStatus.COMPLETED, 1)
    assert await stage.answers(request_id) == [("answer", "after all"), ("notice", notice("needs_operator"))]
    assert channel.attempts == 2


async def test_a_word_that_comes_before_the_wait_means_nothing(stage: Stage, channel: ChannelDelivery) -> None:
    await rename(stage, "agent_prompts", "misplaced")
    stage.script(ModelTurn(text="after all"))
    request_id = await stage.ask(surface=Surface.DISCORD)
    handle = await stage.start(request_id, surface=Surface.DISCORD)
    await handle.signal(AgentWorkflow.operator, OperatorDecision.ABANDON)
    await until(lambda: _waits(handle))
    assert (await handle.describe()).status is WorkflowExecutionStatus.RUNNING
    await handle.signal(AgentWorkflow.operator, OperatorDecision.ABANDON)
    assert (await handle.result()).error_code == "internal_error"
    assert channel.attempts == 1


async def test_a_word_that_is_none_is_dropped(stage: Stage, channel: ChannelDelivery) -> None:
    _, handle = await waiting_run(stage, "agent_prompts")
    await handle.signal("operator", "please")
    await handle.signal(AgentWorkflow.operator, OperatorDecision.ABANDON)
    assert (await handle.result()).status is RunStatus.FAILED
    assert channel.attempts == 1


async def test_the_details_say_what_it_waits_for_and_how_it_ended(stage: Stage, channel: ChannelDelivery) -> None:
    _, handle = await waiting_run(stage, "agent_prompts")

    async def shown() -> bool:
        return "waiting for an operator: loading the context failed" in await details(handle)

    await until(shown)
    await handle.signal(AgentWorkflow.operator, OperatorDecision.ABANDON)
    await handle.result()
    assert "internal_error" in await details(handle)
    assert channel.attempts == 1
