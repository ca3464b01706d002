"""One child process: tethered to this one, alone in its process group, its output in a log file."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from devstack import tether
from gopher.errors import ConfigurationError

STOP_TIMEOUT = timedelta(seconds=15)
"""How long a child may take to stop before it is killed: PostgreSQL's shutdown checkpoint is the longest of them."""
LAST_WORDS_CHARACTERS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The user that a child runs as."""

    uid: int
    gid: int


class Process:
    """A program that runs while this process does: at its death, even by SIGKILL, the kernel signals the child.

    The tie is to the thread that starts it, so start processes from the main thread. Start again after it ended.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        log: Path,
        environment: Mapping[str, str],
        directory: Path | None = None,
        account: Account | None = None,
        stop_signal: signal.Signals = signal.SIGTERM,
        death_signal: signal.Signals | None = None,
    ) -> None:
        """Describe the program; nothing runs yet.

        Args:
            name: What people call it.
            command: The program's path and its arguments.
            log: Where its output is appended.
            environment: All of its environment.
            directory: Where it runs; None is here.
            account: Whom it runs as; None is the present user.
            stop_signal: How it is asked to stop.
            death_signal: What it gets at this process's death; None is the stop signal.
        """
        self.name = name
        self.log = log
        self._command = tuple(command)
        self._environment = dict(environment)
        self._directory = directory
        self._account = account or Account(uid=tether.KEEP, gid=tether.KEEP)
        self._stop_signal = stop_signal
        self._death_signal = death_signal or stop_signal
        self._child: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        """The process id; None before the first start and after the end."""
        return self._child.pid if self._child is not None and self._child.returncode is None else None

    @property
    def returncode(self) -> int | None:
        """The exit status of the last start, negative for a signal; None while it runs or before the first start."""
        return self._child.returncode if self._child is not None else None

    async def start(self) -> None:
        """Start the program; its output is appended to the log.

        Raises:
            ConfigurationError: the program is not installed.
        """
        if not os.access(self._command[0], os.X_OK):
            raise ConfigurationError(
                f"{self.name}: the program {self._command[0]} is missing; "
                "reinstall the requirements (delete .venv and run ./gopher again)."
            )
        self.log.parent.mkdir(parents=True, exist_ok=True)
        shim = ("-I", "-S", tether.__file__, os.getpid(), int(self._death_signal), self._account.uid, self._account.gid)
        with self.log.open("ab") as log:
            self._child = await asyncio.create_subprocess_exec(
                sys.executable,
                *(str(argument) for argument in shim),
                *self._command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._directory,
                env=self._environment,
                start_new_session=True,  # Ctrl-C on the terminal reaches the parent alone, which stops all in order
            )

    async def wait(self) -> int:
        """Wait for the end; returns the exit status, negative for a signal."""
        if self._child is None:
            raise RuntimeError(f"{self.name} was never started")
        return await self._child.wait()

    async def stop(self, timeout: timedelta = STOP_TIMEOUT) -> None:  # noqa: ASYNC109 - a grace period, then force
        """Ask the child to stop, and kill its group if it does not within the time. Harmless when it is not running."""
        if self._child is None or self._child.returncode is not None:
            return
        self.signal(self._stop_signal)
        try:
            async with asyncio.timeout(timeout.total_seconds()):
                await self._child.wait()
        except TimeoutError:
            self.kill()
            await self._child.wait()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the child itself; harmless when it is not running."""
        if self._child is not None and self._child.returncode is None:
            self._child.send_signal(number)

    def kill(self) -> None:
        """Kill the child and everything in its process group at once; harmless when it is not running."""
        if self._child is not None and self._child.returncode is None:
            os.killpg(self._child.pid, signal.SIGKILL)

    def last_words(self) -> str:
        """The last line of the log, for the sentence that says why it did not start; empty when it said nothing."""
        if not self.log.exists():
            return ""
        lines = self.log.read_text(encoding="utf-8", errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")[:LAST_WORDS_CHARACTERS]


def bare_environment() -> dict[str, str]:
    """The environment of a server that must not be steered by variables of the caller's shell (PG*, TEMPORAL_*)."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {**kept, "LC_ALL": "C"}
