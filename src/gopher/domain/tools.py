"""Tools as a model sees them: their declaration, the registry, and the summary of a call for the planner."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final, cast

from pydantic import BaseModel, ConfigDict

from gopher.domain.arguments import fingerprint, parse_arguments, raw_fingerprint
from gopher.domain.conversation import RequestedCall, ToolDefinition
from gopher.domain.runs import CallSummary, Effect, TaskQueue
from gopher.errors import ConfigurationError, Rejected

UNKNOWN_TOOL: Final = "unknown"
"""Stands for any name that is no tool's: what a model invented is content and stays out of histories."""

_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class Keep(StrEnum):
    """Which end of a list in a result matters more when it must be trimmed."""

    FIRST = "first"
    """Best first, as searches answer."""
    LAST = "last"
    """Newest last, as conversations read."""


class ToolArguments(BaseModel):
    """Base of every tool's arguments: unknown names are refused, text is stripped, an id may come as a number."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True, coerce_numbers_to_str=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool's declaration: one source for what the model is told, what is accepted, and how a call is made."""

    name: str
    """At most 64 letters, digits, underscores and dashes."""
    description: str
    """For the model: what it does, when to use it."""
    arguments: type[BaseModel]
    effect: Effect
    parallel_safe: bool
    """May run beside other reads. A write never does."""
    queue: TaskQueue
    timeout: timedelta | None = None
    """None means the run's `tool_timeout`."""
    local: bool = False
    """Short work on the store, made inside the workflow task; only for reads on the queue `gopher`."""
    keep: Keep = Keep.FIRST


class ToolRegistry:
    """The tools of a deployment, in the order in which models are told of them."""

    def __init__(self, specs: Iterable[ToolSpec] = ()) -> None:
        """Check the declarations.

        Raises:
            ConfigurationError: `invalid_tool_registry`: a name is used twice, reserved or malformed, or a declaration
                contradicts itself.
        """
        self._specs: dict[str, ToolSpec] = {}
        for spec in specs:
            if fault := _fault(spec):
                raise ConfigurationError(f"The tool {spec.name!r} {fault}.", code="invalid_tool_registry")
            if spec.name in self._specs:
                raise ConfigurationError(f"The tool {spec.name!r} is registered twice.", code="invalid_tool_registry")
            self._specs[spec.name] = spec
        self.definitions: Final = tuple(_definition(spec) for spec in self._specs.values())

    def __iter__(self) -> Iterator[ToolSpec]:
        return iter(self._specs.values())

    def __len__(self) -> int:
        return len(self._specs)

    def get(self, name: str) -> ToolSpec | None:
        """Find a tool; None when there is none of that name."""
        return self._specs.get(name)

    def summarize(self, position: int, call: RequestedCall) -> CallSummary:
        """Tell the planner what it needs to know of a call, without a word of its content."""
        spec = self._specs.get(call.name)
        if spec is None:
            return CallSummary(
                position=position,
                name=UNKNOWN_TOOL,
                effect=Effect.READ,
                parallel_safe=False,
                queue=TaskQueue.GOPHER,
                local=False,
                timeout=None,
                fingerprint=raw_fingerprint(call.name, call.arguments),
            )
        return CallSummary(
            position=position,
            name=spec.name,
            effect=spec.effect,
            parallel_safe=spec.parallel_safe,
            queue=spec.queue,
            local=spec.local,
            timeout=spec.timeout,
            fingerprint=_fingerprint(spec, call.arguments),
        )


def _fault(spec: ToolSpec) -> str | None:
    if not _NAME.fullmatch(spec.name):
        return "has a name that the protocol does not allow: at most 64 letters, digits, underscores and dashes"
    if spec.name == UNKNOWN_TOOL:
        return "has the name that stands for tools that do not exist"
    if spec.parallel_safe and spec.effect is Effect.WRITE:
        return "is a write and so cannot be parallel-safe"
    if spec.local and (spec.effect is Effect.WRITE or spec.queue is not TaskQueue.GOPHER):
        return "is local, which only reads on the queue gopher can be"
    return None


def _fingerprint(spec: ToolSpec, arguments: str) -> str:
    try:
        return fingerprint(spec.name, parse_arguments(spec.arguments, arguments))
    except Rejected:
        return raw_fingerprint(spec.name, arguments)


def _definition(spec: ToolSpec) -> ToolDefinition:
    schema = _without_titles(spec.arguments.model_json_schema())
    return ToolDefinition(name=spec.name, description=spec.description, parameters=schema)


def _without_titles(schema: Mapping[str, object]) -> dict[str, object]:
    """Drop pydantic's generated titles, which only cost tokens; a field that is called `title` stays."""
    trimmed: dict[str, object] = {}
    for key, value in schema.items():
        if key == "title" and isinstance(value, str):
            continue
        trimmed[key] = _named_schemas(value) if key in ("properties", "$defs") else _schema_value(value)
    return trimmed


def _named_schemas(value: object) -> object:
    named = cast("Mapping[str, Mapping[str, object]]", value)
    return {name: _without_titles(schema) for name, schema in named.items()}


def _schema_value(value: object) -> object:
    if isinstance(value, Mapping):
        return _without_titles(cast("Mapping[str, object]", value))
    if isinstance(value, list):
        return [_schema_value(item) for item in cast("list[object]", value)]
    return value
