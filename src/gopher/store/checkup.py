"""What an operator wants to know of a database before trusting it: version, locale, extensions, schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import psycopg
from psycopg import AsyncConnection
from psycopg.rows import TupleRow, class_row

from gopher.errors import Unavailable
from gopher.store.pool import connection_string
from gopher.store.schema import LOWEST_SERVER_VERSION, REQUIRED_EXTENSIONS, shipped_migrations

SAMPLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Latin": "äöü",
        "Cyrillic": "привет",  # not Latin, which is the point
        "Greek": "καλημέρα",  # not Latin, which is the point
        "Arabic": "مرحبا",
        "Devanagari": "नमस्ते",
        "Japanese": "こんにちは",
        "Chinese": "你好世界",
        "Korean": "안녕하세요",
    }
)
"""A word of each script. Where the locale does not know its letters it has no trigrams, and search is blind to it."""

SQL_FACTS = """
select current_setting('server_version_num')::integer as server_version,
       current_setting('server_version') as server_version_text,
       current_setting('server_encoding') as encoding,
       datctype as locale,
       to_regclass('schema_migrations') is not null as has_schema
from pg_database
where datname = current_database()
"""

SQL_EXTENSIONS = """
select available.name::text as name, available.installed_version::text as version
from pg_available_extensions as available
where available.name = any(%(names)s::text[])
"""

SQL_SCHEMA_VERSION = "select coalesce(max(version), 0) from schema_migrations"

SQL_TRIGRAMS = """
select sample.script
from unnest(%(scripts)s::text[], %(words)s::text[]) as sample (script, word)
where cardinality(show_trgm(sample.word)) = 0
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _ServerRow:
    server_version: int
    server_version_text: str
    encoding: str
    locale: str
    has_schema: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseFacts:
    """What was found."""

    version: str
    recent_enough: bool
    encoding: str
    locale: str
    """Of its letters (`lc_ctype`)."""
    extensions: Mapping[str, str | None]
    """Those that are needed, with the version that is created in the database; None: the server only offers it.
    Missing: it does not even do that."""
    blind_scripts: tuple[str, ...] | None
    """Scripts whose words have no trigrams; None while pg_trgm is not created."""
    schema_version: int
    """0: none yet."""
    shipped_version: int
    """What this program brings."""


async def examine(database_url: str) -> DatabaseFacts:
    """Look, and change nothing.

    Raises:
        ConfigurationError: the address is none.
        Unavailable: the server cannot be reached or refuses.
    """
    try:
        async with await AsyncConnection.connect(connection_string(database_url), autocommit=True) as connection:
            return await _examine(connection)
    except psycopg.OperationalError as error:
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        raise Unavailable(f"The database of DATABASE_URL cannot be reached: {reason}.") from error


async def _examine(connection: AsyncConnection[TupleRow]) -> DatabaseFacts:
    async with connection.cursor(row_factory=class_row(_ServerRow)) as cursor:
        (server,) = await (await cursor.execute(SQL_FACTS)).fetchall()
    found = await connection.execute(SQL_EXTENSIONS, {"names": list(REQUIRED_EXTENSIONS)})
    extensions: dict[str, str | None] = dict(await found.fetchall())
    version = 0
    if server.has_schema:
        ((version,),) = await (await connection.execute(SQL_SCHEMA_VERSION)).fetchall()
    blind: tuple[str, ...] | None = None
    if extensions.get("pg_trgm"):
        parameters = {"scripts": list(SAMPLES), "words": list(SAMPLES.values())}
        blind = tuple(script for (script,) in await (await connection.execute(SQL_TRIGRAMS, parameters)).fetchall())
    return DatabaseFacts(
        version=server.server_version_text,
        recent_enough=server.server_version >= LOWEST_SERVER_VERSION,
        encoding=server.encoding,
        locale=server.locale,
        extensions=extensions,
        blind_scripts=blind,
        schema_version=version,
        shipped_version=len(shipped_migrations()),
    )
