from __future__ import annotations

from datetime import timedelta

from devstack.discord import seed
from devstack.discord.permissions import Permission
from gopher.discord.commands import NOT_STORED
from gopher.discord.journaling import JournalBounds
from gopher.domain.ids import RequestId
from gopher.errors import DiscordUnavailable
from gopher.store.pool import Pool, create_pool
from tests.discord.burrow import SEND, Burrow, RunningBot, finish_turn, rows, running_bot, until
from tests.discord.gate import Gate
from tests.discord.test_delivery import NO_PINGS, deliver

CALLBACK = ("POST", "/interactions/{interaction_id}/{interaction_token}/callback")
EDIT = ("PATCH", "/webhooks/{webhook_id}/{webhook_token}/messages/@original")
FOLLOW_UP = ("POST", "/webhooks/{webhook_id}/{webhook_token}")
THINKING = 128


async def ask(burrow: Burrow, pool: Pool, bot: RunningBot, channel_id: int = seed.GENERAL_ID) -> RequestId:
    """Give /ask; returns the request when it is journaled and answered by "thinking"."""
    await until(lambda: len(burrow.discord.simulation.world.commands) > 0)
    await burrow.command(seed.ADA, channel_id, "ask", prompt="what is Go?")
    await until(lambda: len(burrow.requests(CALLBACK)) > 0)
    await until(lambda: _has_request(pool))
    await bot.settle()
    ((request_id,),) = await rows(pool, "select request_id from agent_requests")
    return RequestId(request_id)


