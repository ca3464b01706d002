"""`./gopher down`: stops what `./gopher up` started, wherever it runs."""

from __future__ import annotations

import argparse
import sys
import time
from datetime import timedelta

import psutil

from gopher.cli.up import add_data_argument, data_directory
from gopher.settings import Settings

PATIENCE = timedelta(seconds=60)
"""Every part is given 15 s, and at most three of them stop one after another."""
POLL_SECONDS = 0.05


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_data_argument(parser)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Stop it and wait until nothing runs any more. That nothing runs is no failure."""
    data = data_directory(arguments, settings)
    owner = data.owner()
    if not owner:
        print(f"Nothing runs with {data.path}.")
        return 0
    supervisor = psutil.Process(owner)
    supervisor.terminate()
    deadline = time.monotonic() + PATIENCE.total_seconds()
    while _alive(supervisor):
        if time.monotonic() > deadline:
            supervisor.kill()  # its children die with it: the kernel sees to that (devstack/tether.py)
            print(f"It did not stop within {PATIENCE.total_seconds():.0f} s and was killed.", file=sys.stderr)
            return 1
        time.sleep(POLL_SECONDS)
    print("Stopped.")
    return 0


def _alive(process: psutil.Process) -> bool:
    """Whether it still does something; in containers nobody may ever collect what an orphan leaves."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
