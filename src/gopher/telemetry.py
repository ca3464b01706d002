"""Logs and traces of a process: one JSON object a line, spans from gateway event to reply, never content."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import Final

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, ParentBased
from opentelemetry.trace import Span, SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from temporalio import activity, workflow
from temporalio.contrib.opentelemetry import OpenTelemetryPlugin, ReplaySafeTracerProvider, create_tracer_provider

from gopher.errors import ConfigurationError, DiscordError, GopherError, ProviderError, StoreError

OWN_LOGGERS: Final = ("__main__", "activities", "bot", "devstack", "gopher", "worker", "workflows")
"""Only these may log below WARNING: at DEBUG the SDKs log whole requests, words of members included."""

QUIET_LOGGERS: Final = {
    # Says every failure of an activity again that `activities.errors` has said with its code.
    "temporalio.activity": logging.ERROR,
}

EXTRA_FIELDS: Final = frozenset(
    {
        "activity", "attempt", "attempts", "characters", "channel_id", "chunk", "chunks", "code", "completion_tokens",
        "count", "delay_ms", "duration_ms", "guild_id", "iteration", "iterations", "message_id", "model", "position",
        "prompt_tokens", "purpose", "request_id", "run_id", "status", "surface", "tool", "tool_calls", "user_id",
        "workflow_id",
    }
)  # fmt: skip
"""Names that may be given as `extra`: ids, counts, codes. Anything else is dropped, so that content cannot slip in."""

MOST_CHARACTERS: Final = 1000
"""Of one value: an id, a code and a sentence are shorter, a page of somebody's text is not."""

MOST_FRAMES: Final = 12
"""Of a traceback, the innermost: enough to find the place."""

TRACEPARENT: Final = "traceparent"


def configure_logging(process: str, level: str) -> None:
    """Send all logs of this process to standard error, one JSON object a line.

    Args:
        process: Its name, `bot` or `worker`, in every line.
        level: Least severity of the project's own lines: debug, info, warning or error.
    """
    output = logging.StreamHandler(sys.stderr)
    output.setFormatter(JsonLines(process))
    root = logging.getLogger()
    root.handlers[:] = [output]
    root.setLevel(max(logging.WARNING, _severity(level)))
    for name in OWN_LOGGERS:
        logging.getLogger(name).setLevel(_severity(level))
    for name, severity in QUIET_LOGGERS.items():
        logging.getLogger(name).setLevel(severity)


class JsonLines(logging.Formatter):
    """Writes a record as one line.

    It holds time, level, process, logger, message, the ids at hand, the allowed extras and an error's place.
    An exception is told by its class, its code, its sentence where that is worded without content, and its frames;
    never by its own text, which may quote a value.
    """

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        """Write one line, without the line break."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "process": self._process,
            "logger": record.name,
            "message": _short(record.getMessage()),
        }
        line |= _temporal_ids()
        line |= _trace_ids()
        line |= {name: _plain(value) for name, value in vars(record).items() if name in EXTRA_FIELDS}
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = _error(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def tracing(process: str, endpoint: str | None) -> tuple[ReplaySafeTracerProvider, OpenTelemetryPlugin]:
    """Set up traces and make the plugin for the Temporal client. Once a process.

    Without an endpoint trace ids are made and passed on, so that log lines of one request can be found together, and
    nothing is recorded. Shut the provider down in the end, so that the last spans are sent.

    Raises:
        ConfigurationError: the endpoint is no URL.
    """
    if endpoint is not None and not endpoint.startswith(("http://", "https://")):
        raise ConfigurationError(
            "OTEL_EXPORTER_OTLP_ENDPOINT is no URL: write it as http://host:4318.", code="otlp_endpoint"
        )
    provider = create_tracer_provider(
        sampler=ParentBased(ALWAYS_OFF if endpoint is None else ALWAYS_ON),
        resource=Resource.create({SERVICE_NAME: f"gopher-{process}"}),
        shutdown_on_exit=False,
    )
    if endpoint is not None:
        exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
        provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return provider, OpenTelemetryPlugin(add_temporal_spans=True)


@contextmanager
def span(name: str, *, traceparent: str | None = None, kind: SpanKind = SpanKind.INTERNAL) -> Generator[Span]:
    """Open a span around the body, as a child of `traceparent` or else of the current span.

    An exception that passes through marks it by its class alone.
    """
    tracer = trace.get_tracer("gopher")
    context = context_of(traceparent) if traceparent is not None else None
    with tracer.start_as_current_span(
        name, context=context, kind=kind, record_exception=False, set_status_on_exception=False
    ) as opened:
        try:
            yield opened
        except BaseException as error:
            opened.set_status(trace.StatusCode.ERROR, type(error).__name__)
            raise


def current_traceparent() -> str | None:
    """Write the current span as W3C trace context, to be carried by a row or a header; None when there is no span."""
    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get(TRACEPARENT)


def context_of(traceparent: str) -> Context:
    """Read W3C trace context; one that is malformed gives an empty context, as the standard demands."""
    return TraceContextTextMapPropagator().extract({TRACEPARENT: traceparent}, context=Context())


def current_trace_id() -> str | None:
    """Tell the trace that is going on, in 32 hexadecimal digits; None when there is none."""
    context = trace.get_current_span().get_span_context()
    return f"{context.trace_id:032x}" if context.is_valid else None


def _severity(level: str) -> int:
    return logging.getLevelNamesMapping()[level.upper()]


def _trace_ids() -> dict[str, object]:
    context = trace.get_current_span().get_span_context()
    return {"trace_id": f"{context.trace_id:032x}", "span_id": f"{context.span_id:016x}"} if context.is_valid else {}


def _temporal_ids() -> dict[str, object]:
    if workflow.in_workflow():
        info = workflow.info()
        return {"workflow_id": info.workflow_id, "run_id": info.run_id}
    if activity.in_activity():
        here = activity.info()
        return {"workflow_id": here.workflow_id, "run_id": here.workflow_run_id, "activity": here.activity_type}
    return {}


def _plain(value: object) -> object:
    return value if isinstance(value, int | float | bool) or value is None else _short(str(value))


def _short(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"


def _error(error: BaseException) -> dict[str, object]:
    told: dict[str, object] = {"class": type(error).__qualname__, "frames": _frames(error.__traceback__)}
    if isinstance(error, GopherError):
        told["code"] = error.code
    if isinstance(error, ConfigurationError | ProviderError | StoreError | DiscordError):
        told["sentence"] = _short(str(error))
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        told["cause"] = _error(cause)
    return told


def _frames(trace_of: TracebackType | None) -> list[str]:
    frames = traceback.extract_tb(trace_of)[-MOST_FRAMES:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
