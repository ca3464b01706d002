"""What members do with messages: ask, reply, react, edit, delete, attach, mention, branch into threads."""

import re

from playwright.async_api import expect

from devstack.discord import seed
from tests.system.page.chat import ChatPage
from tests.system.page.conftest import NAMESPACE, TEMPORAL_UI

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000002000000020802000000fdd49a730000001049444154789c63f8cfc0c0f01f8c41340005fe01ff"
    "3ee94f5e0000000049454e44ae426082"
)
"""A picture of two by two pixels."""


async def test_an_answer_comes_after_a_typing_indicator(ada: ChatPage) -> None:
    await ada.box.fill("@Goph")
    await expect(ada.page.get_by_role("option")).to_have_count(1)
    await ada.box.press("Enter")
    await ada.page.keyboard.type("how deep is the burrow?")
    await ada.box.press("Enter")
    await expect(ada.page.locator(".typing")).to_have_text("Gopher is typing…")
    answer = ada.row("Echo: how deep is the burrow?")
    await expect(answer).to_be_visible()
    await expect(answer.locator(".badge")).to_have_text("BOT")
    await expect(ada.page.locator(".typing")).to_have_text("")
    await expect(ada.row("@Gopher how deep is the burrow?").locator(".pill")).to_have_attribute(
        "data-user", str(seed.BOT.id)
    )


async def test_an_answer_links_to_its_run_in_the_temporal_ui(ada: ChatPage) -> None:
    await ada.send("@Gopher link me")
    question = ada.row("@Gopher link me")
    answer = ada.row("Echo: link me")
    await expect(answer).to_be_visible()
    trigger = await question.get_attribute("data-id")
    await expect(answer.get_by_role("link", name="run")).to_have_attribute(
        "href", f"{TEMPORAL_UI}/namespaces/{NAMESPACE}/workflows/agent%2F{trigger}"
    )
    await expect(question.get_by_role("link", name="run")).to_have_count(0)


async def test_direct_messages_with_the_bot_are_for_two(ada: ChatPage, linus: ChatPage) -> None:
    await ada.page.locator("#sidebar .direct").get_by_text("Gopher", exact=True).click()
    await ada.page.get_by_role("heading", name="Gopher", level=1).wait_for()
    await ada.send("between us")
    await expect(ada.row("Echo: between us")).to_be_visible()
    await expect(linus.page.get_by_text("between us")).to_have_count(0)
    await expect(linus.page.locator("#sidebar .direct .unread")).to_have_count(0)


async def test_a_reply_quotes_its_original_and_jumps_to_it(ada: ChatPage, linus: ChatPage) -> None:
    await linus.send("What shall we dig?")
    await ada.act(ada.row("What shall we dig?"), "Reply")
    await expect(ada.page.locator(".reply-bar")).to_contain_text("Replying to Linus")
    await ada.send("A well")
    reply = linus.row("A well")
    await expect(reply.locator(".context")).to_contain_text("LinusWhat shall we dig?")
    await reply.locator(".context").get_by_role("button").click()
    await expect(linus.row("What shall we dig?")).to_be_focused()
    await expect(ada.page.locator(".reply-bar")).to_be_hidden()


async def test_a_reply_whose_original_is_gone_says_so(ada: ChatPage) -> None:
    await ada.send("soon gone")
    await ada.act(ada.row("soon gone"), "Reply")
    await ada.send("to what?")
    await ada.act(ada.row("soon gone"), "Delete")
    await ada.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(ada.row("to what?").locator(".context")).to_have_text("Original message was deleted")


