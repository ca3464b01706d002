"""Bringing a database to the current schema: the files of the package `schema`, each applied once, in order."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final

import psycopg
from psycopg import AsyncConnection, errors
from psycopg.rows import TupleRow, class_row

from gopher.errors import ConfigurationError, Unavailable
from gopher.store.pool import connection_string

LOWEST_SERVER_VERSION: Final = 160000
"""PostgreSQL 16: the oldest that the tests have any reason to believe in, and still supported when this was written."""

REQUIRED_EXTENSIONS: Final = ("vector", "pg_trgm")

MIGRATION_LOCK: Final = 0x676F_7068_6572  # "gopher" in ASCII
"""Key of the session advisory lock: processes that start together migrate one after another."""

_FILE_NAME: Final = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")

# What a server says while it will let us in a little later, in its own words: connection errors carry no SQLSTATE.
_PASSING_REFUSALS: Final = ("starting up", "shutting down", "recovery mode", "too many clients", "too many connections")

SQL_LOCK = "select pg_advisory_lock(%(key)s::bigint)"

SQL_FACTS = """
select current_setting('server_version_num')::integer as server_version,
       current_setting('server_version') as server_version_text,
       current_setting('server_encoding') as encoding,
       array(select name::text from pg_available_extensions where name = any(%(extensions)s::text[])) as available
"""

SQL_CREATE_LEDGER = """
create table if not exists schema_migrations (
    version    integer primary key,
    name       text not null,
    digest     text not null,  -- SHA-256 of the file: a released file never changes
    applied_at timestamptz not null default now()
)
"""

SQL_SELECT_APPLIED = "select version, name, digest from schema_migrations order by version"

SQL_INSERT_APPLIED = """
insert into schema_migrations (version, name, digest)
values (%(version)s::integer, %(name)s::text, %(digest)s::text)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One numbered file."""

    version: int
    name: str
    """Its file name."""
    sql: bytes
    digest: str
    """SHA-256 of the file, in hex; line endings do not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What matters of a database server."""

    server_version: int
    """As in `server_version_num`: 180006 is 18.6."""
    server_version_text: str
    encoding: str
    """Of the database."""
    available: list[str]
    """Those of REQUIRED_EXTENSIONS that the server offers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Applied:
    version: int
    name: str
    digest: str


def shipped_migrations() -> tuple[Migration, ...]:
    """Read the files of the package `schema` in their order: 1, 2, 3, … without a gap."""
    found: list[Migration] = []
    for file in resources.files("schema").iterdir():
        if match := _FILE_NAME.fullmatch(file.name):
            sql = file.read_bytes().replace(b"\r\n", b"\n")
            digest = hashlib.sha256(sql).hexdigest()
            found.append(Migration(version=int(match[1]), name=file.name, sql=sql, digest=digest))
    found.sort(key=lambda migration: migration.version)
    if [migration.version for migration in found] != list(range(1, len(found) + 1)):
        names = ", ".join(migration.name for migration in found)
        raise ConfigurationError(f"The schema files are not numbered 1, 2, 3 and so on: {names}.", code="schema_files")
    return tuple(found)


async def migrate(database_url: str, migrations: Sequence[Migration] | None = None) -> int:
    """Apply what is missing, one transaction a file, and return the version that the database has then.

    May be repeated, and called by several processes at once. `migrations` is for tests; None means the shipped files.
    Raises ConfigurationError when the database cannot hold this schema or holds another, Unavailable when it cannot be
    reached.
    """
    wanted = shipped_migrations() if migrations is None else tuple(migrations)
    connection = await _connect(database_url)
    try:
        async with connection:
            require_usable(await _facts(connection))
            await connection.execute(SQL_LOCK, {"key": MIGRATION_LOCK})  # until the connection closes
            await connection.execute(SQL_CREATE_LEDGER)
            async with connection.cursor(row_factory=class_row(_Applied)) as cursor:
                applied = await (await cursor.execute(SQL_SELECT_APPLIED)).fetchall()
            _require_ours(applied, wanted)
            for migration in wanted[len(applied) :]:
                await _apply(connection, migration)
    except errors.InsufficientPrivilege as error:
        raise ConfigurationError(
            f"The database user may not prepare the schema ({_sentence(error)}); make it the owner of the database and "
            "let a superuser run there: create extension vector; create extension pg_trgm.",
            code="schema_privilege",
        ) from error
    except psycopg.OperationalError as error:
        raise Unavailable(f"PostgreSQL went away while its schema was being prepared: {_sentence(error)}") from error
    return len(wanted)


async def _connect(database_url: str) -> AsyncConnection[TupleRow]:
    address = connection_string(database_url)
    try:
        return await AsyncConnection.connect(address, autocommit=True)
    except psycopg.OperationalError as error:
        sentence = _sentence(error)
        refused = "FATAL" in sentence and not any(passing in sentence for passing in _PASSING_REFUSALS)
        if refused:
            reason = sentence.rpartition("FATAL:")[2].strip()
            raise ConfigurationError(
                f"The PostgreSQL server of DATABASE_URL refuses the connection: {reason}.", code="database_url"
            ) from error
        raise Unavailable(f"The PostgreSQL server of DATABASE_URL cannot be reached: {sentence}.") from error


async def _facts(connection: AsyncConnection[TupleRow]) -> Facts:
    async with connection.cursor(row_factory=class_row(Facts)) as cursor:
        await cursor.execute(SQL_FACTS, {"extensions": list(REQUIRED_EXTENSIONS)})
        (facts,) = await cursor.fetchall()
        return facts


def require_usable(facts: Facts) -> None:
    """Raise ConfigurationError, with the remedy, when the schema cannot live there."""
    if facts.server_version < LOWEST_SERVER_VERSION:
        raise ConfigurationError(
            f"The database server is PostgreSQL {facts.server_version_text}; "
            f"Gopher needs {LOWEST_SERVER_VERSION // 10000} or newer.",
            code="server_version",
        )
    if facts.encoding != "UTF8":
        raise ConfigurationError(
            f"The database is encoded in {facts.encoding}; create it with encoding 'UTF8' and template template0.",
            code="database_encoding",
        )
    missing = [name for name in REQUIRED_EXTENSIONS if name not in facts.available]
    if missing:
        raise ConfigurationError(
            f"The database server does not offer the extension {' and '.join(missing)}; "
            "install pgvector and PostgreSQL's contrib modules on it.",
            code="extension_missing",
        )


def _require_ours(applied: Sequence[_Applied], wanted: Sequence[Migration]) -> None:
    for row, migration in zip(applied, wanted, strict=False):
        if (row.version, row.digest) != (migration.version, migration.digest):
            raise ConfigurationError(
                f"The database was built with another {row.name} than this version of Gopher has; "
                "use the version that built it, or a new database.",
                code="schema_changed",
            )
    if len(applied) > len(wanted):
        raise ConfigurationError(
            f"The database has schema version {applied[-1].version} and this version of Gopher knows {len(wanted)}; "
            "use a newer Gopher, or another database.",
            code="schema_newer",
        )


async def _apply(connection: AsyncConnection[TupleRow], migration: Migration) -> None:
    async with connection.transaction():
        await connection.execute(migration.sql)
        await connection.execute(
            SQL_INSERT_APPLIED,
            {"version": migration.version, "name": migration.name, "digest": migration.digest},
        )


def _sentence(error: psycopg.Error) -> str:
    """The driver's first line, without its full stop."""
    return str(error).strip().partition("\n")[0].rstrip(".")
