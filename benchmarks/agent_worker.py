"""The product's worker with one tool that takes a fixed time: for benchmarks that need calls of a known length."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Final

from activities.tools import ToolCall
from gopher import telemetry
from gopher.configuration import load_settings
from gopher.domain.results import JsonValue
from gopher.domain.runs import Effect, TaskQueue
from gopher.domain.tools import ToolArguments, ToolRegistry, ToolSpec
from worker import serve

TOOL: Final = "look_up"
TOOL_SECONDS: Final = 0.005
"""As long as a lookup in PostgreSQL takes, and as in the measurements that the targets come from."""


class LookUp(ToolArguments):
    """What to look up."""

    query: str


TOOLS: Final = ToolRegistry(
    [
        ToolSpec(
            name=TOOL,
            description="Look something up.",
            arguments=LookUp,
            effect=Effect.READ,
            parallel_safe=True,
            queue=TaskQueue.GOPHER,
            local=True,
            timeout=None,
        )
    ]
)


async def look_up(call: ToolCall) -> JsonValue:
    """Take the time and find something small."""
    await asyncio.sleep(TOOL_SECONDS)
    return {"found": call.position}


if __name__ == "__main__":
    loaded = load_settings()
    telemetry.configure_logging("worker", loaded.log_level)
    asyncio.run(serve(loaded, tools=TOOLS, bodies={TOOL: look_up}))
    sys.stdout.flush()
    os._exit(0)  # the SDK's threads crash the interpreter's own way out now and then
