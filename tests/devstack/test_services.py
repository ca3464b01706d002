import asyncio
import socket
import subprocess
from datetime import timedelta
from pathlib import Path

import psutil
import psycopg
import pytest
import redis.asyncio
from temporalio import workflow
from temporalio.client import Client
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes
from temporalio.worker import Worker

from devstack import postgres_installation
from devstack.postgres import Postgres
from devstack.temporal import SEARCH_ATTRIBUTES, Temporal
from devstack.valkey import Valkey
from gopher.errors import ConfigurationError


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


async def test_postgres_starts_below_a_directory_that_only_its_owner_may_pass(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    server = Postgres(home / ("deep" * 40) / "data", log=tmp_path / "log")
    await server.start()
    await server.stop()


def test_the_programs_of_postgres_can_be_copied_to_where_others_may_run_them(tmp_path: Path) -> None:
    package = postgres_installation.find()
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    assert not postgres_installation.others_may_pass(private)
    target = tmp_path / "copy"
    postgres_installation.copy(package, target)
    programs = target / package.name / "pginstall" / "bin"
    for program in ("postgres", "initdb"):
        found = subprocess.run([programs / program, "--version"], capture_output=True, text=True, check=True)
        assert "(PostgreSQL) 18." in found.stdout
        assert (programs / program).stat().st_mode & 0o055 == 0o055
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".building")] == []


async def test_a_cluster_that_was_cut_off_while_it_was_made_is_made_again(tmp_path: Path) -> None:
    server = Postgres(tmp_path / "data", log=tmp_path / "log")
    starting = asyncio.create_task(server.start())
    async with asyncio.timeout(30):
        while not (tmp_path / "data.building" / "global").exists():  # noqa: ASYNC110 - initdb tells nobody
            await asyncio.sleep(0.001)
    starting.cancel()
    await asyncio.gather(starting, return_exceptions=True)
    assert not (tmp_path / "data").exists()
    await server.start()
    await server.stop()


async def test_data_of_another_postgres_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "PG_VERSION").write_text("17\n", encoding="ascii")
    with pytest.raises(
        ConfigurationError, match="holds PostgreSQL data of version 17, and this installation runs version 18"
    ):
        await Postgres(tmp_path / "data", log=tmp_path / "log").start()


async def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = Valkey(tmp_path / "data", log=tmp_path / "log", port=taken.getsockname()[1])
        with pytest.raises(
            ConfigurationError, match=r"valkey ended with status 1 while starting; the last line of .*log: "
        ):
            await server.start()


async def test_servers_listen_on_the_loopback_interface_only(
    postgres: Postgres, valkey: Valkey, temporal: Temporal
) -> None:
    listening: set[str] = set()
    for server in (postgres, valkey, temporal):
        assert server.process is not None
        assert server.process.pid is not None
        connections = psutil.Process(server.process.pid).net_connections(kind="inet")
        listening |= {found.laddr.ip for found in connections if found.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}


async def test_temporal_finds_its_workflows_again(tmp_path: Path) -> None:
    server = Temporal(tmp_path / "temporal.db", log=tmp_path / "log", namespace="kept")
    await server.start()
    client = await Client.connect(server.address, namespace="kept")
    await client.start_workflow("Anything", id="kept", task_queue="nobody")
    await server.stop()
    await server.start()
    client = await Client.connect(server.address, namespace="kept")
    assert (await client.get_workflow_handle("kept").describe()).workflow_type == "Anything"
    await server.stop()
