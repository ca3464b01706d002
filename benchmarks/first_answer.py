"""Seconds from `git clone` to the first answer on this machine, by `python -m benchmarks.first_answer`.

A newcomer's way, with nothing configured: clone, `./gopher up`, `./gopher chat --once`, in a new directory and without
this project's settings in the environment. The package cache is as warm as pip keeps it: run it twice and take the
second. The baseline is making the environment alone (`./gopher --help` in a new clone, which makes `.venv` and nothing
else): what remains is this project's own time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchmarks.report import Target, print_result, print_table
from gopher.settings import Settings

ROOT: Final = Path(__file__).resolve().parent.parent
QUESTION: Final = "hello"

TARGETS: Final = {"clone_to_answer_seconds": Target(value=60, at_least=False)}
"""A minute is what a newcomer gives a tool (the issue's target)."""


def main() -> int:
    """Measure once, print, and stop all that was started; the exit status is 0 when it ran."""
    with tempfile.TemporaryDirectory(prefix="gopher-first-answer-") as place:
        clone = Path(place) / "gopher"
        steps: dict[str, float] = {}
        steps["git clone"] = _timed(["git", "clone", "--quiet", str(ROOT), str(clone)], Path(place))
        steps["make .venv"] = _timed(["./gopher", "--help"], clone)
        try:
            steps["./gopher up --detach"] = _timed(["./gopher", "up", "--detach"], clone)
            steps["./gopher chat --once"] = _timed(["./gopher", "chat", "--once", QUESTION], clone)
        finally:
            subprocess.run(["./gopher", "down"], cwd=clone, env=_environment(), capture_output=True, check=False)
    total = sum(steps.values())
    print_table(
        ("step", "seconds", "share"),
        [(name, f"{seconds:.1f}", f"{seconds / total:.0%}") for name, seconds in (*steps.items(), ("in all", total))],
    )
    values = {
        "clone_to_answer_seconds": total,
        "baseline_make_environment_seconds": steps["make .venv"],
        "own_seconds": total - steps["make .venv"],
        "first_chat_seconds": steps["./gopher chat --once"],
    }
    print_result("first_answer", values, TARGETS)
    return 0


def _timed(command: list[str], directory: Path) -> float:
    """Run to a good end and return the seconds it took; a bad end prints what was said and ends the benchmark."""
    begun = time.monotonic()
    done = subprocess.run(command, cwd=directory, env=_environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        raise SystemExit(f"`{' '.join(command)}` ended with status {done.returncode}")
    return time.monotonic() - begun


def _environment() -> Mapping[str, str]:
    """What a newcomer has: this process's environment without settings of the project."""
    settings = {name.upper() for name in Settings.model_fields}
    return {name: value for name, value in os.environ.items() if name.upper() not in settings}


if __name__ == "__main__":
    sys.exit(main())
