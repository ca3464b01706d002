"""The simulated Discord as a process: ready when it says so, its data survives SIGKILL, its failures are sentences."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from devstack.discord import seed
from devstack.discord.server import SimulatedDiscord
from gopher.errors import ConfigurationError

from .discord_kit import File, Rest
from .discord_openapi import DiscordDescription

SEND = f"/channels/{seed.GENERAL_ID}/messages"
START_SECONDS = 30.0


@asynccontextmanager
async def process(data: Path, ready: Path) -> AsyncGenerator[tuple[asyncio.subprocess.Process, str]]:
    """Run it until the end of the block; tells the base of its API."""
    arguments = ("-m", "devstack.discord.server", "--data", str(data))
    environment = {**os.environ, "GOPHER_READY_FILE": str(ready)}
    running = await asyncio.create_subprocess_exec(sys.executable, *arguments, env=environment)
    try:
        async with asyncio.timeout(START_SECONDS):
            while not (page_url := _told(ready)):  # noqa: ASYNC110 - a file tells
                await asyncio.sleep(0.02)
        yield running, f"{page_url}api/v10"
    finally:
        if running.returncode is None:
            running.kill()
        await running.wait()
        await asyncio.to_thread(ready.unlink)


def _told(ready: Path) -> str:
    return ready.read_text(encoding="utf-8") if ready.exists() else ""


async def ask(http: aiohttp.ClientSession, method: str, url: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
    headers = {"Authorization": f"Bot {seed.BOT_TOKEN}"}
    async with http.request(method, url, json=body, headers=headers) as response:
        assert response.status < 300, await response.text()
        return await response.json() if response.content_type == "application/json" else None


async def test_what_was_answered_survives_sigkill(tmp_path: Path) -> None:
    data, ready = tmp_path / "data", tmp_path / "ready"
    async with aiohttp.ClientSession() as http:
        async with process(data, ready) as (running, api):
            sent = await ask(http, "POST", api + SEND, {"content": "kept", "nonce": "n", "enforce_nonce": True})
            await ask(http, "PUT", f"{api}{SEND}/{sent['id']}/reactions/%F0%9F%91%8D/@me")
            running.send_signal(signal.SIGKILL)
            await running.wait()
        async with process(data, ready) as (running, api):
            (found,) = await ask(http, "GET", api + SEND)
            assert (found["id"], found["content"], found["reactions"][0]["count"]) == (sent["id"], "kept", 1)
            again = await ask(http, "POST", api + SEND, {"content": "kept", "nonce": "n", "enforce_nonce": True})
            assert again["id"] == sent["id"], "the nonce is remembered too"
            later = await ask(http, "POST", api + SEND, {"content": "later"})
            assert int(later["id"]) > int(sent["id"])
            running.send_signal(signal.SIGTERM)
            assert await running.wait() == 0


async def test_everything_that_was_done_is_found_again(tmp_path: Path, description: DiscordDescription) -> None:
    first = SimulatedDiscord(tmp_path)
    await first.start()
    async with aiohttp.ClientSession() as http:
        rest = Rest(first, http, description)
        message = await rest.post(seed.ADA, SEND, {"content": f"<@{seed.BOT.id}>"}, files=(File("a.txt", b"bytes"),))
        await rest.put(seed.BOT, f"{SEND}/pins/{message['id']}")
        thread = await rest.post(seed.ADA, f"{SEND}/{message['id']}/threads", {"name": "t"})
        await rest.say(seed.LINUS, thread["id"], "inside")
        opened = await rest.post(seed.ADA, "/users/@me/channels", {"recipient_id": str(seed.BOT.id)})
        await rest.put(seed.BOT, f"/applications/{seed.APPLICATION_ID}/commands", [{"name": "x", "description": "d"}])
        await rest.patch(seed.ADA, f"/guilds/{seed.GUILD_ID}/members/@me", {"nick": "Lady"})
        paths = (
            SEND,
            f"/channels/{seed.GENERAL_ID}",
            f"/channels/{seed.GENERAL_ID}/pins",
            f"/channels/{thread['id']}",
            f"/channels/{thread['id']}/messages",
            f"/channels/{thread['id']}/thread-members",
            f"/channels/{opened['id']}",
            f"/guilds/{seed.GUILD_ID}/members?limit=100",
            f"/applications/{seed.APPLICATION_ID}/commands",
        )
        before = [await rest.get(seed.BOT, path) for path in paths]
        await first.stop()
        second = SimulatedDiscord(tmp_path)
        await second.start()
        rest = Rest(second, http, description)
        after = [await rest.get(seed.BOT, path) for path in paths]
        assert _without_urls(after) == _without_urls(before)
        file = next(m for m in after[0] if m["attachments"])["attachments"][0]
        assert await rest.fetch(file["url"]) == (200, b"bytes")
        await second.stop()


def _without_urls(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Leave out what names the port and the time of signing."""
    match value:
        case dict():
            return {k: _without_urls(v) for k, v in value.items() if k not in ("url", "proxy_url")}  # pyright: ignore[reportUnknownVariableType]
        case list():
            return [_without_urls(v) for v in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


async def test_without_a_directory_nothing_is_kept() -> None:
    server = SimulatedDiscord()
    await server.start()
    sim = server.simulation
    await server.stop()
    await server.start()
    assert server.simulation is not sim
    await server.stop()
    await server.stop()


async def test_data_of_a_newer_version_is_refused_with_a_sentence(tmp_path: Path) -> None:
    server = SimulatedDiscord(tmp_path)
    await server.start()
    await server.stop()
    with sqlite3.connect(tmp_path / "discord.sqlite3") as database:
        database.execute("pragma user_version = 99")
    database.close()
    with pytest.raises(ConfigurationError, match=r"written by a newer version \(format 99"):
        await SimulatedDiscord(tmp_path).start()


async def test_a_taken_port_is_a_sentence(discord: SimulatedDiscord) -> None:
    port = int(discord.page_url.rstrip("/").rpartition(":")[2])
    with pytest.raises(ConfigurationError, match=f"cannot listen on 127.0.0.1:{port}"):
        await SimulatedDiscord().start(port)
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "devstack.discord.server", "--port", str(port), stderr=asyncio.subprocess.PIPE
    )
    _, errors = await running.communicate()
    assert running.returncode == 2
    assert errors.decode().count("\n") == 1
