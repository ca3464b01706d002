"""Real servers for the tests, started once a session when first asked for: PostgreSQL, Valkey, Temporal.

A server that does not start fails the tests that need it with the sentence that says why; nothing is skipped.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest
from temporalio.api.workflowservice.v1 import RegisterNamespaceRequest
from temporalio.client import Client

from devstack.ports import exchange
from devstack.postgres import Postgres
from devstack.temporal import SEARCH_ATTRIBUTES, Temporal
from devstack.valkey import Valkey
from gopher.settings import Settings
from gopher.store.schema import migrate

TEMPLATE = "gopher_template"


def pytest_configure() -> None:
    """Forget the developer's own configuration: a test that needs a setting says so."""
    for name in list(os.environ):
        if name.lower() in Settings.model_fields:
            del os.environ[name]


@pytest.fixture(scope="session")
def service_directory() -> Iterator[Path]:
    # Not tmp_path_factory: the path is short and outside of what pytest keeps, since databases are large.
    directory = Path(tempfile.mkdtemp(prefix="gopher-tests-"))
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(scope="session")
async def postgres(service_directory: Path) -> AsyncIterator[Postgres]:
    """One server; the database `gopher_template` in it is migrated, and cloned by `database_url`."""
    server = Postgres(service_directory / "postgres", log=service_directory / "postgres.log", durable=False)
    await server.start()
    async with await psycopg.AsyncConnection.connect(server.url_of("postgres"), autocommit=True) as connection:
        await connection.execute(sql.SQL("create database {}").format(sql.Identifier(TEMPLATE)))
    await migrate(server.url_of(TEMPLATE))
    yield server
    await server.stop()


@pytest.fixture
async def database_url(postgres: Postgres) -> AsyncIterator[str]:
    """A fresh migrated database of this test alone."""
    name = f"test_{uuid4().hex}"
    admin = postgres.url_of("postgres")
    async with await psycopg.AsyncConnection.connect(admin, autocommit=True) as connection:
        await connection.execute(
            sql.SQL("create database {} template {} strategy file_copy").format(
                sql.Identifier(name), sql.Identifier(TEMPLATE)
            )
        )
    yield postgres.url_of(name)
    async with await psycopg.AsyncConnection.connect(admin, autocommit=True) as connection:
        await connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
async def valkey(service_directory: Path) -> AsyncIterator[Valkey]:
    server = Valkey(service_directory / "valkey", log=service_directory / "valkey.log")
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def valkey_url(valkey: Valkey) -> str:
    """The server, emptied."""
    assert await exchange(valkey.port, b"FLUSHALL\r\n") == b"+OK\r\n"
    return valkey.url


@pytest.fixture(scope="session")
async def temporal(service_directory: Path) -> AsyncIterator[Temporal]:
    server = Temporal(service_directory / "temporal.db", log=service_directory / "temporal.log")
    await server.start()
    yield server
    await server.stop()


@pytest.fixture(scope="session")
def temporal_address(temporal: Temporal) -> str:
    """host:port of the dev server; use a `namespace` of your own on it."""
    return temporal.address


@pytest.fixture
async def namespace(temporal: Temporal) -> str:
    """A fresh Temporal namespace with the search attributes."""
    name = f"test-{uuid4().hex}"
    client = await Client.connect(temporal.address)
    register = RegisterNamespaceRequest(namespace=name)
    register.workflow_execution_retention_period.FromSeconds(24 * 60 * 60)
    await client.workflow_service.register_namespace(register)
    keyword = IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD
    await client.operator_service.add_search_attributes(
        AddSearchAttributesRequest(namespace=name, search_attributes=dict.fromkeys(SEARCH_ATTRIBUTES, keyword))
    )
    return name
