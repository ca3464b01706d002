"""A stage for runs: real PostgreSQL, Temporal and scripted providers, with the worker wired as in worker.py."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Final

from pydantic import SecretStr
from temporalio import activity
from temporalio.client import Client, WorkflowHandle
from temporalio.common import SearchAttributeKey
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Worker

import worker
from activities.errors import TranslateErrors
from activities.heartbeat import AutoHeartbeat
from activities.tools import ToolBody
from devstack.providers import ScriptedProviders
from devstack.scripted_turns import ModelTurn, ScriptedCall
from gopher.domain.ids import ChannelId, GuildId, MessageId, RequestId, UserId, snowflake_at, workflow_id
from gopher.domain.journal import AuthorKind, JournalMessage, NewRequest, Trigger
from gopher.domain.notices import notice
from gopher.domain.runs import (
    AgentInput,
    DeliveryInput,
    DeliveryVerdict,
    Purpose,
    RunLimits,
    RunRecord,
    Surface,
    TaskQueue,
)
from gopher.domain.tools import ToolRegistry
from gopher.domain.visibility import SearchAttribute
from gopher.errors import GopherError
from gopher.providers.chat import ChatModel
from gopher.settings import Settings
from gopher.store.deliveries import DeliveryStore
from gopher.store.journal import Journal
from gopher.store.pool import Pool, transaction
from gopher.store.runs import RunStore
from workflows.agent import AgentWorkflow
from workflows.policies import WORKFLOW_TASK_TIMEOUT

GUILD: Final = GuildId(7_000)
CHANNEL: Final = ChannelId(8_000)
MEMBER: Final = UserId(9_000)
BOT: Final = UserId(9_001)

_sequence = count()


def settings_for(namespace: str, *, database_url: str, providers: ScriptedProviders, address: str) -> Settings:
    return Settings(
        _env_file=None,  # pyright: ignore[reportCallIssue] # taken by pydantic-settings, hidden from type checkers
        openai_api_key=SecretStr("sk-test"),
        openai_base_url=providers.openai_base_url,
        chat_model="scripted",
        database_url=database_url,
        temporal_address=address,
        temporal_namespace=namespace,
    )


@dataclass(kw_only=True)
class ChannelDelivery:
    """Stands at the queue `discord` for bot.py: sends into the store, fails as told, remembers what was said."""

    deliveries: DeliveryStore
    failures: list[GopherError] = field(default_factory=list[GopherError])
    """Raised one by one, each by one attempt."""
    said: list[tuple[Purpose, str]] = field(default_factory=list[tuple[Purpose, str]])
    attempts: int = 0

    @activity.defn(name="deliver")
    async def deliver(self, delivery: DeliveryInput) -> DeliveryVerdict:
        self.attempts += 1
        if self.failures:
            raise self.failures.pop(0)
        answer = delivery.purpose is Purpose.ANSWER
        text = await self.deliveries.answer_text(delivery.request_id) if answer else notice(delivery.code or "")
        (chunk,) = await self.deliveries.claim(delivery.request_id, delivery.purpose, [text or ""])
        self.said.append((delivery.purpose, chunk.content))
        return DeliveryVerdict(chunks=1, message_id=None)


@dataclass(kw_only=True)
class Stage:
    """What a test of runs works with."""

    settings: Settings
    client: Client
    pool: Pool
    providers: ScriptedProviders
    tools: ToolRegistry = field(default_factory=ToolRegistry)
    bodies: Mapping[str, ToolBody] = field(default_factory=dict[str, ToolBody])

    @property
    def runs(self) -> RunStore:
        return RunStore(self.pool)

    @property
    def delivery(self) -> DeliveryStore:
        return DeliveryStore(self.pool)

    def script(self, *turns: ModelTurn) -> None:
        self.providers.script(*turns)

    async def ask(
        self,
        text: str = "hello",
        *,
        surface: Surface = Surface.TERMINAL,
        author: UserId = MEMBER,
        traceparent: str | None = None,
    ) -> RequestId:
        """Journal a message that opens a request."""
        message = _message(text, surface, author, None)
        await Journal(self.pool).record_message(message, _request_of(message, traceparent))
        return RequestId(message.message_id)

    async def say(
        self,
        text: str,
        *,
        surface: Surface = Surface.TERMINAL,
        author: UserId = MEMBER,
        reply_to: MessageId | None = None,
    ) -> MessageId:
        """Journal a message of a member."""
        message = _message(text, surface, author, reply_to)
        await Journal(self.pool).record_message(message)
        return message.message_id

    async def start(
        self, request_id: RequestId, limits: RunLimits | None = None, *, surface: Surface = Surface.TERMINAL
    ) -> WorkflowHandle[AgentWorkflow, RunRecord]:
        return await self.client.start_workflow(
            AgentWorkflow.run,
            AgentInput(
                request_id=request_id,
                surface=surface,
                guild_id=GUILD if surface is Surface.DISCORD else None,
                channel_id=CHANNEL,
                user_id=MEMBER,
                limits=limits or RunLimits(),
            ),
            id=workflow_id(request_id),
            task_queue=TaskQueue.GOPHER,
            task_timeout=WORKFLOW_TASK_TIMEOUT,
        )

    async def run(
        self, text: str = "hello", limits: RunLimits | None = None, *, surface: Surface = Surface.TERMINAL
    ) -> RunRecord:
        """Ask and run to the end with a worker of its own."""
        request_id = await self.ask(text, surface=surface)
        async with self.worker():
            return await (await self.start(request_id, limits, surface=surface)).result()

    async def answers(self, request_id: RequestId) -> list[tuple[str, str]]:
        """What was sent for a request: purpose and text."""
        async with transaction(self.pool) as connection:
            cursor = await connection.execute(
                "select purpose, content from deliveries where request_id = %(id)s::bigint order by purpose, chunk",
                {"id": request_id},
            )
            return [(purpose, content) for purpose, content in await cursor.fetchall()]

    async def ended(self, request_id: RequestId, *, within: timedelta = timedelta(seconds=20)) -> None:
        """Wait until the run is recorded."""

        async def recorded() -> bool:
            run = await self.runs.run_details(request_id)
            return run is not None and run.summary.completed_at is not None

        await until(recorded, within=within)

    async def results(self, request_id: RequestId) -> list[tuple[int, int, str | None]]:
        """Iteration, position and code of every tool result."""
        stored = await self.runs.tool_results(request_id)
        return [(result.iteration, result.position, result.error_code) for result in stored]

    @asynccontextmanager
    async def worker(self, pool: Pool | None = None) -> AsyncGenerator[Worker]:
        key = self.settings.openai_api_key
        assert key is not None
        model = ChatModel(
            api_key=key.get_secret_value(),
            base_url=self.settings.openai_base_url,
            model=self.settings.chat_model,
            max_output_tokens=self.settings.chat_max_output_tokens,
        )
        serving = worker.assemble(
            self.settings,
            client=self.client,
            pool=pool or self.pool,
            model=model,
            tools=self.tools,
            bodies=self.bodies,
        )
        async with serving:
            yield serving
        await model.close()

    @asynccontextmanager
    async def channel(self) -> AsyncGenerator[ChannelDelivery]:
        """Serve the queue `discord`."""
        delivery = ChannelDelivery(deliveries=self.delivery)
        serving = Worker(
            self.client,
            task_queue=TaskQueue.DISCORD,
            activities=[delivery.deliver],
            interceptors=[TranslateErrors(), AutoHeartbeat()],
        )
        async with serving:
            yield delivery


def _message(text: str, surface: Surface, author: UserId, reply_to: MessageId | None) -> JournalMessage:
    now = datetime.now(UTC)
    return JournalMessage(
        message_id=MessageId(snowflake_at(now, sequence=next(_sequence))),
        surface=surface,
        guild_id=GUILD if surface is Surface.DISCORD else None,
        channel_id=CHANNEL,
        author_id=author,
        author_name="Ada",
        author_kind=AuthorKind.MEMBER,
        content=text,
        reply_to_message_id=reply_to,
        created_at=now,
    )


def _request_of(message: JournalMessage, traceparent: str | None) -> NewRequest:
    return NewRequest(
        request_id=RequestId(message.message_id),
        surface=message.surface,
        trigger=Trigger.MESSAGE,
        guild_id=message.guild_id,
        channel_id=message.channel_id,
        user_id=message.author_id,
        traceparent=traceparent,
    )


def call(name: str, **arguments: object) -> ScriptedCall:
    """A tool call with arguments as an object."""
    return ScriptedCall.model_validate({"name": name, "arguments": arguments})


async def connected(address: str, namespace: str) -> Client:
    return await Client.connect(address, namespace=namespace, data_converter=pydantic_data_converter)


async def until(holds: Callable[[], Awaitable[bool]], *, within: timedelta = timedelta(seconds=20)) -> None:
    """Wait until something holds."""
    deadline = asyncio.get_running_loop().time() + within.total_seconds()
    while not await holds():
        assert asyncio.get_running_loop().time() < deadline, f"did not come true within {within}"
        await asyncio.sleep(0.02)


async def search_attributes(handle: WorkflowHandle[AgentWorkflow, RunRecord]) -> dict[str, str]:
    found = (await handle.describe()).typed_search_attributes
    return {name: value for name in SearchAttribute if (value := found.get(SearchAttributeKey.for_keyword(name)))}


def texts(turns: Sequence[tuple[Purpose, str]]) -> list[str]:
    return [text for _, text in turns]
