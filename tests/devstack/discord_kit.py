"""Clients of the simulated Discord for its own tests: REST, judged by Discord's description, and a bare gateway."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp

from devstack.discord import seed
from devstack.discord.rest.call import Routes
from devstack.discord.rest.routes import ROUTES
from devstack.discord.server import SimulatedDiscord

from .discord_openapi import DiscordDescription

PATIENCE = 5.0
"""Seconds to wait for what must come."""
ALL_INTENTS = (1 << 17) - 1


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    body: Any
    headers: dict[str, str]

    @property
    def code(self) -> int:
        """Discord's error code of a refusal."""
        return int(self.body["code"])


@dataclass(frozen=True, slots=True)
class File:
    name: str
    content: bytes
    content_type: str = "application/octet-stream"


class Rest:
    """Asks, and holds every answer, and every body that was accepted, against the description."""

    def __init__(self, discord: SimulatedDiscord, http: aiohttp.ClientSession, description: DiscordDescription) -> None:
        self.discord = discord
        self.description = description
        self.visited: set[tuple[str, str]] = set()
        self.succeeded: set[tuple[str, str]] = set()
        self._http = http
        self._routes = Routes(ROUTES)

    async def ask(
        self,
        who: seed.SeedMember | str | None,
        method: str,
        path: str,
        body: object = None,
        *,
        files: tuple[File, ...] = (),
    ) -> Reply:
        headers = {} if who is None else {"Authorization": who if isinstance(who, str) else authorization(who)}
        data: Any = None
        if files:
            form = aiohttp.FormData(quote_fields=False)
            form.add_field("payload_json", json.dumps(body or {}))
            for number, file in enumerate(files):
                form.add_field(f"files[{number}]", file.content, filename=file.name, content_type=file.content_type)
            data = form
        url = self.discord.api_url + path
        sent = None if files else body
        async with self._http.request(method, url, json=sent, data=data, headers=headers) as response:
            answer = await response.json() if response.content_type == "application/json" else None
            reply = Reply(response.status, answer, dict(response.headers))
        self._judge(method, path, body, reply)
        return reply

    async def get(self, who: seed.SeedMember, path: str) -> Any:  # noqa: ANN401 - JSON
        return self._good(await self.ask(who, "GET", path))

    async def post(self, who: seed.SeedMember, path: str, body: object = None, *, files: tuple[File, ...] = ()) -> Any:  # noqa: ANN401 - JSON
        return self._good(await self.ask(who, "POST", path, body, files=files))

    async def put(self, who: seed.SeedMember, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        return self._good(await self.ask(who, "PUT", path, body))

    async def patch(self, who: seed.SeedMember, path: str, body: object) -> Any:  # noqa: ANN401 - JSON
        return self._good(await self.ask(who, "PATCH", path, body))

    async def delete(self, who: seed.SeedMember, path: str) -> Any:  # noqa: ANN401 - JSON
        return self._good(await self.ask(who, "DELETE", path))

    async def say(self, who: seed.SeedMember, channel_id: int | str, content: str, **more: object) -> Any:  # noqa: ANN401 - JSON
        return await self.post(who, f"/channels/{channel_id}/messages", {"content": content, **more})

    async def fetch(self, url: str) -> tuple[int, bytes]:
        """Get anything that is not the API."""
        async with self._http.get(url) as response:
            return response.status, await response.read()

    async def control(self, power: str, **body: object) -> Reply:
        """Use a power over HTTP."""
        async with self._http.post(f"{self.discord.control_url}/{power}", json=body) as response:
            return Reply(response.status, await response.json(), dict(response.headers))

    def _judge(self, method: str, path: str, body: object, reply: Reply) -> None:
        found = self._routes.find(method, path.partition("?")[0].strip("/").split("/"))
        if not isinstance(found, tuple):
            return
        route = found[0].path
        self.visited.add((method, route))
        if reply.status < 300:
            self.succeeded.add((method, route))
        if not self.description.describes(method, route):
            return
        self.description.check_response(method, route, reply.status, reply.body)
        if reply.status < 300:
            self.description.check_request(method, route, body)

    @staticmethod
    def _good(reply: Reply) -> Any:  # noqa: ANN401 - JSON
        assert reply.status < 300, (reply.status, reply.body)
        return reply.body


def authorization(who: seed.SeedMember) -> str:
    return f"Bot {who.token}" if who.bot else who.token


class Gateway:
    """One identified gateway session over plain JSON, that keeps what it hears."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.heard: list[tuple[str, Any]] = []
        self.sequence: int | None = None
        self.close_code: int | None = None
        self._news = asyncio.Event()

    @property
    def ready(self) -> Any:  # noqa: ANN401 - JSON
        return next(body for name, body in self.heard if name == "READY")

    def all(self, name: str) -> list[Any]:
        return [body for heard, body in self.heard if heard == name]

    async def until_any(self, *names: str) -> tuple[str, Any]:
        """Wait for the first of several events."""
        async with asyncio.timeout(PATIENCE):
            while True:
                for name, body in self.heard:
                    if name in names:
                        return name, body
                self._news.clear()
                await self._news.wait()

    async def until(
        self, name: str, fits: Callable[[Any], bool] = lambda _: True, *, patience: float = PATIENCE
    ) -> Any:  # noqa: ANN401 - JSON
        """Wait for an event, heard already or to come."""

        async def wait() -> Any:  # noqa: ANN401 - JSON
            while True:
                for heard, body in self.heard:
                    if heard == name and fits(body):
                        return body
                self._news.clear()
                await self._news.wait()

        try:
            return await asyncio.wait_for(wait(), patience)
        except TimeoutError:
            raise AssertionError(f"{name} did not come; heard {[n for n, _ in self.heard]}") from None

    async def listen(self) -> None:
        async for message in self.socket:
            if message.type is not aiohttp.WSMsgType.TEXT:
                break
            body = json.loads(message.data)
            if body["s"] is not None:
                self.sequence = body["s"]
            self.heard.append((body["t"] or f"op {body['op']}", body["d"]))
            self._news.set()
        self.close_code = self.socket.close_code
        self.heard.append(("closed", self.close_code))
        self._news.set()


@asynccontextmanager
async def gateway(
    discord: SimulatedDiscord, who: seed.SeedMember, *, intents: int = ALL_INTENTS, **identify: object
) -> AsyncGenerator[Gateway]:
    """Log in and wait for READY, or for the connection's end."""
    async with bare_gateway(discord) as session:
        await session.socket.send_json({"op": 2, "d": {"token": who.token, "intents": intents, **identify}})
        await session.until("READY")
        if who.bot and intents & 1:
            for guild in session.ready["guilds"]:
                await session.until("GUILD_CREATE", lambda g, wanted=guild["id"]: g["id"] == wanted)
        yield session


@asynccontextmanager
async def bare_gateway(discord: SimulatedDiscord) -> AsyncGenerator[Gateway]:
    """Connect without logging in."""
    url = discord.simulation.gateway_url
    async with aiohttp.ClientSession() as http, http.ws_connect(f"{url}?v=10&encoding=json", max_msg_size=0) as socket:
        session = Gateway(socket)
        listening = asyncio.create_task(session.listen())
        try:
            yield session
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
