from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass

import pytest

from devstack.discord import seed
from gopher.discord.journaling import JournalBounds
from gopher.store.pool import Pool, create_pool
from tests.discord.burrow import TYPING, Burrow, rows, running_bot, until
from tests.discord.gate import Gate

MENTION = f"<@{seed.BOT.id}>"
REQUESTS = "select request_id from agent_requests order by request_id"
IN_ORDER = "select message_id from discord_events order by id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """PostgreSQL: as the bot reaches it, through a gate, and as the test does."""

    gate: Gate
    bots: Pool
    tests: Pool


@pytest.fixture
async def storage(database_url: str, pool: Pool) -> AsyncGenerator[Storage]:
    gate = Gate(database_url)
    await gate.open()
    async with create_pool(gate.url) as gated:
        yield Storage(gate=gate, bots=gated, tests=pool)
    await gate.shut()


@pytest.fixture
async def valkey_gate(valkey_url: str) -> AsyncGenerator[Gate]:
    gate = Gate(valkey_url)
    await gate.open()
    yield gate
    await gate.shut()


async def test_without_postgresql_nobody_hears_anything_and_nothing_is_lost(
    burrow: Burrow, storage: Storage, valkey_url: str
) -> None:
    async with running_bot(burrow, storage.bots, valkey_url) as bot:
        await bot.settle()
        await storage.gate.shut()
        said = [
            await burrow.say(seed.ADA, seed.GENERAL_ID, "help me move this couch"),
            await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} help"),
            await burrow.say(seed.GRACE, seed.GENERAL_ID, "@everyone the roof leaks"),
        ]
        elsewhere = await burrow.say(seed.GRACE, seed.RANDOM_ID, "what?")
        await until(lambda: bot.parts.journaling.size == 4)
        await until(lambda: burrow.actions() == [f"POST /api/v10/channels/{seed.GENERAL_ID}/typing"])
        await storage.gate.open()
        await bot.settle()
        assert {action.rpartition("/")[2] for action in burrow.actions()} == {"typing"}
    in_order = [row[0] for row in await rows(storage.tests, IN_ORDER)]
    assert [message_id for message_id in in_order if message_id != elsewhere] == said
    assert elsewhere in in_order
    assert await rows(storage.tests, REQUESTS) == [(said[1],)]


async def test_without_valkey_everything_goes_on(burrow: Burrow, pool: Pool, valkey_gate: Gate) -> None:
    async with running_bot(burrow, pool, valkey_gate.url) as bot:
        await bot.settle()
        await valkey_gate.shut()
        first = await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} help")
        talk = await burrow.say(seed.ADA, seed.GENERAL_ID, "help me move this couch")
        await until(lambda: len(burrow.requests(TYPING)) > 0)
        await bot.settle()
        await valkey_gate.open()
        second = await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} more help")
        await until(lambda: len(burrow.requests(TYPING)) > 1)
        await bot.settle()
        assert {action.rpartition("/")[2] for action in burrow.actions()} == {"typing"}
    assert [row[0] for row in await rows(pool, IN_ORDER)] == [first, talk, second]
    assert await rows(pool, REQUESTS) == [(first,), (second,)]


async def test_what_memory_has_no_room_for_is_read_back_from_discord(
    burrow: Burrow, storage: Storage, valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_bot(burrow, storage.bots, valkey_url, bounds=JournalBounds(capacity=4)) as bot:
        before = await burrow.say(seed.ADA, seed.GENERAL_ID, "before")
        await until(lambda: _is_journaled(storage.tests, before))
        await storage.gate.shut()
        said = [await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} {number}") for number in range(8)]
        await until(lambda: len(burrow.requests(TYPING)) == 8)
        assert bot.parts.journaling.size <= 4
        await storage.gate.open()
        await until(lambda: _is_journaled(storage.tests, said[-1]))
        await bot.settle()
    assert [row[0] for row in await rows(storage.tests, IN_ORDER)] == [before, *said]
    assert [row[0] for row in await rows(storage.tests, REQUESTS)] == said
    assert "journal_backlog_near_bound" in caplog.text
    assert "journal_backlog_full" in caplog.text


async def test_an_outage_is_said_once_when_it_begins_and_once_when_it_ends(
    burrow: Burrow, storage: Storage, valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_bot(burrow, storage.bots, valkey_url) as bot:
        await bot.settle()
        await storage.gate.shut()
        for channel_id in (seed.GENERAL_ID, seed.RANDOM_ID):
            await burrow.say(seed.ADA, channel_id, "hello")
        await until(lambda: "PostgreSQL is away" in caplog.text)
        await storage.gate.open()
        await bot.settle()
    of_journaling = [record.getMessage() for record in caplog.records if record.name == "gopher.discord.journaling"]
    assert [text.split(" (")[0].split(" after")[0] for text in of_journaling] == [
        "PostgreSQL is away",
        "PostgreSQL is back",
    ]


async def _is_journaled(pool: Pool, message_id: int) -> bool:
    return (message_id,) in await rows(pool, IN_ORDER)
