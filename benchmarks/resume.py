"""Silence after SIGKILL of a worker, by `python -m benchmarks.resume [--seed N]`.

Two workers serve runs of 3 model turns of 2 s with tool calls between them; one is killed at a random instant while
5, or 50, runs are in flight, and started again. A run's silence is the longest time after the kill in which the model
is not working for it: until an interrupted turn is asked again, or the next step is taken. The baseline is the same
run while nobody dies: its longest pause between two steps. A call that the kill interrupted has to be made again; a
turn that was stored must never be paid for twice, and no request may be lost or answered twice.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.agent_worker import TOOL
from benchmarks.report import Target, percentile, print_result, print_table
from devstack.scripted_turns import ModelTurn, ScriptedCall
from gopher.domain.ids import ChannelId, MessageId, RequestId, UserId, named_id, snowflake_at
from gopher.domain.journal import AuthorKind, JournalMessage, NewRequest, Trigger
from gopher.domain.runs import Surface
from gopher.store.journal import Journal
from gopher.store.pool import Pool, create_pool
from tests.system.installation import Installation, installed, until

TURNS: Final = 3
TURN_SECONDS: Final = 2.0
ROUNDS: Final = {5: 6, 50: 2}
"""Kills by runs in flight: enough for some thirty interrupted runs of each."""
FINISHED_WITHIN: Final = 120.0

TARGETS: Final = {
    "silence_p95_5_seconds": Target(value=3.0, at_least=False),
    "silence_p95_50_seconds": Target(value=6.0, at_least=False),
    "paid_twice": Target(value=0, at_least=False),
    "lost_or_doubled": Target(value=0, at_least=False),
}

SQL_TURNS: Final = """
select iteration, extract(epoch from created_at)::float8 from agent_turns where request_id = %s::bigint
"""
SQL_END: Final = """
select r.state, extract(epoch from r.finished_at)::float8,
       (select count(*) from deliveries d where d.request_id = r.request_id and d.message_id is not null)
from agent_requests r where r.request_id = %s::bigint
"""


@dataclass(kw_only=True)
class Outcome:
    """What kills of one size did."""

    silences: list[float] = field(default_factory=list[float])
    """Of the runs that the kill met, in seconds."""
    pauses: list[float] = field(default_factory=list[float])
    """The longest pauses of the runs of the worker that lived."""
    asked_again: int = 0
    paid_twice: int = 0
    lost_or_doubled: int = 0


async def main(seed: int) -> int:
    """Measure, print; returns the exit status."""
    chance = random.Random(seed)  # noqa: S311 - the instant of a kill
    outcomes: dict[int, Outcome] = {}
    with tempfile.TemporaryDirectory(prefix="gopher-resume-") as place:
        async with installed(Path(place), worker=("-m", "benchmarks.agent_worker")) as installation:
            await installation.add_worker("standby")
            async with create_pool(installation.postgres.url) as pool:
                for in_flight, rounds in ROUNDS.items():
                    outcomes[in_flight] = Outcome()
                    for number in range(rounds):
                        name = f"{in_flight}-{number}"
                        await _round(installation, pool, name, in_flight, chance=chance, outcome=outcomes[in_flight])
    _report(outcomes)
    return 0


async def _round(
    installation: Installation, pool: Pool, name: str, in_flight: int, *, chance: random.Random, outcome: Outcome
) -> None:
    await installation.script(*_turns())
    questions = [f"question-{name}-{number}." for number in range(in_flight)]
    requests = [await _ask(Journal(pool), question) for question in questions]

    async def all_asked() -> bool:
        return len(await installation.model_requests()) >= in_flight

    async def all_finished() -> bool:
        [(count,)] = await installation.rows(
            "select count(*) from agent_requests where request_id = any(%s::bigint[]) and state = 'finished'", requests
        )
        return count == in_flight

    await until(all_asked, within=FINISHED_WITHIN, what="every run has asked the model")
    await asyncio.sleep(chance.uniform(0, TURN_SECONDS))
    killed_at = time.time()
    await installation.kill("worker")
    await installation.restart("worker")
    await until(all_finished, within=FINISHED_WITHIN, what="every run is finished")
    asked = await installation.model_requests()
    for request, question in zip(requests, questions, strict=True):
        turns = [entry for entry in asked if question in json.dumps(entry["body"])]
        await _judge(installation, request, turns, killed_at, outcome)


async def _ask(journal: Journal, question: str) -> RequestId:
    """Ask from a terminal's channel of its own, so that all run at once."""
    now = datetime.now(UTC)
    message_id = MessageId(snowflake_at(now, sequence=hash(question) & 0xFFF))
    request_id, channel_id = RequestId(message_id), ChannelId(named_id("benchmark channel", question))
    user_id = UserId(named_id("benchmark member", question))
    message = JournalMessage(
        message_id=message_id,
        surface=Surface.TERMINAL,
        guild_id=None,
        channel_id=channel_id,
        author_id=user_id,
        author_name="Member",
        author_kind=AuthorKind.MEMBER,
        content=question,
        created_at=now,
    )
    request = NewRequest(
        request_id=request_id,
        surface=Surface.TERMINAL,
        trigger=Trigger.MESSAGE,
        guild_id=None,
        channel_id=channel_id,
        user_id=user_id,
    )
    await journal.record_message(message, request)
    return request_id


