"""PostgreSQL goes away in the middle of a run: it goes on by itself, and nothing is done twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from devstack.postgres import Postgres
from devstack.scripted_turns import ModelTurn
from gopher.domain.runs import RunStatus
from gopher.store.pool import create_pool
from gopher.store.schema import migrate
from tests.workflows.stage import Stage, until

AWAY_SECONDS = 5


@pytest.fixture
async def server(tmp_path: Path) -> AsyncGenerator[Postgres]:
    server = Postgres(tmp_path / "postgres", log=tmp_path / "postgres.log", durable=False)
    await server.start()
    await migrate(server.url)
    yield server
    await server.stop()


async def test_an_outage_before_the_context_is_bridged(stage: Stage, server: Postgres) -> None:
    stage.script(ModelTurn(text="hi"))
    async with create_pool(server.url) as pool:
        own = replace(stage, pool=pool)
        request_id = await own.ask()
        async with own.worker():
            await server.stop()
            handle = await own.start(request_id)
            await asyncio.sleep(AWAY_SECONDS)
            await server.start()
            record = await handle.result()
        assert record.status is RunStatus.COMPLETED
        assert await own.answers(request_id) == [("answer", "hi")]


async def test_an_outage_during_a_turn_costs_no_second_request(stage: Stage, server: Postgres) -> None:
    stage.script(ModelTurn(text="hi", delay_seconds=2))
    async with create_pool(server.url) as pool:
        own = replace(stage, pool=pool)
        request_id = await own.ask()
        async with own.worker():
            handle = await own.start(request_id)

            async def asked() -> bool:
                return len(own.providers.requests) == 1

            await until(asked)
            await server.stop()
            await asyncio.sleep(AWAY_SECONDS)
            await server.start()
            record = await handle.result()
        assert record.status is RunStatus.COMPLETED
        assert len(own.providers.requests) == 1
        assert await own.answers(request_id) == [("answer", "hi")]
