"""A person in a browser asks the real bot: page, simulated Discord, bot, database, Temporal, worker, and back."""

import re
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import expect

from devstack.discord import seed
from devstack.scripted_turns import ModelTurn
from tests.system.installation import Installation, installed
from tests.system.page.chat import ChatPage, launched_browser

_ANSWER_WITHIN_MS = 60_000
_CODE = "Ask for the largest:\n```python\ndeepest = max(readings)\nprint(deepest)\n```\nThat is **all**."


@pytest.fixture(scope="module")
async def installation() -> AsyncGenerator[Installation]:
    with tempfile.TemporaryDirectory(prefix="gopher-browser-", ignore_cleanup_errors=True) as directory:
        async with installed(Path(directory)) as installation:
            yield installation


@pytest.fixture(scope="module")
async def ada(installation: Installation) -> AsyncGenerator[ChatPage]:
    async with launched_browser() as browser:
        context = await browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="dark")
        chat = await ChatPage.open(context, installation.page_url, seed.ADA)
        yield chat
        assert chat.complaints == []


async def test_a_question_in_the_page_is_seen_typed_at_and_answered(
    ada: ChatPage, installation: Installation, tmp_path: Path
) -> None:
    await installation.script(ModelTurn(match="deepest", text=_CODE, delay_seconds=1.5))
    await ada.send("@Gopher how do I print the deepest reading?")
    await expect(ada.page.locator(".typing")).to_have_text("Gopher is typing…", timeout=_ANSWER_WITHIN_MS)
    answer = ada.page.locator(".message", has_text="Ask for the largest:")
    await expect(answer).to_be_visible(timeout=_ANSWER_WITHIN_MS)
    await expect(answer.locator(".fence .language")).to_have_text("python")
    await expect(answer.locator(".context")).to_contain_text("how do I print the deepest reading?")
    await expect(ada.page.locator(".typing")).to_have_text("")
    picture = await ada.page.screenshot(path=tmp_path / "answer.png")
    assert len(picture) > 20_000, "the screenshot shows next to nothing"


async def test_the_run_link_opens_the_run_of_this_answer(ada: ChatPage, installation: Installation) -> None:
    await installation.script(ModelTurn(match="linked", text="Here is your link."))
    await ada.send("@Gopher are you linked?")
    answer = ada.row("Here is your link.")
    await expect(answer).to_be_visible(timeout=_ANSWER_WITHIN_MS)
    trigger = await ada.row("@Gopher are you linked?").get_attribute("data-id")
    async with ada.page.context.expect_page() as opened:
        await answer.get_by_role("link", name="run").click()
    temporal = await opened.value
    await expect(temporal.get_by_text(f"agent/{trigger}").first).to_be_visible(timeout=_ANSWER_WITHIN_MS)
    await temporal.close()


async def test_a_direct_message_is_answered_without_a_mention(ada: ChatPage, installation: Installation) -> None:
    await installation.script(ModelTurn(match="just us", text="Yes, just us."))
    await ada.page.locator("#sidebar .direct").get_by_text("Gopher", exact=True).click()
    await ada.page.get_by_role("heading", name="Gopher", level=1).wait_for()
    await ada.send("is it just us?")
    await expect(ada.row("Yes, just us.")).to_be_visible(timeout=_ANSWER_WITHIN_MS)


async def test_a_command_in_the_page_is_answered(ada: ChatPage, installation: Installation) -> None:
    await installation.script(ModelTurn(match="by command", text="Answered by command.", delay_seconds=0.5))
    await ada.go_to("general")
    await ada.box.press_sequentially("/ask ")
    await ada.page.locator("[data-option=prompt] input").fill("do you answer by command?")
    await ada.page.keyboard.press("Enter")
    answer = ada.row("Answered by command.")
    await expect(answer).to_be_visible(timeout=_ANSWER_WITHIN_MS)
    await expect(answer.locator(".context")).to_contain_text("Ada used /ask")
    await expect(answer.get_by_role("link", name="run")).to_have_attribute("href", re.compile(r"agent%2F\d+$"))
