"""An installation for tests of commands: a worker in a process of its own, and the command line as people call it."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import pty
import sys
import termios
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from devstack.providers import ScriptedProviders

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    status: int
    out: str
    err: str

    def document(self) -> JsonValue:
        document: JsonValue = json.loads(self.out)
        return document


@dataclass(slots=True, kw_only=True)
class CommandLine:
    """Calls commands with settings, in a directory without `.env`."""

    directory: Path
    settings: dict[str, str] = field(default_factory=dict[str, str])

    async def start(self, *words: str, without: frozenset[str] = frozenset()) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "gopher",
            *words,
            cwd=self.directory,
            env=self.environment(without),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
        )

    async def call(self, *words: str, stdin: str = "", without: frozenset[str] = frozenset()) -> Outcome:
        process = await self.start(*words, without=without)
        try:
            async with asyncio.timeout(90):
                out, err = await process.communicate(stdin.encode())
        except BaseException:
            process.kill()
            await process.wait()
            raise
        return Outcome(status=process.returncode or 0, out=out.decode(), err=err.decode())

    def environment(self, without: frozenset[str] = frozenset()) -> Mapping[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        given = {name: value for name, value in self.settings.items() if name not in without}
        return {**kept, "PYTHONUNBUFFERED": "1", **given}


class Terminal:
    """A command on a terminal of its own, to type into and to read from."""

    def __init__(self, process: asyncio.subprocess.Process, master: int) -> None:
        self.process = process
        self._master = master
        self.shown = ""

    @classmethod
    async def open(cls, command_line: CommandLine, *words: str) -> Terminal:
        master, slave = pty.openpty()
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "gopher",
            *words,
            cwd=command_line.directory,
            env={**command_line.environment(), "TERM": "dumb"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        return cls(process, master)

    async def until(self, text: str) -> None:
        """Read until the text is shown."""
        async with asyncio.timeout(60):
            while text not in self.shown:
                self.shown += await self._read()

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    async def end(self) -> int:
        """Wait for the command's end and read the rest; returns its status."""
        async with asyncio.timeout(60):
            status = await self.process.wait()
            with contextlib.suppress(OSError):  # Linux says EIO where others say that the file is at its end
                while more := await self._read():
                    self.shown += more
        os.close(self._master)
        return status

    async def _read(self) -> str:
        return (await asyncio.to_thread(os.read, self._master, 4096)).decode(errors="replace").replace("\r\n", "\n")


@asynccontextmanager
async def worker(command_line: CommandLine, *, program: str = "worker.py") -> AsyncGenerator[None]:
    """Run worker.py, or bot.py, until the end of the block."""
    ready = command_line.directory / f"{program}-ready"
    log = command_line.directory / f"{program}.log"
    with log.open("wb") as file:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(ROOT / program),
            cwd=command_line.directory,
            env={**command_line.environment(), "GOPHER_READY_FILE": str(ready)},
            stdout=file,
            stderr=file,
        )
    try:
        async with asyncio.timeout(60):
            while not ready.exists():
                assert process.returncode is None, log.read_text()
                await asyncio.sleep(0.05)
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


@asynccontextmanager
async def scripted_providers(command_line: CommandLine) -> AsyncGenerator[ScriptedProviders]:
    """Serve the model from this process and set the settings accordingly."""
    server = ScriptedProviders()
    await server.start()
    command_line.settings |= {
        "OPENAI_API_KEY": "test-key",
        "OPENAI_BASE_URL": server.openai_base_url,
        "CHAT_MODEL": "tiny",
    }
    try:
        yield server
    finally:
        await server.stop()
