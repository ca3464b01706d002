"""worker.py: what it waits for, what it refuses, and what goes on when it is killed."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from devstack.postgres import Postgres
from devstack.scripted_turns import ModelTurn
from devstack.temporal import Temporal
from gopher.domain.ids import RequestId, UserId
from gopher.domain.runs import RunStatus
from tests.workflows.process import worker_process
from tests.workflows.stage import MEMBER, Stage, connected, until


async def asked(stage: Stage, times: int) -> None:
    async def so_often() -> bool:
        return len(stage.providers.requests) >= times

    await until(so_often)


async def status(stage: Stage, request_id: RequestId) -> RunStatus | None:
    run = await stage.runs.run_details(request_id)
    return None if run is None else run.summary.status


async def test_a_worker_answers_what_is_journaled_and_stops_with_status_0(stage: Stage, tmp_path: Path) -> None:
    stage.script(ModelTurn(text="hi"))
    async with worker_process(stage.settings, tmp_path) as worker:
        await worker.ready()
        request_id = await stage.ask()
        await stage.ended(request_id)
        assert await worker.terminate() == 0
    assert await stage.answers(request_id) == [("answer", "hi")]
    assert {"ready", "run started", "run ended", "stopping"} <= set(worker.messages)


async def test_a_killed_worker_is_missed_by_its_heartbeat_and_the_turn_is_taken_by_another(
    stage: Stage, tmp_path: Path
) -> None:
    stage.script(ModelTurn(text="slow", delay_seconds=60), ModelTurn(text="quick"))
    async with worker_process(stage.settings, tmp_path, name="first") as first:
        await first.ready()
        request_id = await stage.ask()
        await asked(stage, 1)
        async with worker_process(stage.settings, tmp_path, name="second") as second:
            await second.ready()
            await first.kill()
            killed = asyncio.get_running_loop().time()
            await stage.ended(request_id)
            silence = asyncio.get_running_loop().time() - killed
    # Its start-to-close timeout would have been more than two minutes.
    assert silence < 10
    assert len(stage.providers.requests) == 2
    assert await stage.answers(request_id) == [("answer", "quick")]


async def test_a_turn_in_flight_goes_on_elsewhere_after_sigterm(stage: Stage, tmp_path: Path) -> None:
    stage.script(ModelTurn(text="slow", delay_seconds=60), ModelTurn(text="quick"))
    async with worker_process(stage.settings, tmp_path, name="first") as first:
        await first.ready()
        request_id = await stage.ask()
        await asked(stage, 1)
        async with worker_process(stage.settings, tmp_path, name="second") as second:
            await second.ready()
            assert await first.terminate() == 0
            await stage.ended(request_id, within=timedelta(seconds=10))
    assert await stage.answers(request_id) == [("answer", "quick")]


async def test_five_killed_in_flight_are_each_answered_once(stage: Stage, tmp_path: Path) -> None:
    stage.script(*(ModelTurn(text="hi", delay_seconds=0.5) for _ in range(20)))
    requests = [await stage.ask(author=UserId(MEMBER + number)) for number in range(5)]
    for attempt in range(3):
        async with worker_process(stage.settings, tmp_path, name=f"victim{attempt}") as victim:
            await victim.ready()
            await asyncio.sleep(0.4 * attempt)
            await victim.kill()
    async with worker_process(stage.settings, tmp_path, name="last") as last:
        await last.ready()
        await asyncio.gather(*(stage.ended(request_id, within=timedelta(seconds=40)) for request_id in requests))
    for request_id in requests:
        assert await status(stage, request_id) is RunStatus.COMPLETED
        assert await stage.answers(request_id) == [("answer", "hi")]


async def test_a_worker_waits_for_postgresql_and_says_so(stage: Stage, tmp_path: Path) -> None:
    server = Postgres(tmp_path / "postgres", log=tmp_path / "postgres.log", durable=False)
    await server.start()
    settings = stage.settings.model_copy(update={"database_url": server.url})
    await server.stop()
    async with worker_process(settings, tmp_path) as worker:
        await worker.says("PostgreSQL is away")
        await server.start()
        await worker.ready()
        assert await worker.terminate() == 0
    assert sum("PostgreSQL is" in message for message in worker.messages) == 2
    await server.stop()


async def test_a_worker_waits_for_temporal_and_says_so(stage: Stage, tmp_path: Path) -> None:
    server = Temporal(tmp_path / "temporal.db", log=tmp_path / "temporal.log")
    settings = stage.settings.model_copy(update={"temporal_address": server.address, "temporal_namespace": "default"})
    async with worker_process(settings, tmp_path) as worker:
        await worker.says("Temporal does not answer")
        await server.start()
        await worker.ready()
        own = replace(stage, settings=settings, client=await connected(server.address, "default"))
        own.script(ModelTurn(text="hi"))
        await own.ended(await own.ask())
        assert await worker.terminate() == 0
    await server.stop()


async def test_a_worker_that_waits_stops_at_once(stage: Stage, tmp_path: Path) -> None:
    settings = stage.settings.model_copy(update={"temporal_address": "127.0.0.1:9"})
    async with worker_process(settings, tmp_path) as worker:
        await worker.says("schema is at version")
        assert await worker.terminate() == 0


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"TEMPORAL_NAMESPACE": "nowhere"}, "Temporal has no namespace 'nowhere'"),
        ({"OPENAI_API_KEY": ""}, "OPENAI_API_KEY is not set"),
        ({"DATABASE_URL": ""}, "DATABASE_URL is not set"),
        ({"OPENAI_BASE_URL": "https://example.com/v1?a=b"}, "OPENAI_BASE_URL"),
        ({"AGENT_MAX_ITERATIONS": "99"}, "AGENT_MAX_ITERATIONS must be at most 30"),
        ({"TEMPORAL_ADDRESS": "nonsense"}, "TEMPORAL_ADDRESS"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "collector"}, "OTEL_EXPORTER_OTLP_ENDPOINT"),
    ],
)
async def test_what_only_an_operator_can_mend_is_one_sentence_and_status_2(
    stage: Stage, tmp_path: Path, environment: dict[str, str], sentence: str
) -> None:
    settings = stage.settings.model_copy(update={"openai_api_key": None})
    async with worker_process(settings, tmp_path, environment=environment) as worker:
        assert await worker.ended() == 2
    sentences = [line for line in worker.lines if not line.startswith("{")]
    assert len(sentences) == 1
    assert sentence in sentences[0]


async def test_every_line_is_json_with_its_ids(stage: Stage, tmp_path: Path) -> None:
    stage.script(ModelTurn(text="canary"))
    async with worker_process(stage.settings, tmp_path) as worker:
        await worker.ready()
        request_id = await stage.ask("canary")
        await stage.ended(request_id)
        await worker.terminate()
    records = [json.loads(line) for line in worker.lines]
    for record in records:
        assert {"time", "level", "process", "logger", "message"} <= set(record)
    (ended,) = [record for record in records if record["message"] == "run ended"]
    assert ended["request_id"] == request_id
    assert ended["workflow_id"] == f"agent/{request_id}"
    assert len(ended["trace_id"]) == 32
    (started,) = [record for record in records if record["message"] == "run started"]
    assert started["request_id"] == request_id
    assert not [line for line in worker.lines if "canary" in line]
