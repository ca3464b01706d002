"""Finding the processes of a stack, whoever started them and whatever became of its supervisor."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import psutil


def processes_of(data: Path) -> dict[int, str]:
    """Processes that name the directory in their command or environment, or stand in it; their commands by pid."""
    found: dict[int, str] = {}
    for process in psutil.process_iter():
        try:
            command = process.cmdline()
            traces = [*command, *process.environ().values(), process.cwd()]
        except psutil.Error:
            continue  # it ended just now, or is a zombie, or the kernel's
        if any(str(data) in trace for trace in traces):
            found[process.pid] = " ".join(command)
    return found


async def nothing_left(data: Path, *, within: timedelta = timedelta()) -> dict[int, str]:
    """What is left of the stack after the time, as soon as that is nothing."""
    deadline = asyncio.get_running_loop().time() + within.total_seconds()
    while (left := processes_of(data)) and asyncio.get_running_loop().time() < deadline:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.05)
    return left
