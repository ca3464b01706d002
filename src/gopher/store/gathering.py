"""Group commit: what is to be written while earlier writes are on their way goes together in the next transaction."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from gopher.errors import Unavailable

MOST_TOGETHER: Final = 100
"""Entries of one transaction: by then the round trip and the commit are a hundredth of each."""

MOST_IN_FLIGHT: Final = 2
"""Transactions at once: the server works on one while the other waits for its commit to reach the disk. With more,
fewer entries meet in one (measured by `benchmarks.journal`)."""

EntryT = TypeVar("EntryT")
ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class _Waiting(Generic[EntryT, ResultT]):
    entry: EntryT
    written: asyncio.Future[ResultT]


class Gathering(Generic[EntryT, ResultT]):
    """Writes entries one by one for its callers and together for the server. Of one event loop.

    An entry that finds nothing on its way is written at once and alone, so that a quiet channel waits for nobody.
    """

    def __init__(
        self, write: Callable[[Sequence[EntryT]], Awaitable[Sequence[ResultT]]], *, key: Callable[[EntryT], Hashable]
    ) -> None:
        """Write by a function that takes entries, writes all or none of them and answers in their order.

        Two entries of the same `key` are never in one transaction; the later one is in a later transaction.
        """
        self._write = write
        self._key = key
        self._waiting: deque[_Waiting[EntryT, ResultT]] = deque()
        self._writers: set[asyncio.Task[None]] = set()

    async def add(self, entry: EntryT) -> ResultT:
        """Write an entry; return when it is committed.

        Raises what the writing raises for this entry. Whoever is cancelled while waiting does not know whether it was
        written.
        """
        waiting: _Waiting[EntryT, ResultT] = _Waiting(entry, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if len(self._writers) < MOST_IN_FLIGHT:
            writer = asyncio.create_task(self._drain())
            self._writers.add(writer)
            writer.add_done_callback(self._writers.discard)
        return await waiting.written

    async def _drain(self) -> None:
        while self._waiting:
            together = self._take()
            try:
                results = await self._write([each.entry for each in together])
            except Unavailable as error:  # of the server, so of all of them
                _fail(together, error)
            except Exception as error:  # noqa: BLE001 - it is raised where each entry is waited for
                if len(together) == 1:
                    _fail(together, error)
                else:
                    await self._write_apart(together)
            else:
                for each, result in zip(together, results, strict=True):
                    _succeed(each, result)

    async def _write_apart(self, together: Sequence[_Waiting[EntryT, ResultT]]) -> None:
        """Write entries one by one, so that only those fail that have something wrong with them."""
        for each in together:
            try:
                (result,) = await self._write([each.entry])
            except Exception as error:  # noqa: BLE001 - it is raised where the entry is waited for
                _fail([each], error)
            else:
                _succeed(each, result)

    def _take(self) -> list[_Waiting[EntryT, ResultT]]:
        together: list[_Waiting[EntryT, ResultT]] = []
        keys: set[Hashable] = set()
        while self._waiting and len(together) < MOST_TOGETHER:
            key = self._key(self._waiting[0].entry)
            if key in keys:
                break
            keys.add(key)
            each = self._waiting.popleft()
            if not each.written.cancelled():
                together.append(each)
        return together


def _succeed(waiting: _Waiting[EntryT, ResultT], result: ResultT) -> None:
    if not waiting.written.done():
        waiting.written.set_result(result)


def _fail(together: Sequence[_Waiting[EntryT, ResultT]], error: Exception) -> None:
    for each in together:
        if not each.written.done():
            each.written.set_exception(error)
