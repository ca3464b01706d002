"""The table of commands, and how one is found, parsed and run.

Each is a module of this package, with `add_arguments(parser)` and `run(arguments, settings) -> int`.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import NoReturn, Protocol, cast

from gopher.cli.running import connected
from gopher.configuration import load_settings
from gopher.errors import ConfigurationError, GopherError
from gopher.settings import Settings

PROGRAM = "./gopher"
STACK_MODULES = ("devstack", "psutil", "aiohttp")
USAGE_STATUS = 2
"""What command lines that cannot be understood end with, by custom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command: the module `gopher.cli.NAME`."""

    summary: str
    configured: bool = True
    """Whether it reads the settings; else it gets the defaults and works whatever `.env` says."""
    embedded: bool = False
    """Whether it needs the development stack, which a production installation lacks."""
    passes_on: bool = False
    """Whether words that it does not know are another program's: they are then in `arguments.passed_on`."""
    connected: bool = False
    """Whether it talks to the running stack, and is led there by what `./gopher up` wrote down."""


COMMANDS = {
    "up": Command(summary="start everything and watch it", embedded=True),
    "down": Command(summary="stop what `up` started", embedded=True),
    "status": Command(summary="say what runs", embedded=True),
    "chat": Command(summary="talk to the agent from this terminal", connected=True),
    "runs": Command(summary="list runs, or show one", connected=True),
    "doctor": Command(summary="check every part and say how to mend it", connected=True),
    "bench": Command(summary="run a benchmark", embedded=True, configured=False, passes_on=True),
    "test": Command(
        summary="lint, types, layer contracts and all tests", embedded=True, configured=False, passes_on=True
    ),
}


class _Module(Protocol):
    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace, settings: Settings) -> int: ...


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE_STATUS, f"gopher: {message}; see {self.prog} --help.\n")


def run_command(words: Sequence[str]) -> int:
    """Run the command that the words name; returns the exit status. What goes wrong is said on stderr."""
    try:
        return _run(*_find(words))
    except ConfigurationError as error:
        for line in str(error).splitlines():
            print(f"gopher: {line}", file=sys.stderr)
        return USAGE_STATUS
    except GopherError as error:
        print(f"gopher: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except (BrokenPipeError, BaseExceptionGroup) as error:
        if isinstance(error, BaseExceptionGroup) and error.split(BrokenPipeError)[1] is not None:
            raise
        # `./gopher runs list | head`: the reader has seen enough. Nothing may be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(name: str, words: list[str]) -> int:
    command = COMMANDS[name]
    if command.embedded and not all(map(find_spec, STACK_MODULES)):
        raise ConfigurationError(
            f"{PROGRAM} {name} is of the development stack, which is not installed here; "
            "use a clone, whose ./gopher makes its own environment."
        )
    module = cast("_Module", importlib.import_module(f"gopher.cli.{name}"))
    # Abbreviations of options would change their meaning with the next option that is added.
    parser = _Parser(prog=f"{PROGRAM} {name}", description=_sentence(command.summary), allow_abbrev=False)
    module.add_arguments(parser)
    arguments, unknown = parser.parse_known_args(words)
    if unknown and not command.passes_on:
        parser.error(f"the argument {unknown[0]} is unknown")
    arguments.passed_on = unknown
    settings = load_settings() if command.configured else Settings.model_construct()
    return module.run(arguments, connected(settings) if command.connected else settings)


def _find(words: Sequence[str]) -> tuple[str, list[str]]:
    """The name of the command and the words after it; prints the overview and exits where there is none."""
    overview = _Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} COMMAND [OPTIONS]",
        description="Gopher: a durable Discord agent with long-term memory.",
        epilog="\n".join(["commands:", *(f"  {name:<8} {command.summary}" for name, command in COMMANDS.items())]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if not words:
        overview.print_help(sys.stderr)
        overview.exit(USAGE_STATUS)
    name = words[0]
    if name not in COMMANDS:
        if name.startswith("-"):
            overview.parse_args([name])  # --help prints and exits; everything else is an error
        nearest = difflib.get_close_matches(name, COMMANDS, n=1)
        overview.error(f"the command {name} is unknown" + (f", did you mean {nearest[0]}" if nearest else ""))
    return name, list(words[1:])


def _sentence(summary: str) -> str:
    return f"{summary[0].upper()}{summary[1:]}."
