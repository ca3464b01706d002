"""Who sees what, and whether everybody can use the page: permissions, keyboard, phone, contrast, names of controls."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import Browser, expect

from devstack.discord import seed
from devstack.discord.posting import Draft, post
from devstack.discord.server import SimulatedDiscord
from tests.system.page.chat import ChatPage


async def test_a_private_channel_is_not_shown_to_others(ada: ChatPage, linus: ChatPage) -> None:
    await expect(ada.link("staff")).to_be_visible()
    await expect(linus.link("staff")).to_have_count(0)
    await linus.box.fill("#sta")
    await expect(linus.page.get_by_role("option")).to_have_count(0)


async def test_the_address_of_a_private_channel_leads_elsewhere(linus: ChatPage, discord: SimulatedDiscord) -> None:
    await linus.go_to("random")
    await linus.page.goto(f"{discord.page_url}?as={seed.LINUS.id}#/channels/{seed.GUILD_ID}/{seed.STAFF_ID}")
    await expect(linus.page.get_by_role("heading", name="general", level=1)).to_be_visible()


async def test_others_messages_can_be_edited_by_nobody_and_deleted_by_moderators(
    ada: ChatPage, linus: ChatPage
) -> None:
    await ada.send("Ada's words")
    await linus.row("Ada's words").hover()
    await expect(linus.page.get_by_role("toolbar").get_by_role("button", name="Reply")).to_be_visible()
    await expect(linus.page.get_by_role("toolbar").get_by_role("button", name=re.compile("Edit|Delete"))).to_have_count(
        0
    )
    await linus.send("Linus's words")
    await ada.row("Linus's words").hover()
    await expect(ada.page.get_by_role("toolbar").get_by_role("button", name="Delete")).to_be_visible()
    await expect(ada.page.get_by_role("toolbar").get_by_role("button", name="Edit")).to_have_count(0)


async def _patch(chat: ChatPage, discord: SimulatedDiscord, path: str, body: dict[str, object]) -> None:
    headers = {"Authorization": seed.ADA.token, "Content-Type": "application/json"}
    answer = await chat.page.request.patch(f"{discord.api_url}{path}", headers=headers, data=json.dumps(body))
    assert answer.ok, await answer.text()


async def test_the_message_box_is_there_for_those_who_may_write(linus: ChatPage, discord: SimulatedDiscord) -> None:
    member = f"/guilds/{seed.GUILD_ID}/members/{seed.LINUS.id}"
    soon = (datetime.now(UTC) + timedelta(minutes=5)).isoformat()
    await _patch(linus, discord, member, {"communication_disabled_until": soon})
    await expect(linus.page.locator(".no-send")).to_contain_text("You are timed out here until")
    await _patch(linus, discord, member, {"communication_disabled_until": None})
    await expect(linus.box).to_be_editable()
    await linus.go_to("random")
    await linus.page.get_by_role("button", name="New thread").click()
    await linus.page.get_by_role("textbox", name="Name of the thread").fill("To be locked")
    await linus.page.keyboard.press("Enter")
    await linus.page.get_by_role("heading", name="To be locked", level=1).wait_for()
    thread = await linus.page.locator("[aria-current=page]").get_attribute("data-channel")
    await _patch(linus, discord, f"/channels/{thread}", {"locked": True})
    await expect(linus.page.locator(".no-send")).to_have_text("This thread is locked.")
    await _patch(linus, discord, f"/channels/{thread}", {"locked": False})
    await expect(linus.box).to_be_editable()


async def test_one_can_speak_as_another_member(browser: Browser, discord: SimulatedDiscord) -> None:
    context = await browser.new_context()
    chat = await ChatPage.open(context, discord.page_url, seed.GRACE)
    await chat.page.get_by_role("button", name="Speaking as Grace").click()
    await chat.page.get_by_role("menuitemradio", name="Noor").click()
    await chat.page.get_by_role("button", name="Speaking as Noor").wait_for()
    await chat.send("I am Noor now")
    await expect(chat.row("I am Noor now").locator(".author")).to_have_text("Noor")
    await expect(chat.page.get_by_text("Simulated Discord")).to_be_visible()
    stored = await chat.page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert not any(member.token in stored for member in seed.MEMBERS), "tokens stay in memory"
    assert chat.complaints == []
    await context.close()


async def test_everything_common_is_done_by_keyboard(ada: ChatPage, linus: ChatPage) -> None:
    await linus.go_to("projects")
    await linus.send("Anybody here?")
    keyboard = ada.page.keyboard
    await keyboard.press("Control+k")
    await keyboard.type("proj")
    await keyboard.press("Enter")
    await expect(ada.page.get_by_role("heading", name="projects", level=1)).to_be_visible()
    await expect(ada.row("Anybody here?")).to_be_visible()
    for _ in range(6):  # past the box's own buttons, and the jump bar where there is one
        if await ada.page.evaluate("document.activeElement.matches('.message')"):
            break
        await keyboard.press("Shift+Tab")
    await expect(ada.row("Anybody here?")).to_be_focused()
    await keyboard.press("r")
    await keyboard.type("Me")
    await keyboard.press("Shift+Enter")
    await keyboard.type("and Grace")
    await keyboard.press("Enter")
    await expect(linus.page.locator(".message", has_text="and Grace").locator(".context")).to_contain_text(
        "Anybody here?"
    )
    await keyboard.press("Control+/")
    await expect(ada.page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    await keyboard.press("Escape")
    await expect(ada.page.get_by_role("dialog")).to_have_count(0)
    await keyboard.press("Alt+ArrowUp")
    await expect(ada.page.get_by_role("heading", name="general", level=1)).to_be_visible()


async def test_rows_are_walked_by_arrows_and_acted_on_by_letters(ada: ChatPage) -> None:
    for words in ("first of three", "second of three", "third of three"):
        await ada.send(words)
        await expect(ada.row(words)).not_to_have_class(re.compile("pending"))
    keyboard = ada.page.keyboard
    await ada.row("third of three").focus()
    await keyboard.press("ArrowUp")
    await expect(ada.row("second of three")).to_be_focused()
    await keyboard.press("+")
    await expect(ada.page.get_by_role("dialog", name="Choose an emoji")).to_be_visible()
    await keyboard.press("Escape")
    await ada.row("second of three").focus()
    await keyboard.press("e")
    await keyboard.type("!")
    await keyboard.press("Enter")
    await expect(ada.row("second of three!")).to_be_visible()
    await ada.row("second of three!").focus()
    await keyboard.press("Delete")
    await keyboard.press("Enter")
    await expect(ada.row("second of three!")).to_have_count(0)
    await expect(ada.box).to_be_focused()


async def test_a_phone_shows_everything_without_scrolling_sideways(phone: ChatPage, discord: SimulatedDiscord) -> None:
    general = discord.simulation.world.channels[seed.GENERAL_ID]
    wide = ("w" * 400, "```\n" + "wide " * 60 + "\n```", "https://example.com/" + "long" * 80, "> " + "q" * 200)
    for words in wide:
        post(discord.simulation, Draft(channel=general, author_id=seed.NOOR.id, content=words))
    await expect(phone.row("w" * 400)).to_be_attached()
    assert await phone.overflow() == 0
    await phone.page.get_by_role("button", name="Channels", exact=True).tap()
    await expect(phone.link("projects")).to_be_in_viewport()
    assert await phone.overflow() == 0
    await phone.link("projects").tap()
    await expect(phone.page.get_by_role("heading", name="projects", level=1)).to_be_visible()
    await expect(phone.link("projects")).not_to_be_in_viewport()
    await phone.box.fill("from my phone")
    await phone.page.get_by_role("button", name="Send", exact=True).tap()
    row = phone.row("from my phone")
    await expect(row).not_to_have_class(re.compile("pending"))
    await row.tap()
    await row.get_by_role("toolbar").get_by_role("button", name="Edit").tap()
    await expect(phone.page.get_by_role("combobox", name="Edit message")).to_be_focused()
    assert await phone.overflow() == 0
    await phone.page.get_by_role("button", name="cancel").tap()


_SMALL_TARGETS = """() => {
  const seen = (node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest('[inert]');
  const small = (node) => {
    const after = getComputedStyle(node, '::after');
    const grown = after.content !== 'none' ? -2 * parseFloat(after.top) : 0;
    const { width, height } = node.getBoundingClientRect();
    return width + grown < 44 || height + grown < 44;
  };
  const controls = [...document.querySelectorAll('button:not(.pill), select, input, .run-link')];
  return controls.filter((node) => seen(node) && small(node))
    .map((node) => `${node.className} ${node.getAttribute('aria-label') ?? node.textContent}`);
}"""


async def test_on_a_phone_every_control_can_be_hit_with_a_thumb(phone: ChatPage) -> None:
    """44 pixels; words in the middle of a sentence are as small as the sentence."""
    await phone.link("lobby").evaluate("(link) => link.click()")
    await phone.page.get_by_role("heading", name="lobby", level=1).wait_for()
    await phone.box.fill("@Gopher hello")
    await phone.page.get_by_role("button", name="Send", exact=True).tap()
    await expect(phone.row("Echo: hello")).to_be_visible()
    await phone.row("Echo: hello").tap()
    assert await phone.page.evaluate(_SMALL_TARGETS) == []
    await phone.box.fill("/roll ")
    await phone.page.get_by_role("button", name="+ rival").tap()
    assert await phone.page.evaluate(_SMALL_TARGETS) == []
    await phone.page.keyboard.press("Escape")  # the suggestions
    await phone.page.get_by_role("button", name="Leave the command").tap()
    await phone.page.get_by_role("button", name="Channels", exact=True).tap()
    await expect(phone.link("general")).to_be_in_viewport()
    assert await phone.page.evaluate(_SMALL_TARGETS) == []
    await phone.link("general").tap()
    await expect(phone.page.get_by_role("heading", name="general", level=1)).to_be_visible()
    assert await phone.page.evaluate(_SMALL_TARGETS) == []


_NAMELESS = """() => [...document.querySelectorAll('button, a[href], input, textarea, select, [role=button]')]
  .filter((node) => node.checkVisibility())
  .filter((node) => !(node.getAttribute('aria-label') || node.textContent.trim() || node.labels?.length))
  .map((node) => node.outerHTML.slice(0, 120))"""


async def test_every_control_has_a_name_and_the_messages_are_a_log(ada: ChatPage) -> None:
    assert await ada.page.evaluate(_NAMELESS) == []
    log = ada.page.get_by_role("log", name="Messages in general")
    await expect(log).to_have_attribute("aria-live", "polite")
    await expect(ada.page.get_by_role("navigation", name="Channels")).to_be_visible()
    await expect(ada.page.get_by_role("main")).to_be_visible()


_CONTRASTS = """(pairs) => {
  const probe = document.body.appendChild(document.createElement('i'));
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const light = (name) => {
    probe.style.color = `var(--${name})`;
    context.fillStyle = getComputedStyle(probe).color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = ([text, ground]) => {
    const [dark, bright] = [light(text), light(ground)].sort((a, b) => a - b);
    return [`${text} on ${ground}`, (bright + 0.05) / (dark + 0.05)];
  };
  const found = pairs.map(ratio);
  probe.remove();
  return found;
}"""
_PAIRS = [
    *([text, ground] for text in ("text", "text-soft", "text-faint", "link", "danger", "accent-text")
      for ground in ("surface", "raised")),
    ["text-soft", "panel"], ["text-faint", "panel"], ["text-soft", "hover"], ["on-accent", "accent"],
    ["accent-text", "accent-soft"], ["text", "code"], ["text-faint", "code"],
]  # fmt: skip


@pytest.mark.parametrize("scheme", ["dark", "light"])
async def test_text_is_readable_on_its_ground(ada: ChatPage, scheme: str) -> None:
    """4.5 to 1, as WCAG 2 asks of text at level AA."""
    await ada.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    ratios: list[tuple[str, float]] = await ada.page.evaluate(_CONTRASTS, _PAIRS)
    await ada.page.emulate_media(color_scheme="dark")
    assert [f"{name}: {ratio:.2f}" for name, ratio in ratios if ratio < 4.5] == []


async def test_motion_is_left_out_for_those_who_ask(ada: ChatPage) -> None:
    await ada.page.emulate_media(reduced_motion="reduce")
    duration = await ada.page.evaluate(
        "parseFloat(getComputedStyle(document.querySelector('.dots i')).animationDuration)"
    )
    await ada.page.emulate_media(reduced_motion="no-preference")
    assert duration < 0.01
