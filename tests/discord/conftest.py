from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest

from devstack.discord.server import SimulatedDiscord
from gopher.store.pool import Pool, create_pool
from tests.discord.burrow import Burrow


@pytest.fixture
async def pool(database_url: str) -> AsyncIterator[Pool]:
    async with create_pool(database_url) as pool:
        yield pool


@pytest.fixture
async def burrow() -> AsyncIterator[Burrow]:
    discord = SimulatedDiscord()
    await discord.start()
    async with aiohttp.ClientSession() as http:
        yield Burrow(discord, http)
    await discord.stop()
