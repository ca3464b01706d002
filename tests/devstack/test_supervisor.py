import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from devstack.data_directory import DataDirectory, Phase
from devstack.program import Program
from devstack.supervisor import Part, Supervisor
from gopher.errors import ConfigurationError

# A child in the small: notes its start and its end in a file that all share, and says that it is ready.
CHILD = """
import os, pathlib, signal, sys, time
name, history = sys.argv[1], pathlib.Path(sys.argv[2])
def note(what):
    with history.open("a") as file:
        file.write(f"{name} {what}\\n")
def stop(*_):
    note("stopped")
    sys.exit(0)
signal.signal(signal.SIGTERM, stop)
note("started")
if name == "broken":
    sys.exit("no such luck")
pathlib.Path(os.environ["GOPHER_READY_FILE"]).touch()
while True:
    time.sleep(60)
"""


class Household:
    """A data directory, its children, and what was announced."""

    def __init__(self, directory: Path) -> None:
        self.data = DataDirectory(directory / "data")
        self.data.prepare()
        self.history = directory / "history"
        self.announced: list[str] = []

    def child(self, name: str, *after: str) -> tuple[Part, frozenset[str]]:
        program = Program(
            name,
            ["-S", "-c", CHILD, name, str(self.history)],
            log=self.data.log(name),
            ready_file=self.data.path / "ready" / name,
            environment=dict(os.environ),
        )
        return program, frozenset(after)

    def events(self) -> list[str]:
        return self.history.read_text(encoding="utf-8").splitlines()

    @asynccontextmanager
    async def running(self, *parts: tuple[Part, frozenset[str]]) -> AsyncGenerator[None]:
        stop, ready = asyncio.Event(), asyncio.Event()
        supervisor = Supervisor(parts, data=self.data, settings={}, announce=self.announced.append)
        with self.data.lock():
            task = asyncio.create_task(supervisor.run(stop, ready.set))
            await until(lambda: ready.is_set() or task.done())
            try:
                if ready.is_set():
                    yield
            finally:
                stop.set()
                await task


@pytest.fixture
def household(tmp_path: Path) -> Household:
    return Household(tmp_path)


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not true():  # noqa: ASYNC110 - what is waited for happens in other processes
            await asyncio.sleep(0.01)


async def test_parts_start_after_what_they_need_and_stop_before_it(household: Household) -> None:
    async with household.running(household.child("bot", "store", "away"), household.child("store")):
        pass
    assert household.events() == ["store started", "bot started", "bot stopped", "store stopped"]


async def test_a_crashed_part_is_named_and_started_again(household: Household) -> None:
    program, after = household.child("worker")
    async with household.running((program, after)):
        process = program.process
        assert process is not None
        first = process.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        await until(lambda: process.pid not in (None, first))
        await until(lambda: len(household.announced) == 2)
        state = household.data.state()
    assert state is not None
    assert [(part.phase, part.restarts, part.pid != first) for part in state.parts] == [(Phase.READY, 1, True)]
    log = household.data.log("worker")
    assert household.announced == [
        f"worker was killed by SIGKILL; starting it again in 0.5 s (log: {log})",
        "worker is ready again",
    ]


async def test_a_part_that_does_not_start_is_a_sentence_and_the_others_are_stopped(household: Household) -> None:
    with pytest.raises(ConfigurationError, match=r"broken ended with status 1 while starting.*no such luck"):
        async with household.running(household.child("store"), household.child("broken", "store")):
            pytest.fail("it was not ready")
    assert household.events() == ["store started", "broken started", "store stopped"]


async def test_nothing_outlives_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    program = f"""
import asyncio, os, sys
from pathlib import Path
from tests.devstack.test_supervisor import Household
async def main():
    household = Household(Path({str(tmp_path)!r}))
    async with household.running(household.child("store"), household.child("bot", "store")):
        print("ready", flush=True)
        await asyncio.sleep(600)
asyncio.run(main())
"""
    supervisor = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE)
    assert supervisor.stdout is not None
    assert await supervisor.stdout.readline() == b"ready\n"
    state = DataDirectory(tmp_path / "data").state()
    assert state is not None
    children = [psutil.Process(part.pid) for part in state.parts if part.pid is not None]
    assert len(children) == 2

    supervisor.kill()
    await supervisor.wait()
    await until(lambda: not any(child.is_running() for child in children))
    assert DataDirectory(tmp_path / "data").state() is None


async def test_a_second_supervisor_is_refused_by_name(household: Household) -> None:
    with (
        household.data.lock(),
        pytest.raises(ConfigurationError, match=rf"already running with .* \(process {os.getpid()}\); stop it with"),
        household.data.lock(),
    ):
        pytest.fail("two own it")


def test_a_directory_of_a_newer_version_is_refused(household: Household) -> None:
    (household.data.path / "version").write_text("99\n", encoding="ascii")
    with pytest.raises(ConfigurationError, match=r"newer version of Gopher \(its version is 99, .*; update Gopher"):
        household.data.prepare()


def test_a_directory_of_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(ConfigurationError, match="not empty and not a data directory of Gopher"):
        DataDirectory(tmp_path).prepare()


def test_logs_of_the_last_time_are_set_aside(household: Household) -> None:
    household.data.log("bot").write_text("old", encoding="utf-8")
    household.data.set_logs_aside()
    assert not household.data.log("bot").exists()
    assert (household.data.logs / "bot.log.1").read_text(encoding="utf-8") == "old"
