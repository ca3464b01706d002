"""Process 1, wiring only: the gateway session, journaling, typing, slash commands, and the task queue `discord`."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue as TaskQueuePayload
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError
from temporalio.worker import Worker

from activities.delivery import DeliveryActivities
from activities.errors import TranslateErrors
from activities.heartbeat import BEATS_PER_TIMEOUT, AutoHeartbeat
from gopher.configuration import load_settings, variable
from gopher.discord import session
from gopher.discord.actions import DiscordActions
from gopher.discord.backoff import Backoff
from gopher.discord.catch_up import CatchUp
from gopher.discord.change_intake import ChangeIntake
from gopher.discord.client import GopherClient, use_api
from gopher.discord.commands import Commands
from gopher.discord.entry_writer import EntryWriter
from gopher.discord.intake import Intake
from gopher.discord.journaling import JournalBounds, Journaling
from gopher.discord.listeners import Listeners
from gopher.discord.typing_indicator import TypingIndicator
from gopher.domain.ids import UserId
from gopher.domain.runs import TaskQueue
from gopher.errors import ConfigurationError
from gopher.settings import Settings
from gopher.store.deliveries import DeliveryStore
from gopher.store.journal import Journal
from gopher.store.pool import Pool, create_pool
from gopher.store.requests import RequestOutbox
from gopher.telemetry import configure_logging, tracing
from gopher.temporal import connect, create_runtime
from gopher.valkey import SeenEvents
from workflows.policies import HEARTBEAT_TIMEOUT

_log = logging.getLogger("bot")
_T = TypeVar("_T")

EXIT_FAILURE: Final = 1
EXIT_CONFIGURATION: Final = 2
DRAIN_WITHIN: Final = timedelta(seconds=5)
"""After SIGTERM: for journaling what was heard. Supervisors and containers kill after 10 to 15 s."""

FINISH_WITHIN: Final = timedelta(seconds=5)
"""After SIGTERM: for deliveries that are on their way."""

WORKER_PAUSE: Final = timedelta(seconds=1)
POLLED_PAUSE: Final = timedelta(milliseconds=100)


class Readiness:
    """Writes the ready file when everything that is needed has come up once."""

    def __init__(self, file: Path | None, needed: Iterable[str]) -> None:
        self._file = file
        self._missing = set(needed)

    def note(self, part: str) -> None:
        """Note that a part is up."""
        if part in self._missing:
            self._missing.remove(part)
            if not self._missing:
                _log.info("ready")
                if self._file is not None:
                    self._file.write_text(f"{os.getpid()}\n", encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What this process consists of, wired together."""

    client: GopherClient
    actions: DiscordActions
    journaling: Journaling
    catch_up: CatchUp
    typing: TypingIndicator
    listeners: Listeners
    delivery: DeliveryActivities


def assemble(
    client: GopherClient,
    application_id: int,
    *,
    pool: Pool,
    seen: SeenEvents,
    settings: Settings,
    ready: Callable[[], None],
    bounds: JournalBounds | None = None,
) -> Parts:
    """Wire the parts around a client that is logged in.

    `ready` is called when a gateway session knows its guilds; `bounds` is for tests.
    """
    actions = DiscordActions(client, application_id)
    journal, outbox, deliveries = Journal(pool), RequestOutbox(pool), DeliveryStore(pool)
    intake = Intake(names=settings.bot_names, allowed_bot_ids=frozenset(map(UserId, settings.allowed_bot_ids)))
    catch_up = CatchUp(client, journal, intake)
    bot_id = UserId(client.user.id)
    writer = EntryWriter(journal, actions, bot_id)
    journaling = Journaling(writer, seen, bounds=bounds or JournalBounds(), read_back=catch_up.read_back)
    catch_up.attach(journaling)
    typing = TypingIndicator(actions, outbox)
    commands = Commands(actions, journaling, name=settings.bot_names[0].title())
    listeners = Listeners(
        client,
        intake=intake,
        journaling=journaling,
        catch_up=catch_up,
        changes=ChangeIntake(client, journaling, bot_id),
        commands=commands,
        typing=typing,
        ready=ready,
    )
    delivery = DeliveryActivities(actions=actions, outbox=outbox, deliveries=deliveries, journal=journal)
    return Parts(
        client=client,
        actions=actions,
        journaling=journaling,
        catch_up=catch_up,
        typing=typing,
        listeners=listeners,
        delivery=delivery,
    )


async def serve(settings: Settings, *, rest_only: bool) -> None:
    """Serve until SIGTERM or SIGINT. Raises ConfigurationError when only an operator can mend what is wrong."""
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    token = _required(settings.discord_token, "discord_token").get_secret_value()
    database_url = _required(settings.database_url, "database_url")
    redis_url = _required(settings.redis_url, "redis_url")
    if settings.discord_api_url is not None:
        use_api(settings.discord_api_url)
    async with AsyncExitStack() as stack:
        pool = await stack.enter_async_context(create_pool(database_url))
        seen = SeenEvents(redis_url)
        stack.push_async_callback(seen.close)
        client = GopherClient()
        stack.push_async_callback(session.leave, client)
        application_id = await _unless(stopping, session.log_in(client, token))
        if application_id is not None:
            readiness = Readiness(settings.gopher_ready_file, {"queue"} if rest_only else {"queue", "gateway"})
            parts = assemble(
                client, application_id, pool=pool, seen=seen, settings=settings, ready=lambda: readiness.note("gateway")
            )
            await _run(parts, settings, readiness, stopping, rest_only=rest_only)


