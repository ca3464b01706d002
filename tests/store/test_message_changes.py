from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

from gopher.domain.ids import ChannelId, MessageId, UserId, snowflake_at
from gopher.domain.journal import Attachment, AuthorKind, Journaled
from gopher.domain.journal_changes import Place, Thread
from gopher.store.journal import Journal
from gopher.store.message_changes import Deleted
from gopher.store.pool import Pool, create_pool, transaction
from tests.store.samples import BOT, CHANNEL, GUILD, MEMBER, NOON, count, message, message_id, request_of

HERE = Place(guild_id=GUILD, channel_id=CHANNEL)
THREAD = ChannelId(snowflake_at(NOON))
LATER = NOON + timedelta(minutes=5)
FILE = Attachment(attachment_id=5, filename="a.png", content_type="image/png", size=7, url="https://cdn.example/a?ex=1")


async def revisions(pool: Pool) -> list[tuple[int, str, datetime]]:
    async with transaction(pool) as connection:
        cursor = await connection.execute(
            "select message_id, content, edited_at from chat_message_revisions order by edited_at"
        )
        return await cursor.fetchall()


async def events(pool: Pool) -> list[str]:
    async with transaction(pool) as connection:
        cursor = await connection.execute("select event_type from discord_events order by id")
        return [event_type for (event_type,) in await cursor.fetchall()]


async def generation(pool: Pool) -> int:
    async with transaction(pool) as connection:
        cursor = await connection.execute("select sum(generation)::integer from memory_ingestion_jobs")
        ((value,),) = await cursor.fetchall()
        return value or 0


async def content(pool: Pool, number: int = 1) -> str | None:
    stored = await Journal(pool).message(message_id(number))
    return None if stored is None else stored.content


async def test_an_edit_replaces_the_content_and_keeps_the_old_one_as_a_revision(pool: Pool) -> None:
    journal = Journal(pool)
    await journal.record_message(message(content="I use Vim"))
    assert await journal.record_edit(message(content="I use Helix"), edited_at=LATER)
    assert await content(pool) == "I use Helix"
    assert await revisions(pool) == [(message_id(1), "I use Vim", LATER)]
    assert await events(pool) == ["message_create", "message_edit"]
    assert await generation(pool) == 2


async def test_the_same_edit_delivered_again_changes_nothing(pool: Pool) -> None:
    journal = Journal(pool)
    await journal.record_message(message(content="one"))
    assert await journal.record_edit(message(content="two"), edited_at=LATER)
    assert not await journal.record_edit(message(content="two"), edited_at=LATER)
    assert len(await revisions(pool)) == 1
    assert len(await events(pool)) == 2
    assert await generation(pool) == 2


async def test_of_sixteen_sightings_of_an_edit_one_is_journaled(database_url: str, pool: Pool) -> None:
    await Journal(pool).record_message(message(content="one"))
    async with create_pool(database_url) as other_process:
        pools = [pool, other_process] * 8
        edited = message(content="two")
        changed = await asyncio.gather(*(Journal(each).record_edit(edited, edited_at=LATER) for each in pools))
    assert sorted(changed) == [False] * 15 + [True]
    assert len(await revisions(pool)) == 1


async def test_an_update_that_says_the_same_is_no_edit(pool: Pool) -> None:
    """A pin of a message that was edited long ago brings its old edit timestamp and freshly signed URLs."""
    journal = Journal(pool)
    await journal.record_message(message(content="same", attachments=(FILE,)))
    signed_again = replace(FILE, url="https://cdn.example/a?ex=2")
    assert not await journal.record_edit(message(content="same", attachments=(signed_again,)), edited_at=LATER)
    assert await revisions(pool) == []
    assert await events(pool) == ["message_create"]
    assert await generation(pool) == 1


async def test_text_that_was_made_storable_is_compared_as_it_was_stored(pool: Pool) -> None:
    journal = Journal(pool)
    await journal.record_message(message(content="a\0b"))
    assert not await journal.record_edit(message(content="a\0b"), edited_at=LATER)


