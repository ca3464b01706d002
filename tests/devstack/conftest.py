from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from devstack.discord import seed
from devstack.discord.server import SimulatedDiscord

from .discord_invoking import ASK, COMMANDS
from .discord_kit import Gateway, Rest, gateway
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


@pytest.fixture
async def bot(discord: SimulatedDiscord) -> AsyncIterator[Gateway]:
    async with gateway(discord, seed.BOT) as session:
        yield session


@pytest.fixture
async def ada(discord: SimulatedDiscord) -> AsyncIterator[Gateway]:
    async with gateway(discord, seed.ADA) as session:
        yield session


@pytest.fixture
async def command(rest: Rest) -> Any:  # noqa: ANN401 - JSON
    (made,) = await rest.put(seed.BOT, COMMANDS, [ASK])
    return made
