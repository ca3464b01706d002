from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.system.installation import Installation, installed


@pytest.fixture(scope="session")
async def installation() -> AsyncGenerator[Installation]:
    """One for all tests that kill parts of it: each leaves everything running."""
    with tempfile.TemporaryDirectory(prefix="gopher-system-", ignore_cleanup_errors=True) as directory:
        async with installed(Path(directory)) as installation:
            yield installation
