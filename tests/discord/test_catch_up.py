from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from devstack.discord import seed
from devstack.discord.permissions import Permission
from gopher.discord.catch_up import ANSWER_WITHIN, MESSAGES_A_CHANNEL
from gopher.domain.ids import snowflake_at
from gopher.store.pool import Pool
from gopher.valkey import SeenEvents
from tests.discord.burrow import Burrow, rows, running_bot, until

MENTION = f"<@{seed.BOT.id}>"
REQUESTS = "select request_id from agent_requests order by request_id"
IN_ORDER = "select message_id from discord_events order by id"
HISTORY = ("GET", "/channels/{channel_id}/messages")


def make_older(burrow: Burrow, message_id: int, age: timedelta) -> int:
    """Let a message be as old as this; returns its new id."""
    simulation = burrow.discord.simulation
    message = simulation.world.messages[message_id]
    moment = datetime.now(UTC) - age
    older = replace(message, id=snowflake_at(moment), created_at=moment)
    simulation.world.drop(message)
    simulation.world.put(older)
    return older.id


async def journaled(pool: Pool) -> list[int]:
    return [row[0] for row in await rows(pool, IN_ORDER)]


async def test_what_was_said_while_the_bot_was_away_is_read_back(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        direct = await burrow.direct_channel(seed.MIKA)
        first = [
            await burrow.say(seed.ADA, seed.GENERAL_ID, "before"),
            await burrow.say(seed.MIKA, direct, "hello"),
        ]
        await until(lambda: _journaled_all(pool, first))
        await bot.settle()
    missed = [
        await burrow.say(seed.ADA, seed.GENERAL_ID, "help me move this couch"),
        await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} are you there?"),
        await burrow.say(seed.MIKA, direct, "are you there?"),
        await burrow.say(seed.GRACE, seed.RANDOM_ID, "gopher, hello?"),
    ]
    async with running_bot(burrow, pool, valkey_url) as bot:
        now = await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} now?")
        await until(lambda: _journaled_all(pool, [*missed, now]))
        await bot.settle()
    general = {first[0], *missed[:2], now}
    assert [message_id for message_id in await journaled(pool) if message_id in general] == sorted(general)
    assert [row[0] for row in await rows(pool, REQUESTS)] == [first[1], *missed[1:], now]


async def test_a_new_session_reads_back_and_a_resumed_one_repeats(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    control = burrow.discord.control
    async with running_bot(burrow, pool, valkey_url) as bot:
        await bot.settle()
        control.drop_connections(user_id=seed.BOT.id)  # resumes
        resumed = await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} one")
        await until(lambda: _journaled_all(pool, [resumed]))
        reads = len(burrow.requests(HISTORY))
        control.fail_resumes()
        control.drop_connections(user_id=seed.BOT.id)  # cannot resume
        missed = await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} two")
        await until(lambda: _journaled_all(pool, [missed]), within=30)
        await bot.settle()
        assert len(burrow.requests(HISTORY)) > reads
    assert await journaled(pool) == [resumed, missed]
    assert await rows(pool, REQUESTS) == [(resumed,), (missed,)]


async def test_a_request_is_not_answered_long_after_its_author_has_moved_on(
    burrow: Burrow, pool: Pool, valkey_url: str
) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        before = await burrow.say(seed.ADA, seed.GENERAL_ID, "before")
        await until(lambda: _journaled_all(pool, [before]))
        await bot.settle()
    async with pool.connection() as connection:  # it was said yesterday
        for table in ("chat_messages", "discord_events"):
            await connection.execute(f"update {table} set message_id = 4194304".encode())  # noqa: S608 - two names
    old = make_older(
        burrow, await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} old"), ANSWER_WITHIN + timedelta(minutes=1)
    )
    fresh = make_older(
        burrow, await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} new"), ANSWER_WITHIN - timedelta(minutes=1)
    )
    async with running_bot(burrow, pool, valkey_url) as bot:
        await until(lambda: _journaled_all(pool, [old, fresh]))
        await bot.settle()
    assert await rows(pool, REQUESTS) == [(fresh,)]


async def test_a_channel_that_may_not_be_read_is_passed_over(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    burrow.discord.control.set_overwrite(seed.RANDOM_ID, seed.BOT.id, deny=int(Permission.VIEW_CHANNEL))
    burrow.discord.control.set_overwrite(seed.PROJECTS_ID, seed.BOT.id, deny=int(Permission.READ_MESSAGE_HISTORY))
    await burrow.say(seed.ADA, seed.RANDOM_ID, f"{MENTION} hidden")
    await burrow.say(seed.ADA, seed.PROJECTS_ID, f"{MENTION} unreadable")
    visible = await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} visible")
    async with running_bot(burrow, pool, valkey_url) as bot:
        await until(lambda: _journaled_all(pool, [visible]))
        heard = await burrow.say(seed.ADA, seed.PROJECTS_ID, f"{MENTION} heard")
        await until(lambda: _journaled_all(pool, [heard]))
        await bot.settle()
        assert {request.path.split("/")[4] for request in burrow.requests(HISTORY)} == {str(seed.GENERAL_ID)}
    assert await journaled(pool) == [visible, heard]


async def test_channels_without_news_are_not_read(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        said = await burrow.say(seed.ADA, seed.GENERAL_ID, "all there is")
        await until(lambda: _journaled_all(pool, [said]))
        await bot.settle()
    reads = len(burrow.requests(HISTORY))
    async with running_bot(burrow, pool, valkey_url) as bot:
        await bot.settle()
    assert len(burrow.requests(HISTORY)) == reads


async def test_no_more_than_the_newest_are_read_back_and_it_is_said(
    burrow: Burrow, pool: Pool, valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    first = await burrow.say(seed.ADA, seed.GENERAL_ID, "one")
    copies = [make_older(burrow, first, timedelta(minutes=5))]
    world = burrow.discord.simulation.world
    message = world.messages[copies[0]]
    for number in range(1, MESSAGES_A_CHANNEL + 50):
        copies.append(message.id + number)
        world.put(replace(message, id=copies[-1]))
    last = await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} last")
    async with running_bot(burrow, pool, valkey_url) as bot:
        await until(lambda: _journaled_all(pool, [last]), within=30)
        await bot.settle()
    assert await journaled(pool) == [*copies[-(MESSAGES_A_CHANNEL - 1) :], last]
    assert "catch_up_bound" in caplog.text


async def test_a_discord_that_fails_at_first_is_read_all_the_same(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    missed = await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} hello")
    burrow.discord.control.fail_requests(HISTORY[1], method=HISTORY[0], count=2, status=503)
    async with running_bot(burrow, pool, valkey_url) as bot:
        await until(lambda: _journaled_all(pool, [missed]))
        await bot.settle()
    assert await rows(pool, REQUESTS) == [(missed,)]


async def test_a_restored_database_gets_back_what_valkey_remembers(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    said = await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} hello")
    seen = SeenEvents(valkey_url)
    await seen.mark(f"message_create:{said}")
    await seen.close()
    async with running_bot(burrow, pool, valkey_url) as bot:
        await until(lambda: _journaled_all(pool, [said]))
        await bot.settle()
    assert await rows(pool, REQUESTS) == [(said,)]


async def _journaled_all(pool: Pool, message_ids: Sequence[int]) -> bool:
    return set(message_ids) <= set(await journaled(pool))
