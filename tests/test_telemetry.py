"""Logs and traces: what every line holds, what no line or span holds, and that one request is one trace."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from types import TracebackType
from typing import cast

import pytest
from aiohttp import web
from opentelemetry import trace
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import TracerProvider

from devstack.scripted_turns import ModelTurn
from gopher import telemetry
from gopher.domain.runs import Surface
from gopher.errors import ProviderUnavailable, Rejected
from gopher.telemetry import JsonLines, context_of
from tests.workflows.conftest import providers, stage
from tests.workflows.process import worker_process
from tests.workflows.stage import Stage, until

__all__ = ["providers", "stage"]  # fixtures

CANARY = "canary"
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
TRACEPARENT = f"00-{TRACE_ID}-b7ad6b7169203331-01"


def line(**attributes: object) -> dict[str, object]:
    record = logging.LogRecord("gopher.test", logging.INFO, __file__, 1, "%s things", (3,), None)
    vars(record).update(attributes)
    return json.loads(JsonLines("worker").format(record))


def raised(error: Exception) -> tuple[type[Exception], Exception, TracebackType | None]:
    def fail() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        fail()
    return type(caught.value), caught.value, caught.value.__traceback__


def test_a_line_holds_time_level_process_logger_and_message() -> None:
    written = line()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", str(written.pop("time")))
    assert written == {"level": "info", "process": "worker", "logger": "gopher.test", "message": "3 things"}


def test_only_allowed_extras_get_into_a_line() -> None:
    written = line(request_id=7, code="x", content=CANARY, prompt=CANARY, text=CANARY)
    assert (written["request_id"], written["code"]) == (7, "x")
    assert CANARY not in json.dumps(written)


def test_an_allowed_extra_that_is_a_whole_text_is_cut() -> None:
    assert len(str(line(code="x" * 5000)["code"])) < 1100


def test_an_exception_is_told_by_class_and_frames_without_its_words() -> None:
    written = line(exc_info=raised(ValueError(f"cannot parse {CANARY}")))
    error = cast("dict[str, object]", written["error"])
    assert error["class"] == "ValueError"
    assert "test_telemetry.py" in str(error["frames"])
    assert CANARY not in json.dumps(written)


def test_an_error_of_our_own_is_told_by_code_and_only_where_that_is_safe_by_its_sentence() -> None:
    told = line(exc_info=raised(ProviderUnavailable("The provider at x is away.", code="provider_unavailable")))[
        "error"
    ]
    assert isinstance(told, dict)
    assert (told["code"], told["sentence"]) == ("provider_unavailable", "The provider at x is away.")
    untold = line(exc_info=raised(Rejected(f"{CANARY} is no number", code="invalid")))["error"]
    assert isinstance(untold, dict)
    assert untold["code"] == "invalid"
    assert CANARY not in json.dumps(untold)


def test_a_traceparent_survives_the_way_through_a_row() -> None:
    tracer = TracerProvider().get_tracer("test")
    with tracer.start_as_current_span("event", context=context_of(TRACEPARENT)):
        carried = telemetry.current_traceparent()
        assert telemetry.current_trace_id() == TRACE_ID
    assert carried is not None
    with tracer.start_as_current_span("later", context=context_of(carried)) as later:
        assert later.get_span_context().trace_id == int(TRACE_ID, 16)


def test_a_malformed_traceparent_begins_a_trace_of_its_own() -> None:
    assert not trace.get_current_span(context_of("nonsense")).get_span_context().is_valid
    assert telemetry.current_traceparent() is None
    assert telemetry.current_trace_id() is None


async def test_at_debug_only_our_own_lines_are_debug() -> None:
    probe = (
        "import logging; from gopher.telemetry import configure_logging; configure_logging('bot', 'debug');"
        "logging.getLogger('gopher.x').debug('ours'); logging.getLogger('openai').debug('theirs');"
        "logging.getLogger('httpx').info('theirs'); logging.getLogger('disnake').warning('warned')"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", probe, stderr=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[1] / "src"
    )
    _, errors = await process.communicate()
    assert [json.loads(written)["message"] for written in errors.decode().splitlines()] == ["ours", "warned"]


class Collector:
    """An OTLP endpoint that keeps the spans it is sent."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.bodies: list[bytes] = []

    async def traces(self, request: web.Request) -> web.Response:
        body = await request.read()
        self.bodies.append(body)
        export = ExportTraceServiceRequest.FromString(body)
        for resource in export.resource_spans:
            for scope in resource.scope_spans:
                self.spans += scope.spans
        return web.Response()


@pytest.fixture
async def collector() -> AsyncGenerator[tuple[Collector, str]]:
    collector = Collector()
    app = web.Application(client_max_size=2**24)
    app.router.add_post("/v1/traces", collector.traces)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield collector, f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


async def test_one_request_is_one_trace_from_its_event_to_its_end_without_content(
    stage: Stage, collector: tuple[Collector, str], tmp_path: Path
) -> None:
    collected, endpoint = collector
    stage.script(
        ModelTurn(status=503, error={"message": CANARY}),
        ModelTurn(text=CANARY),
    )
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
    async with worker_process(stage.settings, tmp_path, environment=environment) as worker:
        await worker.ready()
        request_id = await stage.ask(CANARY, surface=Surface.TERMINAL, traceparent=TRACEPARENT)
        await stage.ended(request_id)
        await worker.terminate()

    async def exported() -> bool:
        return any(span.name == "RunWorkflow:AgentWorkflow" for span in collected.spans)

    await until(exported)
    ours = [span for span in collected.spans if span.trace_id.hex() == TRACE_ID]
    names = {span.name for span in ours}
    assert {
        "dispatch request",
        "StartWorkflow:AgentWorkflow",
        "RunWorkflow:AgentWorkflow",
        "RunActivity:load_context",
        "RunActivity:model_turn",
        "RunActivity:deliver_to_terminal",
        "RunActivity:record_run",
    } <= names
    assert [span for span in ours if span.name == "RunActivity:model_turn" and span.status.code == 2]
    assert not [body for body in collected.bodies if CANARY.encode() in body]
    run = await stage.runs.run_details(request_id)
    assert run is not None
    assert run.summary.trace_id == TRACE_ID


async def test_a_collector_that_is_away_costs_no_answer(stage: Stage, tmp_path: Path) -> None:
    stage.script(ModelTurn(text="hi"))
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    async with worker_process(stage.settings, tmp_path, environment=environment) as worker:
        await worker.ready()
        request_id = await stage.ask()
        await stage.ended(request_id)
        assert await worker.terminate() == 0
    assert await stage.answers(request_id) == [("answer", "hi")]
