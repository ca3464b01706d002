from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from gopher.errors import Unavailable
from gopher.store.gathering import MOST_IN_FLIGHT, MOST_TOGETHER, Gathering

POISON = 13


class Ledger:
    """Stands for a table: a transaction ends when it is let go."""

    def __init__(self) -> None:
        self.transactions: list[list[int]] = []
        self.gate = asyncio.Event()
        self.away = False

    async def write(self, entries: Sequence[int]) -> list[str]:
        self.transactions.append(list(entries))
        await self.gate.wait()
        if self.away:
            raise Unavailable("PostgreSQL is not available")
        if POISON in entries:
            raise ValueError("13 cannot be written")
        return [f"wrote {entry}" for entry in entries]


def same_tens(entry: int) -> int:
    return entry % 10


def gathering(ledger: Ledger) -> Gathering[int, str]:
    return Gathering(ledger.write, key=lambda entry: entry)


async def add_all(gathered: Gathering[int, str], entries: Sequence[int], ledger: Ledger) -> list[str | BaseException]:
    adding = [asyncio.create_task(gathered.add(entry)) for entry in entries]
    for _ in range(5):
        await asyncio.sleep(0)
    ledger.gate.set()
    return await asyncio.gather(*adding, return_exceptions=True)


async def test_what_comes_while_transactions_are_on_their_way_goes_together() -> None:
    ledger = Ledger()
    answers = await add_all(gathering(ledger), range(20, 40), ledger)
    assert answers == [f"wrote {entry}" for entry in range(20, 40)]
    assert len(ledger.transactions) <= MOST_IN_FLIGHT + 1
    assert sorted(entry for together in ledger.transactions for entry in together) == list(range(20, 40))


async def test_an_entry_that_finds_nothing_on_its_way_is_written_at_once() -> None:
    ledger = Ledger()
    ledger.gate.set()
    gathered = gathering(ledger)
    assert [await gathered.add(1), await gathered.add(2)] == ["wrote 1", "wrote 2"]
    assert ledger.transactions == [[1], [2]]


async def test_a_transaction_has_a_most() -> None:
    ledger = Ledger()
    await add_all(gathering(ledger), range(1000, 1000 + 3 * MOST_TOGETHER), ledger)
    assert max(map(len, ledger.transactions)) == MOST_TOGETHER


async def test_an_entry_that_cannot_be_written_fails_alone() -> None:
    ledger = Ledger()
    answers = await add_all(gathering(ledger), range(10, 20), ledger)
    assert isinstance(answers[3], ValueError)
    assert [answer for answer in answers if isinstance(answer, str)] == [
        f"wrote {entry}" for entry in range(10, 20) if entry != POISON
    ]


async def test_an_outage_is_everybodys() -> None:
    ledger = Ledger()
    ledger.away = True
    answers = await add_all(gathering(ledger), range(20, 30), ledger)
    assert all(isinstance(answer, Unavailable) for answer in answers)
    assert sum(map(len, ledger.transactions)) == 10


async def test_two_of_one_key_are_in_two_transactions_in_their_order() -> None:
    ledger = Ledger()
    await add_all(Gathering(ledger.write, key=same_tens), [1, 2, 11, 12], ledger)
    places = {entry: place for place, together in enumerate(ledger.transactions) for entry in together}
    assert places[1] < places[11]
    assert places[2] < places[12]


async def test_whoever_stops_waiting_takes_nobody_along() -> None:
    ledger = Ledger()
    gathered = gathering(ledger)
    adding = [asyncio.create_task(gathered.add(entry)) for entry in range(30, 36)]
    for _ in range(5):
        await asyncio.sleep(0)
    adding[0].cancel()
    adding[5].cancel()
    await asyncio.sleep(0)
    ledger.gate.set()
    answers = await asyncio.gather(*adding, return_exceptions=True)
    assert [answer for answer in answers if isinstance(answer, str)] == [f"wrote {entry}" for entry in range(31, 35)]


async def test_the_next_entry_after_an_outage_is_written() -> None:
    ledger = Ledger()
    ledger.away = True
    ledger.gate.set()
    gathered = gathering(ledger)
    with pytest.raises(Unavailable):
        await gathered.add(1)
    ledger.away = False
    assert await gathered.add(2) == "wrote 2"
