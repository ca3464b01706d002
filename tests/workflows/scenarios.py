"""Runs whose histories are recorded: together they pass through every branch of the agent workflow."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType
from typing import Final

from temporalio.client import WorkflowFailureError

from devstack.scripted_turns import ModelTurn
from gopher.domain.ids import RequestId
from gopher.domain.runs import RunLimits, Surface
from gopher.domain.visibility import OperatorDecision
from tests.workflows.stage import Stage, call, search_attributes, until
from tests.workflows.toolbox import TOOLS, Toolbox
from workflows.agent import AgentWorkflow


async def answer(stage: Stage) -> RequestId:
    stage.script(ModelTurn(text="hi"))
    return (await stage.run()).request_id


async def tools(stage: Stage) -> RequestId:
    """Local and remote reads together, a write between them, refusals of three kinds, a tool that stalls."""
    tooled = replace(stage, tools=TOOLS, bodies=Toolbox().bodies)
    tooled.script(
        ModelTurn(
            calls=(
                call("lookup", query="a"),
                call("fetch", query="b"),
                call("note", text="c"),
                call("nothing"),
                call("stall"),
            )
        ),
        ModelTurn(calls=(call("lookup", query="a"), call("lookup", query="a"), call("lookup", query="d"))),
        ModelTurn(text="done"),
    )
    async with tooled.channel():
        return (await tooled.run(limits=replace(RunLimits(), tool_calls=5), surface=Surface.DISCORD)).request_id


async def failure(stage: Stage) -> RequestId:
    stage.script(ModelTurn(status=503), ModelTurn(status=401))
    async with stage.channel():
        return (await stage.run(surface=Surface.DISCORD)).request_id


async def timeout(stage: Stage) -> RequestId:
    """A turn with tools that is given up for one that answers from what is there."""
    tooled = replace(stage, tools=TOOLS, bodies=Toolbox().bodies)
    tooled.script(
        ModelTurn(calls=(call("lookup", query="a"),)), ModelTurn(text="late", delay_seconds=9), ModelTurn(text="now")
    )
    return (await tooled.run(limits=replace(RunLimits(), run_timeout=timedelta(seconds=4)))).request_id


async def operator(stage: Stage) -> RequestId:
    async with stage.pool.connection() as connection:
        await connection.execute("alter table agent_prompts rename to misplaced")
    stage.script(ModelTurn(text="after all"))
    request_id = await stage.ask()
    async with stage.worker():
        handle = await stage.start(request_id)

        async def waits() -> bool:
            return (await search_attributes(handle)).get("RunStatus") == "needs_operator"

        await until(waits)
        async with stage.pool.connection() as connection:
            await connection.execute("alter table misplaced rename to agent_prompts")
        await handle.signal(AgentWorkflow.operator, OperatorDecision.RETRY)
        await handle.result()
    return request_id


async def cancelled(stage: Stage) -> RequestId:
    stage.script(ModelTurn(text="never", delay_seconds=30))
    request_id = await stage.ask()
    async with stage.worker():
        handle = await stage.start(request_id)

        async def asked() -> bool:
            return len(stage.providers.requests) == 1

        await until(asked)
        await handle.cancel()
        try:
            await handle.result()
        except WorkflowFailureError:
            return request_id
    raise AssertionError("the workflow was cancelled and did not end so")


SCENARIOS: Final[Mapping[str, Callable[[Stage], Awaitable[RequestId]]]] = MappingProxyType(
    {
        "answer": answer,
        "tools": tools,
        "failure": failure,
        "timeout": timeout,
        "operator": operator,
        "cancelled": cancelled,
    }
)
