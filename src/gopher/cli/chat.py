"""`./gopher chat`: a conversation from the terminal, with the same journal, workflow and answer as on Discord."""

from __future__ import annotations

import argparse
import asyncio
import getpass
import importlib
import importlib.util
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

from gopher.cli.installation import database
from gopher.cli.terminal import Ended, Said, TerminalChannel, Waiting
from gopher.domain.runs import RunStatus
from gopher.errors import ConfigurationError
from gopher.settings import Settings

EXIT_NO_ANSWER: Final = 1
EXIT_INTERRUPTED: Final = 130
HINT_AFTER: Final = timedelta(seconds=5)
"""A worker takes a request up within milliseconds; one that starts needs two seconds."""
SHOWN_MESSAGES: Final = 10
NAME_CHARACTERS: Final = 32
"""As on Discord."""

_HINT: Final = "No worker has taken this up yet: is Gopher running? ./gopher status tells, ./gopher up starts it."
_LATER: Final = "Your question is journaled: the answer will stand in the history when you come back."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("--once", metavar="TEXT", help="say TEXT, print the answer and exit; 1 when there is none")
    parser.add_argument("--as", dest="name", metavar="NAME", help="the member to speak as (default: your user name)")
    parser.add_argument(
        "--timeout", type=_seconds, metavar="SECONDS", help="with --once: how long to wait (default: until it ends)"
    )


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Chat until the input ends, or once; returns the exit status."""
    name = _member_name(arguments.name)
    try:
        if arguments.once is None:
            return _converse(settings, name)
        if not arguments.once.strip():
            raise ConfigurationError("--once needs something to say.", code="usage")
        return asyncio.run(_once(settings, name, arguments.once, arguments.timeout))
    except KeyboardInterrupt:
        print(f"\n{_LATER}", file=sys.stderr)
        return EXIT_INTERRUPTED


async def _once(settings: Settings, name: str, text: str, patience: timedelta | None) -> int:
    async with _channel(settings, name) as channel:
        try:
            async with asyncio.timeout(None if patience is None else patience.total_seconds()):
                return await _ask(channel, text)
        except TimeoutError:
            print(f"No answer within the time given. {_LATER}", file=sys.stderr)
            return EXIT_NO_ANSWER


def _converse(settings: Settings, name: str) -> int:
    """Ask line by line. The loop runs only while something is asked: reading a line belongs to the terminal alone."""
    _edit_lines()
    with asyncio.Runner() as runner:
        opened = _channel(settings, name)
        channel = runner.run(opened.__aenter__())
        try:
            runner.run(_greet(channel))
            while (line := _read_line(name)) is not None:
                if line.strip():
                    runner.run(_ask(channel, line))
        except KeyboardInterrupt:
            print(f"\n{_LATER}", file=sys.stderr)
        finally:
            runner.run(opened.__aexit__(None, None, None))
    return 0


async def _greet(channel: TerminalChannel) -> None:
    if not sys.stdin.isatty():
        return
    for message in await channel.history(SHOWN_MESSAGES):
        print(f"{message.author_name}: {message.content}")
    print(f"You are {channel.name}, in private with Gopher. Ctrl-D ends.")


async def _ask(channel: TerminalChannel, text: str) -> int:
    """Say something and print what comes back; returns the exit status."""
    request_id = await channel.say(text)
    hinted = False
    answered = False
    async for event in channel.answers(request_id):
        match event:
            case Said(content=content):
                answered = True
                print(content, flush=True)
            case Waiting(elapsed=elapsed, taken_up=taken_up):
                if elapsed >= HINT_AFTER and not taken_up and not hinted:
                    hinted = True
                    print(_HINT, file=sys.stderr, flush=True)
            case Ended(status=status, error_code=code):
                if not answered:
                    print(f"The run ended without an answer ({code or status or 'unknown'}).", file=sys.stderr)
                return 0 if answered and status is RunStatus.COMPLETED else EXIT_NO_ANSWER
    return EXIT_NO_ANSWER


@asynccontextmanager
async def _channel(settings: Settings, name: str) -> AsyncGenerator[TerminalChannel]:
    async with database(settings) as pool:
        channel = TerminalChannel(pool, name=name)
        try:
            yield channel
        finally:
            await channel.close()


def _read_line(name: str) -> str | None:
    """Read the next line, without its end; None when there are no more, or at Ctrl-C."""
    try:
        return input(f"{name}> " if sys.stdin.isatty() else "")
    except (EOFError, KeyboardInterrupt):
        if sys.stdin.isatty():
            print()
        return None


def _edit_lines() -> None:
    """Give the prompt arrow keys and a memory, where Python was built with them."""
    if sys.stdin.isatty() and importlib.util.find_spec("readline") is not None:
        importlib.import_module("readline")


def _member_name(given: str | None) -> str:
    name = " ".join((given if given is not None else getpass.getuser()).split())
    if not name or len(name) > NAME_CHARACTERS or not name.isprintable():
        raise ConfigurationError(f"--as needs a name of 1 to {NAME_CHARACTERS} printable characters.", code="usage")
    return name


def _seconds(text: str) -> timedelta:
    try:
        seconds = float(text)
        if seconds > 0:
            return timedelta(seconds=seconds)
    except (ValueError, OverflowError):
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
