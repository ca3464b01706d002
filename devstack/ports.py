"""Ports on the loopback interface: free ones, taken ones, and waiting until something answers."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from datetime import timedelta

from devstack.process import Process
from gopher.errors import ConfigurationError

LOOPBACK = "127.0.0.1"
PROBE_INTERVAL_SECONDS = 0.02
"""Between two looks at a starting child: short against the 0.1 to 2 s that the servers need."""


def free_port() -> int:
    """A port that nobody listens on now; the kernel hands out others before it repeats one."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def is_free(port: int) -> bool:
    """Whether this user can listen on the port now."""
    with socket.socket() as probe:
        # As servers do: a port that only waits out old connections (TIME_WAIT) is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except (OSError, OverflowError):
            return False
        return True


def require_free(port: int, wanted_by: str, remedy: str) -> None:
    """Check that a port that was asked for can be listened on.

    Raises:
        ConfigurationError: somebody else has it, or this user may not listen there.
    """
    if not is_free(port):
        raise ConfigurationError(f"{wanted_by}: the port {port} is in use or not allowed to this user; {remedy}.")


async def until_ready(process: Process, probe: Callable[[], Awaitable[bool]], *, timeout: timedelta) -> None:  # noqa: ASYNC109 - part of the promise
    """Wait until the probe says yes.

    Raises:
        ConfigurationError: the process ended, or was not ready in time and is stopped; the message ends with its log.
    """
    try:
        async with asyncio.timeout(timeout.total_seconds()):
            while not await probe():
                if process.returncode is not None:
                    raise _failed_start(process, f"ended with status {process.returncode} while starting")
                await asyncio.sleep(PROBE_INTERVAL_SECONDS)
    except TimeoutError:
        await process.stop()
        raise _failed_start(process, f"was not ready within {timeout.total_seconds():.0f} seconds") from None


def _failed_start(process: Process, what: str) -> ConfigurationError:
    return ConfigurationError(f"{process.name} {what}; the last line of {process.log}: {process.last_words()}")


async def exchange(port: int, request: bytes, *, limit: int = 4096) -> bytes:
    """Send bytes to a loopback port and return the first of the answer; empty when nobody answers within a second."""
    try:
        async with asyncio.timeout(1):
            reader, writer = await asyncio.open_connection(LOOPBACK, port)
            try:
                writer.write(request)
                return await reader.read(limit)
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return b""
