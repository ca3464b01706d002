from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
import redis.asyncio
from temporalio import workflow
from temporalio.client import Client
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes
from temporalio.worker import Worker

from devstack.postgres import Postgres
from devstack.temporal import SEARCH_ATTRIBUTES


@workflow.defn(sandboxed=False)
class Nothing:
    @workflow.run
    async def run(self) -> str:
        return "done"


async def test_a_cloned_database_has_the_schema_and_is_its_tests_alone(database_url: str) -> None:
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        found = await connection.execute("select to_regclass('discord_events') is not null, current_database()")
        assert await found.fetchone() == (True, database_url.rsplit("/", maxsplit=1)[1])


@pytest.mark.parametrize("text", ["hello", "Привет", "你好世界", "नमस्ते", "مرحبا", "γεια"])
async def test_words_of_every_script_have_trigrams(database_url: str, text: str) -> None:
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        found = await connection.execute("select cardinality(show_trgm(%(text)s)) >= 3", {"text": text})
        assert await found.fetchone() == (True,)


async def test_vectors_are_there(database_url: str) -> None:
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        found = await connection.execute("select '[1,0]'::vector <-> '[1,1]'::vector")
        assert await found.fetchone() == (1.0,)


async def test_valkey_answers_and_starts_empty(valkey_url: str) -> None:
    client = redis.asyncio.from_url(valkey_url)
    assert await client.get("seen") is None
    assert await client.set("seen", "1", nx=True)
    await client.aclose()


async def test_a_fresh_namespace_runs_workflows_and_takes_the_search_attributes(
    temporal_address: str, namespace: str
) -> None:
    client = await Client.connect(temporal_address, namespace=namespace)
    pairs = [SearchAttributePair(SearchAttributeKey.for_keyword(name), "1") for name in SEARCH_ATTRIBUTES]
    async with Worker(client, task_queue="q", workflows=[Nothing], graceful_shutdown_timeout=timedelta()):
        result = await client.execute_workflow(
            Nothing.run, id="nothing", task_queue="q", search_attributes=TypedSearchAttributes(pairs)
        )
    assert result == "done"


async def test_the_data_of_a_stopped_server_is_there_again(tmp_path: Path) -> None:
    first = Postgres(tmp_path / "data", log=tmp_path / "log")
    await first.start()
    async with await psycopg.AsyncConnection.connect(first.url, autocommit=True) as connection:
        await connection.execute("create table kept as select 42 as answer")
    await first.stop()

    second = Postgres(tmp_path / "data", log=tmp_path / "log")
    await second.start()
    async with await psycopg.AsyncConnection.connect(second.url) as connection:
        assert await (await connection.execute("select answer from kept")).fetchone() == (42,)
    await second.stop()
