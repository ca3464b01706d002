"""Drives the chat page in headless Chromium the way a person does: what can be seen, clicked and typed."""

import re
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, async_playwright

from devstack.discord.seed import SeedMember

_FLAGS: Final = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_PATIENCE_MS: Final = 8_000
"""The machine may be busy with other tests; nothing here takes more than a second on an idle one."""
_REFUSALS: Final = ("Failed to load resource", "WebSocket connection to")
"""Chromium's own lines for an answer of 4xx or 5xx and a refused connection: tests that provoke those see them."""


def chromium_path() -> str:
    """Find the browser.

    Raises:
        FileNotFoundError: there is none; the message says how to get it.
    """
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        raise FileNotFoundError("The page tests need Chromium: apt-get install chromium, or put it on PATH.")
    return path


@asynccontextmanager
async def launched_browser() -> AsyncGenerator[Browser]:
    """Run a headless Chromium."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_path(), args=list(_FLAGS))
        try:
            yield browser
        finally:
            await browser.close()


_TIDY: Final = """(channel) => {
  document.getElementById('toasts').replaceChildren();
  const isThere = document.querySelector('.channel-header h1')?.textContent === channel;
  const left = '#overlays > *, .command, .editor, .reply-bar:not([hidden]), .jump:not([hidden])';
  return !isThere || document.querySelector(left) !== null || document.querySelector('#composer').value !== '';
}"""
"""Whether anything is left of an earlier test; going to the channel again puts most of it away."""


class ChatPage:
    """One tab with the chat page, spoken as one member."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        """Errors of the page itself, its content policy's included."""
        page.set_default_timeout(_PATIENCE_MS)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._note)

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(_REFUSALS):
            self.complaints.append(message.text)

    @classmethod
    async def open(
        cls, context: BrowserContext, url: str, member: SeedMember, channel: str | None = None
    ) -> "ChatPage":
        """Load the page as a member, in the first channel or in the one named."""
        chat = cls(await context.new_page())
        await chat.page.goto(f"{url}?as={member.id}")
        await chat.page.wait_for_selector("[data-state=ready]", state="attached")
        if channel is not None:
            await chat.go_to(channel)
        await chat.page.wait_for_selector(".intro, .message")
        return chat

    @property
    def box(self) -> Locator:
        """The message box."""
        return self.page.locator("#composer")

    @property
    def rows(self) -> Locator:
        """All messages in view, oldest first."""
        return self.page.locator(".message")

    def row(self, text: str) -> Locator:
        """The newest message with these words, whole."""
        return self.page.locator(".message", has=self.page.locator(".content", has_text=_exactly(text))).last

    def link(self, name: str) -> Locator:
        """A channel, thread or direct message in the sidebar."""
        words = self.page.locator(".channel-name", has_text=_exactly(name))
        return self.page.locator("#sidebar [data-channel]", has=words)

    async def go_to(self, name: str) -> None:
        """Open a channel by the sidebar and wait for its messages."""
        await self.link(name).click()
        await self.page.locator(".channel-header h1", has_text=_exactly(name)).wait_for()
        await self.page.wait_for_selector(".rows[aria-busy=false]")

    async def start_over(self, channel: str) -> None:
        """Leave whatever an earlier test left open, and go to a channel."""
        self.complaints.clear()
        await self.page.keyboard.press("Escape")
        if await self.page.evaluate(_TIDY, channel):
            await self.go_to(channel)
            await self.box.fill("")

    async def send(self, text: str) -> None:
        """Write a message and press Enter."""
        await self.box.fill(text)
        if await self.box.get_attribute("aria-expanded") == "true":
            await self.box.press("Escape")  # what was suggested for the last word
        await self.box.press("Enter")

    async def act(self, row: Locator, label: str) -> None:
        """Use a row's toolbar with the mouse."""
        await row.hover()
        await row.get_by_role("toolbar").get_by_role("button", name=label, exact=True).click()

    async def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        return await self.page.evaluate("document.documentElement.scrollWidth - innerWidth")


def _exactly(text: str) -> re.Pattern[str]:
    return re.compile(rf"^\s*{re.escape(text)}(\s*\(edited\))?\s*$")
