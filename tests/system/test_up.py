from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest
from pydantic import JsonValue, TypeAdapter

from devstack.data_directory import Phase, StackState
from tests.system.command_line import CommandLine
from tests.system.leftovers import nothing_left, processes_of

PARTS = ["postgres", "valkey", "temporal", "discord", "providers", "worker", "bot"]
_STATE = TypeAdapter(StackState)


class Installation(CommandLine):
    """A directory with a data directory in it, and the commands called there."""

    @property
    def data(self) -> Path:
        return self.directory / ".gopher"

    async def state(self) -> StackState:
        outcome = await self.call("status", "--json")
        return _STATE.validate_json(outcome.out)

    async def pid(self, name: str) -> int:
        (pid,) = [part.pid for part in (await self.state()).parts if part.name == name]
        assert pid is not None
        return pid

    async def up(self) -> str:
        outcome = await self.call("up", "--detach")
        assert outcome.status == 0, outcome.err
        return outcome.out

    def announced(self) -> list[str]:
        return [
            line.removeprefix("gopher: ")
            for line in (self.data / "logs" / "up.txt").read_text(encoding="utf-8").splitlines()
            if line.startswith("gopher: ")
        ]

    async def until_announced(self, sentence: str) -> None:
        async with asyncio.timeout(60):
            while sentence not in self.announced():  # noqa: ASYNC110 - a file of another process
                await asyncio.sleep(0.05)


@pytest.fixture
async def installation(tmp_path: Path) -> AsyncIterator[Installation]:
    installation = Installation(directory=tmp_path)
    yield installation
    await installation.call("down")


async def get(url: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        return response.status, await response.text()


async def test_it_starts_answers_mends_itself_stops_and_finds_its_data_again(installation: Installation) -> None:
    screen = await installation.up()
    state = await installation.state()
    assert state.phase is Phase.READY
    assert [(part.name, part.phase, part.restarts) for part in state.parts] == [(name, "ready", 0) for name in PARTS]
    assert set(processes_of(installation.data)) >= {state.pid, *(part.pid or 0 for part in state.parts)}

    # Where the screen sends people, there is something.
    pages = [part.page for part in state.parts if part.page is not None]
    assert len(pages) == 2
    for page in pages:
        assert page in screen
        assert (await get(page))[0] == 200
    assert screen.count("STAND-IN") == 2

    first = await installation.call("chat", "--as", "Ada", "--once", "echo warm tunnels")
    assert (first.status, first.out) == (0, "warm tunnels\n")

    second_up = await installation.call("up")
    assert second_up.status == 2
    assert second_up.err == (
        f"gopher: Gopher is already running with {installation.data} (process {state.pid}); "
        "stop it with ./gopher down.\n"
    )

    # A crashed part is named and comes back; the others go on.
    worker = await installation.pid("worker")
    os.kill(worker, signal.SIGKILL)
    log = installation.data / "logs" / "worker.log"
    await installation.until_announced(
        f"worker was killed by SIGKILL; starting it again in 0.5 s (log: {log})",
    )
    await installation.until_announced("worker is ready again")
    assert await installation.pid("worker") != worker
    assert (await installation.call("status")).status == 0
    again = await installation.call("chat", "--as", "Ada", "--once", "echo still here")
    assert again.out == "still here\n"

    down = await installation.call("down")
    assert (down.status, down.out) == (0, "Stopped.\n")
    assert await nothing_left(installation.data) == {}
    assert (await installation.call("status")).status == 3

    # The second time: its data, its addresses.
    await installation.up()
    later = await installation.state()
    assert [part.page for part in later.parts if part.page is not None] == pages
    asked = await installation.call("chat", "--as", "Ada", "--once", "what did Ada say?")
    assert "warm tunnels" in asked.out

    # A killed supervisor takes everything with it, and the next one finds a directory that it can use.
    os.kill(later.pid, signal.SIGKILL)
    assert await nothing_left(installation.data, within=timedelta(seconds=15)) == {}
    await installation.up()
    assert "still here" in (await installation.call("chat", "--as", "Ada", "--once", "what did Ada say?")).out


async def test_servers_of_others_are_used_and_none_is_started_beside_them(
    installation: Installation, database_url: str, valkey_url: str, temporal_address: str, namespace: str
) -> None:
    installation.settings |= {
        "DATABASE_URL": database_url,
        "REDIS_URL": valkey_url,
        "TEMPORAL_ADDRESS": temporal_address,
        "TEMPORAL_NAMESPACE": namespace,
    }
    screen = await installation.up()
    state = await installation.state()
    assert [part.name for part in state.parts] == ["discord", "providers", "worker", "bot"]
    assert f"yours, at {temporal_address}, namespace {namespace}" in screen
    outcome = await installation.call("chat", "--as", "Ada", "--once", "echo through others")
    assert outcome.out == "through others\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_while_it_starts_leaves_nothing_behind(
    installation: Installation, number: signal.Signals
) -> None:
    process = await installation.start("up")
    async with asyncio.timeout(60):
        while len(processes_of(installation.data)) < 4:
            assert process.returncode is None
            await asyncio.sleep(0.05)
    process.send_signal(number)
    _, err = await process.communicate()
    assert process.returncode == 0
    assert err.decode().splitlines()[-1] == "gopher: stopped"
    assert await nothing_left(installation.data) == {}


async def test_ctrl_c_stops_what_is_ready(installation: Installation) -> None:
    process = await installation.start("up")
    assert process.stdout is not None
    screen = b""
    async with asyncio.timeout(90):
        while b"STAND-IN: a scripted demo model" not in screen:
            line = await process.stdout.readline()
            assert line
            screen += line
    process.send_signal(signal.SIGINT)
    await process.communicate()
    assert process.returncode == 0
    assert await nothing_left(installation.data) == {}


async def test_nothing_running_is_said_and_no_failure(installation: Installation) -> None:
    down = await installation.call("down")
    assert (down.status, down.out) == (0, f"Nothing runs with {installation.data}.\n")
    status = await installation.call("status", "--json")
    document: JsonValue = {"running": False, "data": str(installation.data)}
    assert (status.status, status.document()) == (3, document)
