"""The supervisor in the foreground: `./gopher up` from its look at other people's servers to its last child's end."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Coroutine

from devstack.data_directory import DataDirectory
from devstack.screen import ready_screen
from devstack.stack import plan
from devstack.supervisor import Supervisor
from gopher.settings import Settings


def run(data: DataDirectory, settings: Settings, chat_port: int | None) -> int:
    """Own the data directory, start everything, and watch it until a signal; returns the exit status.

    Raises:
        ConfigurationError: something is wrong or does not start; nothing runs any more then.
    """
    data.prepare()
    with data.lock():
        return asyncio.run(_supervise(data, settings, chat_port))


async def _supervise(data: DataDirectory, settings: Settings, chat_port: int | None) -> int:
    began = time.monotonic()
    stop = asyncio.Event()
    running: list[Supervisor] = []

    def on_signal() -> None:
        if stop.is_set():
            _announce("stopping at once")
            for supervisor in running:
                supervisor.kill()
        else:
            _announce("stopping; once more: at once")
            stop.set()

    # From here on, so that what is stopped while it starts leaves nothing behind either.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, on_signal)
    if not await _unless_stopped(stop, _look_at_others(settings)):
        return 0
    stack = plan(settings, data, chat_port=chat_port)
    data.set_logs_aside()
    supervisor = Supervisor(stack.parts, data=data, settings=stack.settings, announce=_announce)
    running.append(supervisor)
    _announce(f"starting {', '.join(part.name for part, _ in stack.parts)}")

    def on_ready() -> None:
        print(ready_screen(stack, settings, data, seconds=time.monotonic() - began), flush=True)

    await supervisor.run(stop, on_ready)
    _announce("stopped")
    return 0


async def _unless_stopped(stop: asyncio.Event, work: Coroutine[object, object, None]) -> bool:
    """Do the work, but no longer than until a signal; returns whether it was done."""
    working = asyncio.create_task(work)
    waiting = asyncio.create_task(stop.wait())
    await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
    done = working.done()
    for task in (working, waiting):
        task.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    if done:
        await working
    return done


async def _look_at_others(settings: Settings) -> None:
    others = (
        settings.database_url,
        settings.redis_url,
        settings.temporal_address,
        settings.discord_token,
        settings.discord_api_url,
        settings.openai_api_key,
        settings.openai_base_url,
    )
    if any(other is not None for other in others):
        from devstack import preflight  # noqa: PLC0415 - imports every client library: seconds, and mostly for nothing

        await preflight.check(settings)


def _announce(sentence: str) -> None:
    print(f"gopher: {sentence}", file=sys.stderr, flush=True)
