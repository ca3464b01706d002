"""The simulated guild as tests see it: members who speak over HTTP, what the bot sent, and a bot wired like bot.py."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import aiohttp

import bot
from devstack.discord import seed
from devstack.discord.server import SimulatedDiscord
from devstack.discord.simulation import LoggedRequest
from gopher.discord import session
from gopher.discord.client import GopherClient, use_api
from gopher.discord.journaling import JournalBounds
from gopher.domain.conversation import ChatTurn
from gopher.domain.ids import MessageId, RequestId
from gopher.settings import Settings
from gopher.store.pool import Pool, transaction
from gopher.store.runs import RunStore
from gopher.valkey import SeenEvents

SEND = ("POST", "/channels/{channel_id}/messages")
TYPING = ("POST", "/channels/{channel_id}/typing")


class Burrow:
    """A running simulated Discord."""

    def __init__(self, discord: SimulatedDiscord, http: aiohttp.ClientSession) -> None:
        self.discord = discord
        self._http = http

    async def call(self, who: seed.SeedMember, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        prefix = "Bot " if who.bot else ""
        headers = {"Authorization": prefix + who.token}
        async with self._http.request(method, self.discord.api_url + path, json=body, headers=headers) as response:
            answer = await response.json() if response.content_type == "application/json" else None
            assert response.status < 300, (response.status, answer)
            return answer

    async def say(
        self, who: seed.SeedMember, channel_id: int, content: str, *, reply_to: int | None = None, **more: object
    ) -> MessageId:
        body: dict[str, object] = {"content": content, **more}
        if reply_to is not None:
            body["message_reference"] = {"message_id": str(reply_to)}
        return MessageId(int((await self.call(who, "POST", f"/channels/{channel_id}/messages", body))["id"]))

    async def say_with_file(self, who: seed.SeedMember, channel_id: int, name: str, content: bytes) -> MessageId:
        form = aiohttp.FormData()
        form.add_field("files[0]", content, filename=name, content_type="text/plain")
        url = f"{self.discord.api_url}/channels/{channel_id}/messages"
        async with self._http.post(url, data=form, headers={"Authorization": who.token}) as response:
            assert response.status == 200, await response.text()
            return MessageId(int((await response.json())["id"]))

    async def command(self, who: seed.SeedMember, channel_id: int, name: str, **options: str) -> None:
        """Give a slash command as a member's client does."""
        commands = self.discord.simulation.world.guild_commands(seed.APPLICATION_ID, None)
        command = next(command for command in commands if json.loads(command.definition)["name"] == name)
        body = {
            "type": 2,
            "application_id": str(seed.APPLICATION_ID),
            "channel_id": str(channel_id),
            "data": {
                "id": str(command.id),
                "name": name,
                "type": 1,
                "options": [{"type": 3, "name": option, "value": value} for option, value in options.items()],
            },
        }
        await self.call(who, "POST", "/interactions", body)

    def whispers(self) -> list[tuple[int | None, str]]:
        """What the bot told single members in confidence: to whom, and what."""
        messages = self.discord.simulation.world.messages.values()
        return [(message.ephemeral_for, message.content) for message in messages if message.ephemeral_for is not None]

    async def direct_channel(self, who: seed.SeedMember) -> int:
        opened = await self.call(who, "POST", "/users/@me/channels", {"recipient_id": str(seed.BOT.id)})
        return int(opened["id"])

    async def messages(self, channel_id: int, who: seed.SeedMember = seed.ADA) -> list[dict[str, Any]]:
        """Oldest first."""
        return list(reversed(await self.call(who, "GET", f"/channels/{channel_id}/messages?limit=100")))

    async def said_by_bot(self, channel_id: int, who: seed.SeedMember = seed.ADA) -> list[dict[str, Any]]:
        return [m for m in await self.messages(channel_id, who) if int(m["author"]["id"]) == seed.BOT.id]

    def requests(self, kind: tuple[str, str] | None = None) -> list[LoggedRequest]:
        """What the bot asked of Discord, in order."""
        return [
            request
            for request in self.discord.simulation.requests
            # Answers to interactions are opened by a token in their path, and are nobody's.
            if request.user_id in {seed.BOT.id, None} and kind in {None, (request.method, request.route)}
        ]

    def bodies(self, kind: tuple[str, str]) -> list[dict[str, Any]]:
        requests: list[Any] = list(self.requests(kind))
        return [request.body for request in requests]

    def actions(self) -> list[str]:
        """What the bot did that members could see: everything but reading and the registration of its commands."""
        return [
            f"{request.method} {request.path}"
            for request in self.requests()
            if request.method != "GET" and not request.path.endswith("/commands")
        ]


class RunningBot:
    """The bot's parts with a gateway session, in this process."""

    def __init__(self, parts: bot.Parts) -> None:
        self.parts = parts

    async def settle(self) -> None:
        """Wait until everything that was heard is journaled and read back."""
        await until(lambda: self.parts.journaling.size == 0 and not self.parts.catch_up.busy)


@asynccontextmanager
async def logged_in(
    burrow: Burrow, pool: Pool, redis_url: str, settings: Settings | None = None, bounds: JournalBounds | None = None
) -> AsyncGenerator[tuple[bot.Parts, asyncio.Event]]:
    """The bot's parts without a gateway session, and the event that is set when one is ready."""
    use_api(burrow.discord.api_url)
    client = GopherClient()
    seen = SeenEvents(redis_url)
    ready = asyncio.Event()
    try:
        application_id = await session.log_in(client, seed.BOT.token)
        yield (
            bot.assemble(
                client,
                application_id,
                pool=pool,
                seen=seen,
                settings=settings or Settings(),
                ready=ready.set,
                bounds=bounds,
            ),
            ready,
        )
    finally:
        await client.close()
        await seen.close()


@asynccontextmanager
async def running_bot(
    burrow: Burrow, pool: Pool, redis_url: str, settings: Settings | None = None, bounds: JournalBounds | None = None
) -> AsyncGenerator[RunningBot]:
    async with logged_in(burrow, pool, redis_url, settings, bounds) as (parts, ready):
        parts.client.listen_with(parts.listeners)
        tasks = [asyncio.create_task(session.hold(parts.client)), asyncio.create_task(parts.typing.run())]
        try:
            async with asyncio.timeout(15):
                await ready.wait()
            yield RunningBot(parts)
        finally:
            parts.client.listen_with(None)
            await parts.catch_up.close()
            await parts.journaling.close(timedelta(seconds=1))
            await parts.actions.wait_for_abandoned()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def until(condition: Callable[[], bool | Awaitable[bool]], *, within: float = 15) -> None:
    """Look again and again, at most `within` seconds."""
    deadline = time.monotonic() + within
    while True:
        held = condition()
        if held if isinstance(held, bool) else await held:
            return
        assert time.monotonic() < deadline, "it did not become so in time"
        await asyncio.sleep(0.03)


async def finish_turn(pool: Pool, request_id: RequestId, text: str) -> None:
    """Give a request an answer, as the worker stores it."""
    runs = RunStore(pool)
    await runs.begin(request_id, workflow_run_id="test", trace_id=None)
    turn = ChatTurn(
        text=text,
        calls=(),
        finish_reason="stop",
        model="test",
        prompt_tokens=1,
        completion_tokens=1,
        first_token_ms=None,
        duration_ms=1,
    )
    await runs.save_turn(request_id, 1, turn)


async def rows(pool: Pool, statement: str) -> list[tuple[Any, ...]]:
    async with transaction(pool) as connection:
        return await (await connection.execute(statement.encode())).fetchall()