async def test_a_question_is_acknowledged_at_once_and_journaled(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        await ask(burrow, pool, bot)
        (thinking,) = await burrow.said_by_bot(seed.GENERAL_ID)
        assert thinking["flags"] & THINKING
    assert await rows(pool, "select trigger, prompt, user_id, user_name, channel_id, guild_id from agent_requests") == [
        ("interaction", "what is Go?", seed.ADA.id, "Ada", seed.GENERAL_ID, seed.GUILD_ID)
    ]
    assert await rows(pool, "select content from chat_messages") == []  # thinking is not said


async def test_the_answer_takes_the_place_of_thinking(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        request_id = await ask(burrow, pool, bot)
        await finish_turn(pool, request_id, "A language. @everyone https://example.org")
        verdict = await deliver(bot.parts, request_id)
        assert await deliver(bot.parts, request_id) == verdict
        (answer,) = await burrow.said_by_bot(seed.GENERAL_ID)
    assert (int(answer["id"]), answer["content"]) == (verdict.message_id, "A language. @everyone https://example.org")
    assert not answer["flags"] & THINKING
    assert not answer["mention_everyone"]
    assert [body["allowed_mentions"] for body in burrow.bodies(EDIT)] == [NO_PINGS]
    assert await rows(pool, "select message_id, request_id from chat_messages") == [(verdict.message_id, request_id)]


async def test_a_lost_response_to_the_answer_changes_nothing(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        request_id = await ask(burrow, pool, bot)
        await finish_turn(pool, request_id, "Once.")
        burrow.discord.control.lose_responses("/webhooks/*", method="PATCH")
        await deliver_until_done(bot, request_id)
        assert [message["content"] for message in await burrow.said_by_bot(seed.GENERAL_ID)] == ["Once."]


async def test_a_long_answer_goes_on_in_messages_with_nonces(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        request_id = await ask(burrow, pool, bot)
        await finish_turn(pool, request_id, "word " * 1000)
        await deliver(bot.parts, request_id)
        said = await burrow.said_by_bot(seed.GENERAL_ID)
    assert len(said) == 3
    assert all(body["nonce"] and body["allowed_mentions"] == NO_PINGS for body in burrow.bodies(SEND))
    assert len(burrow.bodies(SEND)) == 2


async def test_an_answer_after_the_token_died_arrives_as_a_message(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        request_id = await ask(burrow, pool, bot)
        await finish_turn(pool, request_id, "Late.")
        burrow.discord.control.advance(timedelta(minutes=16))
        verdict = await deliver(bot.parts, request_id)
        said = await burrow.said_by_bot(seed.GENERAL_ID)
    assert (int(said[-1]["id"]), said[-1]["content"]) == (verdict.message_id, "Late.")
    assert burrow.bodies(SEND)[0]["allowed_mentions"] == NO_PINGS


async def test_an_answer_after_thinking_was_deleted_arrives_as_a_message(
    burrow: Burrow, pool: Pool, valkey_url: str
) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        request_id = await ask(burrow, pool, bot)
        await finish_turn(pool, request_id, "Here.")
        (thinking,) = await burrow.said_by_bot(seed.GENERAL_ID)
        await burrow.call(seed.ADA, "DELETE", f"/channels/{seed.GENERAL_ID}/messages/{thinking['id']}")
        await deliver(bot.parts, request_id)
        assert [message["content"] for message in await burrow.said_by_bot(seed.GENERAL_ID)] == ["Here."]


async def test_where_the_bot_may_not_write_its_answer_follows_up(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        request_id = await ask(burrow, pool, bot)
        await finish_turn(pool, request_id, "word " * 600)
        burrow.discord.control.set_overwrite(seed.GENERAL_ID, seed.BOT.id, deny=int(Permission.SEND_MESSAGES))
        verdict = await deliver(bot.parts, request_id)
        assert len(await burrow.said_by_bot(seed.GENERAL_ID)) == verdict.chunks == 2
    assert [body["allowed_mentions"] for body in burrow.bodies(FOLLOW_UP)] == [NO_PINGS]


async def test_a_question_in_a_direct_message_is_answered_there(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        direct = await burrow.direct_channel(seed.ADA)
        request_id = await ask(burrow, pool, bot, direct)
        await finish_turn(pool, request_id, "Between us.")
        await deliver(bot.parts, request_id)
        assert [message["content"] for message in await burrow.said_by_bot(direct)] == ["Between us."]
    assert await rows(pool, "select guild_id, channel_id from agent_requests") == [(None, direct)]


async def test_two_processes_acknowledge_and_ask_once(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url) as one, running_bot(burrow, pool, valkey_url) as other:
        await ask(burrow, pool, one)
        await until(lambda: len(burrow.requests(CALLBACK)) == 2)
        await other.settle()
        assert len(await burrow.said_by_bot(seed.GENERAL_ID)) == 1
    assert len(await rows(pool, "select request_id from agent_requests")) == 1


async def test_about_is_told_to_the_member_alone(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    async with running_bot(burrow, pool, valkey_url):
        await until(lambda: len(burrow.discord.simulation.world.commands) > 0)
        await burrow.command(seed.GRACE, seed.GENERAL_ID, "about")
        await until(lambda: len(burrow.whispers()) > 0)
        assert await burrow.said_by_bot(seed.GENERAL_ID) == []
    ((to, text),) = burrow.whispers()
    assert to == seed.GRACE.id
    assert "Gopher" in text


async def test_a_question_that_cannot_be_stored_in_time_is_taken_back_in_confidence(
    burrow: Burrow, database_url: str, valkey_url: str
) -> None:
    gate = Gate(database_url)
    await gate.open()
    async with create_pool(gate.url) as pool:
        bounds = JournalBounds(interaction_life=timedelta(seconds=1))
        async with running_bot(burrow, pool, valkey_url, bounds=bounds) as bot:
            await bot.settle()
            await until(lambda: len(burrow.discord.simulation.world.commands) > 0)
            await gate.shut()
            await burrow.command(seed.ADA, seed.GENERAL_ID, "ask", prompt="what is Go?")
            await until(lambda: len(burrow.whispers()) > 0, within=30)
            assert burrow.whispers() == [(seed.ADA.id, NOT_STORED)]
            assert await burrow.said_by_bot(seed.GENERAL_ID) == []  # and nobody else sees anything of it
            await gate.open()
            await bot.settle()
            assert await rows(pool, "select request_id from agent_requests") == []
    await gate.shut()


async def deliver_until_done(bot: RunningBot, request_id: RequestId) -> None:
    """Deliver as Temporal does: again after a failure that may pass."""
    try:
        await deliver(bot.parts, request_id)
    except DiscordUnavailable:
        await deliver(bot.parts, request_id)


async def _has_request(pool: Pool) -> bool:
    return len(await rows(pool, "select request_id from agent_requests")) == 1
