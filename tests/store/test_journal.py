from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import psycopg
import pytest

from gopher.domain.ids import ChannelId, MessageId, RequestId
from gopher.domain.journal import Attachment, AuthorKind, Journaled, Trigger
from gopher.store.journal import Journal
from gopher.store.pool import Pool, create_pool, transaction
from gopher.store.requests import RequestOutbox
from tests.store.samples import (
    BOT,
    CHANNEL,
    GUILD,
    MEMBER,
    NOON,
    ask,
    count,
    interaction,
    message,
    message_id,
    request_of,
)

TABLES = ("discord_events", "chat_messages", "memory_ingestion_jobs", "agent_requests")


async def generation(pool: Pool, channel_id: int = CHANNEL) -> int:
    async with transaction(pool) as connection:
        cursor = await connection.execute(
            "select generation from memory_ingestion_jobs where channel_id = %(channel)s", {"channel": channel_id}
        )
        ((value,),) = await cursor.fetchall()
        return int(value)


async def test_a_message_comes_back_as_it_was_sent(pool: Pool) -> None:
    file = Attachment(attachment_id=5, filename="ü.png", content_type="image/png", size=7, url="https://cdn.example/x")
    bare = replace(file, attachment_id=6, content_type=None)
    sent = message(content="wörds\n  as sent ", attachments=(file, bare))
    assert await Journal(pool).record_message(sent) == Journaled(new=True, requested=False)
    assert await Journal(pool).message(sent.message_id) == sent


async def test_an_unknown_message_is_none(pool: Pool) -> None:
    assert await Journal(pool).message(MessageId(1)) is None


async def test_a_message_that_asks_opens_its_request_with_the_trace_of_its_event(pool: Pool) -> None:
    asked = message()
    journaled = await Journal(pool).record_message(asked, request_of(asked, traceparent="00-ab-cd-01"))
    assert journaled == Journaled(new=True, requested=True)
    facts = await RequestOutbox(pool).facts(RequestId(asked.message_id))
    assert facts is not None
    assert (facts.state, facts.trigger, facts.traceparent) == ("queued", Trigger.MESSAGE, "00-ab-cd-01")
    assert (facts.guild_id, facts.channel_id, facts.user_id) == (GUILD, CHANNEL, MEMBER)


async def test_journaling_the_same_message_again_writes_nothing(pool: Pool) -> None:
    asked = message()
    await Journal(pool).record_message(asked, request_of(asked))
    again = await Journal(pool).record_message(replace(asked, content="other words"), request_of(asked))
    assert again == Journaled(new=False, requested=False)
    assert [await count(pool, table) for table in TABLES] == [1, 1, 1, 1]
    assert await generation(pool) == 1
    assert await Journal(pool).message(asked.message_id) == asked


async def test_a_message_passed_over_once_is_never_made_a_request_later(pool: Pool) -> None:
    passed_over = message()
    await Journal(pool).record_message(passed_over)
    journaled = await Journal(pool).record_message(passed_over, request_of(passed_over))
    assert journaled == Journaled(new=False, requested=False)
    assert await count(pool, "agent_requests") == 0


async def test_sixteen_writers_of_one_message_make_one_row_and_one_request(database_url: str, pool: Pool) -> None:
    asked = message()
    async with create_pool(database_url, max_size=16) as other_process:
        pools = [pool, other_process] * 8
        written = await asyncio.gather(*(Journal(each).record_message(asked, request_of(asked)) for each in pools))
    assert sorted(each.new for each in written) == [False] * 15 + [True]
    assert sorted(each.requested for each in written) == [False] * 15 + [True]
    assert [await count(pool, table) for table in TABLES] == [1, 1, 1, 1]
    assert await generation(pool) == 1


async def test_each_new_message_adds_one_to_its_channels_generation(pool: Pool) -> None:
    journal = Journal(pool)
    await asyncio.gather(*(journal.record_message(message(number)) for number in range(1, 21)))
    await journal.record_message(message(50, channel_id=801))
    assert (await generation(pool), await generation(pool, 801)) == (20, 1)


async def test_an_ingestion_job_is_open_since_the_oldest_message_not_drained(pool: Pool) -> None:
    select = b"select opened_at from memory_ingestion_jobs"
    journal = Journal(pool)
    opened: list[datetime] = []
    for number, drain in ((1, False), (2, True), (3, False)):
        await journal.record_message(message(number))
        async with transaction(pool) as connection:
            ((opened_at,),) = await (await connection.execute(select)).fetchall()
            opened.append(opened_at)
            if drain:
                await connection.execute("update memory_ingestion_jobs set opened_at = null")
    first, still_open, reopened = opened
    assert first == still_open < reopened


async def test_only_a_new_request_is_notified(database_url: str, pool: Pool) -> None:
    asked = message()
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as listener:
        await listener.execute("listen agent_requests")
        await Journal(pool).record_message(message(2))
        await Journal(pool).record_message(asked, request_of(asked))
        await Journal(pool).record_message(asked, request_of(asked))
        assert [note.payload async for note in listener.notifies(timeout=0.3)] == [""]


async def test_text_that_postgresql_refuses_is_journaled_with_replacement_characters(pool: Pool) -> None:
    file = Attachment(attachment_id=5, filename="a\0b", content_type=None, size=7, url="https://cdn.example/\ud800")
    asked = replace(message(content="a\0b \udfff"), author_name="\0", attachments=(file,))
    await Journal(pool).record_message(asked, request_of(asked))
    stored = await Journal(pool).message(asked.message_id)
    assert stored is not None
    assert (stored.content, stored.author_name, stored.attachments[0].filename) == ("a�b �", "�", "a�b")


