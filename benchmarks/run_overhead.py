"""What durability costs a run, by `python -m benchmarks.run_overhead [--runs N]`.

A run has 3 model turns of 50 ms and 4 tool calls of 5 ms, two of them together. The baseline is the same loop in
plain asyncio, in the same process, alternating with the runs. The runs go through everything: a member's message in
the simulated Discord, gateway, journal, dispatcher, workflow, prompt and transcript in PostgreSQL, the model over
HTTP, the tools, delivery over Discord's REST, records. A run's time is from the request's row to the moment its
answer was sent, by PostgreSQL's clock; beside it stands the time until the run is closed. PostgreSQL is as durable as
`./gopher up` has it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from temporalio.client import Client

from benchmarks.agent_worker import TOOL, TOOL_SECONDS
from benchmarks.report import Target, percentile, print_result, print_table
from devstack.discord import seed
from devstack.scripted_turns import ModelTurn, ScriptedCall
from gopher.domain.ids import RequestId, workflow_id
from tests.system.installation import Installation, installed

TURN_SECONDS: Final = 0.05
WARM_UP: Final = 3
"""Runs that fill caches and open connections; not counted."""

TARGETS: Final = {
    "ratio": Target(value=1.6, at_least=False),
    "added_ms": Target(value=110, at_least=False),
    "history_events": Target(value=40, at_least=False),
    "history_bytes": Target(value=16_000, at_least=False),
}
"""The best measured with a bare workflow was 1.8 and +147 ms; the targets ask for less with the whole product in it."""

SQL_TIMES: Final = """
select extract(epoch from d.sent_at - r.created_at)::float8, extract(epoch from r.finished_at - r.created_at)::float8
from agent_requests r join deliveries d using (request_id)
where r.request_id = %s::bigint and d.chunk = 0
"""


async def main(runs: int) -> int:
    """Measure, print; returns the exit status."""
    with tempfile.TemporaryDirectory(prefix="gopher-run-overhead-") as place:
        async with installed(Path(place), worker=("-m", "benchmarks.agent_worker"), durable=True) as installation:
            await installation.script(*_turns())
            plain: list[float] = []
            sent: list[float] = []
            closed: list[float] = []
            requests: list[int] = []
            for number in range(WARM_UP + runs):
                baseline = await _plain_loop()
                request, times = await _run(installation)
                if number >= WARM_UP:
                    plain.append(baseline)
                    sent.append(times[0])
                    closed.append(times[1])
                    requests.append(request)
            events, size = await _history(installation, requests[-1])
    _report(plain, sent, closed, events=events, size=size)
    return 0


def _turns() -> tuple[ModelTurn, ...]:
    def turn(iteration: int, *queries: str, text: str = "") -> ModelTurn:
        calls = tuple(ScriptedCall(name=TOOL, arguments={"query": query}) for query in queries)
        return ModelTurn(iteration=iteration, calls=calls, text=text, delay_seconds=TURN_SECONDS, times=None)

    return turn(1, "one", "two"), turn(2, "three", "four"), turn(3, text="The answer.")


async def _plain_loop() -> float:
    """The loop without anything durable: what the model and the tools take, and nothing else."""
    begun = time.perf_counter()
    for _ in range(2):
        await asyncio.sleep(TURN_SECONDS)
        await asyncio.gather(asyncio.sleep(TOOL_SECONDS), asyncio.sleep(TOOL_SECONDS))
    await asyncio.sleep(TURN_SECONDS)
    return time.perf_counter() - begun


async def _run(installation: Installation) -> tuple[int, tuple[float, float]]:
    request = await installation.say(seed.ADA, seed.GENERAL_ID, f"<@{seed.BOT.id}> go")
    await installation.answered(request, seed.GENERAL_ID)
    [(sent, closed)] = await installation.rows(SQL_TIMES, request)
    return request, (sent, closed)


async def _history(installation: Installation, request: int) -> tuple[int, int]:
    client = await Client.connect(installation.temporal.address)
    description = await client.get_workflow_handle(workflow_id(RequestId(request))).describe()
    info = description.raw_description.workflow_execution_info
    return info.history_length, info.history_size_bytes


def _report(plain: list[float], sent: list[float], closed: list[float], *, events: int, size: int) -> None:
    def row(name: str, seconds: list[float]) -> tuple[str, ...]:
        return name, *(f"{1000 * percentile(seconds, share):.0f}" for share in (0.5, 0.95))

    print_table(
        ("", "p50 ms", "p95 ms"),
        [row("plain asyncio", plain), row("answer sent", sent), row("run closed", closed)],
    )
    base, answered = percentile(plain, 0.5), percentile(sent, 0.5)
    print(f"history: {events} events, {size} bytes")
    values = {
        "ratio": answered / base,
        "added_ms": 1000 * (answered - base),
        "plain_ms": 1000 * base,
        "answer_ms": 1000 * answered,
        "answer_p95_ms": 1000 * percentile(sent, 0.95),
        "closed_ms": 1000 * percentile(closed, 0.5),
        "history_events": events,
        "history_bytes": size,
    }
    print_result("run_overhead", values, TARGETS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30, help="runs that are counted (default 30)")
    status = asyncio.run(main(parser.parse_args().runs))
    sys.stdout.flush()
    os._exit(status)  # the SDK's threads crash the interpreter's own way out now and then
