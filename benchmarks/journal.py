"""Messages a second into the journal of a real PostgreSQL, by `python -m benchmarks.journal`.

Each message is what the bot does with one: `Journal.record_message`, one durable transaction that writes the event,
the message, its channel's ingestion job and, for every tenth, a request. The baseline beside it is the floor that
PostgreSQL and the driver set: one insert of the message row alone, through the same pool. Closed loop, one process:
each writer sends its next message when the last one is committed. Batches are what `Journal.record_messages` does with
messages that have piled up.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.report import Target, percentile, print_result, print_table
from devstack.postgres import Postgres
from gopher.domain.ids import ChannelId, GuildId, MessageId, RequestId, UserId, snowflake_at
from gopher.domain.journal import AuthorKind, JournalMessage, NewRequest, Trigger
from gopher.domain.runs import Surface
from gopher.store.journal import Journal
from gopher.store.messages import message_parameters
from gopher.store.pool import Pool, create_pool, statement
from gopher.store.schema import migrate

CONNECTIONS: Final = 8
CHANNELS: Final = 64
BATCH: Final = 50
REQUEST_EVERY: Final = 10
CONTENT: Final = "A message of ordinary length, as members write them, with a link https://example.org/page " * 2

TARGETS: Final = {"messages_per_second_8_connections": Target(value=2_000, at_least=True)}

SQL_FLOOR = """
insert into chat_messages (message_id, surface, guild_id, channel_id, author_id, author_name, author_kind, content,
                           attachments, reply_to_message_id, request_id, created_at)
values (%(message_id)s::bigint, %(surface)s::text, %(guild_id)s::bigint, %(channel_id)s::bigint, %(author_id)s::bigint,
        %(author_name)s::text, %(author_kind)s::text, %(content)s::text, %(attachments)s::jsonb,
        %(reply_to_message_id)s::bigint, %(request_id)s::bigint, %(created_at)s::timestamptz)
"""


class Way(NamedTuple):
    """One way of writing."""

    name: str
    label: str
    write: Callable[[], Awaitable[None]]
    writers: int
    """Calls in flight."""
    messages: int
    """Written by each call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """How fast one way was."""

    name: str
    label: str
    per_second: float
    """Messages."""
    p50_ms: float
    """From the call to the commit: of one message, or of one batch."""
    p95_ms: float


class Talk:
    """An endless supply of new messages, spread over channels."""

    def __init__(self) -> None:
        self._numbers = count()
        self._base = snowflake_at(datetime.now(UTC))

    def next(self, channels: int) -> JournalMessage:
        """Make the next message."""
        number = next(self._numbers)
        return JournalMessage(
            message_id=MessageId(self._base + number),
            surface=Surface.DISCORD,
            guild_id=GuildId(1),
            channel_id=ChannelId(100 + number % channels),
            author_id=UserId(1000 + number % 997),
            author_name="Ada Lovelace",
            author_kind=AuthorKind.MEMBER,
            content=CONTENT,
            created_at=datetime.now(UTC),
        )


def request_of(message: JournalMessage) -> NewRequest | None:
    """Let every tenth message ask."""
    if message.message_id % REQUEST_EVERY:
        return None
    return NewRequest(
        request_id=RequestId(message.message_id),
        surface=message.surface,
        trigger=Trigger.MESSAGE,
        guild_id=message.guild_id,
        channel_id=message.channel_id,
        user_id=message.author_id,
    )


async def measure(way: Way, seconds: float) -> Measured:
    """Write in one way for so long."""
    # Opens the connections and prepares the statements: the driver does so at the sixth use.
    await asyncio.gather(*(way.write() for _ in range(way.writers * 10)))
    latencies: list[float] = []
    begun = time.perf_counter()
    end = begun + seconds

    async def work() -> None:
        while (started := time.perf_counter()) < end:
            await way.write()
            latencies.append((time.perf_counter() - started) * 1000)

    await asyncio.gather(*(work() for _ in range(way.writers)))
    elapsed = time.perf_counter() - begun
    return Measured(
        name=way.name,
        label=way.label,
        per_second=len(latencies) * way.messages / elapsed,
        p50_ms=percentile(latencies, 0.5),
        p95_ms=percentile(latencies, 0.95),
    )


async def run(pool: Pool, seconds: float) -> list[Measured]:
    """Measure each way of writing."""
    journal = Journal(pool)
    talk = Talk()

    async def record(message: JournalMessage) -> None:
        await journal.record_message(message, request_of(message))

    async def many() -> None:
        await record(talk.next(CHANNELS))

    async def one() -> None:
        await record(talk.next(1))

    async def batch() -> None:
        messages = [talk.next(CHANNELS) for _ in range(BATCH)]
        await journal.record_messages([(message, request_of(message)) for message in messages])

    async def floor() -> None:
        async with statement(pool) as connection:
            await connection.execute(SQL_FLOOR, message_parameters(talk.next(CHANNELS)))

    ways: list[Way] = [
        Way("floor", f"baseline: one insert, {CONNECTIONS} connections", floor, CONNECTIONS, 1),
        Way("8_connections", f"{CONNECTIONS} connections, {CHANNELS} channels", many, CONNECTIONS, 1),
        Way("8_connections_1_channel", f"{CONNECTIONS} connections, one channel", one, CONNECTIONS, 1),
        Way("1_connection", "1 connection", many, 1, 1),
        Way("batched", f"{CONNECTIONS} connections, {BATCH} messages a transaction", batch, CONNECTIONS, BATCH),
    ]
    return [await measure(way, seconds) for way in ways]


async def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.journal")
    parser.add_argument("--seconds", type=float, default=10, help="how long each way is measured (default 10)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gopher-benchmark-") as name:
        directory = Path(name)
        server = Postgres(directory / "postgres", log=directory / "postgres.log")
        await server.start()
        try:
            await migrate(server.url)
            async with create_pool(server.url, max_size=CONNECTIONS) as pool:
                measured = await run(pool, arguments.seconds)
        finally:
            await server.stop()
    print_table(
        ["way of writing", "messages/s", "p50 ms", "p95 ms"],
        [[each.label, f"{each.per_second:,.0f}", f"{each.p50_ms:.2f}", f"{each.p95_ms:.2f}"] for each in measured],
    )
    values = {f"messages_per_second_{each.name}": each.per_second for each in measured}
    values |= {f"p95_ms_{each.name}": each.p95_ms for each in measured}
    print_result("journal", values, TARGETS)


if __name__ == "__main__":
    asyncio.run(main())