async def test_a_message_of_a_million_characters_is_journaled(pool: Pool) -> None:
    long = message(content="é" * 1_000_000)
    await Journal(pool).record_message(long)
    assert await Journal(pool).message(long.message_id) == long


async def test_the_run_of_a_bots_message_is_added_when_the_gateway_brought_it_first(pool: Pool) -> None:
    request_id = await ask(pool, 1)
    echo = message(2, author_id=BOT, author_kind=AuthorKind.ASSISTANT)
    await Journal(pool).record_message(echo)
    sent = replace(echo, request_id=request_id)
    assert (await Journal(pool).record_message(sent)).new is False
    assert await Journal(pool).message(echo.message_id) == sent
    await Journal(pool).record_message(echo)
    assert await Journal(pool).message(echo.message_id) == sent


async def test_events_hold_no_words_and_no_names(pool: Pool) -> None:
    await Journal(pool).record_message(replace(message(content="CANARY"), author_name="CANARY"))
    await Journal(pool).record_interaction(interaction(prompt="CANARY"), occurred_at=NOON, user_name="CANARY")
    async with transaction(pool) as connection:
        cursor = await connection.execute("select count(*), count(*) filter (where payload::text ~ 'CANARY') "
                                          "from discord_events")  # fmt: skip
        assert await cursor.fetchone() == (2, 0)


async def test_an_interaction_opens_its_request_once_with_its_text_name_and_token(pool: Pool) -> None:
    opening = interaction()
    journal = Journal(pool)
    written = await asyncio.gather(
        *(journal.record_interaction(opening, occurred_at=NOON, user_name="Ada") for _ in range(8))
    )
    assert sorted((each.new, each.requested) for each in written) == [(False, False)] * 7 + [(True, True)]
    facts = await RequestOutbox(pool).facts(opening.request_id)
    assert facts is not None
    assert (facts.prompt, facts.user_name, facts.interaction_token) == ("what?", "Ada", "CANARY")
    assert (facts.trigger, facts.guild_id, facts.traceparent) == (Trigger.INTERACTION, None, "00-1-2-01")


async def test_recent_messages_are_the_last_ones_before_a_message_oldest_first(pool: Pool) -> None:
    journal = Journal(pool)
    for number in (3, 1, 5, 2, 4):
        await journal.record_message(message(number))
    await journal.record_message(message(6, channel_id=801))
    async with transaction(pool) as connection:
        await connection.execute(
            "update chat_messages set deleted_at = now() where message_id = %(id)s", {"id": message_id(3)}
        )
    recent = await journal.recent(CHANNEL, before=message_id(5), limit=2)
    assert [each.message_id for each in recent] == [message_id(2), message_id(4)]


async def test_the_last_message_ids_leave_out_what_the_bot_said_itself(pool: Pool) -> None:
    journal = Journal(pool)
    await journal.record_message(message(1))
    await journal.record_message(message(2))
    await journal.record_message(message(9, author_id=BOT, author_kind=AuthorKind.ASSISTANT))
    await journal.record_message(message(3, channel_id=801))
    silent = ChannelId(802)
    assert await journal.last_message_ids([CHANNEL, ChannelId(801), silent]) == {
        CHANNEL: message_id(2),
        ChannelId(801): message_id(3),
    }


async def test_a_deleted_message_still_counts_as_read(pool: Pool) -> None:
    await Journal(pool).record_message(message(1))
    async with transaction(pool) as connection:
        await connection.execute("update chat_messages set deleted_at = now()")
    assert await Journal(pool).last_message_ids([CHANNEL]) == {CHANNEL: message_id(1)}


async def test_times_come_back_aware_and_in_utc(pool: Pool) -> None:
    await Journal(pool).record_message(message())
    stored = await Journal(pool).message(message_id(1))
    assert stored is not None
    assert stored.created_at.utcoffset() == timedelta()


async def test_a_batch_is_journaled_as_its_messages_would_be_one_by_one(pool: Pool) -> None:
    journal = Journal(pool)
    known, asked, plain = message(1), message(2), message(3, channel_id=801)
    await journal.record_message(known)
    batch = [(asked, request_of(asked)), (known, request_of(known)), (plain, None), (asked, request_of(asked))]
    assert await journal.record_messages(batch) == (
        Journaled(new=True, requested=True),
        Journaled(new=False, requested=False),
        Journaled(new=True, requested=False),
        Journaled(new=False, requested=False),
    )
    assert [await count(pool, table) for table in TABLES] == [3, 3, 2, 1]
    assert (await generation(pool), await generation(pool, 801)) == (2, 1)
    assert await journal.record_messages(batch) == (Journaled(new=False, requested=False),) * 4
    assert await journal.record_messages([]) == ()


async def test_overlapping_batches_of_many_channels_in_opposite_orders_do_not_meet_head_on(
    database_url: str, pool: Pool
) -> None:
    batch = [(message(number, channel_id=800 + number % 7), None) for number in range(1, 101)]
    async with create_pool(database_url) as other_process:
        written = await asyncio.gather(
            *(
                Journal(each).record_messages(entries)
                for each in (pool, other_process)
                for entries in (batch, batch[::-1], batch[50:], batch[:50][::-1])
            )
        )
    assert sum(journaled.new for answers in written for journaled in answers) == 100
    assert await count(pool, "chat_messages") == 100
    assert sum([await generation(pool, channel_id) for channel_id in range(800, 807)]) == 100


async def test_a_request_with_another_id_than_its_message_is_a_programming_error(pool: Pool) -> None:
    with pytest.raises(ValueError, match="the id of the message"):
        await Journal(pool).record_message(message(1), request_of(message(2)))
