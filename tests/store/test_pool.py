from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from devstack.ports import free_port
from devstack.postgres import Postgres
from gopher.errors import ConfigurationError, Conflict, Unavailable
from gopher.store.journal import Journal
from gopher.store.notifications import Listener
from gopher.store.pool import Pool, create_pool, transaction
from gopher.store.requests import RequestOutbox
from gopher.store.schema import migrate
from tests.store.samples import ask, count, message

SHORT = timedelta(seconds=3)
"""How long a pool of these tests waits for a server that is away."""


@pytest.fixture
async def own_server(tmp_path: Path) -> AsyncIterator[Postgres]:
    """A migrated server of this test alone, which it may kill."""
    server = Postgres(tmp_path / "data", log=tmp_path / "log")
    await server.start()
    await migrate(server.url)
    yield server
    await server.stop()


async def insert(pool: Pool, number: int) -> None:
    async with transaction(pool) as connection:
        await connection.execute("insert into memory_ingestion_jobs (channel_id) values (%(n)s)", {"n": number})


async def until_available(pool: Pool) -> float:
    """Try until a transaction succeeds; return the seconds it took."""
    begun = time.monotonic()
    async with asyncio.timeout(60):
        while True:
            try:
                async with transaction(pool) as connection:
                    await connection.execute("select 1")
            except Unavailable:
                await asyncio.sleep(0.1)
            else:
                return time.monotonic() - begun


async def test_a_body_that_raises_leaves_nothing_behind(pool: Pool) -> None:
    async def body() -> None:
        async with transaction(pool) as connection:
            await connection.execute("insert into memory_ingestion_jobs (channel_id) values (1)")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await body()
    assert await count(pool, "memory_ingestion_jobs") == 0


async def test_a_row_refused_by_a_constraint_is_a_conflict_with_its_name(pool: Pool) -> None:
    await insert(pool, 1)
    with pytest.raises(Conflict) as caught:
        await insert(pool, 1)
    assert caught.value.code == "memory_ingestion_jobs_pkey"


async def test_sessions_speak_utc_and_give_up_on_long_statements(pool: Pool) -> None:
    async with transaction(pool) as connection:
        cursor = await connection.execute("select current_setting('TimeZone'), current_setting('statement_timeout')")
        assert await cursor.fetchone() == ("UTC", "15s")


async def test_a_statement_that_takes_too_long_makes_the_store_unavailable_and_the_pool_goes_on(pool: Pool) -> None:
    async def body() -> None:
        async with transaction(pool) as connection:
            await connection.execute("set local statement_timeout = '50ms'")
            await connection.execute("select pg_sleep(10)")

    with pytest.raises(Unavailable, match="statement timeout"):
        await body()
    await insert(pool, 1)


async def test_more_callers_than_connections_take_turns(database_url: str) -> None:
    async with create_pool(database_url, max_size=2) as pool:
        await asyncio.gather(*(insert(pool, number) for number in range(50)))
        assert await count(pool, "memory_ingestion_jobs") == 50


async def test_a_cancelled_caller_gives_its_connection_back(database_url: str) -> None:
    async with create_pool(database_url, max_size=1) as pool:
        for _ in range(5):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05), transaction(pool) as connection:
                    await connection.execute("select pg_sleep(10)")
        await insert(pool, 1)


async def test_a_server_that_is_not_there_is_unavailable_within_the_checkout_timeout() -> None:
    address = f"postgresql://nobody@127.0.0.1:{free_port()}/nothing"
    async with create_pool(address, checkout_timeout=SHORT) as pool:
        begun = time.monotonic()
        with pytest.raises(Unavailable):
            await insert(pool, 1)
        assert time.monotonic() - begun < SHORT.total_seconds() + 2


@pytest.mark.parametrize("address", ["postgresql://u:pa55@[broken", "mysql = no equals here = at all"])
def test_an_address_that_is_none_is_a_configuration_error_that_keeps_the_password(address: str) -> None:
    with pytest.raises(ConfigurationError, match="DATABASE_URL") as caught:
        create_pool(address)
    assert "pa55" not in str(caught.value)


