"""Delivery from the queue `discord`: waited for while it is away, given up when it is refused."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from temporalio.client import WorkflowExecutionStatus

from devstack.scripted_turns import ModelTurn
from gopher.domain.notices import notice
from gopher.domain.runs import Purpose, RunStatus, Surface
from gopher.errors import DiscordRejected, DiscordUnavailable
from tests.workflows.stage import Stage, search_attributes, until


async def test_an_answer_waits_for_a_bot_that_is_away(stage: Stage) -> None:
    stage.script(ModelTurn(text="patience"))
    request_id = await stage.ask(surface=Surface.DISCORD)
    async with stage.worker():
        handle = await stage.start(request_id, surface=Surface.DISCORD)

        async def answered_by_the_model() -> bool:
            return await stage.runs.turn(request_id, 1) is not None

        await until(answered_by_the_model)
        await asyncio.sleep(1)
        assert (await handle.describe()).status is WorkflowExecutionStatus.RUNNING
        async with stage.channel() as channel:
            record = await handle.result()
    assert record.status is RunStatus.COMPLETED
    assert channel.said == [(Purpose.ANSWER, "patience")]


async def test_a_refused_delivery_ends_the_run_with_its_code_and_no_notice(stage: Stage) -> None:
    stage.script(ModelTurn(text="into the void"))
    request_id = await stage.ask(surface=Surface.DISCORD)
    async with stage.channel() as channel, stage.worker():
        channel.failures.append(DiscordRejected("The channel is gone.", code="channel_gone"))
        handle = await stage.start(request_id, surface=Surface.DISCORD)
        record = await handle.result()
    assert (record.status, record.error_code) == (RunStatus.FAILED, "channel_gone")
    assert channel.attempts == 1
    attributes = await search_attributes(handle)
    assert (attributes["RunStatus"], attributes["ErrorCode"]) == ("failed", "channel_gone")


async def test_discords_own_delay_is_waited(stage: Stage) -> None:
    stage.script(ModelTurn(text="later"))
    request_id = await stage.ask(surface=Surface.DISCORD)
    async with stage.channel() as channel, stage.worker():
        channel.failures += [
            DiscordUnavailable("Discord is away."),
            DiscordUnavailable("Slow down.", retry_after=timedelta(seconds=2)),
        ]
        begun = asyncio.get_running_loop().time()
        record = await (await stage.start(request_id, surface=Surface.DISCORD)).result()
    assert record.status is RunStatus.COMPLETED
    assert asyncio.get_running_loop().time() - begun >= 2
    assert channel.attempts == 3


async def test_a_notice_that_cannot_be_delivered_does_not_change_why_the_run_failed(stage: Stage) -> None:
    stage.script(ModelTurn(status=401))
    request_id = await stage.ask(surface=Surface.DISCORD)
    async with stage.channel() as channel, stage.worker():
        channel.failures.append(DiscordRejected("No permission.", code="permission_lost"))
        record = await (await stage.start(request_id, surface=Surface.DISCORD)).result()
    assert (record.status, record.error_code) == (RunStatus.FAILED, "authentication")


async def test_a_cancelled_run_is_recorded_and_told(stage: Stage) -> None:
    stage.script(ModelTurn(text="never", delay_seconds=60))
    request_id = await stage.ask(surface=Surface.DISCORD)
    async with stage.channel() as channel, stage.worker():
        handle = await stage.start(request_id, surface=Surface.DISCORD)

        async def asked() -> bool:
            return len(stage.providers.requests) == 1

        await until(asked)
        begun = asyncio.get_running_loop().time()
        await handle.cancel()

        async def closed() -> bool:
            return (await handle.describe()).status is WorkflowExecutionStatus.CANCELED

        await until(closed)
        assert asyncio.get_running_loop().time() - begun < 2
    assert channel.said == [(Purpose.NOTICE, notice("cancelled"))]
    run = await stage.runs.run_details(request_id)
    assert run is not None
    assert (run.summary.status, run.summary.error_code) == (RunStatus.CANCELLED, "cancelled")
    assert (await search_attributes(handle))["RunStatus"] == "cancelled"
