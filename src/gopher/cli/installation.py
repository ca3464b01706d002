"""What commands that read a running installation share: its database, and the links to its Temporal UI."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import psycopg
from psycopg import errors

from gopher.domain.ids import RequestId, workflow_id
from gopher.errors import ConfigurationError, Unavailable
from gopher.settings import Settings
from gopher.store.pool import Pool, connection_string, create_pool


@asynccontextmanager
async def database(settings: Settings) -> AsyncGenerator[Pool]:
    """Connect to the installation's database.

    Raises:
        ConfigurationError: none is set and nothing runs here, or it has no schema yet.
        Unavailable: it cannot be reached.
    """
    if settings.database_url is None:
        raise ConfigurationError(
            f"No Gopher runs with the data directory {settings.gopher_data_dir}: start it with ./gopher up, or set "
            "DATABASE_URL to the database of the one you mean.",
            code="not_running",
        )
    logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())  # what it warns of is said in a sentence
    await _probe(settings.database_url)
    try:
        async with create_pool(settings.database_url, max_size=2) as pool:
            yield pool
    except errors.UndefinedTable:
        raise ConfigurationError(
            "The database of DATABASE_URL has no schema yet: start ./gopher up (or worker.py) once.", code="no_schema"
        ) from None


async def _probe(database_url: str) -> None:
    """Connect once: the pool would try for ten seconds, and not say why it failed."""
    try:
        connection = await psycopg.AsyncConnection.connect(connection_string(database_url))
    except psycopg.OperationalError as error:
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        raise Unavailable(f"The database of DATABASE_URL cannot be reached: {reason}.") from None
    await connection.close()


def run_page(settings: Settings, request_id: RequestId, workflow_run_id: str | None) -> str | None:
    """Where the Temporal UI shows a run; None when no UI is known or the run never began."""
    if settings.temporal_ui_url is None or workflow_run_id is None:
        return None
    name = workflow_id(request_id).replace("/", "%2F")
    base = settings.temporal_ui_url.rstrip("/")
    return f"{base}/namespaces/{settings.temporal_namespace}/workflows/{name}/{workflow_run_id}/history"
