"""`./gopher bench NAME`: run a benchmark of `benchmarks/`; without a name, list them."""

from __future__ import annotations

import argparse
import ast
import difflib
import subprocess
import sys
from pathlib import Path

from gopher.errors import ConfigurationError
from gopher.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line; what follows the name is the benchmark's own."""
    parser.add_argument("name", nargs="?", help="the benchmark; leave it out to list them")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Run it in a process of its own and return its exit status.

    Raises:
        ConfigurationError: there is no benchmark of that name.
    """
    del settings  # a benchmark has its own installation
    known = _benchmarks()
    if arguments.name is None:
        for name, purpose in known.items():
            print(f"{name:<20} {purpose}")
        return 0
    if arguments.name not in known:
        name = str(arguments.name)
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else "; ./gopher bench lists them."
        raise ConfigurationError(f"There is no benchmark {name}{hint}")
    command = [sys.executable, "-m", f"benchmarks.{arguments.name}", *arguments.passed_on]
    return subprocess.run(command, check=False).returncode


def _benchmarks() -> dict[str, str]:
    """Names and first sentences of the modules that can be run, by name."""
    found: dict[str, str] = {}
    for path in sorted((Path.cwd() / "benchmarks").glob("*.py")):
        source = path.read_text(encoding="utf-8")
        if '__name__ == "__main__"' in source:
            found[path.stem] = (
                (ast.get_docstring(ast.parse(source)) or "").split(", by `", maxsplit=1)[0].split("\n")[0]
            )
    return found
