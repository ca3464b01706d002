from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from devstack.providers import ScriptedProviders
from gopher.providers.chat import ChatModel
from gopher.store.pool import Pool, create_pool


@pytest.fixture
async def pool(database_url: str) -> AsyncGenerator[Pool]:
    async with create_pool(database_url) as pool:
        yield pool


@pytest.fixture
async def providers() -> AsyncGenerator[ScriptedProviders]:
    server = ScriptedProviders()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def model(providers: ScriptedProviders) -> AsyncGenerator[ChatModel]:
    model = ChatModel(api_key="sk-test", base_url=providers.openai_base_url, model="scripted", max_output_tokens=256)
    yield model
    await model.close()
