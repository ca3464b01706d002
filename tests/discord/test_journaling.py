from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from devstack.discord import seed
from gopher.discord.journaling import JournalBounds
from gopher.settings import Settings
from gopher.store.pool import Pool
from gopher.valkey import SeenEvents
from tests.discord.burrow import TYPING, Burrow, rows, running_bot, until

MENTION = f"<@{seed.BOT.id}>"
NOWHERE = "redis://127.0.0.1:1/0"
"""Nothing listens there."""

REQUESTS = "select request_id from agent_requests order by request_id"
MESSAGES = "select message_id from chat_messages order by message_id"
EVENTS = "select event_type, message_id from discord_events order by id"


async def test_a_mention_is_journaled_and_opens_a_request(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        message_id = await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} what is Go?")
        await until(lambda: len(burrow.requests(TYPING)) == 1)
        await bot.settle()
    assert await rows(pool, "select request_id, guild_id, channel_id, user_id, state from agent_requests") == [
        (message_id, seed.GUILD_ID, seed.GENERAL_ID, seed.ADA.id, "queued")
    ]
    assert await rows(pool, "select content, author_name, author_kind from chat_messages") == [
        (f"{MENTION} what is Go?", "Ada", "member")
    ]


async def test_talk_among_members_is_journaled_and_nothing_is_said(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        said = [
            await burrow.say(seed.ADA, seed.GENERAL_ID, "help me move this couch"),
            await burrow.say(seed.GRACE, seed.GENERAL_ID, "@everyone the roof leaks"),
            await burrow.say(seed.GRACE, seed.GENERAL_ID, f"<@&{seed.GOPHER_ROLE_ID}> and <@&{seed.REGULARS_ROLE_ID}>"),
            await burrow.say(seed.MIKA, seed.GENERAL_ID, f"<@{seed.ADA.id}> gopher holes are everywhere"),
        ]
        await until(lambda: _all_there(pool, said))
        await bot.settle()
        assert burrow.actions() == []
    assert await rows(pool, REQUESTS) == []


async def test_a_reply_a_direct_message_and_the_name_open_requests(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        spoken = await burrow.say(seed.BOT, seed.GENERAL_ID, "I am here.")
        direct = await burrow.direct_channel(seed.MIKA)
        asked = [
            await burrow.say(seed.ADA, seed.GENERAL_ID, "really?", reply_to=spoken),
            await burrow.say(
                seed.ADA, seed.GENERAL_ID, "quietly?", reply_to=spoken, allowed_mentions={"replied_user": False}
            ),
            await burrow.say(seed.MIKA, direct, "are you there?"),
            await burrow.say(seed.NOOR, seed.RANDOM_ID, "Gopher, are you there?"),
        ]
        await until(lambda: _all_there(pool, asked))
        await bot.settle()
        fetched = [
            request.path for request in burrow.requests() if request.method == "GET" and "/messages" in request.path
        ]
    assert fetched == []
    assert [row[0] for row in await rows(pool, REQUESTS)] == asked
    assert await rows(pool, "select request_id, channel_id from agent_requests where guild_id is null") == [
        (asked[2], direct)
    ]
    assert await rows(pool, "select distinct reply_to_message_id from chat_messages order by 1") == [(spoken,), (None,)]


async def test_another_bot_is_answered_only_if_allowed_and_mentioning(
    burrow: Burrow, pool: Pool, valkey_url: str
) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        strange = await burrow.say(seed.OTHER_BOT, seed.GENERAL_ID, f"{MENTION} build failed")
        await until(lambda: _all_there(pool, [strange]))
        await bot.settle()
    assert await rows(pool, REQUESTS) == []
    async with running_bot(burrow, pool, valkey_url, Settings(allowed_bot_ids=(seed.OTHER_BOT.id,))) as bot:
        plain = await burrow.say(seed.OTHER_BOT, seed.GENERAL_ID, "gopher, build failed")
        mentioning = await burrow.say(seed.OTHER_BOT, seed.GENERAL_ID, f"{MENTION} build failed")
        await until(lambda: _all_there(pool, [plain, mentioning]))
        await bot.settle()
    assert await rows(pool, REQUESTS) == [(mentioning,)]
    assert await rows(pool, "select distinct author_kind from chat_messages") == [("bot",)]


async def test_notices_of_discord_are_no_conversation(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        talk = await burrow.say(seed.ADA, seed.GENERAL_ID, "a plan")
        await burrow.call(seed.ADA, "PUT", f"/channels/{seed.GENERAL_ID}/messages/pins/{talk}")
        await burrow.call(seed.ADA, "POST", f"/channels/{seed.GENERAL_ID}/threads", {"name": "gopher, hi", "type": 11})
        last = await burrow.say(seed.ADA, seed.GENERAL_ID, "the end")
        await until(lambda: _all_there(pool, [talk, last]))
        await bot.settle()
        assert len(await burrow.messages(seed.GENERAL_ID)) > 2
    assert await rows(pool, MESSAGES) == [(talk,), (last,)]
    assert await rows(pool, REQUESTS) == []


async def test_a_thread_is_a_channel_of_its_own(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        start = await burrow.say(seed.ADA, seed.PROJECTS_ID, "a plan")
        opened = await burrow.call(
            seed.ADA, "POST", f"/channels/{seed.PROJECTS_ID}/messages/{start}/threads", {"name": "plan"}
        )
        asked = await burrow.say(seed.ADA, int(opened["id"]), f"{MENTION} help")
        await until(lambda: _all_there(pool, [start, asked]))
        await bot.settle()
    assert await rows(pool, "select request_id, guild_id, channel_id from agent_requests") == [
        (asked, seed.GUILD_ID, int(opened["id"]))
    ]


@pytest.mark.parametrize("valkey_answers", [True, False])
async def test_an_event_that_comes_twice_is_one_request(
    burrow: Burrow, pool: Pool, valkey_url: str, valkey_answers: bool
) -> None:
    async with running_bot(burrow, pool, valkey_url if valkey_answers else NOWHERE) as bot:
        burrow.discord.simulation.faults.duplicate_events("MESSAGE_CREATE", 1)
        asked = await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} once")
        await until(lambda: len(burrow.requests(TYPING)) == 2)  # it did come twice
        await bot.settle()
    assert await rows(pool, REQUESTS) == [(asked,)]
    assert await rows(pool, EVENTS) == [("message_create", asked)]
    assert await rows(pool, "select generation from memory_ingestion_jobs") == [(1,)]


async def test_two_processes_that_hear_the_same_make_one_request(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as one, running_bot(burrow, pool, NOWHERE) as other:
        asked = [await burrow.say(seed.ADA, seed.GENERAL_ID, f"{MENTION} number {number}") for number in range(10)]
        await until(lambda: _all_there(pool, asked))
        await one.settle()
        await other.settle()
    assert [row[0] for row in await rows(pool, REQUESTS)] == asked
    assert len(await rows(pool, EVENTS)) == 10


async def test_a_link_preview_is_no_edit(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        linked = await burrow.say(seed.ADA, seed.GENERAL_ID, "see https://example.org/page")
        await until(lambda: _has_preview(burrow, linked))
        await bot.settle()
    assert await rows(pool, EVENTS) == [("message_create", linked)]


async def test_own_messages_are_journaled_once_by_who_knows_their_run(
    burrow: Burrow, pool: Pool, valkey_url: str
) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        plain = await burrow.say(seed.BOT, seed.GENERAL_ID, "without a nonce")
        await burrow.say(seed.BOT, seed.GENERAL_ID, "of a delivery", nonce="abc", enforce_nonce=True)
        last = await burrow.say(seed.ADA, seed.GENERAL_ID, "the end")
        await until(lambda: _all_there(pool, [last]))
        await bot.settle()
    assert await rows(pool, "select message_id, author_kind from chat_messages order by message_id") == [
        (plain, "assistant"),
        (last, "member"),
    ]


async def test_messages_of_one_channel_are_journaled_in_their_order(
    burrow: Burrow, pool: Pool, valkey_url: str
) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        said = [await burrow.say(seed.ADA, seed.GENERAL_ID, f"line {number}") for number in range(15)]
        await until(lambda: _all_there(pool, said))
        await bot.settle()
    assert [row[0] for row in await rows(pool, "select message_id from discord_events order by id")] == said


async def test_attachments_are_journaled_with_their_ids(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        message_id = await burrow.say_with_file(seed.ADA, seed.GENERAL_ID, "notes.txt", b"a plan")
        await until(lambda: _all_there(pool, [message_id]))
        await bot.settle()
    ((attachments,),) = await rows(pool, "select attachments from chat_messages")
    assert [(a["filename"], a["size"], a["content_type"].split(";")[0]) for a in attachments] == [
        ("notes.txt", 6, "text/plain")
    ]


async def test_what_postgresql_refuses_is_named_and_stops_nobody_else(
    burrow: Burrow, pool: Pool, valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with pool.connection() as connection:
        await connection.execute("alter table chat_messages add check (content <> 'poison')")
    async with running_bot(burrow, pool, valkey_url, bounds=JournalBounds(refusals=2)) as bot:
        poison = await burrow.say(seed.ADA, seed.GENERAL_ID, "poison")
        after = await burrow.say(seed.ADA, seed.GENERAL_ID, "tea")
        await until(lambda: _all_there(pool, [after]))
        await bot.settle()
    assert await rows(pool, MESSAGES) == [(after,)]
    assert f"journal_entry_refused: message_create:{poison}" in caplog.text
    assert "poison'" not in caplog.text  # the words of members are in no log


async def test_seen_events_are_told_from_new_ones(valkey_url: str) -> None:
    seen = SeenEvents(valkey_url)
    assert not await seen.check("message_create:1")
    await seen.mark("message_create:1")
    assert await seen.check("message_create:1")
    assert not await seen.check("message_create:2")
    await seen.close()


async def test_without_a_server_nothing_is_seen_and_nothing_waits() -> None:
    seen = SeenEvents(NOWHERE)
    await seen.mark("message_create:1")
    async with asyncio.timeout(0.5):
        for _ in range(1000):  # after the first failure nobody asks for a while
            assert not await seen.check("message_create:1")
    await seen.close()


async def _all_there(pool: Pool, message_ids: Sequence[int]) -> bool:
    found = {row[0] for row in await rows(pool, MESSAGES)}
    return found.issuperset(message_ids)


async def _has_preview(burrow: Burrow, message_id: int) -> bool:
    return any(
        int(message["id"]) == message_id and message["embeds"] for message in await burrow.messages(seed.GENERAL_ID)
    )
