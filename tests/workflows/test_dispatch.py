"""The dispatcher: every journaled request is started once, in order, whatever is away."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from devstack.scripted_turns import ModelTurn
from devstack.temporal import Temporal
from gopher.dispatch import RequestDispatcher
from gopher.domain.ids import UserId, workflow_id
from gopher.domain.runs import RunLimits, RunStatus, Surface
from gopher.store.journal import Journal
from gopher.store.requests import RequestOutbox
from tests.workflows.stage import CHANNEL, GUILD, MEMBER, Stage, connected, search_attributes, until
from workflows.agent import AgentWorkflow


@asynccontextmanager
async def dispatching(dispatcher: RequestDispatcher) -> AsyncGenerator[asyncio.Task[None]]:
    """Dispatch while the body runs."""
    task = asyncio.create_task(dispatcher.run())
    yield task
    assert not task.done(), task.result()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
async def outbox(stage: Stage) -> AsyncGenerator[RequestOutbox]:
    outbox = RequestOutbox(stage.pool)
    yield outbox
    await outbox.close()


@pytest.fixture
def dispatcher(stage: Stage, outbox: RequestOutbox) -> RequestDispatcher:
    return RequestDispatcher(outbox=outbox, client=stage.client, limits=RunLimits())


@contextmanager
def lines(logger: str) -> Generator[list[str]]:
    """Collect what is logged."""
    collected: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            collected.append(record.getMessage())

    collector = Collector(logging.WARNING)
    logging.getLogger(logger).addHandler(collector)
    yield collected
    logging.getLogger(logger).removeHandler(collector)


async def test_a_request_is_started_with_what_operators_look_for(stage: Stage, dispatcher: RequestDispatcher) -> None:
    stage.script(ModelTurn(text="hi"))
    async with stage.channel(), stage.worker(), dispatching(dispatcher):
        request_id = await stage.ask(surface=Surface.DISCORD)
        await stage.ended(request_id)
        handle = stage.client.get_workflow_handle_for(AgentWorkflow.run, workflow_id(request_id))
        await handle.result()
    described = await handle.describe()
    assert await search_attributes(handle) == {
        "GuildId": str(GUILD),
        "ChannelId": str(CHANNEL),
        "UserId": str(MEMBER),
        "RunStatus": "completed",
    }
    assert await described.static_summary() == (f"message {request_id} by {MEMBER} in guild {GUILD}, channel {CHANNEL}")
    assert await described.static_details() is None


async def test_previews_of_requests_are_for_operators_who_asked(stage: Stage, outbox: RequestOutbox) -> None:
    previewing = RequestDispatcher(outbox=outbox, client=stage.client, limits=RunLimits(), previews=Journal(stage.pool))
    request_id = await stage.ask("what\nis up", surface=Surface.TERMINAL)
    async with dispatching(previewing):

        async def started() -> bool:
            facts = await outbox.facts(request_id)
            return facts is not None and facts.state == "started"

        await until(started)
    described = await stage.client.get_workflow_handle(workflow_id(request_id)).describe()
    assert await described.static_details() == "what is up"


async def test_requests_of_one_member_run_in_order_and_those_of_others_beside_them(
    stage: Stage, dispatcher: RequestDispatcher
) -> None:
    stage.script(*(ModelTurn(text="hi", delay_seconds=0.3, match=None) for _ in range(4)))
    async with stage.worker(), dispatching(dispatcher):
        first = [await stage.ask(f"{number}") for number in range(3)]
        other = await stage.ask("other", author=UserId(MEMBER + 1))
        await asyncio.gather(*(stage.ended(request_id) for request_id in [*first, other]))
    asked = [str(request.body) for request in stage.providers.requests]
    ended = [request.finished_at or 0 for request in stage.providers.requests]
    order = [
        next(index for index, body in enumerate(asked) if f":request id={request_id} " in body) for request_id in first
    ]
    assert order == sorted(order)
    begun = [request.received_at for request in stage.providers.requests]
    assert begun[order[1]] > ended[order[0]]
    beside = next(index for index, body in enumerate(asked) if f":request id={other} " in body)
    assert begun[beside] < ended[order[0]]


async def test_two_dispatchers_start_a_request_once(stage: Stage, dispatcher: RequestDispatcher) -> None:
    stage.script(*(ModelTurn(text="hi") for _ in range(6)))
    requests = [await stage.ask(author=UserId(MEMBER + number)) for number in range(6)]
    outbox = RequestOutbox(stage.pool)
    second = RequestDispatcher(outbox=outbox, client=stage.client, limits=RunLimits())
    async with stage.worker(), dispatching(dispatcher), dispatching(second):
        await asyncio.gather(*(stage.ended(request_id) for request_id in requests))
    await outbox.close()
    assert len(stage.providers.requests) == 6


async def test_a_request_that_was_started_already_counts_as_started(
    stage: Stage, dispatcher: RequestDispatcher
) -> None:
    stage.script(ModelTurn(text="hi"))
    record = await stage.run()  # started beside the outbox, as by a dispatcher that died before it could say so
    async with stage.pool.connection() as connection:
        await connection.execute("update agent_requests set state = 'queued'")
    async with dispatching(dispatcher):

        async def started() -> bool:
            facts = await RequestOutbox(stage.pool).facts(record.request_id)
            return facts is not None and facts.state == "started"

        await until(started)
    assert len(stage.providers.requests) == 1


async def test_a_request_waits_for_temporal_and_one_line_tells_of_it(stage: Stage, tmp_path: Path) -> None:
    server = Temporal(tmp_path / "temporal.db", log=tmp_path / "temporal.log")
    await server.start()
    client = await connected(server.address, "default")
    outbox = RequestOutbox(stage.pool)
    own = replace(stage, client=client, settings=stage.settings.model_copy(update={"temporal_namespace": "default"}))
    own.script(ModelTurn(text="hi"))
    dispatcher = RequestDispatcher(outbox=outbox, client=client, limits=RunLimits())
    async with own.worker():
        with lines("gopher.dispatch") as logged:
            await server.stop()
            async with dispatching(dispatcher):
                request_id = await own.ask()
                await asyncio.sleep(6)
                assert await own.answers(request_id) == []
                await server.start()
                await own.ended(request_id, within=timedelta(seconds=40))
    await outbox.close()
    run = await own.runs.run_details(request_id)
    assert run is not None
    assert run.summary.status is RunStatus.COMPLETED
    assert [line.partition(" (")[0].partition(" after")[0] for line in logged] == [
        "Temporal is away",
        "Temporal is back",
    ]
    await server.stop()