def _turns() -> tuple[ModelTurn, ...]:
    call = ScriptedCall(name=TOOL, arguments={"query": "one"})
    working = [
        ModelTurn(iteration=number, calls=(call,), delay_seconds=TURN_SECONDS, times=None) for number in range(1, TURNS)
    ]
    return (*working, ModelTurn(iteration=TURNS, text="The answer.", delay_seconds=TURN_SECONDS, times=None))


async def _judge(
    installation: Installation, request: int, asked: list[dict[str, object]], killed_at: float, outcome: Outcome
) -> None:
    stored = dict(await installation.rows(SQL_TURNS, request))
    [(state, finished_at, deliveries)] = await installation.rows(SQL_END, request)
    if state != "finished" or deliveries != 1:
        outcome.lost_or_doubled += 1
    times = Counter(_iteration(entry) for entry in asked)
    again = sum(count - 1 for count in times.values())
    outcome.asked_again += again
    outcome.paid_twice += sum(1 for entry in asked if _received(entry) > stored[_iteration(entry)])
    # The model works for a run from each request to the turn's end; an interrupted request ends with the kill.
    spans = [(_received(entry), _end(entry, stored, killed_at, times)) for entry in asked]
    starts = sorted([start for start, _ in spans if start > killed_at] + [float(finished_at)])
    quiet = [start - max((end for _, end in spans if end <= start), default=killed_at) for start in starts]
    longest = max(quiet, default=0.0)
    (outcome.silences if again else outcome.pauses).append(longest)


def _end(entry: dict[str, object], stored: dict[int, float], killed_at: float, times: Counter[int]) -> float:
    iteration = _iteration(entry)
    interrupted = times[iteration] > 1 and _received(entry) <= killed_at
    return killed_at if interrupted else stored[iteration]


def _received(entry: dict[str, object]) -> float:
    return float(str(entry["received_at"]))


def _iteration(entry: dict[str, object]) -> int:
    """One more than the tool results in the prompt: each turn before this one made one call."""
    return 1 + json.dumps(entry["body"]).count('"role": "tool"')


def _report(outcomes: dict[int, Outcome]) -> None:
    rows: list[tuple[str, ...]] = []
    values: dict[str, float] = {"paid_twice": 0, "lost_or_doubled": 0}
    for in_flight, outcome in outcomes.items():
        silences = outcome.silences or [0.0]
        p50, p95 = (percentile(silences, share) for share in (0.5, 0.95))
        pause = percentile(outcome.pauses or [0.0], 0.5)
        met, again = len(outcome.silences), outcome.asked_again
        rows.append(
            (str(in_flight), str(met), f"{p50:.2f}", f"{p95:.2f}", f"{max(silences):.2f}", f"{pause:.2f}", str(again))
        )
        values |= {
            f"silence_p50_{in_flight}_seconds": p50,
            f"silence_p95_{in_flight}_seconds": p95,
            f"baseline_pause_{in_flight}_seconds": pause,
            f"asked_again_{in_flight}": again,
        }
        values["paid_twice"] += outcome.paid_twice
        values["lost_or_doubled"] += outcome.lost_or_doubled
    print_table(("in flight", "runs met", "p50 s", "p95 s", "max s", "pause of others s", "asked again"), rows)
    print_result("resume", values, TARGETS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the instants of the kills (default 1)")
    status = asyncio.run(main(parser.parse_args().seed))
    sys.stdout.flush()
    os._exit(status)  # the SDK's threads crash the interpreter's own way out now and then
