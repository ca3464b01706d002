"""Starting parts in the order of their needs, watching them, starting again what crashed, stopping all in reverse."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from signal import Signals
from typing import Protocol

from devstack.data_directory import DataDirectory, PartState, Phase, StackState
from devstack.process import Process
from gopher.errors import ConfigurationError

FIRST_DELAY = timedelta(milliseconds=500)
LAST_DELAY = timedelta(seconds=30)
"""A part that cannot start is tried twice a minute: often enough to mend itself, seldom enough not to fill its log."""
STEADY = timedelta(seconds=60)
"""A part that ran this long has recovered: its next crash is a first one."""


class Part(Protocol):
    """Something that runs in a process of its own."""

    name: str

    @property
    def port(self) -> int | None:
        """Where it listens on the loopback interface; None when it does not."""
        ...

    @property
    def page(self) -> str | None:
        """What people may open in a browser."""
        ...

    @property
    def process(self) -> Process | None:
        """Its process; None before the first start."""
        ...

    async def start(self) -> None:
        """Start and wait until it is ready; may be called again after it ended."""
        ...

    async def stop(self) -> None:
        """Stop; harmless when it does not run."""
        ...


@dataclass(slots=True)
class _Watched:
    part: Part
    after: frozenset[str]
    phase: Phase = Phase.STARTING
    restarts: int = 0
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    stopped: asyncio.Event = field(default_factory=asyncio.Event)


class Supervisor:
    """Runs parts, given with the names of those that must be ready before each."""

    def __init__(
        self,
        parts: Sequence[tuple[Part, frozenset[str]]],
        *,
        data: DataDirectory,
        settings: Mapping[str, str],
        announce: Callable[[str], None],
    ) -> None:
        self._watched = {part.name: _Watched(part, after) for part, after in parts}
        self._data = data
        self._settings = dict(settings)
        self._announce = announce
        self._phase = Phase.STARTING
        self._started_at = datetime.now(UTC).isoformat(timespec="seconds")

    async def run(self, stop: asyncio.Event, on_ready: Callable[[], None]) -> None:
        """Run until `stop` is set; nothing runs any more when this returns or raises.

        Raises:
            ConfigurationError: a part did not start in the first place.
        """
        waiting = asyncio.create_task(stop.wait())
        starting = asyncio.create_task(self._start_all())
        watchers: list[asyncio.Task[None]] = []
        try:
            await asyncio.wait({waiting, starting}, return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                starting.result()
                watchers = [asyncio.create_task(self._keep(watched)) for watched in self._watched.values()]
                on_ready()
                self._turn(Phase.READY)  # last: whoever waits for it finds everything said
                done, _ = await asyncio.wait({waiting, *watchers}, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()  # a watcher never returns: this raises what stopped it
        finally:
            self._turn(Phase.STOPPING)
            await _end(waiting, starting, *watchers)
            await self._stop_all()
            self._turn(Phase.STOPPED)

    def kill(self) -> None:
        """Kill every part at once: for a person who does not want to wait."""
        for watched in self._watched.values():
            if watched.part.process is not None:
                watched.part.process.kill()

    async def _start_all(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for watched in self._watched.values():
                    group.create_task(self._start_first(watched))
        except* ConfigurationError as failures:
            raise _first(failures) from None

    async def _start_first(self, watched: _Watched) -> None:
        for name in watched.after & self._watched.keys():
            await self._watched[name].ready.wait()
        await watched.part.start()
        watched.ready.set()
        self._turn_part(watched, Phase.READY)

    async def _keep(self, watched: _Watched) -> None:
        """Start the part again whenever it ends."""
        delay = FIRST_DELAY
        while True:
            began = time.monotonic()
            process = watched.part.process
            status = await process.wait() if process is not None else 0
            if time.monotonic() - began > STEADY.total_seconds():
                delay = FIRST_DELAY
            watched.restarts += 1
            self._turn_part(watched, Phase.RESTARTING)
            self._announce(
                f"{watched.part.name} {_how_it_ended(status)}; starting it again in {delay.total_seconds():g} s "
                f"(log: {self._data.log(watched.part.name)})"
            )
            await asyncio.sleep(delay.total_seconds())
            delay = min(delay * 2, LAST_DELAY)
            try:
                await watched.part.start()
            except ConfigurationError as error:
                self._announce(str(error))
                continue
            self._turn_part(watched, Phase.READY)
            self._announce(f"{watched.part.name} is ready again")

    async def _stop_all(self) -> None:
        async with asyncio.TaskGroup() as group:
            for watched in self._watched.values():
                group.create_task(self._stop_last(watched))

    async def _stop_last(self, watched: _Watched) -> None:
        for other in self._watched.values():
            if watched.part.name in other.after:
                await other.stopped.wait()
        await watched.part.stop()
        watched.stopped.set()
        self._turn_part(watched, Phase.STOPPED)

    def _turn(self, phase: Phase) -> None:
        self._phase = phase
        self._write()

    def _turn_part(self, watched: _Watched, phase: Phase) -> None:
        watched.phase = phase
        self._write()

    def _write(self) -> None:
        parts = tuple(self._state_of(watched) for watched in self._watched.values())
        self._data.write_state(
            StackState(
                pid=os.getpid(), phase=self._phase, started_at=self._started_at, parts=parts, settings=self._settings
            )
        )

    def _state_of(self, watched: _Watched) -> PartState:
        part = watched.part
        return PartState(
            name=part.name,
            phase=watched.phase,
            pid=part.process.pid if part.process is not None else None,
            port=part.port,
            page=part.page,
            restarts=watched.restarts,
            log=str(self._data.log(part.name)),
        )


async def _end(*tasks: asyncio.Task[object]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _first(failures: BaseExceptionGroup[ConfigurationError]) -> ConfigurationError:
    found = failures.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found


def _how_it_ended(status: int) -> str:
    return f"was killed by {Signals(-status).name}" if status < 0 else f"ended with status {status}"
