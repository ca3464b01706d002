"""Small tools for tests and benchmarks of runs, and what they noted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from time import perf_counter
from typing import Final

from pydantic import Field

from activities.tools import ToolBody, ToolCall
from gopher.domain.results import JsonValue
from gopher.domain.runs import Effect, TaskQueue
from gopher.domain.tools import ToolArguments, ToolRegistry, ToolSpec
from gopher.errors import Rejected


class Lookup(ToolArguments):
    query: str
    limit: int = Field(default=5, ge=1, le=20)


class Nothing(ToolArguments):
    pass


class Note(ToolArguments):
    text: str


def _spec(
    name: str,
    arguments: type[ToolArguments],
    *,
    effect: Effect = Effect.READ,
    local: bool = False,
    timeout: timedelta | None = None,
) -> ToolSpec:
    return ToolSpec(
        name=name,
        description=f"The {name} of the tests.",
        arguments=arguments,
        effect=effect,
        parallel_safe=effect is Effect.READ,
        queue=TaskQueue.GOPHER,
        local=local,
        timeout=timeout,
    )


TOOLS: Final = ToolRegistry(
    [
        _spec("lookup", Lookup, local=True),
        _spec("fetch", Lookup),
        _spec("note", Note, effect=Effect.WRITE),
        _spec("stall", Nothing, timeout=timedelta(seconds=1)),
        _spec("stall_long", Nothing),
        _spec("broken", Nothing),
        _spec("refuse", Nothing),
    ]
)


@dataclass(kw_only=True)
class Toolbox:
    """The bodies; `log` holds begin and end of every call in the order in which they happened."""

    seconds: float = 0.005
    log: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    in_flight: int = 0
    most_in_flight: int = 0
    ended_at: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def bodies(self) -> Mapping[str, ToolBody]:
        return {
            "lookup": self._work,
            "fetch": self._work,
            "note": self._work,
            "stall": self._stall,
            "stall_long": self._stall,
            "broken": self._broken,
            "refuse": self._refuse,
        }

    @property
    def made(self) -> list[str]:
        """What was asked for, in the order in which the calls began."""
        return [what for moment, what in self.log if moment == "begin"]

    async def _work(self, call: ToolCall) -> JsonValue:
        what = call.arguments.query if isinstance(call.arguments, Lookup) else _text(call)
        self.log.append(("begin", what))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(self.seconds)
        self.in_flight -= 1
        self.log.append(("end", what))
        self.ended_at[what] = perf_counter()
        return {"found": what}

    async def _stall(self, call: ToolCall) -> JsonValue:
        self.log.append(("begin", "stall"))
        try:
            await asyncio.sleep(3600)
        finally:
            self.log.append(("end", "stall"))
        return str(call.position)

    def _broken(self, call: ToolCall) -> Awaitable[JsonValue]:
        raise ZeroDivisionError(f"canary in {call.position}")

    def _refuse(self, call: ToolCall) -> Awaitable[JsonValue]:
        raise Rejected(f"not number {call.position}", code="too_odd")


def _text(call: ToolCall) -> str:
    assert isinstance(call.arguments, Note)
    return call.arguments.text
