"""worker.py as a process of its own, as operators run it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, cast

from gopher.settings import Settings
from tests.workflows.stage import until

ROOT: Final = Path(__file__).parents[2]


class WorkerProcess:
    """A started worker.py; what it logs is kept line by line."""

    def __init__(self, process: asyncio.subprocess.Process, ready_file: Path) -> None:
        self.process = process
        self._ready_file = ready_file
        self.lines: list[str] = []
        self._reading = asyncio.create_task(self._read())

    @property
    def messages(self) -> list[str]:
        return [str(cast("dict[str, object]", json.loads(line))["message"]) for line in self.lines if line[:1] == "{"]

    async def ready(self) -> None:
        async def is_ready() -> bool:
            assert self.process.returncode is None, self.lines
            return os.path.exists(self._ready_file)  # noqa: ASYNC240, PTH110 # one stat of a local file

        await until(is_ready)

    async def says(self, words: str) -> None:
        """Wait until a line holds the words."""

        async def said() -> bool:
            return any(words in line for line in self.lines)

        await until(said)

    async def kill(self) -> None:
        self.process.kill()
        await self.ended()

    async def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return await self.ended()

    async def ended(self) -> int:
        status = await asyncio.wait_for(self.process.wait(), 30)
        await self._reading
        return status

    async def _read(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.lines.append(line.decode().rstrip())


@asynccontextmanager
async def worker_process(
    settings: Settings, directory: Path, *, name: str = "worker", environment: Mapping[str, str] | None = None
) -> AsyncGenerator[WorkerProcess]:
    """Start worker.py with these settings; killed in the end if it still runs."""
    ready_file = directory / f"{name}.ready"
    values = {
        "DATABASE_URL": settings.database_url,
        "TEMPORAL_ADDRESS": settings.temporal_address,
        "TEMPORAL_NAMESPACE": settings.temporal_namespace,
        "OPENAI_API_KEY": "sk-test",
        "OPENAI_BASE_URL": settings.openai_base_url,
        "CHAT_MODEL": settings.chat_model,
        "GOPHER_READY_FILE": str(ready_file),
        **(environment or {}),
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(ROOT / "worker.py"),
        cwd=directory,  # where no .env is
        env={
            **os.environ,
            "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}",
            **{name: value for name, value in values.items() if value},
        },
        stderr=asyncio.subprocess.PIPE,
    )
    worker = WorkerProcess(process, ready_file)
    try:
        yield worker
    finally:
        if process.returncode is None:
            await worker.kill()
