"""`./gopher test`: lint, form, types, layer contracts and all tests; with arguments, pytest alone with them."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from devstack.program import ROOT
from gopher.settings import Settings

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BINARIES = Path(sys.executable).parent
PYTEST = (sys.executable, "-m", "pytest", "--durations=15")
SYSTEM_TESTS = "tests/system"
APT_ENVIRONMENT = {"DEBIAN_FRONTEND": "noninteractive"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of check."""

    name: str
    check: Callable[[], int]
    """Runs it and returns its exit status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one kind."""

    name: str
    status: int
    seconds: float
    """From when its turn came; the system tests began earlier."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what arguments mean; they are passed on as they are."""
    parser.usage = "./gopher test [PYTEST ARGUMENTS]"
    parser.epilog = "Without arguments, everything; with some, pytest alone with them."


def run(arguments: argparse.Namespace, _settings: Settings) -> int:
    """Run every kind, whatever fails; the status is that of the first kind that failed."""
    passed_on: list[str] = arguments.passed_on
    if passed_on:
        return _run([sys.executable, "-m", "pytest", *passed_on])
    checks = (
        Kind(name="lint", check=lambda: _run([str(BINARIES / "ruff"), "check", "."])),
        Kind(name="form", check=lambda: _run([str(BINARIES / "ruff"), "format", "--check", "."])),
        Kind(name="types", check=lambda: _run([sys.executable, "-m", "pyright"])),
        Kind(name="layers", check=lambda: _run([str(BINARIES / "lint-imports")])),
        Kind(name="browser", check=_ensure_chromium),
    )
    outcomes = [_timed(kind) for kind in checks]
    with _system_tests() as wait_for_system_tests:
        tests = [*PYTEST, f"--ignore={SYSTEM_TESTS}"]
        outcomes.append(_timed(Kind(name="tests", check=lambda: _run(tests))))
        outcomes.append(_timed(Kind(name="system", check=wait_for_system_tests)))
    print("\nsummary")
    for outcome in outcomes:
        result = "ok" if outcome.status == 0 else f"FAILED with status {outcome.status}"
        print(f"  {outcome.name:<8} {result:<24} {outcome.seconds:6.1f} s")
    return next((outcome.status for outcome in outcomes if outcome.status != 0), 0)


@contextmanager
def _system_tests() -> Generator[Callable[[], int]]:
    """Run the tests of whole installations beside the others, as both mostly wait. Yields what shows how they end."""
    # Without a cache of its own, the two would overwrite each other's.
    command = [*PYTEST, "-p", "no:cacheprovider", SYSTEM_TESTS]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)

        def wait() -> int:
            status = process.wait()
            output.seek(0)
            shutil.copyfileobj(output, sys.stdout)
            return status

        try:
            yield wait
        finally:
            process.terminate()
            process.wait()


def _timed(kind: Kind) -> Outcome:
    print(f"\n== {kind.name}", flush=True)
    began = time.monotonic()
    status = kind.check()
    return Outcome(name=kind.name, status=status, seconds=time.monotonic() - began)


def _run(command: Sequence[str], **more: str) -> int:
    """Run in the clone, without input: nobody may be there to answer."""
    environment = {**os.environ, **more}
    return subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, check=False).returncode


def _ensure_chromium() -> int:
    """See to the browser of the page tests: Debian's package, where it is missing and may be installed."""
    if _chromium() is not None:
        print(f"{_chromium()} is there")
        return 0
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        print(
            "The tests of the chat page need Chromium, and only root on a Debian system can have it installed here; "
            "install Chromium or Google Chrome, so that one of them is on PATH."
        )
        return 1
    print("installing Chromium, which the tests of the chat page need", flush=True)
    # An image's list of packages names versions that the archive has replaced since, or is empty.
    for arguments in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "chromium"]):
        status = _run([apt, *arguments], **APT_ENVIRONMENT)
        if status != 0:
            print(f"apt-get {arguments[0]} failed; install Chromium by hand and try again.")
            return status
    return 0


def _chromium() -> str | None:
    return next((found for name in CHROMIUMS if (found := shutil.which(name)) is not None), None)
