from __future__ import annotations

import asyncio
import random
import time
from collections import defaultdict
from datetime import timedelta

from gopher.domain.ids import ChannelId, RequestId
from gopher.domain.runs import RunRecord, RunStatus, Surface
from gopher.store.pool import Pool, create_pool
from gopher.store.requests import RUNNING_PER_CHANNEL, RequestOutbox
from gopher.store.runs import RunStore
from tests.store.samples import CHANNEL, ask

LEASE = timedelta(seconds=30)


def ended(request_id: RequestId) -> RunRecord:
    return RunRecord(
        request_id=request_id, status=RunStatus.COMPLETED, error_code=None,
        iterations=1, tool_calls=0, prompt_tokens=0, completion_tokens=0,
    )  # fmt: skip


async def claimed(pool: Pool, *, limit: int = 10, lease: timedelta = LEASE) -> list[RequestId]:
    return [facts.request_id for facts in await RequestOutbox(pool).claim(limit=limit, lease=lease)]


async def test_the_oldest_requests_are_claimed_first(pool: Pool) -> None:
    third, first, second = [await ask(pool, number, channel_id=800 + number) for number in (3, 1, 2)]
    assert await claimed(pool, limit=2) == [first, second]
    assert await claimed(pool) == [third]


async def test_a_claimed_request_is_nobody_elses_until_its_lease_ends(pool: Pool) -> None:
    request_id = await ask(pool, 1)
    assert await claimed(pool, lease=timedelta(milliseconds=200)) == [request_id]
    assert await claimed(pool) == []
    await asyncio.sleep(0.25)
    assert await claimed(pool) == [request_id]


async def test_a_started_request_is_not_claimed_when_its_lease_ends(pool: Pool) -> None:
    request_id = await ask(pool, 1)
    await claimed(pool, lease=timedelta())
    await RequestOutbox(pool).started(request_id)
    assert await claimed(pool) == []


async def test_a_postponed_request_waits_for_its_delay_and_no_longer(pool: Pool) -> None:
    request_id = await ask(pool, 1)
    await claimed(pool)
    await RequestOutbox(pool).postpone(request_id, delay=timedelta(milliseconds=200))
    assert await claimed(pool) == []
    await asyncio.sleep(0.25)
    assert await claimed(pool) == [request_id]


async def test_a_members_next_request_in_a_channel_waits_until_the_first_is_finished(pool: Pool) -> None:
    outbox = RequestOutbox(pool)
    first, second = await ask(pool, 1), await ask(pool, 2)
    assert await claimed(pool) == [first]
    await outbox.started(first)
    assert await claimed(pool) == []
    await RunStore(pool).finish(ended(first))
    assert await claimed(pool) == [second]


async def test_a_members_next_request_waits_also_while_the_first_is_postponed(pool: Pool) -> None:
    first = await ask(pool, 1)
    await ask(pool, 2)
    await claimed(pool)
    await RequestOutbox(pool).postpone(first, delay=LEASE)
    assert await claimed(pool) == []


async def test_one_member_asks_in_two_channels_at_once(pool: Pool) -> None:
    first, second = await ask(pool, 1, channel_id=800), await ask(pool, 2, channel_id=801)
    assert await claimed(pool) == [first, second]


async def test_three_members_of_a_channel_are_served_at_once_and_the_fourth_waits(pool: Pool) -> None:
    outbox = RequestOutbox(pool)
    requests = [await ask(pool, number, author_id=number) for number in range(1, 6)]
    assert await claimed(pool) == requests[:RUNNING_PER_CHANNEL]
    await outbox.started(requests[0])
    assert await claimed(pool) == []  # two are leased: somebody is starting them
    await RunStore(pool).finish(ended(requests[0]))
    assert await claimed(pool) == [requests[3]]


async def test_a_postponed_request_holds_no_place_in_its_channel(pool: Pool) -> None:
    requests = [await ask(pool, number, author_id=number) for number in range(1, 5)]
    await claimed(pool)
    await RequestOutbox(pool).postpone(requests[0], delay=LEASE)
    assert await claimed(pool) == [requests[3]]


