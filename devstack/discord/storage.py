"""Where the simulated Discord keeps its records: nowhere, or one SQLite file that survives restarts and SIGKILL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

from pydantic import TypeAdapter

from devstack.discord.interactions import Interaction
from devstack.discord.messages import Message
from devstack.discord.objects import Channel, Command, Guild, Member, Role, ThreadMember, User
from gopher.errors import ConfigurationError

Record = User | Guild | Role | Member | Channel | ThreadMember | Message | Command | Interaction

FORMAT: Final = 1
"""Raised when stored records can no longer be read by older versions."""

_CREATE: Final = """
create table if not exists record (
    kind text not null, key text not null, body blob not null, primary key (kind, key)
) without rowid;
create table if not exists blob (id integer primary key, content blob not null);
"""
_PUT: Final = "insert into record values (?, ?, ?) on conflict (kind, key) do update set body = excluded.body"
_DROP: Final = "delete from record where kind = ? and key = ?"
_ALL: Final = "select body from record where kind = ?"
_PUT_BLOB: Final = "insert or replace into blob values (?, ?)"
_BLOB: Final = "select content from blob where id = ?"
_DROP_BLOB: Final = "delete from blob where id = ?"


def key_of(record: Record) -> str:
    """Name a record within its kind."""
    match record:
        case Member():
            return f"{record.guild_id}/{record.user_id}"
        case ThreadMember():
            return f"{record.thread_id}/{record.user_id}"
        case _:
            return str(record.id)


class Storage(Protocol):
    """Keeps records and the bytes of attachments. Nothing is promised before `commit` returns."""

    def put(self, record: Record) -> None:
        """Keep a record in its present form."""
        ...

    def drop(self, record: Record) -> None:
        """Forget a record."""
        ...

    def put_blob(self, attachment_id: int, content: bytes) -> None:
        """Keep the bytes of an attachment."""
        ...

    def blob(self, attachment_id: int) -> bytes | None:
        """Fetch the bytes of an attachment; None when there are none."""
        ...

    def drop_blob(self, attachment_id: int) -> None:
        """Forget the bytes of an attachment."""
        ...

    def commit(self) -> None:
        """Make everything since the last commit permanent."""
        ...

    def close(self) -> None:
        """Commit and release the file."""
        ...


class MemoryStorage:
    """Keeps only the bytes of attachments: the records live in the world itself, and end with the process."""

    def __init__(self) -> None:
        self._blobs: dict[int, bytes] = {}

    def put(self, record: Record) -> None:
        """Do nothing: the world has it."""

    def drop(self, record: Record) -> None:
        """Do nothing: the world forgot it."""

    def put_blob(self, attachment_id: int, content: bytes) -> None:
        """Keep the bytes of an attachment."""
        self._blobs[attachment_id] = content

    def blob(self, attachment_id: int) -> bytes | None:
        """Fetch the bytes of an attachment; None when there are none."""
        return self._blobs.get(attachment_id)

    def drop_blob(self, attachment_id: int) -> None:
        """Forget the bytes of an attachment."""
        self._blobs.pop(attachment_id, None)

    def commit(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class FileStorage:
    """One SQLite file. A commit survives the death of the process; the machine's power is not guarded against."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(path)
        # WAL without a sync at each commit: the operating system has the bytes when the process dies.
        self._database.execute("pragma journal_mode = wal")
        self._database.execute("pragma synchronous = normal")
        found = int(self._database.execute("pragma user_version").fetchone()[0])
        if found > FORMAT:
            self._database.close()
            raise ConfigurationError(
                f"{path} was written by a newer version (format {found}, this one reads {FORMAT}): "
                "use that version, or another data directory.",
                code="data_of_newer_version",
            )
        self._database.executescript(_CREATE)
        self._database.execute(f"pragma user_version = {FORMAT}")
        self._database.commit()
        self._codecs: dict[str, TypeAdapter[Record]] = {kind.__name__: TypeAdapter(kind) for kind in _KINDS}

    def put(self, record: Record) -> None:
        """Keep a record in its present form."""
        kind = type(record).__name__
        self._database.execute(_PUT, (kind, key_of(record), self._codecs[kind].dump_json(record)))

    def drop(self, record: Record) -> None:
        """Forget a record."""
        self._database.execute(_DROP, (type(record).__name__, key_of(record)))

    def records(self) -> Iterator[Record]:
        """Read everything, what others hang on first."""
        for name, codec in self._codecs.items():
            for (body,) in self._database.execute(_ALL, (name,)):
                yield codec.validate_json(body)

    def put_blob(self, attachment_id: int, content: bytes) -> None:
        """Keep the bytes of an attachment."""
        self._database.execute(_PUT_BLOB, (attachment_id, content))

    def blob(self, attachment_id: int) -> bytes | None:
        """Fetch the bytes of an attachment; None when there are none."""
        row = self._database.execute(_BLOB, (attachment_id,)).fetchone()
        return None if row is None else bytes(row[0])

    def drop_blob(self, attachment_id: int) -> None:
        """Forget the bytes of an attachment."""
        self._database.execute(_DROP_BLOB, (attachment_id,))

    def commit(self) -> None:
        """Make everything since the last commit permanent."""
        if self._database.in_transaction:
            self._database.commit()

    def close(self) -> None:
        """Commit and release the file."""
        self._database.commit()
        self._database.close()


_KINDS: Final[tuple[type[Record], ...]] = (
    User,
    Guild,
    Role,
    Member,
    Channel,
    ThreadMember,
    Message,
    Command,
    Interaction,
)
