"""Connections to PostgreSQL: one pool a process, and the transaction in which every statement of the store runs."""

from __future__ import annotations

import select
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from time import monotonic
from typing import Final, TypeAlias, TypeVar

import psycopg
from psycopg import AsyncConnection, AsyncCursor, errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow, class_row
from psycopg_pool import AsyncConnectionPool

from gopher.errors import ConfigurationError, Conflict, Unavailable
from gopher.store.text import adapters

Connection: TypeAlias = AsyncConnection[TupleRow]
Row = TypeVar("Row")
Pool: TypeAlias = AsyncConnectionPool[Connection]

CHECKOUT_TIMEOUT: Final = timedelta(seconds=10)
"""How long a caller waits for a connection before it hears `Unavailable`, and the pool keeps trying to connect for it.
Attempts are 1, 2, 4 seconds apart, so that a server which is back is used at most 4 seconds later."""

STATEMENT_TIMEOUT: Final = timedelta(seconds=15)
"""Nothing that a request waits for may run longer. Maintenance raises it for its own transaction (`set local`)."""

IDLE_TRANSACTION_TIMEOUT: Final = timedelta(seconds=60)
"""A process that stops in the middle of a transaction loses it, and its locks, after this."""

CONNECTION_PARAMETERS: Final = {
    "connect_timeout": "5",
    "client_encoding": "utf8",
    "fallback_application_name": "gopher",
    # A peer that vanished without a word (power, network) is noticed within about 30 seconds, also in mid-query.
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
}

SQL_CONFIGURE = """
select set_config('statement_timeout', %(statement_timeout)s::text, false),
       set_config('idle_in_transaction_session_timeout', %(idle_timeout)s::text, false),
       set_config('TimeZone', 'UTC', false)
"""


def connection_string(database_url: str) -> str:
    """Complete a connection URL or string by this project's defaults; what it says itself wins.

    Raises ConfigurationError when it is not one.
    """
    try:
        given = conninfo_to_dict(database_url)
    except psycopg.ProgrammingError as error:
        # The driver's sentence may quote the whole string, password included.
        raise ConfigurationError(
            "DATABASE_URL is not a PostgreSQL address; write it as postgresql://user:password@host:port/database.",
            code="database_url",
        ) from error
    return make_conninfo("", **{**CONNECTION_PARAMETERS, **given})


def create_pool(database_url: str, *, max_size: int = 10, checkout_timeout: timedelta = CHECKOUT_TIMEOUT) -> Pool:
    """Make a pool that is not open yet; it is meant for `async with`.

    Opening does not wait for the server, and a server that goes away and comes back is used again without a restart.
    Raises ConfigurationError when the address is not one.
    """
    timeout = checkout_timeout.total_seconds()
    return AsyncConnectionPool[Connection](
        connection_string(database_url),
        kwargs={"autocommit": True, "context": adapters()},
        min_size=min(2, max_size),
        max_size=max_size,
        timeout=timeout,
        reconnect_timeout=timeout,
        configure=_configure,
        open=False,
    )


def address(pool: Pool) -> str:
    """Return the connection string of a pool, for connections that must not come out of it."""
    if not isinstance(pool.conninfo, str):
        raise TypeError("a pool of the store is made by create_pool")
    return pool.conninfo


@asynccontextmanager
async def transaction(pool: Pool) -> AsyncGenerator[Connection]:
    """Run the body in one transaction: committed when it ends, rolled back when it raises.

    Raises Unavailable when PostgreSQL cannot be reached, gave up on the connection, or cancelled the statement. After a
    commit that was cut off the outcome is unknown, so every write of the store may be repeated. Raises Conflict, with
    the constraint's name as its code, when a unique, exclusion or foreign-key constraint refused a row. Others pass.
    """
    async with statement(pool) as connection, connection.transaction():
        yield connection


@asynccontextmanager
async def statement(pool: Pool) -> AsyncGenerator[Connection]:
    """Lend a connection for one statement, which is then a transaction of its own: a third of the round trips.

    Raises what `transaction` raises.
    """
    try:
        connection = await _checkout(pool)
        try:
            yield connection
        finally:
            await pool.putconn(connection)
    except (errors.UniqueViolation, errors.ExclusionViolation, errors.ForeignKeyViolation) as error:
        constraint = error.diag.constraint_name or "conflict"
        raise Conflict(f"The constraint {constraint} refused the row.", code=constraint) from error
    except (
        psycopg.OperationalError,  # includes the pool's own PoolTimeout and PoolClosed
        psycopg.InterfaceError,
        errors.IdleInTransactionSessionTimeout,
        errors.ReadOnlySqlTransaction,  # still connected to a server that is a standby now
    ) as error:
        raise Unavailable(f"PostgreSQL is not available: {_first_line(error)}") from error


def cursor_of(connection: Connection, kind: type[Row]) -> AsyncCursor[Row]:
    """Open a cursor whose rows are records of a class: the select list names its fields."""
    return connection.cursor(row_factory=class_row(kind))


async def _checkout(pool: Pool) -> Connection:
    """Take a connection whose server is still there, replacing those whose server has gone meanwhile."""
    deadline = monotonic() + pool.timeout
    while True:
        connection = await pool.getconn(timeout=max(0.0, deadline - monotonic()))
        if not _has_something_to_say(connection):
            return connection
        await connection.close()
        await pool.putconn(connection)


def _has_something_to_say(connection: Connection) -> bool:
    """Tell whether an idle connection is readable: the server closed it, or announced that it will.

    A healthy one has nothing to say between transactions, so this finds the victims of a restart without a round trip.
    """
    if connection.closed:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


async def _configure(connection: Connection) -> None:
    await connection.execute(
        SQL_CONFIGURE,
        {
            "statement_timeout": f"{STATEMENT_TIMEOUT // timedelta(milliseconds=1)}ms",
            "idle_timeout": f"{IDLE_TRANSACTION_TIMEOUT // timedelta(milliseconds=1)}ms",
        },
    )


def _first_line(error: psycopg.Error) -> str:
    """The driver's first line says what happened; the others may quote the statement."""
    return str(error).strip().partition("\n")[0] or type(error).__name__
