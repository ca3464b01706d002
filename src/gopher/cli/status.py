"""`./gopher status`: what `./gopher up` runs now, for people or (`--json`) for programs."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from devstack.data_directory import Phase, StackState
from gopher.cli.up import add_data_argument, data_directory
from gopher.settings import Settings

NOT_RUNNING = 3
"""Exit status, as service scripts have it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_data_argument(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Print it; the status is 0 when everything is ready, 1 when something is not, 3 when nothing runs."""
    data = data_directory(arguments, settings)
    state = data.state()
    if arguments.json:
        running = {"running": True, **asdict(state)} if state is not None else {"running": False}
        print(json.dumps({**running, "data": str(data.path)}, indent=2))
    elif state is None:
        print(f"Nothing runs with {data.path}.")
    else:
        print(_table(state))
    if state is None:
        return NOT_RUNNING
    return 0 if all(phase is Phase.READY for phase in (state.phase, *(part.phase for part in state.parts))) else 1


def _table(state: StackState) -> str:
    lines = [f"Gopher is {state.phase} since {state.started_at} (process {state.pid}).", ""]
    lines.append(f"  {'part':<10} {'state':<10} {'process':>8} {'restarts':>8}  where")
    for part in state.parts:
        where = part.page or (f"port {part.port}" if part.port is not None else "")
        process = str(part.pid) if part.pid is not None else "-"
        lines.append(f"  {part.name:<10} {part.phase:<10} {process:>8} {part.restarts:>8}  {where}")
    return "\n".join(lines)
