"""A part of the stack that is a Python program of this project: `bot.py`, `worker.py`, the stand-ins."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from devstack.ports import until_ready
from devstack.process import Process

ROOT = Path(__file__).resolve().parent.parent
START_TIMEOUT = timedelta(seconds=60)
"""Importing Temporal's and Discord's libraries takes seconds on a busy machine."""


class Program:
    """A Python program that says that it is ready by creating the file in GOPHER_READY_FILE."""

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        *,
        log: Path,
        ready_file: Path,
        environment: Mapping[str, str],
        port: int | None = None,
        page: str | None = None,
    ) -> None:
        self.name = name
        self.port = port
        self.page = page
        self._ready_file = ready_file
        self.process = Process(
            name,
            [sys.executable, *arguments],
            log=log,
            environment={**environment, "GOPHER_READY_FILE": str(ready_file)},
            # Without supervisor it would wait for servers that are gone: what it does is safe against SIGKILL anyway.
            death_signal=signal.SIGKILL,
        )

    async def start(self) -> None:
        """Start and wait until it says that it is ready.

        Raises:
            ConfigurationError: it ended, or took too long; the end of its log is in the message.
        """
        self._ready_file.unlink(missing_ok=True)
        self._ready_file.parent.mkdir(parents=True, exist_ok=True)
        await self.process.start()
        await until_ready(self.process, self._is_ready, timeout=START_TIMEOUT)

    async def stop(self) -> None:
        """Ask it to stop, and see to it."""
        await self.process.stop()
        self._ready_file.unlink(missing_ok=True)

    async def _is_ready(self) -> bool:
        return self._ready_file.exists()