async def test_taking_an_attachment_away_is_an_edit(pool: Pool) -> None:
    journal = Journal(pool)
    await journal.record_message(message(content="same", attachments=(FILE,)))
    assert await journal.record_edit(message(content="same"), edited_at=LATER)
    stored = await journal.message(message_id(1))
    assert stored is not None
    assert stored.attachments == ()


async def test_an_edit_of_a_message_never_seen_is_journaled_as_it_is_now(pool: Pool) -> None:
    journal = Journal(pool)
    assert await journal.record_edit(message(content="edited"), edited_at=LATER)
    assert await content(pool) == "edited"
    assert (await revisions(pool), await events(pool)) == ([], ["message_edit"])
    assert await generation(pool) == 1


async def test_a_message_that_comes_after_its_edit_keeps_the_edited_content_and_opens_its_request(pool: Pool) -> None:
    journal = Journal(pool)
    await journal.record_edit(message(content="edited"), edited_at=LATER)
    asked = message(content="first words")
    assert await journal.record_message(asked, request_of(asked)) == Journaled(new=True, requested=True)
    assert await content(pool) == "edited"


async def test_edits_that_arrive_in_the_wrong_order_leave_the_newest_content(pool: Pool) -> None:
    journal = Journal(pool)
    await journal.record_message(message(content="one"))
    assert await journal.record_edit(message(content="three"), edited_at=LATER + timedelta(seconds=1))
    assert not await journal.record_edit(message(content="two"), edited_at=LATER)
    assert await content(pool) == "three"
    assert await events(pool) == ["message_create", "message_edit", "message_edit"]


async def test_an_edit_of_a_deleted_message_does_not_bring_it_back(pool: Pool) -> None:
    journal = Journal(pool)
    await journal.record_message(message(content="one"))
    await journal.record_delete(HERE, message_id(1), observed_at=LATER)
    assert not await journal.record_edit(message(content="two"), edited_at=LATER)
    assert await content(pool) is None
    assert await revisions(pool) == []


async def test_there_and_back_again_are_two_edits(pool: Pool) -> None:
    journal = Journal(pool)
    await journal.record_message(message(content="one"))
    for number, text in enumerate(["two", "one"], start=1):
        assert await journal.record_edit(message(content=text), edited_at=LATER + timedelta(seconds=number))
    assert [text for _, text, _ in await revisions(pool)] == ["one", "two"]
    assert await content(pool) == "one"


async def test_a_deleted_message_is_gone_from_the_conversation_and_its_channel_is_read_again(pool: Pool) -> None:
    journal = Journal(pool)
    await journal.record_message(message())
    assert await journal.record_delete(HERE, message_id(1), observed_at=LATER) == Deleted(new=True, messages=1)
    assert await content(pool) is None
    assert await journal.recent(CHANNEL, before=message_id(9), limit=9) == ()
    assert await generation(pool) == 2
    assert await journal.record_delete(HERE, message_id(1), observed_at=LATER) == Deleted(new=False, messages=0)
    assert await events(pool) == ["message_create", "message_delete"]
    assert await generation(pool) == 2


async def test_the_deletion_of_an_unknown_message_is_journaled_once(pool: Pool) -> None:
    journal = Journal(pool)
    assert await journal.record_delete(HERE, message_id(1), observed_at=LATER) == Deleted(new=True, messages=0)
    assert await journal.record_delete(HERE, message_id(1), observed_at=LATER) == Deleted(new=False, messages=0)
    assert await generation(pool) == 0


async def test_a_message_journaled_after_another_process_journaled_its_deletion_is_closed_by_its_own(
    pool: Pool,
) -> None:
    journal = Journal(pool)
    await journal.record_delete(HERE, message_id(1), observed_at=LATER)
    await journal.record_message(message())
    assert await journal.record_delete(HERE, message_id(1), observed_at=LATER) == Deleted(new=False, messages=1)
    assert await content(pool) is None


