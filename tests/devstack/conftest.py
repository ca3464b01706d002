from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest

from devstack.discord_server import SimulatedDiscord

from .discord_kit import Rest
from .discord_openapi import DiscordDescription


@pytest.fixture(scope="session")
def description() -> DiscordDescription:
    return DiscordDescription()


@pytest.fixture
async def discord() -> AsyncIterator[SimulatedDiscord]:
    """A simulated Discord of its own, in memory."""
    server = SimulatedDiscord()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def rest(discord: SimulatedDiscord, description: DiscordDescription) -> AsyncIterator[Rest]:
    async with aiohttp.ClientSession() as http:
        yield Rest(discord, http, description)
