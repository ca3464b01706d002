from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from devstack.providers import ScriptedProviders
from gopher.store.pool import create_pool
from tests.workflows.stage import Stage, connected, settings_for


@pytest.fixture
async def providers() -> AsyncIterator[ScriptedProviders]:
    server = ScriptedProviders()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def stage(
    database_url: str, temporal_address: str, namespace: str, providers: ScriptedProviders
) -> AsyncIterator[Stage]:
    settings = settings_for(namespace, database_url=database_url, providers=providers, address=temporal_address)
    client = await connected(temporal_address, namespace)
    async with create_pool(database_url) as pool:
        yield Stage(settings=settings, client=client, pool=pool, providers=providers)
