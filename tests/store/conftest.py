from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from gopher.store.pool import Pool, create_pool


@pytest.fixture
async def pool(database_url: str) -> AsyncIterator[Pool]:
    """An open pool on a fresh migrated database."""
    async with create_pool(database_url) as pool:
        yield pool
