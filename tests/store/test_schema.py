from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from devstack.ports import free_port
from devstack.postgres import Postgres
from gopher.errors import ConfigurationError, Unavailable
from gopher.store.schema import Facts, Migration, migrate, require_usable, shipped_migrations

SHIPPED = shipped_migrations()


def extra(version: int, statement: str) -> Migration:
    return Migration(version=version, name=f"{version:04}_extra.sql", sql=statement.encode(), digest=statement)


@pytest.fixture
async def empty_database(postgres: Postgres) -> AsyncIterator[str]:
    name = f"empty_{uuid4().hex}"
    await administer(postgres, sql.SQL("create database {}").format(sql.Identifier(name)))
    yield postgres.url_of(name)
    await administer(postgres, sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


async def administer(postgres: Postgres, statement: sql.Composed) -> None:
    async with await psycopg.AsyncConnection.connect(postgres.url_of("postgres"), autocommit=True) as connection:
        await connection.execute(statement)


async def query(database_url: str, statement: bytes) -> list[tuple[object, ...]]:
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as connection:
        return await (await connection.execute(statement)).fetchall()


async def test_an_empty_database_gets_every_file_once_and_in_order(empty_database: str) -> None:
    assert await migrate(empty_database) == len(SHIPPED)
    applied = await query(empty_database, b"select version, name, digest from schema_migrations order by applied_at")
    assert applied == [(each.version, each.name, each.digest) for each in SHIPPED]


async def test_migrating_again_changes_nothing(database_url: str) -> None:
    before = await query(database_url, b"select * from schema_migrations")
    assert await migrate(database_url) == len(SHIPPED)
    assert await query(database_url, b"select * from schema_migrations") == before


async def test_eight_processes_that_start_at_once_migrate_once(empty_database: str) -> None:
    versions = await asyncio.gather(*(migrate(empty_database) for _ in range(8)))
    assert versions == [len(SHIPPED)] * 8


async def test_only_new_files_are_applied_to_an_older_database(database_url: str) -> None:
    more = (*SHIPPED, extra(len(SHIPPED) + 1, "create table novelty ()"))
    assert await migrate(database_url, more) == len(more)
    assert await query(database_url, b"select to_regclass('novelty') is not null") == [(True,)]


async def test_a_file_that_fails_leaves_nothing_of_itself(database_url: str) -> None:
    broken = extra(len(SHIPPED) + 1, "create table half (); select nonsense")
    with pytest.raises(psycopg.errors.UndefinedColumn):
        await migrate(database_url, (*SHIPPED, broken))
    found = await query(database_url, b"select to_regclass('half'), (select count(*) from schema_migrations)")
    assert found == [(None, len(SHIPPED))]


async def test_a_changed_file_is_refused_by_name(database_url: str) -> None:
    changed = (replace(SHIPPED[0], digest="another"), *SHIPPED[1:])
    with pytest.raises(ConfigurationError, match=r"another 0001_journal\.sql than this version") as caught:
        await migrate(database_url, changed)
    assert caught.value.code == "schema_changed"


async def test_a_newer_database_is_refused_with_both_versions(database_url: str) -> None:
    with pytest.raises(ConfigurationError, match=f"schema version {len(SHIPPED)} .* knows 1;") as caught:
        await migrate(database_url, SHIPPED[:1])
    assert caught.value.code == "schema_newer"


async def test_a_database_in_another_encoding_is_refused_with_the_remedy(postgres: Postgres) -> None:
    await administer(
        postgres,
        sql.SQL(
            "create database ascii encoding 'SQL_ASCII' locale_provider libc lc_collate 'C' lc_ctype 'C' "
            "template template0"
        ).format(),
    )
    with pytest.raises(ConfigurationError, match="encoded in SQL_ASCII; create it with encoding 'UTF8'"):
        await migrate(postgres.url_of("ascii"))


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({"server_version": 150004, "server_version_text": "15.4"}, "is PostgreSQL 15.4; Gopher needs 16 or newer"),
        ({"available": ["pg_trgm"]}, "does not offer the extension vector; install pgvector"),
        ({"available": []}, "does not offer the extension vector and pg_trgm; install"),
    ],
)
def test_a_server_that_cannot_hold_the_schema_is_refused_with_the_remedy(
    facts: dict[str, object], sentence: str
) -> None:
    usable = Facts(server_version=180006, server_version_text="18.6", encoding="UTF8", available=["pg_trgm", "vector"])
    require_usable(usable)
    with pytest.raises(ConfigurationError, match=sentence):
        require_usable(replace(usable, **facts))


async def test_a_user_who_may_not_create_is_told_who_must(postgres: Postgres, empty_database: str) -> None:
    role = f"limited_{uuid4().hex}"
    await administer(postgres, sql.SQL("create role {} login").format(sql.Identifier(role)))
    address = empty_database.replace("//gopher@", f"//{role}@")
    with pytest.raises(ConfigurationError, match=r"may not .* make it the owner of the database"):
        await migrate(address)
    await administer(postgres, sql.SQL("drop role {}").format(sql.Identifier(role)))


async def test_an_owner_who_is_no_superuser_can_migrate_where_the_extensions_are(
    postgres: Postgres, empty_database: str
) -> None:
    role = f"owner_{uuid4().hex}"
    name = empty_database.rsplit("/", maxsplit=1)[1]
    await administer(postgres, sql.SQL("create role {} login").format(sql.Identifier(role)))
    await administer(
        postgres, sql.SQL("alter database {} owner to {}").format(sql.Identifier(name), sql.Identifier(role))
    )
    await query_nothing(empty_database, b"create extension vector; create extension pg_trgm")
    assert await migrate(empty_database.replace("//gopher@", f"//{role}@")) == len(SHIPPED)
    await administer(postgres, sql.SQL("alter database {} owner to gopher").format(sql.Identifier(name)))


async def query_nothing(database_url: str, statement: bytes) -> None:
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as connection:
        await connection.execute(statement)


async def test_a_database_that_does_not_exist_is_a_configuration_error(postgres: Postgres) -> None:
    with pytest.raises(ConfigurationError, match='DATABASE_URL refuses the connection: database "nowhere"'):
        await migrate(postgres.url_of("nowhere"))


async def test_a_server_that_does_not_answer_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="cannot be reached"):
        await migrate(f"postgresql://nobody@127.0.0.1:{free_port()}/nothing")
