"""The data directory of `./gopher up`: its version, lock and logs, and what it tells other commands about the stack."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from gopher.errors import ConfigurationError

DATA_VERSION = 1
"""Counts up when an older program could no longer read what a newer one wrote."""


class Phase(StrEnum):
    """Where a part, or all of them, stands."""

    STARTING = "starting"
    READY = "ready"
    RESTARTING = "restarting"
    STOPPING = "stopping"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartState:
    """One part of the running stack."""

    name: str
    phase: Phase
    pid: int | None
    """None while it does not run."""
    port: int | None
    page: str | None
    """URL for a browser; None when there is nothing to see."""
    restarts: int
    """How often it crashed and was started again."""
    log: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StackState:
    """What runs, as `state.json` says it."""

    pid: int
    """The supervisor's."""
    phase: Phase
    started_at: str
    """ISO 8601, UTC."""
    parts: tuple[PartState, ...]
    """In the order in which they were planned."""
    settings: dict[str, str]
    """Variables that lead to the embedded servers and stand-ins, for the commands that talk to them."""


_STATE = TypeAdapter(StackState)
_PORTS = TypeAdapter(dict[str, int])


class DataDirectory:
    """A directory that one supervisor at a time owns."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.logs = self.path / "logs"

    def log(self, name: str) -> Path:
        """The log file of a part."""
        return self.logs / f"{name}.log"

    def prepare(self) -> None:
        """Make the directory, or check that this program can use it. The caller holds the lock or is about to take it.

        Raises:
            ConfigurationError: it was written by a newer version, holds other things, or cannot be written.
        """
        marker = self.path / "version"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if not marker.exists():
                if any(entry.name != "lock" for entry in self.path.iterdir()):
                    raise ConfigurationError(
                        f"{self.path} is not empty and not a data directory of Gopher; choose another with --data."
                    )
                marker.write_text(f"{DATA_VERSION}\n", encoding="ascii")
            self.logs.mkdir(exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise ConfigurationError(f"{self.path} is not a directory; choose another with --data.") from None
        except OSError as error:
            raise ConfigurationError(
                f"The data directory {self.path} cannot be made ({error.strerror}); choose another with --data."
            ) from None
        self._require_version(marker.read_text(encoding="utf-8").strip())

    def _require_version(self, found: str) -> None:
        if found == str(DATA_VERSION):
            return
        if found.isdecimal() and int(found) > DATA_VERSION:
            raise ConfigurationError(
                f"The data directory {self.path} was written by a newer version of Gopher (its version is {found}, "
                f"this program knows {DATA_VERSION}); update Gopher, or choose another directory with --data."
            )
        raise ConfigurationError(f"{self.path / 'version'} is damaged; restore it, or choose another with --data.")

    @contextmanager
    def lock(self) -> Generator[None]:
        """Own the directory until the end of the block; the kernel gives it back when the process dies.

        Raises:
            ConfigurationError: another supervisor owns it.
        """
        with (self.path / "lock").open("a+", encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ConfigurationError(
                    f"Gopher is already running with {self.path} (process {self.owner()}); stop it with ./gopher down."
                ) from None
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
            yield

    def owner(self) -> int | None:
        """The process id of the supervisor that owns the directory; None when nobody does."""
        try:
            with (self.path / "lock").open(encoding="ascii") as file:
                try:
                    # Shared, so that two who only look do not take each other for an owner.
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                except BlockingIOError:
                    text = file.read().strip()
                    return int(text) if text else 0
        except FileNotFoundError:
            pass
        return None

    def state(self) -> StackState | None:
        """What runs; None when nothing does, or nothing has been said yet."""
        owner = self.owner()
        if owner is None:
            return None
        try:
            state = _STATE.validate_json((self.path / "state.json").read_bytes())
        except (FileNotFoundError, ValidationError):
            return None
        return state if state.pid == owner else None

    def write_state(self, state: StackState) -> None:
        """Tell what runs; readers see the old or the new, never a half."""
        self._replace("state.json", _STATE.dump_json(state, indent=2).decode())

    def remembered_ports(self) -> dict[str, int]:
        """The ports of the last time, by name: links in old answers lead there."""
        try:
            return _PORTS.validate_json((self.path / "ports.json").read_bytes())
        except (FileNotFoundError, ValidationError):
            return {}

    def remember_ports(self, ports: Mapping[str, int]) -> None:
        """Keep the ports for the next time."""
        self._replace("ports.json", json.dumps(dict(ports), indent=2))

    def set_logs_aside(self) -> None:
        """Begin new logs; the ones of the last time are kept as `NAME.log.1`."""
        for log in self.logs.glob("*.log"):
            log.replace(log.with_suffix(".log.1"))

    def _replace(self, name: str, text: str) -> None:
        building = self.path / f"{name}.new"
        building.write_text(text + "\n", encoding="utf-8")
        building.replace(self.path / name)
