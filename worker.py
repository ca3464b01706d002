"""Process 2, wiring only: workflows, the queue `gopher`, the dispatcher, the schema, the search attributes."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from datetime import timedelta
from typing import Final, TypeVar

from temporalio.client import Client
from temporalio.worker import Worker

from activities.context import ContextActivities
from activities.errors import TranslateErrors
from activities.heartbeat import BEATS_PER_TIMEOUT, AutoHeartbeat
from activities.model import ModelActivities
from activities.runs import RunActivities
from activities.terminal import TerminalActivities
from activities.tools import ToolActivities, ToolBody
from gopher import telemetry
from gopher.configuration import load_settings
from gopher.dispatch import RequestDispatcher
from gopher.domain.ids import token_owner
from gopher.domain.runs import TaskQueue
from gopher.domain.tools import ToolRegistry
from gopher.errors import ConfigurationError, Unavailable
from gopher.outage import Outage
from gopher.providers.chat import ChatModel
from gopher.sandbox import workflow_runner
from gopher.settings import Settings
from gopher.store.deliveries import DeliveryStore
from gopher.store.journal import Journal
from gopher.store.pool import Pool, create_pool
from gopher.store.requests import RequestOutbox
from gopher.store.runs import RunStore
from gopher.store.schema import migrate
from gopher.temporal import connect, create_runtime, ensure_search_attributes
from workflows.agent import AgentWorkflow
from workflows.policies import HEARTBEAT_TIMEOUT

EXIT_CONFIGURATION: Final = 2

STORE_PAUSE: Final = timedelta(seconds=1)
"""Between attempts to prepare the schema while PostgreSQL is away."""

STICKY_TIMEOUT: Final = timedelta(seconds=1)
"""How long a workflow's next task waits for the worker that has it in memory. The default of 10 s is silence of 10 s
after a kill, the largest one that there is (measured)."""

FINISH_WITHIN: Final = timedelta(seconds=5)
"""After SIGTERM: most tools end in it; a model turn goes on in another worker 0.2 s later."""

RUNNING_PAUSE: Final = timedelta(milliseconds=20)

CACHED_WORKFLOWS: Final = 500
"""0.1 MB each; runs in flight beyond it are replayed at their next step."""

CONNECTIONS: Final = 10
"""To PostgreSQL. A statement takes about a millisecond, so more would only wait for the same two cores."""

logger = logging.getLogger("worker")


async def serve(settings: Settings, *, tools: ToolRegistry, bodies: Mapping[str, ToolBody]) -> None:
    """Serve until SIGTERM or SIGINT, then finish what can be finished soon.

    Raises:
        ConfigurationError: something is wrong that only an operator can mend.
    """
    serving = asyncio.create_task(_serve(settings, tools, bodies))
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    with suppress(asyncio.CancelledError):
        await serving


async def _serve(settings: Settings, tools: ToolRegistry, bodies: Mapping[str, ToolBody]) -> None:
    database_url = _required(settings.database_url, "DATABASE_URL")
    async with AsyncExitStack() as stack:
        provider, plugin = telemetry.tracing("worker", settings.otel_exporter_otlp_endpoint)
        stack.callback(provider.shutdown)
        model = ChatModel(
            api_key=_required(settings.openai_api_key, "OPENAI_API_KEY").get_secret_value(),
            base_url=settings.openai_base_url,
            model=settings.chat_model,
            max_output_tokens=settings.chat_max_output_tokens,
        )
        stack.push_async_callback(model.close)
        await _prepare_schema(database_url)
        pool = await stack.enter_async_context(create_pool(database_url, max_size=CONNECTIONS))
        client = await connect(settings, plugins=[plugin], runtime=create_runtime())
        created = await ensure_search_attributes(client)
        if created:
            logger.info("search attributes created: %s", ", ".join(created))
        worker = assemble(settings, client=client, pool=pool, model=model, tools=tools, bodies=bodies)
        outbox = RequestOutbox(pool)
        stack.push_async_callback(outbox.close)
        dispatcher = RequestDispatcher(
            outbox=outbox,
            client=client,
            limits=settings.limits(),
            previews=Journal(pool) if settings.temporal_previews else None,
        )
        await _run(worker, dispatcher, settings)


def assemble(
    settings: Settings,
    *,
    client: Client,
    pool: Pool,
    model: ChatModel,
    tools: ToolRegistry,
    bodies: Mapping[str, ToolBody],
) -> Worker:
    """Wire the worker of the queue `gopher`, not yet running."""
    runs, outbox = RunStore(pool), RequestOutbox(pool)
    token = settings.discord_token
    context = ContextActivities(
        journal=Journal(pool),
        outbox=outbox,
        runs=runs,
        recent_messages=settings.recent_message_count,
        bot_id=None if token is None else token_owner(token.get_secret_value()),
        tools=len(tools) > 0,
        trace_id=telemetry.current_trace_id,
    )
    turns = ModelActivities(runs=runs, model=model, tools=tools, previews=settings.temporal_previews)
    calls = ToolActivities(runs=runs, tools=tools, bodies=bodies)
    terminal = TerminalActivities(outbox=outbox, deliveries=DeliveryStore(pool))
    return Worker(
        client,
        task_queue=TaskQueue.GOPHER,
        workflows=[AgentWorkflow],
        activities=[
            context.load_context,
            turns.model_turn,
            calls.call_tool,
            calls.call_local_tools,
            calls.refuse_tools,
            terminal.deliver,
            RunActivities(runs=runs).record_run,
        ],
        workflow_runner=workflow_runner(),
        interceptors=[TranslateErrors(), AutoHeartbeat()],
        max_cached_workflows=CACHED_WORKFLOWS,
        max_concurrent_activities=settings.worker_max_activities,
        sticky_queue_schedule_to_start_timeout=STICKY_TIMEOUT,
        max_heartbeat_throttle_interval=HEARTBEAT_TIMEOUT / BEATS_PER_TIMEOUT,
        graceful_shutdown_timeout=FINISH_WITHIN,
    )


async def _run(worker: Worker, dispatcher: RequestDispatcher, settings: Settings) -> None:
    """Run both until cancelled or until one of them fails; the dispatcher stops first, so that nothing new begins."""
    working = asyncio.create_task(worker.run())
    dispatching: asyncio.Task[None] | None = None
    try:
        while not worker.is_running and not working.done():  # noqa: ASYNC110 # the SDK offers nothing to wait for
            await asyncio.sleep(RUNNING_PAUSE.total_seconds())
        dispatching = asyncio.create_task(dispatcher.run())
        logger.info("ready")
        if settings.gopher_ready_file is not None:
            settings.gopher_ready_file.write_text(f"{os.getpid()}\n", encoding="utf-8")
        done, _ = await asyncio.wait((working, dispatching), return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        logger.info("stopping")
        if dispatching is not None:
            dispatching.cancel()
            await asyncio.gather(dispatching, return_exceptions=True)
        await asyncio.gather(worker.shutdown(), working, return_exceptions=True)


async def _prepare_schema(database_url: str) -> None:
    outage = Outage("PostgreSQL", logger, meanwhile="the worker waits for it")
    while True:
        try:
            version = await migrate(database_url)
        except Unavailable as error:
            outage.failed(error)
            await asyncio.sleep(STORE_PAUSE.total_seconds())
        else:
            outage.worked()
            logger.info("schema is at version %d", version)
            return


ValueT = TypeVar("ValueT")


def _required(value: ValueT | None, variable: str) -> ValueT:
    if value is None:
        raise ConfigurationError(
            f"{variable} is not set; `./gopher up` sets it, or write it into .env.", code="settings"
        )
    return value


def main() -> int:
    """Run the process; the exit status is 0 after a stop, 2 when the configuration is wrong, 1 after a crash."""
    try:
        settings = load_settings()
    except ConfigurationError as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_CONFIGURATION
    telemetry.configure_logging("worker", settings.log_level)
    try:
        asyncio.run(serve(settings, tools=ToolRegistry(), bodies={}))
    except ConfigurationError as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_CONFIGURATION
    except Exception:
        logger.exception("the worker ended by a fault of its own")
        return 1
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # The SDK's threads crash the interpreter's own way out in about one of ten exits (measured).
    os._exit(status)