async def _run(
    parts: Parts, settings: Settings, readiness: Readiness, stopping: asyncio.Event, *, rest_only: bool
) -> None:
    """Run the loops until stopping, or until one fails; then finish what was begun, each for a bounded time."""
    queue = asyncio.create_task(serve_queue(settings, parts.delivery, readiness, stopping), name="queue")
    loops = [queue]
    if not rest_only:
        parts.client.listen_with(parts.listeners)
        loops.append(asyncio.create_task(session.hold(parts.client), name="gateway"))
        loops.append(asyncio.create_task(parts.typing.run(), name="typing"))
    stop = asyncio.create_task(stopping.wait())
    done, _ = await asyncio.wait((*loops, stop), return_when=asyncio.FIRST_COMPLETED)
    stopping.set()
    parts.client.listen_with(None)
    await parts.catch_up.close()
    await parts.journaling.close(DRAIN_WITHIN)
    await asyncio.wait((queue,), timeout=2 * FINISH_WITHIN.total_seconds())
    await parts.actions.wait_for_abandoned()
    for loop in loops:
        loop.cancel()
    await asyncio.gather(*loops, return_exceptions=True)
    for loop in done - {stop}:
        loop.result()  # raises what it failed with


async def serve_queue(
    settings: Settings, delivery: DeliveryActivities, readiness: Readiness, stopping: asyncio.Event
) -> None:
    """Serve the queue `discord` until stopping, then finish what is on its way. Waits while Temporal is away."""
    provider, plugin = tracing("bot", settings.otel_exporter_otlp_endpoint)
    try:
        temporal = await _unless(stopping, connect(settings, plugins=[plugin], runtime=create_runtime()))
        backoff = Backoff(WORKER_PAUSE, WORKER_PAUSE * 30)
        while temporal is not None and not stopping.is_set():
            try:
                async with _worker(temporal, delivery):
                    await _unless(stopping, _until_polled(temporal))
                    readiness.note("queue")
                    await stopping.wait()
            except (RuntimeError, RPCError) as error:
                # Temporal went away just as the worker began; later the worker itself waits for it.
                _log.warning("the queue discord is not served: %s", error)
                await backoff.pause()
    finally:
        provider.shutdown()


def _worker(temporal: Client, delivery: DeliveryActivities) -> Worker:
    return Worker(
        temporal,
        task_queue=TaskQueue.DISCORD,
        activities=[delivery.deliver],
        interceptors=[TranslateErrors(), AutoHeartbeat()],
        max_heartbeat_throttle_interval=HEARTBEAT_TIMEOUT / BEATS_PER_TIMEOUT,
        graceful_shutdown_timeout=FINISH_WITHIN,
    )


async def _until_polled(temporal: Client) -> None:
    """Wait until Temporal knows this process as one that serves the queue."""
    request = DescribeTaskQueueRequest(
        namespace=temporal.namespace,
        task_queue=TaskQueuePayload(name=TaskQueue.DISCORD),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    )
    while True:
        described = await temporal.workflow_service.describe_task_queue(request)
        if any(poller.identity == temporal.identity for poller in described.pollers):
            return
        await asyncio.sleep(POLLED_PAUSE.total_seconds())


async def _unless(stopping: asyncio.Event, work: Coroutine[Any, Any, _T]) -> _T | None:
    """Wait for some work; None, and the work is cancelled, when this process is to stop before it is done."""
    working = asyncio.create_task(work)
    stop = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait((working, stop), return_when=asyncio.FIRST_COMPLETED)
        return await working if working.done() else None
    finally:
        stop.cancel()
        if not working.done():
            working.cancel()
            await asyncio.wait((working,))


def _required(value: _T | None, name: str) -> _T:
    if value is None:
        raise ConfigurationError(
            f"{variable(name)} is not set; `./gopher up` sets it, or write it into .env.", code="settings"
        )
    return value


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the process; ends it with status 2 and one sentence when only an operator can mend what is wrong."""
    parser = argparse.ArgumentParser(prog="bot.py", description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "--rest-only",
        action="store_true",
        help="serve the task queue without a gateway session, beside a bot that has one",
    )
    options = parser.parse_args(arguments)
    status = 0
    try:
        settings = load_settings()
        configure_logging("bot", settings.log_level)
        asyncio.run(serve(settings, rest_only=options.rest_only))
    except ConfigurationError as error:
        sys.stderr.write(f"{error}\n")
        status = EXIT_CONFIGURATION
    except Exception:  # noqa: BLE001 - the outermost place: said by its class and its frames, never by words it may quote
        _log.exception("the bot failed")
        status = EXIT_FAILURE
    sys.stderr.flush()
    # Not sys.exit: the interpreter's end may crash in the threads of Temporal's client (docs/architecture.md).
    os._exit(status)


if __name__ == "__main__":
    main()