async def test_starting_or_postponing_a_finished_request_changes_nothing(pool: Pool) -> None:
    outbox = RequestOutbox(pool)
    request_id = await ask(pool, 1)
    await RunStore(pool).finish(ended(request_id))
    await outbox.started(request_id)
    await outbox.postpone(request_id, delay=timedelta())
    facts = await outbox.facts(request_id)
    assert facts is not None
    assert facts.state == "finished"
    assert await claimed(pool) == []


async def test_an_unknown_request_has_no_facts(pool: Pool) -> None:
    assert await RequestOutbox(pool).facts(RequestId(1)) is None


async def test_channels_are_open_until_their_last_request_is_finished(pool: Pool) -> None:
    outbox = RequestOutbox(pool)
    here, there = await ask(pool, 1), await ask(pool, 2, channel_id=801)
    await outbox.started(here)
    assert await outbox.open_channels(Surface.DISCORD) == {CHANNEL, ChannelId(801)}
    assert await outbox.open_channels(Surface.TERMINAL) == frozenset()
    await RunStore(pool).finish(ended(there))
    assert await outbox.open_channels(Surface.DISCORD) == {CHANNEL}


async def test_eight_claimers_keep_order_and_cap_and_serve_everything_once(database_url: str, pool: Pool) -> None:
    """Members ask many times in few channels while eight workers claim, start and finish as fast as they can."""
    random.seed(7)
    asked: dict[tuple[int, int], list[RequestId]] = defaultdict(list)
    for number in range(1, 121):
        channel_id, author_id = 800 + number % 3, 900 + random.randrange(5)  # noqa: S311 - a test's dice
        asked[channel_id, author_id].append(await ask(pool, number, channel_id=channel_id, author_id=author_id))
    served: dict[tuple[int, int], list[RequestId]] = defaultdict(list)
    running: dict[int, int] = defaultdict(int)
    busiest: dict[int, int] = defaultdict(int)

    async def work(outbox: RequestOutbox, runs: RunStore) -> None:
        while sum(map(len, served.values())) < 120:
            batch = await outbox.claim(limit=4, lease=LEASE)
            for facts in batch:
                served[facts.channel_id, facts.user_id].append(facts.request_id)
                running[facts.channel_id] += 1
                busiest[facts.channel_id] = max(busiest[facts.channel_id], running[facts.channel_id])
            for facts in batch:
                await outbox.started(facts.request_id)
            await asyncio.sleep(0.005)
            for facts in batch:
                running[facts.channel_id] -= 1
                await runs.finish(ended(facts.request_id))

    async with create_pool(database_url, max_size=8) as other, asyncio.timeout(60), asyncio.TaskGroup() as workers:
        for each in [pool, other] * 4:
            workers.create_task(work(RequestOutbox(each), RunStore(each)))
    assert served == asked
    assert set(busiest.values()) == {RUNNING_PER_CHANNEL}


async def test_waiting_ends_when_a_request_is_opened_and_when_one_is_finished(pool: Pool) -> None:
    outbox = RequestOutbox(pool)
    await outbox.wait(timedelta(seconds=5))  # begins to listen
    for event in (ask(pool, 1), RunStore(pool).finish(ended(await ask(pool, 2)))):
        await outbox.wait(timedelta(milliseconds=50))  # drops what came before
        waiting = asyncio.create_task(outbox.wait(timedelta(seconds=20)))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        await event
        async with asyncio.timeout(5):
            await waiting
    await outbox.close()


async def test_waiting_ends_at_the_timeout_when_nothing_happens(pool: Pool) -> None:
    outbox = RequestOutbox(pool)
    await outbox.wait(timedelta(seconds=5))
    begun = time.monotonic()
    await outbox.wait(timedelta(milliseconds=300))
    assert 0.25 < time.monotonic() - begun < 3
    await outbox.close()