async def test_a_reaction_is_counted_for_everybody_and_taken_back(ada: ChatPage, linus: ChatPage) -> None:
    await linus.send("Look at this")
    await ada.act(ada.row("Look at this"), "Add a reaction")
    await ada.page.get_by_role("searchbox").fill("rocket")
    await ada.page.keyboard.press("Enter")
    mine = ada.row("Look at this").locator("[data-emoji='🚀']")
    theirs = linus.row("Look at this").locator("[data-emoji='🚀']")
    await expect(mine).to_have_attribute("aria-pressed", "true")
    await expect(theirs).to_have_attribute("aria-pressed", "false")
    await theirs.click()
    await expect(mine.locator(".count")).to_have_text("2")
    await mine.click()
    await expect(theirs.locator(".count")).to_have_text("1")
    await theirs.click()
    await expect(mine).to_have_count(0)


async def test_the_up_arrow_edits_the_last_message_and_escape_leaves_it(ada: ChatPage, linus: ChatPage) -> None:
    await ada.send("Teh burrow")
    await expect(ada.row("Teh burrow")).not_to_have_class(re.compile("pending"))
    await ada.box.press("ArrowUp")
    editor = ada.page.get_by_role("combobox", name="Edit message")
    await editor.fill("never mind")
    await editor.press("Escape")
    await expect(ada.row("Teh burrow")).to_be_visible()
    await ada.box.press("ArrowUp")
    await editor.fill("The burrow")
    await editor.press("Enter")
    await expect(linus.row("The burrow").locator(".edited")).to_have_text(" (edited)")
    await expect(ada.box).to_be_focused()


async def test_a_deletion_asks_first_and_is_gone_for_all(ada: ChatPage, linus: ChatPage) -> None:
    await ada.send("Forget this")
    await expect(linus.row("Forget this")).to_be_visible()
    await ada.act(ada.row("Forget this"), "Delete")
    await ada.page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    await expect(ada.row("Forget this")).to_be_visible()
    await ada.act(ada.row("Forget this"), "Delete")
    await ada.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(linus.row("Forget this")).to_have_count(0)
    await expect(ada.row("Forget this")).to_have_count(0)


async def test_a_thread_grows_from_a_message(ada: ChatPage, linus: ChatPage) -> None:
    await ada.send("Plan the tunnel")
    await ada.act(ada.row("Plan the tunnel"), "Start a thread")
    await ada.page.get_by_role("textbox", name="Name of the thread").fill("Tunnel plans")
    await ada.page.keyboard.press("Enter")
    await ada.page.get_by_role("heading", name="Tunnel plans", level=1).wait_for()
    await expect(ada.page.locator(".starter")).to_contain_text("Plan the tunnel")
    await expect(ada.box).to_have_attribute("placeholder", "Message Tunnel plans")
    await ada.send("First, a map")
    await linus.row("Plan the tunnel").locator(".thread-card").click()
    await expect(linus.row("First, a map")).to_be_visible()
    await expect(linus.link("Tunnel plans")).to_have_attribute("aria-current", "page")


async def test_a_private_thread_is_not_shown_to_others(ada: ChatPage, linus: ChatPage) -> None:
    await ada.page.get_by_role("button", name="New thread").click()
    await ada.page.get_by_role("textbox", name="Name of the thread").fill("Surprise party")
    await ada.page.get_by_role("checkbox").check()
    await ada.page.get_by_role("button", name="Start", exact=True).click()
    await ada.page.get_by_role("heading", name="Surprise party", level=1).wait_for()
    await ada.send("Cake?")
    await expect(ada.row("Cake?")).not_to_have_class(re.compile("pending"))
    await linus.send("anything new?")
    await expect(linus.row("anything new?")).to_be_visible()
    await expect(linus.link("Surprise party")).to_have_count(0)


