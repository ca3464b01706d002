"""Each part of a real installation dies at the worst moment; there is exactly one answer, and no request is lost."""

from __future__ import annotations

import asyncio

import psycopg

from devstack.discord import seed
from tests.system.asking import Asked
from tests.system.installation import Installation, until

OUTAGE_SECONDS = 20
SOON = 30.0
SEND = "/channels/{channel_id}/messages"
STATE = "select state from agent_requests where request_id = %s::bigint"


async def is_in_state(installation: Installation, request_id: int, state: str) -> bool:
    return await installation.rows(STATE, request_id) == [(state,)]


async def model_is_asked(installation: Installation) -> bool:
    return len(await installation.model_requests()) > 0


async def test_an_answer_comes_when_nothing_dies(installation: Installation) -> None:
    asked = Asked()
    await asked.ask(installation)
    await asked.assert_answered_once(installation)


async def test_the_worker_is_killed_during_a_model_turn(installation: Installation) -> None:
    asked = Asked(thinking_seconds=2)
    await asked.ask(installation)
    await until(lambda: model_is_asked(installation), within=SOON, what="the model is asked")
    await installation.kill("worker")
    await installation.restart("worker")
    await asked.assert_answered_once(installation)
    assert len(await installation.model_requests()) == 2  # the killed one, and the one that answered


async def test_the_bot_is_killed_after_journaling_and_before_the_start(installation: Installation) -> None:
    await installation.end("worker")
    asked = Asked()
    await asked.ask(installation)
    await until(lambda: is_in_state(installation, asked.message_id, "queued"), within=SOON, what="it is journaled")
    await installation.kill("bot")
    await installation.restart("worker")
    await until(lambda: model_is_asked(installation), within=SOON, what="the run goes on without the bot")
    await installation.restart("bot")
    await asked.assert_answered_once(installation)


async def test_the_bot_is_killed_between_send_and_record(installation: Installation) -> None:
    asked = Asked(thinking_seconds=1)
    await asked.ask(installation)
    # The next message is the bot's: it stays on its way while the answer is claimed already.
    await installation.power("slow_requests", route=SEND, method="POST", count=1, seconds=3)
    claimed = "select count(*) from deliveries where request_id = %s::bigint"

    async def is_claimed() -> bool:
        return await installation.rows(claimed, asked.message_id) == [(1,)]

    async def is_sent() -> bool:
        return len(await installation.answers(asked.message_id, seed.GENERAL_ID)) == 1

    await until(is_claimed, within=SOON, what="the answer is claimed")
    # From here on nothing can be recorded, until the bot is dead.
    async with await psycopg.AsyncConnection.connect(installation.postgres.url) as connection:
        await connection.execute("lock table deliveries in share row exclusive mode")
        await until(is_sent, within=SOON, what="the answer is sent")
        await installation.kill("bot")
    unrecorded = "select message_id from deliveries where request_id = %s::bigint"
    assert await installation.rows(unrecorded, asked.message_id) == [(None,)]
    await installation.restart("bot")
    await asked.assert_answered_once(installation)


async def test_the_bot_is_killed_and_asked_while_it_is_dead(installation: Installation) -> None:
    await installation.kill("bot")
    asked = Asked()
    await asked.ask(installation)
    await installation.restart("bot")
    await asked.assert_answered_once(installation)


async def test_a_bot_without_a_gateway_session_delivers_for_one_that_died(installation: Installation) -> None:
    await installation.add_bot("courier", "--rest-only")
    asked = Asked(thinking_seconds=2)
    await asked.ask(installation)
    await until(lambda: model_is_asked(installation), within=SOON, what="the model is asked")
    await installation.kill("bot")
    await asked.assert_answered_once(installation)
    await installation.remove_bot("courier")
    await installation.restart("bot")


async def test_temporal_is_away_when_the_message_comes(installation: Installation) -> None:
    await installation.temporal.stop()
    asked = Asked()
    await asked.ask(installation)
    await asyncio.sleep(OUTAGE_SECONDS)
    assert await is_in_state(installation, asked.message_id, "queued")
    assert await installation.answers(asked.message_id, seed.GENERAL_ID) == []
    await installation.temporal.start()
    await asked.assert_answered_once(installation)


async def test_postgresql_is_away_when_the_message_comes(installation: Installation) -> None:
    await installation.postgres.stop()
    asked = Asked()
    await asked.ask(installation)
    talk = await installation.say(seed.GRACE, seed.RANDOM_ID, "help me move this couch")
    await asyncio.sleep(OUTAGE_SECONDS)
    for channel_id in (seed.GENERAL_ID, seed.RANDOM_ID):
        last = (await installation.messages(channel_id))[-1]
        assert int(last["id"]) in {asked.message_id, talk}  # nobody heard anything of it
    await installation.postgres.start()
    await asked.assert_answered_once(installation)
    journaled = "select count(*) from chat_messages where message_id = %s::bigint"
    assert await installation.rows(journaled, talk) == [(1,)]


async def test_valkey_is_away(installation: Installation) -> None:
    await installation.valkey.stop()
    asked = Asked()
    await asked.ask(installation)
    await asked.assert_answered_once(installation)
    await installation.valkey.start()


async def test_the_same_event_comes_twice_and_to_two_bots(installation: Installation) -> None:
    await installation.add_bot("twin")
    await installation.power("duplicate_events", event="MESSAGE_CREATE", count=1)
    asked = Asked()
    await asked.ask(installation)
    await asked.assert_answered_once(installation)
    await installation.remove_bot("twin")
    assert len(await installation.model_requests()) == 1


async def test_no_request_is_left_open_in_the_end(installation: Installation) -> None:
    assert await installation.rows("select request_id from agent_requests where state <> 'finished'") == []
