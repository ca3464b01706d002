from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from devstack.providers import ScriptedProviders


@pytest.fixture
async def providers() -> AsyncIterator[ScriptedProviders]:
    """The scripted providers over HTTP, without a script."""
    server = ScriptedProviders()
    await server.start()
    yield server
    await server.stop()
