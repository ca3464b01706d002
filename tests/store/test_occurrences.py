from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from gopher.domain.ids import ChannelId, GuildId, UserId, snowflake_at
from gopher.domain.journal_changes import Place, Reaction, ReactionChange, Thread
from gopher.store.journal import Journal
from gopher.store.occurrences import (
    SEEN_TWICE_WITHIN,
    Occurrence,
    guild_left,
    pins_updated,
    reaction_seen,
    reactions_cleared,
    thread_updated,
)
from gopher.store.pool import Pool, create_pool, transaction
from tests.store.samples import CHANNEL, GUILD, MEMBER, NOON, count, message_id

HERE = Place(guild_id=GUILD, channel_id=CHANNEL)
HEART = Reaction(place=HERE, message_id=message_id(1), user_id=MEMBER, emoji="❤️")
ADD, REMOVE = ReactionChange.ADD, ReactionChange.REMOVE
CLEAR = reactions_cleared(HERE, message_id(1), None)
THREAD = Thread(
    place=Place(guild_id=GUILD, channel_id=ChannelId(snowflake_at(NOON))),
    parent_id=CHANNEL, owner_id=MEMBER, name="plans", archived=False, locked=False,
)  # fmt: skip


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


async def seen(pool: Pool, *sightings: tuple[Occurrence, float]) -> list[bool]:
    """Journal sightings one after another; tell which were news."""
    journal = Journal(pool)
    return [await journal.record_occurrence(what, observed_at=at(seconds)) for what, seconds in sightings]


async def ledger(pool: Pool) -> list[str]:
    async with transaction(pool) as connection:
        cursor = await connection.execute("select event_type from discord_events order by occurred_at, id")
        return [event_type for (event_type,) in await cursor.fetchall()]


async def test_a_reaction_taken_back_and_given_again_is_three_events(pool: Pool) -> None:
    add, remove = reaction_seen(ADD, HEART), reaction_seen(REMOVE, HEART)
    assert await seen(pool, (add, 0), (remove, 1), (add, 2)) == [True, True, True]
    assert await ledger(pool) == ["reaction_add", "reaction_remove", "reaction_add"]


async def test_a_reaction_delivered_twice_is_one_event(pool: Pool) -> None:
    add = reaction_seen(ADD, HEART)
    assert await seen(pool, (add, 0), (add, 0), (add, 0.001), (add, 30)) == [True, False, False, False]


async def test_what_two_processes_see_at_their_own_pace_is_journaled_once(pool: Pool) -> None:
    """The second process comes late with everything, and its clock is a little behind."""
    add, remove = reaction_seen(ADD, HEART), reaction_seen(REMOVE, HEART)
    assert await seen(pool, (add, 0), (remove, 5), (add, 9)) == [True] * 3
    assert await seen(pool, (add, -0.4), (remove, 4.7), (add, 9.3)) == [False] * 3


@pytest.mark.parametrize("seed", range(12))
async def test_any_interleaving_of_two_processes_gives_the_true_history(
    database_url: str, pool: Pool, seed: int
) -> None:
    """Members toggle reactions; each process sees all in order, half a second early or late, and writes when it can."""
    dice = random.Random(seed)  # noqa: S311 - a test's dice
    reactions = [replace(HEART, user_id=UserId(user)) for user in (1, 2, 3)]
    given = dict.fromkeys(reactions, False)
    truth: list[tuple[Occurrence, float]] = []
    for step in range(20):
        reaction = dice.choice(reactions)
        given[reaction] = not given[reaction]
        truth.append((reaction_seen(ADD if given[reaction] else REMOVE, reaction), step * 2.0))

    async def process(pool: Pool) -> None:
        for what, seconds in truth:
            await asyncio.sleep(dice.random() * 0.01)
            await seen(pool, (what, seconds + dice.uniform(-0.5, 0.5)))

    async with create_pool(database_url) as other:
        await asyncio.gather(process(pool), process(other))
    assert await ledger(pool) == [what.event_type for what, _ in truth]


async def test_another_member_emoji_or_kind_is_another_reaction(pool: Pool) -> None:
    others = [
        HEART,
        replace(HEART, user_id=UserId(1)),
        replace(HEART, emoji="123"),
        replace(HEART, burst=True),
        replace(HEART, message_id=message_id(2)),
        replace(HEART, emoji="❤"),
        replace(HEART, emoji="a/b\0%"),
    ]
    assert await seen(pool, *((reaction_seen(ADD, reaction), 0) for reaction in others)) == [True] * len(others)


async def test_a_reaction_given_again_long_after_is_news_since_its_end_was_missed(pool: Pool) -> None:
    add = reaction_seen(ADD, HEART)
    long_after = SEEN_TWICE_WITHIN.total_seconds() + 1
    assert await seen(pool, (add, 0), (add, long_after)) == [True, True]


