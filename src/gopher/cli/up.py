"""`./gopher up`: everything that Gopher needs and the settings do not name, and Gopher itself, until Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import time
from pathlib import Path

from devstack.data_directory import DataDirectory, Phase
from gopher.errors import ConfigurationError
from gopher.settings import Settings

LAST_PORT = 65535
POLL_SECONDS = 0.05


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--detach", action="store_true", help="return when everything is ready; ./gopher down stops it")
    add_data_argument(parser)
    parser.add_argument("--port", type=_port, metavar="N", help="port of the chat page (default: 8100 or a free one)")


def add_data_argument(parser: argparse.ArgumentParser) -> None:
    """Declare --data, which `down` and `status` have too."""
    parser.add_argument("--data", type=Path, metavar="DIR", help="data directory (default: GOPHER_DATA_DIR, .gopher)")


def data_directory(arguments: argparse.Namespace, settings: Settings) -> DataDirectory:
    """The data directory of the command line, or else of the settings."""
    data: Path | None = arguments.data
    return DataDirectory(data if data is not None else settings.gopher_data_dir)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Start and watch, or have a process of its own do so."""
    data = data_directory(arguments, settings)
    chat_port: int | None = arguments.port
    if chat_port is not None and settings.discord_token is not None:
        raise ConfigurationError(
            "--port is the chat page's, and with DISCORD_TOKEN there is none; leave one of them out."
        )
    if arguments.detach:
        return _detach(data, chat_port)
    from gopher.cli import foreground  # noqa: PLC0415 - takes a second to import, which --detach would spend twice

    return foreground.run(data, settings, chat_port)


def _detach(data: DataDirectory, chat_port: int | None) -> int:
    """Start a supervisor that outlives this process, and return when all is ready or it failed."""
    data.prepare()
    with data.lock():
        pass  # says that one is running already, before its output is overwritten
    output = data.logs / "up.txt"
    command = [sys.executable, "-m", "gopher", "up", "--data", str(data.path)]
    command += ["--port", str(chat_port)] if chat_port is not None else []
    with output.open("wb") as file:
        supervisor = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        while supervisor.poll() is None:
            state = data.state()
            if state is not None and state.pid == supervisor.pid and state.phase is Phase.READY:
                print(output.read_text(encoding="utf-8"), end="")
                print("It runs in the background: ./gopher status, ./gopher down.")
                return 0
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        supervisor.send_signal(signal.SIGTERM)
        supervisor.wait()
        raise
    print(output.read_text(encoding="utf-8"), end="", file=sys.stderr)
    return supervisor.returncode or 1


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text} is not a port, which is a number from 1 to {LAST_PORT}")
    return int(text)