async def test_files_are_sent_by_button_paste_and_drop(ada: ChatPage, linus: ChatPage) -> None:
    pick = ada.page.locator("input[type=file]")
    await pick.set_input_files({"name": "map.png", "mimeType": "image/png", "buffer": PIXEL})
    await ada.page.evaluate(_GIVE_FILE, ["paste", "#composer", "notes.txt", "dig here"])
    await ada.page.evaluate(_GIVE_FILE, ["drop", "#channel", "wrong.txt", "not this one"])
    tray = ada.page.locator(".tray-card")
    await expect(tray).to_have_count(3)
    await expect(tray.nth(1)).to_contain_text("8 B")
    await ada.page.get_by_role("button", name="Remove wrong.txt").click()
    await ada.send("Two files")
    row = linus.row("Two files")
    await expect(row.get_by_role("img", name="map.png")).to_have_js_property("naturalWidth", 2)
    await expect(row.locator(".file-card")).to_contain_text("notes.txt")
    await expect(row.locator(".file-card")).to_contain_text("8 B")
    await expect(row.get_by_text("wrong.txt")).to_have_count(0)
    await row.get_by_role("button", name="Enlarge map.png").click()
    await expect(linus.page.get_by_role("dialog", name="map.png")).to_be_visible()
    await linus.page.keyboard.press("Escape")
    await expect(linus.page.get_by_role("dialog")).to_have_count(0)


_GIVE_FILE = """([event, target, name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name, { type: 'text/plain' }));
  const made = event === 'paste'
    ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
    : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector(target).dispatchEvent(made);
}"""


async def test_mentions_are_completed_highlighted_and_counted(ada: ChatPage, linus: ChatPage) -> None:
    await linus.go_to("random")
    await ada.box.fill("see ")
    await ada.page.keyboard.type("#proj")
    await ada.box.press("Tab")
    await ada.page.keyboard.type("@lin")
    await ada.box.press("Tab")
    await ada.box.press("Enter")
    await expect(ada.row("see #projects @Linus")).to_be_visible()
    await expect(linus.link("general").locator(".mention-count")).to_have_text("1")
    await linus.go_to("general")
    row = linus.row("see #projects @Linus")
    await expect(row).to_have_class(re.compile("mentioned"))
    await expect(linus.page.locator("#sidebar .mention-count")).to_have_count(0)
    await row.get_by_role("button", name="#projects").click()
    await expect(linus.page.get_by_role("heading", name="projects", level=1)).to_be_visible()


async def test_unread_channels_are_marked_until_they_are_read(ada: ChatPage, linus: ChatPage) -> None:
    await linus.go_to("random")
    await ada.go_to("projects")
    await ada.send("First news")
    await expect(linus.link("projects")).to_have_class(re.compile("unread"))
    await linus.go_to("projects")
    await expect(linus.page.locator(".divider.new")).to_be_visible()
    await linus.go_to("random")
    await expect(linus.link("projects")).not_to_have_class(re.compile("unread"))


async def test_a_message_over_2000_characters_is_counted_and_not_sent(ada: ChatPage) -> None:
    await ada.box.fill("x" * 2001)
    await expect(ada.page.locator(".composer .count")).to_have_text("2,001 / 2,000")
    await ada.box.press("Enter")
    await expect(ada.page.locator(".toast")).to_contain_text("too long: 2,001 of 2,000")
    await expect(ada.box).to_have_value("x" * 2001)
    await ada.box.fill("x" * 2000)
    await ada.box.press("Enter")
    await expect(ada.row("x" * 2000)).not_to_have_class(re.compile("pending"))


async def test_others_see_that_a_member_is_typing(ada: ChatPage, linus: ChatPage) -> None:
    await ada.box.press_sequentially("Let me th")
    await expect(linus.page.locator(".typing")).to_have_text("Ada is typing…")
    await ada.send("Let me think")
    await expect(linus.page.locator(".typing")).to_have_text("")


async def test_an_embed_is_shown_with_its_fields(ada: ChatPage) -> None:
    await ada.send("!embed")
    embed = ada.page.locator(".embed").last
    await expect(embed.locator(".embed-title")).to_have_text("Burrow report")
    await expect(embed.locator("em")).to_have_text("tunnels")
    await expect(embed.locator(".embed-field")).to_have_text(["Depth3 m", "Length41 m"])
    await expect(embed.locator(".embed-footer")).to_have_text("Measured today")
