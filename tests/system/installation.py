"""A whole installation in processes of its own, on free ports: for tests that speak as members and kill parts."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, Self

import aiohttp
import psycopg

from devstack.discord import seed
from devstack.ports import LOOPBACK, free_port
from devstack.postgres import Postgres
from devstack.program import ROOT, Program
from devstack.scripted_turns import ModelTurn, Script
from devstack.temporal import Temporal
from devstack.valkey import Valkey

ANSWER_WITHIN: Final = 60.0
"""Seconds from the message, or the end of an outage, to the answer, at most: the longest pauses between attempts add up
to half of it, and the machine may be busy."""

Message = dict[str, Any]


class Installation:
    """Servers, stand-ins, worker and bot. Parts are named `worker`, `bot`, and as more bots were named when added."""

    def __init__(
        self, directory: Path, *, worker: Sequence[str] = (str(ROOT / "worker.py"),), durable: bool = False
    ) -> None:
        self._directory = directory
        self._worker = worker
        self._programs: dict[str, Program] = {}
        self._http: aiohttp.ClientSession | None = None
        self.postgres = Postgres(directory / "postgres", log=directory / "postgres.log", durable=durable)
        self.valkey = Valkey(directory / "valkey", log=directory / "valkey.log")
        self.temporal = Temporal(directory / "temporal.db", log=directory / "temporal.log")
        self._discord = f"http://{LOOPBACK}:{free_port()}"
        self._providers = f"http://{LOOPBACK}:{free_port()}"

    async def start(self) -> Self:
        """Start everything; returns when the bot hears and the worker works."""
        self._http = aiohttp.ClientSession()
        discord, providers = self._port(self._discord), self._port(self._providers)
        data = ["--data", str(self._directory / "discord"), "--temporal-ui", self.temporal.ui_url]
        self._add("discord", "-m", "devstack.discord.server", "--port", discord, *data)
        self._add("providers", "-m", "devstack.providers", "--port", providers)
        self._add("worker", *self._worker)
        self._add("bot", str(ROOT / "bot.py"))
        await asyncio.gather(
            self.postgres.start(),
            self.valkey.start(),
            self.temporal.start(),
            self._programs["discord"].start(),
            self._programs["providers"].start(),
        )
        await asyncio.gather(self._programs["worker"].start(), self._programs["bot"].start())
        return self

    async def stop(self) -> None:
        """Stop everything, in the order in which nothing waits for what has gone."""
        for name in ("bot", "worker", "providers", "discord"):
            await self._programs.pop(name).stop()
        await asyncio.gather(*(program.stop() for program in self._programs.values()))
        await asyncio.gather(self.temporal.stop(), self.valkey.stop(), self.postgres.stop())
        if self._http is not None:
            await self._http.close()

    # --- its parts

    async def kill(self, name: str) -> None:
        """Kill a program like a machine that loses its power does."""
        process = self._programs[name].process
        process.kill()
        await process.wait()

    async def end(self, name: str) -> int:
        """Ask a program to stop, as an operator does; returns its exit status."""
        process = self._programs[name].process
        process.signal(signal.SIGTERM)
        async with asyncio.timeout(30):
            return await process.wait()

    async def restart(self, name: str) -> None:
        """Start a program that was killed; returns when it is ready."""
        await self._programs[name].start()

    async def add_bot(self, name: str, *options: str) -> None:
        """Start one more bot process with the same token; returns when it is ready."""
        self._add(name, str(ROOT / "bot.py"), *options)
        await self._programs[name].start()

    async def add_worker(self, name: str) -> None:
        """Start one more worker process; returns when it is ready."""
        self._add(name, *self._worker)
        await self._programs[name].start()

    async def remove_bot(self, name: str) -> None:
        """Stop a bot that was added."""
        await self._programs.pop(name).stop()

    def log(self, name: str) -> str:
        """What a program has logged, all its lives together."""
        return (self._directory / f"{name}.log").read_text(encoding="utf-8")

    @property
    def page_url(self) -> str:
        """Where the chat page is."""
        return f"{self._discord}/"

    def environment(self) -> dict[str, str]:
        """The settings of its worker and bot."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self._directory),
            "DISCORD_TOKEN": seed.BOT.token,
            "DISCORD_API_URL": f"{self._discord}/api/v10",
            "OPENAI_API_KEY": "scripted",
            "OPENAI_BASE_URL": f"{self._providers}/v1",
            "CHAT_MODEL": "scripted",
            "DATABASE_URL": self.postgres.url,
            "REDIS_URL": self.valkey.url,
            "TEMPORAL_ADDRESS": self.temporal.address,
        }

    # --- its members

    async def say(self, who: seed.SeedMember, channel_id: int, content: str) -> int:
        """Say something as a member; returns the message's id."""
        sent = await self._call(who, "POST", f"/channels/{channel_id}/messages", {"content": content})
        return int(sent["id"])

    async def delete(self, who: seed.SeedMember, channel_id: int, message_id: int) -> None:
        """Delete a message as a member."""
        await self._call(who, "DELETE", f"/channels/{channel_id}/messages/{message_id}")

    async def messages(self, channel_id: int) -> list[Message]:
        """The last hundred messages of a channel, oldest first, as the owner sees them."""
        return list(reversed(await self._call(seed.ADA, "GET", f"/channels/{channel_id}/messages?limit=100")))

    async def answers(self, message_id: int, channel_id: int) -> list[Message]:
        """What the bot said in reply to a message."""
        return [
            message
            for message in await self.messages(channel_id)
            if int(message["author"]["id"]) == seed.BOT.id
            and message.get("message_reference", {}).get("message_id") == str(message_id)
        ]

    async def answered(self, message_id: int, channel_id: int, *, within: float = ANSWER_WITHIN) -> str:
        """Wait for the answer and until its request is closed; returns its text. Fails when there are two."""
        await until(lambda: self._is_closed(message_id), within=within, what=f"request {message_id} is closed")
        answers = await self.answers(message_id, channel_id)
        assert len(answers) == 1, [answer["content"] for answer in answers]
        return str(answers[0]["content"])

    async def _is_closed(self, request_id: int) -> bool:
        statement = "select state from agent_requests where request_id = %s::bigint"
        return await self.rows(statement, request_id) == [("finished",)]

    # --- what it is told behind the members' backs

    async def script(self, *turns: ModelTurn) -> None:
        """Let the model answer by these turns, and by nothing else."""
        script = Script(chat=turns).model_dump_json()
        await self._post(f"{self._providers}/control/script", script)

    async def model_requests(self) -> list[Message]:
        """What the model was asked since the last script."""
        async with self._session.get(f"{self._providers}/control/requests?path=/v1/chat/completions") as response:
            return (await response.json())["requests"]

    async def power(self, power: str, /, **more: object) -> Any:  # noqa: ANN401 - JSON
        """Use a power of the simulated Discord's control endpoint; returns what it answers."""
        async with self._session.post(f"{self._discord}/control/{power}", json=more) as response:
            assert response.status == 200, await response.text()
            return (await response.json())["result"]

    async def bot_requests(self, method: str, route: str) -> list[Message]:
        """What the bot asked of Discord, by a documented route."""
        query = {"method": method, "route": route}
        async with self._session.get(f"{self._discord}/control/requests", params=query) as response:
            requests = (await response.json())["requests"]
        return [request for request in requests if request["user_id"] == str(seed.BOT.id)]

    async def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Ask the database."""
        async with await psycopg.AsyncConnection.connect(self.postgres.url) as connection:
            return await (await connection.execute(statement.encode(), values)).fetchall()

    @property
    def _session(self) -> aiohttp.ClientSession:
        assert self._http is not None, "start() has to be called first"
        return self._http

    async def _call(self, who: seed.SeedMember, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        url = f"{self._discord}/api/v10{path}"
        async with self._session.request(method, url, json=body, headers={"Authorization": who.token}) as response:
            answer = None if response.status == 204 else await response.json()
            assert response.status in {200, 204}, (response.status, answer)
            return answer

    async def _post(self, url: str, text: str) -> None:
        async with self._session.post(url, data=text) as response:
            assert response.status == 200, await response.text()

    def _add(self, name: str, *arguments: str) -> None:
        self._programs[name] = Program(
            name,
            arguments,
            log=self._directory / f"{name}.log",
            ready_file=self._directory / "ready" / name,
            environment=self.environment(),
        )

    @staticmethod
    def _port(url: str) -> str:
        return url.rpartition(":")[2]


@asynccontextmanager
async def installed(
    directory: Path, *, worker: Sequence[str] = (str(ROOT / "worker.py"),), durable: bool = False
) -> AsyncGenerator[Installation]:
    """An installation for the time of the body; `worker` is the program and its arguments."""
    installation = Installation(directory, worker=worker, durable=durable)
    try:
        yield await installation.start()
    finally:
        await installation.stop()


async def until(condition: Callable[[], Awaitable[bool]], *, within: float, what: str) -> None:
    """Look again and again, at most `within` seconds."""
    deadline = time.monotonic() + within
    while not await condition():
        assert time.monotonic() < deadline, f"not so within {within:.0f} s: {what}"
        await asyncio.sleep(0.05)
