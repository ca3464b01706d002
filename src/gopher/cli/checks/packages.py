"""Python and the packages that are installed, against what the lock file of the clone says."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from gopher.cli.checks.findings import Finding
from gopher.settings import Settings

LOWEST: Final = (3, 11)
TOO_NEW: Final = (3, 14)
SHOWN: Final = ("temporalio", "disnake", "openai", "psycopg", "redis", "pydantic")
LOCK: Final = Path(__file__).parents[4] / "requirements.lock"
NAMED: Final = 3
"""Packages that are named when more differ."""

_PINNED: Final = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)


async def examine(settings: Settings) -> list[Finding]:  # noqa: ARG001 # the same for all checks
    """Compare versions."""
    return [_python(), _packages()]


def _python() -> Finding:
    what = f"Python {platform.python_version()}"
    if LOWEST <= sys.version_info[:2] < TOO_NEW:
        return Finding(part="python", what=what)
    return Finding(part="python", what=what, remedy="Remove .venv and run ./gopher with Python 3.11, 3.12 or 3.13.")


def _packages() -> Finding:
    installed = {name: _version(name) for name in SHOWN}
    wrong = [name for name, found in installed.items() if found is None] + _differences()
    if not wrong:
        return Finding(part="packages", what=", ".join(f"{name} {found}" for name, found in installed.items()))
    more = f" and {len(wrong) - NAMED} more" if len(wrong) > NAMED else ""
    return Finding(
        part="packages",
        what=f"not as in requirements.lock: {', '.join(wrong[:NAMED])}{more}",
        remedy="Remove .venv and run ./gopher again, which makes it from requirements.lock.",
    )


def _differences() -> list[str]:
    if not LOCK.is_file():  # an installed package has no lock file: its installer has checked
        return []
    return differences(LOCK.read_text(encoding="utf-8"), _version)


def differences(lock: str, version_of: Callable[[str], str | None]) -> list[str]:
    """Locked packages of which a version is installed that the lock does not name, in the lock's order.

    A package that differs between Pythons is named once for each; what a platform does not need may be missing.
    """
    pinned: dict[str, set[str | None]] = {}
    for name, wanted in _PINNED.findall(lock):
        pinned.setdefault(name, {None}).add(wanted)
    return [name for name, versions in pinned.items() if version_of(name) not in versions]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
