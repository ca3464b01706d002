"""Histories: small, without content, and replayable by the workflow as it is now."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast

import pytest
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer

from devstack.scripted_turns import ModelTurn, ScriptedCall
from gopher.dispatch import RequestDispatcher
from gopher.domain.ids import RequestId, workflow_id
from gopher.domain.runs import RunLimits, Surface
from gopher.sandbox import workflow_runner
from gopher.store.requests import RequestOutbox
from tests.workflows.record_histories import HISTORIES
from tests.workflows.scenarios import SCENARIOS
from tests.workflows.stage import Stage, call
from tests.workflows.test_dispatch import dispatching
from tests.workflows.toolbox import TOOLS, Toolbox
from workflows.agent import AgentWorkflow

CANARY = "canary"
RECORDED = {file.stem: file.read_text(encoding="utf-8") for file in sorted(HISTORIES.glob("*.json"))}


def replayer() -> Replayer:
    return Replayer(
        workflows=[AgentWorkflow], workflow_runner=workflow_runner(), data_converter=pydantic_data_converter
    )


def words(value: object) -> Iterator[str]:
    """Every text in a history, payloads decoded."""
    match value:
        case str():
            yield value
            try:
                yield base64.b64decode(value, validate=True).decode("utf-8", "replace")
            except ValueError:
                return
        case Mapping():
            for key, item in cast("Mapping[str, object]", value).items():
                yield key
                yield from words(item)
        case list():
            for item in cast("list[object]", value):
                yield from words(item)
        case _:
            return


async def run_to_the_end(stage: Stage, request_id: RequestId) -> WorkflowHistory:
    """Start a journaled request through the dispatcher, as in production, and fetch its history when it has ended."""
    outbox = RequestOutbox(stage.pool)
    dispatcher = RequestDispatcher(outbox=outbox, client=stage.client, limits=RunLimits())
    async with stage.channel(), stage.worker(), dispatching(dispatcher):
        handle = stage.client.get_workflow_handle(workflow_id(request_id))
        await stage.ended(request_id)
        await handle.result()
    await outbox.close()
    return await handle.fetch_history()


@pytest.mark.parametrize("name", RECORDED)
async def test_a_recorded_history_replays(name: str) -> None:
    await replayer().replay_workflow(WorkflowHistory.from_json(f"agent/{name}", RECORDED[name]))


def test_every_scenario_is_recorded() -> None:
    assert set(RECORDED) == set(SCENARIOS)


async def test_a_history_that_another_workflow_made_does_not_replay() -> None:
    history = WorkflowHistory.from_json("agent/1", RECORDED["answer"].replace("model_turn", "some_turn"))
    with pytest.raises(Exception, match="TMPRL1100"):
        await replayer().replay_workflow(history)


async def test_three_turns_and_four_tool_calls_fit_the_budget_of_events_and_bytes(stage: Stage) -> None:
    tooled = replace(stage, tools=TOOLS, bodies=Toolbox().bodies)
    tooled.script(
        ModelTurn(calls=(call("lookup", query="a"), call("lookup", query="b"))),
        ModelTurn(calls=(call("lookup", query="c"), call("lookup", query="d"))),
        ModelTurn(text="done"),
    )
    for number in range(30):
        await tooled.say(f"{number} " * 400, surface=Surface.DISCORD)
    history = await run_to_the_end(tooled, await tooled.ask(surface=Surface.DISCORD))
    assert len(history.events) <= 40
    assert sum(event.ByteSize() for event in history.events) <= 16_000


async def test_no_word_of_a_member_or_a_model_enters_a_history(stage: Stage) -> None:
    tooled = replace(stage, tools=TOOLS, bodies=Toolbox().bodies)
    tooled.script(
        ModelTurn(
            text=f"{CANARY} thinks",
            calls=(
                call("lookup", query=CANARY),
                call("fetch", query=CANARY),
                call("note", text=CANARY),
                call(f"{CANARY}_tool", text=CANARY),
                call("broken"),
                ScriptedCall(name="lookup", arguments=f'{{"{CANARY}'),
                ScriptedCall(name="lookup", arguments=f'{{"{CANARY}": 1}}', id=CANARY),
            ),
        ),
        ModelTurn(status=503, error={"message": f"unhappy about {CANARY}", "code": "overloaded"}),
        ModelTurn(text=CANARY),
    )
    await tooled.say(CANARY, surface=Surface.DISCORD)
    request_id = await tooled.ask(CANARY, surface=Surface.DISCORD)
    history = await run_to_the_end(tooled, request_id)
    assert (await tooled.answers(request_id)) == [("answer", CANARY)]
    assert not [word for word in words(json.loads(history.to_json())) if CANARY in word]
    described = await tooled.client.get_workflow_handle(workflow_id(request_id)).describe()
    assert CANARY not in str(described.raw_description)


async def test_previews_are_shown_only_when_an_operator_asked_for_them(stage: Stage) -> None:
    previewing = replace(stage, settings=stage.settings.model_copy(update={"temporal_previews": True}))
    previewing.script(ModelTurn(text="the words of the answer"))
    record = await previewing.run()
    history = await stage.client.get_workflow_handle(workflow_id(record.request_id)).fetch_history()
    assert [word for word in words(json.loads(history.to_json())) if "the words of the answer" in word]
