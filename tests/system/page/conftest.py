"""One simulated Discord, bot and browser for all tests of the page; a tab for each member, cleared between tests."""

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from devstack.discord import seed
from devstack.discord.server import SimulatedDiscord
from tests.system.page.chat import ChatPage, launched_browser

TEMPORAL_UI = "http://127.0.0.1:9/temporal"
"""Nobody listens there: the page only links to it."""
NAMESPACE = "burrow"
_BOT_STARTS_WITHIN_S = 30.0

expect.set_options(timeout=8_000)


@pytest.fixture(scope="package")
async def discord() -> AsyncIterator[SimulatedDiscord]:
    server = SimulatedDiscord(temporal_ui_url=TEMPORAL_UI, namespace=NAMESPACE)
    await server.start()
    yield server
    await server.stop()


@asynccontextmanager
async def _bot_process(discord: SimulatedDiscord, log: Path) -> AsyncGenerator[asyncio.subprocess.Process]:
    """A process of its own: the library keeps the address of its API in a class attribute."""
    with log.open("wb") as output:
        command = (sys.executable, "-m", "tests.system.page.bot", discord.api_url)
        process = await asyncio.create_subprocess_exec(*command, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.terminate()
        await process.wait()


@pytest.fixture(scope="package")
async def browser(discord: SimulatedDiscord, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    """The browser, and beside it the bot, which takes as long to start."""
    log: Path = tmp_path_factory.mktemp("page") / "bot.log"
    async with _bot_process(discord, log) as process, launched_browser() as chromium:
        async with asyncio.timeout(_BOT_STARTS_WITHIN_S):
            while not discord.simulation.world.guild_commands(seed.APPLICATION_ID, seed.GUILD_ID):
                if process.returncode is not None:
                    pytest.fail(f"The bot ended; see {log}")
                await asyncio.sleep(0.05)
        yield chromium


@pytest.fixture(scope="package")
async def ada_tab(discord: SimulatedDiscord, browser: Browser) -> AsyncIterator[ChatPage]:
    context = await browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="dark")
    yield await ChatPage.open(context, discord.page_url, seed.ADA)
    await context.close()


@pytest.fixture(scope="package")
async def linus_tab(discord: SimulatedDiscord, browser: Browser) -> AsyncIterator[ChatPage]:
    context = await browser.new_context(viewport={"width": 1100, "height": 700}, color_scheme="light")
    yield await ChatPage.open(context, discord.page_url, seed.LINUS)
    await context.close()


@pytest.fixture(scope="package")
async def phone_tab(discord: SimulatedDiscord, browser: Browser) -> AsyncIterator[ChatPage]:
    context = await browser.new_context(
        viewport={"width": 375, "height": 720}, is_mobile=True, has_touch=True, color_scheme="dark"
    )
    yield await ChatPage.open(context, discord.page_url, seed.MIKA)
    await context.close()


@pytest.fixture
async def ada(ada_tab: ChatPage) -> AsyncIterator[ChatPage]:
    """Owns the guilds, so she sees and may do everything; in #general."""
    await ada_tab.start_over("general")
    yield ada_tab
    assert ada_tab.complaints == []


@pytest.fixture
async def linus(linus_tab: ChatPage) -> AsyncIterator[ChatPage]:
    """A member like any other; in #general."""
    await linus_tab.start_over("general")
    yield linus_tab
    assert linus_tab.complaints == []


@pytest.fixture
async def phone(phone_tab: ChatPage) -> AsyncIterator[ChatPage]:
    """Mika, on a phone."""
    phone_tab.complaints.clear()
    yield phone_tab
    assert phone_tab.complaints == []