async def test_a_bulk_deletion_is_one_event_whatever_its_order(pool: Pool) -> None:
    journal = Journal(pool)
    for number in range(1, 5):
        await journal.record_message(message(number))
    purge = [message_id(3), message_id(1), MessageId(12345)]
    assert await journal.record_bulk_delete(HERE, purge, observed_at=LATER) == Deleted(new=True, messages=2)
    again = await journal.record_bulk_delete(HERE, purge[::-1], observed_at=LATER)
    assert again == Deleted(new=False, messages=0)
    left = await journal.recent(CHANNEL, before=message_id(9), limit=9)
    assert [each.message_id for each in left] == [message_id(2), message_id(4)]
    assert (await events(pool))[4:] == ["message_bulk_delete"]
    assert await generation(pool) == 5


async def test_a_bulk_deletion_of_one_message_is_the_deletion_of_that_message(pool: Pool) -> None:
    journal = Journal(pool)
    await journal.record_message(message())
    await journal.record_bulk_delete(HERE, [message_id(1)], observed_at=LATER)
    assert not (await journal.record_delete(HERE, message_id(1), observed_at=LATER)).new


async def test_two_processes_purge_at_once_and_neither_fails(database_url: str, pool: Pool) -> None:
    journal = Journal(pool)
    for number in range(1, 41):
        await journal.record_message(message(number, channel_id=800 + number % 4))
    purge = [message_id(number) for number in range(1, 41)]
    async with create_pool(database_url) as other_process:
        done = await asyncio.gather(
            *(
                Journal(each).record_bulk_delete(HERE, purge[start::2] + purge[1 - start :: 2], observed_at=LATER)
                for each in (pool, other_process)
                for start in (0, 1)
            )
        )
    assert sorted((each.new, each.messages) for each in done) == [(False, 0)] * 3 + [(True, 40)]


def thread(*, archived: bool = False, locked: bool = False, name: str = "plans") -> Thread:
    return Thread(
        place=Place(guild_id=GUILD, channel_id=THREAD), parent_id=CHANNEL, owner_id=MEMBER, name=name,
        archived=archived, locked=locked,
    )  # fmt: skip


async def test_a_deleted_thread_takes_its_messages_along_and_no_others(pool: Pool) -> None:
    journal = Journal(pool)
    await journal.record_message(message(1))
    await journal.record_message(message(2, channel_id=THREAD))
    await journal.record_message(message(3, channel_id=THREAD, author_id=BOT, author_kind=AuthorKind.ASSISTANT))
    gone = await journal.record_thread_delete(thread().place, observed_at=LATER)
    assert gone == Deleted(new=True, messages=2)
    assert await journal.record_thread_delete(thread().place, observed_at=LATER) == Deleted(new=False, messages=0)
    assert [await content(pool, number) for number in (1, 2, 3)] == ["hello", None, None]


async def test_a_deleted_channel_takes_its_threads_along_known_from_the_journal_or_the_caller(pool: Pool) -> None:
    journal = Journal(pool)
    other_thread = ChannelId(THREAD + 1)
    assert await journal.record_thread_create(thread())
    for number, channel_id in enumerate((CHANNEL, THREAD, other_thread, 801), start=1):
        await journal.record_message(message(number, channel_id=channel_id))
    gone = await journal.record_channel_delete(HERE, thread_ids=[other_thread], observed_at=LATER)
    assert gone == Deleted(new=True, messages=3)
    assert [await content(pool, number) for number in (1, 2, 3, 4)] == [None, None, None, "hello"]
    again = await journal.record_channel_delete(HERE, thread_ids=[], observed_at=LATER)
    assert again == Deleted(new=False, messages=0)


async def test_erasing_a_message_takes_its_revisions_along(pool: Pool) -> None:
    journal = Journal(pool)
    await journal.record_message(message(content="one"))
    await journal.record_edit(message(content="two"), edited_at=LATER)
    async with transaction(pool) as connection:
        await connection.execute("delete from chat_messages")
    assert await count(pool, "chat_message_revisions") == 0


async def test_an_edit_by_somebody_else_keeps_who_wrote_the_message(pool: Pool) -> None:
    journal = Journal(pool)
    sent = message(content="one")
    await journal.record_message(sent)
    await journal.record_edit(replace(sent, content="two", author_name="Renamed", author_id=UserId(1)), edited_at=LATER)
    assert await journal.message(sent.message_id) == replace(sent, content="two")