def test_the_address_may_overrule_the_defaults() -> None:
    pool = create_pool("postgresql://u@h/d?application_name=mine&connect_timeout=77")
    assert isinstance(pool.conninfo, str)
    assert "connect_timeout=77" in pool.conninfo
    assert "application_name=mine" in pool.conninfo


async def test_idle_connections_of_a_restarted_server_are_replaced_without_an_error(own_server: Postgres) -> None:
    async with create_pool(own_server.url, max_size=8) as pool:
        await asyncio.gather(*(insert(pool, number) for number in range(64)))  # opens them all
        await own_server.stop()
        await own_server.start()
        begun = time.monotonic()
        await asyncio.gather(*(insert(pool, number) for number in range(100, 164)))
        assert time.monotonic() - begun < 5
        assert await count(pool, "memory_ingestion_jobs") == 128


async def test_a_server_killed_in_the_middle_of_a_transaction_takes_nothing_down_with_it(own_server: Postgres) -> None:
    """Every caller hears Unavailable, nothing half-written stays, and the same pool goes on when the server is back."""
    async with create_pool(own_server.url, max_size=4, checkout_timeout=SHORT) as pool:
        await ask(pool, 1)

        async def caught_in_the_middle() -> None:
            async with transaction(pool) as connection:
                await connection.execute("insert into memory_ingestion_jobs (channel_id) values (pg_backend_pid())")
                await connection.execute("select pg_sleep(10)")

        victims = [asyncio.create_task(caught_in_the_middle()) for _ in range(4)]
        await asyncio.sleep(0.5)
        assert own_server.process is not None
        own_server.process.signal(signal.SIGKILL)
        heard = await asyncio.gather(*victims, return_exceptions=True)
        assert {type(error) for error in heard} == {Unavailable}
        with pytest.raises(Unavailable):
            await insert(pool, 5)

        await own_server.process.wait()
        await own_server.start()
        assert await until_available(pool) < 8
        assert await count(pool, "memory_ingestion_jobs") == 1
        assert (await Journal(pool).record_message(message(2))).new


async def test_a_long_absence_ends_without_a_restart(own_server: Postgres) -> None:
    """Longer than the pool tries on its own: it has given up on all its connections when the server comes back."""
    async with create_pool(own_server.url, max_size=4, checkout_timeout=SHORT) as pool:
        await asyncio.gather(*(insert(pool, number) for number in range(16)))
        await own_server.stop()
        gone = time.monotonic()
        while time.monotonic() - gone < 2 * SHORT.total_seconds():
            with pytest.raises(Unavailable):
                await insert(pool, 99)
        await own_server.start()
        assert await until_available(pool) < 8
        await asyncio.gather(*(insert(pool, number) for number in range(20, 36)))


async def test_a_listener_listens_again_after_the_server_was_away(own_server: Postgres) -> None:
    async with create_pool(own_server.url) as pool:
        outbox = RequestOutbox(pool)
        await outbox.wait(timedelta(seconds=5))
        await own_server.stop()
        await outbox.wait(timedelta(milliseconds=100))
        await own_server.start()
        await outbox.wait(timedelta(seconds=10))  # returns as soon as it listens again
        waiting = asyncio.create_task(outbox.wait(timedelta(seconds=20)))
        await asyncio.sleep(0.1)
        await ask(pool, 1)
        async with asyncio.timeout(5):
            await waiting
        await outbox.close()


async def test_a_listener_returns_every_payload_that_came(pool: Pool) -> None:
    async with Listener(pool, "some_channel") as listener:
        assert await listener.wait(timedelta(seconds=5)) == frozenset()
        async with transaction(pool) as connection:
            await connection.execute("select pg_notify('some_channel', n::text) from generate_series(1, 3) as n")
        assert await listener.wait(timedelta(seconds=5)) == {"1", "2", "3"}
        assert await listener.wait(timedelta(milliseconds=50)) == frozenset()
