"""Slash commands and buttons, by keyboard and by mouse."""

import pytest
from playwright.async_api import Locator, expect

from tests.system.page.chat import ChatPage


def _option(chat: ChatPage, name: str) -> Locator:
    return chat.page.locator(f"[data-option={name}] input")


def _problem(chat: ChatPage, name: str) -> Locator:
    return chat.page.locator(f"[data-option={name}]").get_by_role("alert")


async def test_a_command_is_found_filled_and_run_by_keyboard_alone(ada: ChatPage) -> None:
    keyboard = ada.page.keyboard
    await ada.box.press_sequentially("/ro")
    await expect(ada.page.get_by_role("option")).to_have_text(["/rollRolls dice"])
    await keyboard.press("Enter")
    await keyboard.type("20")
    for name, value in (("colour", "gr"), ("loaded", "tr"), ("rival", "lin"), ("table", "rand")):
        await ada.page.get_by_role("button", name=f"+ {name}").press("Enter")
        await keyboard.type(value)
        await keyboard.press("Enter")
    await keyboard.press("Enter")
    row = ada.row("Rolled a green d20, loaded, against @Linus, in #random")
    await expect(row).to_be_visible()
    await expect(row.locator(".context")).to_have_text("AAda used /roll")
    await expect(row.get_by_role("link", name="run")).to_be_visible()
    await expect(ada.box).to_be_focused()


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("", "This option is required."),
        ("1", "At least 2."),
        ("101", "At most 100."),
        ("2.5", "Enter a whole number."),
        ("many", "Enter a number."),
    ],
)
async def test_an_option_is_checked_before_it_is_sent(ada: ChatPage, typed: str, sentence: str) -> None:
    await ada.box.press_sequentially("/roll ")
    await _option(ada, "sides").fill(typed)
    await ada.page.keyboard.press("Enter")
    await expect(_problem(ada, "sides")).to_have_text(sentence)
    await expect(_option(ada, "sides")).to_be_focused()
    await ada.page.keyboard.press("Escape")
    await expect(ada.box).to_be_focused()


async def test_a_choice_is_one_of_the_list(ada: ChatPage) -> None:
    await ada.box.press_sequentially("/roll ")
    await _option(ada, "sides").fill("6")
    await ada.page.get_by_role("button", name="+ colour").click()
    await expect(ada.page.get_by_role("option")).to_have_text(["red", "green"])
    await _option(ada, "colour").fill("blue")
    await ada.page.get_by_role("button", name="Run").click()
    await expect(_problem(ada, "colour")).to_have_text("Pick one from the list.")


async def test_words_after_the_name_become_the_first_text_option(ada: ChatPage) -> None:
    await ada.box.fill("/echo hello there")
    await expect(_option(ada, "words")).to_have_value("hello there")
    await ada.page.keyboard.press("Enter")
    await expect(ada.page.locator(".thinking")).to_have_text("Gopher is thinking…")
    await expect(ada.row("Echoed hello there")).to_be_visible()


async def test_an_ephemeral_answer_is_for_one_and_can_be_dismissed(ada: ChatPage, linus: ChatPage) -> None:
    await ada.box.press_sequentially("/mem")
    await ada.box.press("Enter")
    await ada.page.keyboard.press("Enter")
    row = ada.row("Nothing at all")
    await expect(row.locator(".ephemeral-note")).to_contain_text("Only you can see this")
    await linus.send("I see nothing")
    await expect(linus.row("I see nothing")).to_be_visible()
    await expect(linus.row("Nothing at all")).to_have_count(0)
    await row.get_by_role("button", name="Dismiss message").click()
    await expect(row).to_have_count(0)


async def test_buttons_act_for_the_one_who_pressed(ada: ChatPage, linus: ChatPage) -> None:
    await ada.send("!buttons")
    row = ada.row("Choose one")
    await expect(row.get_by_role("button", name="Closed")).to_be_disabled()
    await expect(row.get_by_role("link", name="Read more")).to_have_attribute("href", "https://example.com/burrow")
    await linus.row("Choose one").get_by_role("button", name="Whisper").click()
    await expect(linus.row("A secret of the burrow")).to_be_visible()
    await row.get_by_role("button", name="Count").click()
    await expect(ada.row("Counted 1")).to_be_visible()
    await linus.row("Counted 1").get_by_role("button", name="Count").click()
    await expect(ada.row("Counted 2")).to_be_visible()
    await expect(ada.row("A secret of the burrow")).to_have_count(0)


async def test_a_button_that_nobody_answers_says_so(ada: ChatPage) -> None:
    await ada.send("!buttons")
    row = ada.row("Choose one")
    await row.get_by_role("button", name="Silence").click()
    await expect(row.get_by_role("button", name="Silence")).to_have_attribute("aria-busy", "true")
    await expect(row.get_by_role("alert")).to_have_text("The application did not respond.")
    await expect(row.get_by_role("button", name="Count")).to_be_enabled()