async def test_after_a_clear_the_same_reaction_is_news(pool: Pool) -> None:
    add = reaction_seen(ADD, HEART)
    of_emoji = reactions_cleared(HERE, message_id(1), HEART.emoji)
    sightings = ((add, 0), (CLEAR, 1), (add, 2), (of_emoji, 3), (add, 4))
    assert await seen(pool, *sightings) == [True] * 5
    assert await seen(pool, *((what, seconds + 0.2) for what, seconds in sightings)) == [False] * 5
    assert await ledger(pool) == ["reaction_add", "reaction_clear"] * 2 + ["reaction_add"]


async def test_clearing_one_emoji_leaves_the_others_given(pool: Pool) -> None:
    other = reaction_seen(ADD, replace(HEART, emoji="👍"))
    of_emoji = reactions_cleared(HERE, message_id(1), HEART.emoji)
    assert await seen(pool, (reaction_seen(ADD, HEART), 0), (other, 1), (of_emoji, 2)) == [True] * 3
    assert await seen(pool, (other, 3)) == [False]


async def test_clearing_all_after_one_emoji_is_news_and_one_emoji_after_all_is_not(pool: Pool) -> None:
    of_emoji = reactions_cleared(HERE, message_id(1), HEART.emoji)
    sightings = ((reaction_seen(ADD, HEART), 0), (of_emoji, 2), (CLEAR, 3))
    assert await seen(pool, *sightings) == [True] * 3
    assert await seen(pool, *((what, seconds + 0.2) for what, seconds in sightings)) == [False] * 3
    assert await seen(pool, (of_emoji, 4)) == [False]


async def test_emojis_whose_names_begin_alike_are_not_cleared_together(pool: Pool) -> None:
    longer = reaction_seen(ADD, replace(HEART, emoji="1234"))
    of_shorter = reactions_cleared(HERE, message_id(1), "123")
    assert await seen(pool, (longer, 0), (of_shorter, 1), (longer, 2)) == [True, True, False]


async def test_clearing_again_without_a_new_reaction_is_one_event(pool: Pool) -> None:
    assert await seen(pool, (CLEAR, 0), (CLEAR, 1), (reaction_seen(ADD, HEART), 2), (CLEAR, 3)) == [
        True, False, True, True,
    ]  # fmt: skip


async def test_a_thread_update_is_news_when_name_archive_or_lock_changed_and_only_then(pool: Pool) -> None:
    assert await Journal(pool).record_thread_create(THREAD)
    day = 24 * 60 * 60
    renamed, archived = replace(THREAD, name="other"), replace(THREAD, archived=True)
    assert await seen(
        pool,
        (thread_updated(THREAD), 1),
        (thread_updated(archived), 2),
        (thread_updated(archived), 2 + day),
        (thread_updated(THREAD), 3 + day),
        (thread_updated(archived), 4 + day),
        (thread_updated(renamed), 5 + day),
        (thread_updated(replace(renamed, locked=True)), 6 + day),
    ) == [False, True, False, True, True, True, True]


async def test_a_thread_is_created_once(pool: Pool) -> None:
    created = await asyncio.gather(*(Journal(pool).record_thread_create(THREAD) for _ in range(8)))
    assert sorted(created) == [False] * 7 + [True]


async def test_the_ledger_holds_no_thread_name(pool: Pool) -> None:
    await Journal(pool).record_thread_create(replace(THREAD, name="CANARY"))
    await seen(pool, (thread_updated(replace(THREAD, name="CANARY2")), 1))
    async with transaction(pool) as connection:
        cursor = await connection.execute("select count(*) from discord_events as event where event::text ~ 'CANARY'")
        assert await cursor.fetchone() == (0,)
    assert await count(pool, "discord_events") == 2


async def test_pins_and_departures_are_journaled_once_each(pool: Pool) -> None:
    first, second = pins_updated(HERE, at(0)), pins_updated(HERE, at(5))
    none, left = pins_updated(HERE, None), guild_left(GuildId(1))
    sightings = ((first, 0), (second, 5), (first, 8), (none, 9), (left, 10))
    assert await seen(pool, *sightings) == [True] * 5
    assert await seen(pool, *((what, seconds + 0.3) for what, seconds in sightings)) == [False] * 5
    assert await seen(pool, (left, 1000)) == [True]


async def test_eight_processes_that_see_one_reaction_at_once_journal_it_once(database_url: str, pool: Pool) -> None:
    add = reaction_seen(ADD, HEART)
    async with create_pool(database_url) as other:
        news = await asyncio.gather(*(seen(each, (add, 0.1 * place)) for place, each in enumerate([pool, other] * 4)))
    assert sorted(news) == [[False]] * 7 + [[True]]
