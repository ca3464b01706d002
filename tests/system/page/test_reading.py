"""How channels read: Markdown, hostile words, long histories, and where the list is scrolled."""

import pytest
from playwright.async_api import expect

from devstack.discord import seed
from devstack.discord.posting import Draft, post
from devstack.discord.server import SimulatedDiscord
from tests.system.page.chat import ChatPage

_RENDER = """async (source) => {
  const { renderMarkdown } = await import('/markdown_view.js');
  const { World } = await import('/world.js');
  const world = new World();
  world.me = { id: '1' };
  world.addUser({ id: '1', username: 'ada', global_name: 'Ada' });
  world.addChannel({ id: '2', type: 0, name: 'general' });
  const holder = document.createElement('div');
  holder.append(...renderMarkdown(source, { world, guildId: null, onChannel() {} }));
  for (const node of holder.querySelectorAll('*')) {
    for (const name of node.getAttributeNames()) if (!['href', 'start'].includes(name)) node.removeAttribute(name);
  }
  return holder.innerHTML;
}"""


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("**a** *b* _c_ __d__ ~~e~~", "<strong>a</strong> <em>b</em> <em>c</em> <u>d</u> <s>e</s>"),
        ("***both***", "<strong><em>both</em></strong>"),
        ("snake_case_name and 2*3*4", "snake_case_name and 2<em>3</em>4"),
        ("`a **b**` ``c`d``", "<code>a **b**</code> <code>c`d</code>"),
        (r"\*not\* \`code\`", "*not* `code`"),
        ("||secret||", "<span><span>secret</span></span>"),
        ("> one\n> two\nthree", "<blockquote>one<br>two</blockquote>three"),
        (">>> all\nof it", "<blockquote>all<br>of it</blockquote>"),
        ("# Big\nsmall", "<div>Big</div>small"),
        ("-# fine print", "<div>fine print</div>"),
        ("- a\n- b\n  - c", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("- a\n1. b", '<ul><li>a</li></ul><ol start="1"><li>b</li></ol>'),
        ("see https://a.example/b?c=d.", 'see <a href="https://a.example/b?c=d">https://a.example/b?c=d</a>.'),
        ("<https://a.example/>", '<a href="https://a.example/">https://a.example/</a>'),
        ("[here](https://a.example/x)", '<a href="https://a.example/x">here</a>'),
        ("[**here**](https://a.example/x)", '<a href="https://a.example/x"><strong>here</strong></a>'),
        ("[https://bank.example](https://evil.example/)", "[https://bank.example](https://evil.example/)"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ("<@1> <@!1> <@9>", "<span>@Ada</span> <span>@Ada</span> <span>@unknown</span>"),
        ("<#2> <#4> <@&3>", "<button>#general</button> <span>#unknown</span> <span>@unknown role</span>"),
        ("<:blob:123> </ask:4>", ":blob: <span>/ask</span>"),
        ("<b>&amp;</b>", "&lt;b&gt;&amp;amp;&lt;/b&gt;"),
        ("**open", "**open"),
        ("a\n\nb", "a<br><br>b"),
    ],
)  # fmt: skip
async def test_markdown_becomes_exactly_these_nodes(ada_tab: ChatPage, source: str, html: str) -> None:
    assert await ada_tab.page.evaluate(_RENDER, source) == html


async def test_a_fence_keeps_every_character_and_names_its_language(ada: ChatPage) -> None:
    await ada.send("before\n```python\n> not a quote\n# not a heading **not bold**\n\n  <@1>\n```\nafter")
    fence = ada.page.locator(".fence").last
    await expect(fence.locator(".language")).to_have_text("python")
    assert await fence.locator("pre").inner_text() == "> not a quote\n# not a heading **not bold**\n\n  <@1>"
    await expect(fence.get_by_role("button", name="Copy code")).to_be_visible()


_HOSTILE = (
    "<img src=x onerror=alert(1)>",
    '<script>document.title="owned"</script>',
    '"><svg onload=alert(1)>',
    "[click](javascript:alert(1)) [data](data:text/html,<script>alert(1)</script>)",
    "`</code><iframe src=javascript:alert(1)>`",
    "<@<script>> <t:99999999999999:F> <#'onclick=alert(1)>",
    "||<style>*{display:none}</style>||",
)


@pytest.mark.parametrize("words", _HOSTILE)
async def test_hostile_words_stay_words(ada: ChatPage, words: str) -> None:
    await ada.send(words)
    content = ada.rows.last.locator(".content")
    await expect(content).to_contain_text(words.strip("|`")[:12])
    assert await content.locator("img, script, svg, iframe, style, a").count() == 0
    assert "owned" not in await ada.page.title()


async def test_hostile_names_of_files_and_threads_and_embeds_stay_words(ada: ChatPage) -> None:
    name = "<img src=x onerror=alert(1)>.txt"
    await ada.page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "text/html", "buffer": b"x"})
    await expect(ada.page.locator(".tray-name")).to_have_text(name)
    await ada.send("a file")
    await expect(ada.row("a file").locator(".file-card")).to_contain_text("onerror")
    await ada.act(ada.row("a file"), "Start a thread")
    await ada.page.get_by_role("textbox").fill("<svg onload=alert(1)>")
    await ada.page.keyboard.press("Enter")
    await ada.page.get_by_role("heading", name="<svg onload=alert(1)>", level=1).wait_for()
    await ada.go_to("general")
    await ada.send("!hostile")
    shown = ada.page.locator(".embed").last
    await expect(shown.locator(".embed-title")).to_have_text("<b>title</b>")
    await expect(shown.locator(".embed-field")).to_have_text(["<u>name</u>[link](javascript:alert(1))"])
    assert await shown.locator("a, b, i, u").count() == 0


async def test_a_long_history_is_paged_upward_with_few_rows_and_without_jumps(
    ada: ChatPage, discord: SimulatedDiscord
) -> None:
    lobby = discord.simulation.world.channels[seed.LOBBY_ID]
    for number in range(600):
        post(discord.simulation, Draft(channel=lobby, author_id=seed.MIKA.id, content=f"line {number}"))
    await ada.go_to("lobby")
    await expect(ada.row("line 599")).to_be_in_viewport()
    for _ in range(8):
        before = await ada.page.evaluate(_SCROLL_UP_AND_MARK)
        await ada.page.wait_for_selector(".rows[aria-busy=false]")
        moved = await ada.page.evaluate(_HOW_FAR_IT_MOVED, before)
        assert abs(moved) < 2, f"the row that was looked at moved by {moved} px"
    assert await ada.rows.count() <= 200
    await expect(ada.page.get_by_role("button", name="Jump to present")).to_be_visible()
    post(discord.simulation, Draft(channel=lobby, author_id=seed.MIKA.id, content="line 600"))
    await ada.page.get_by_role("button", name="1 new message · Jump to present").click()
    await expect(ada.row("line 600")).to_be_in_viewport()
    assert await ada.rows.count() <= 200


_SCROLL_UP_AND_MARK = """async () => {
  const scroller = document.querySelector('.scroller');
  scroller.scrollTop = 300;
  const row = [...document.querySelectorAll('.message')].find((each) => each.getBoundingClientRect().top > 150);
  const first = document.querySelector('.message').dataset.id;
  const mark = [row.dataset.id, row.getBoundingClientRect().top];
  while (document.querySelector('.message').dataset.id === first) await new Promise(requestAnimationFrame);
  return mark;
}"""
_HOW_FAR_IT_MOVED = """([id, top]) => document.querySelector(`[data-id="${id}"]`).getBoundingClientRect().top - top"""


async def test_the_list_stays_at_its_end_while_messages_come(ada: ChatPage, discord: SimulatedDiscord) -> None:
    general = discord.simulation.world.channels[seed.GENERAL_ID]
    for number in range(60):
        post(discord.simulation, Draft(channel=general, author_id=seed.MIKA.id, content=f"burst {number}\n" * 3))
    await expect(ada.rows.last).to_contain_text("burst 59")
    await expect(ada.rows.last).to_be_in_viewport()
    await expect(ada.page.locator(".jump")).to_be_hidden()


async def test_a_jump_to_an_old_message_loads_what_is_around_it(ada: ChatPage, discord: SimulatedDiscord) -> None:
    random = discord.simulation.world.channels[seed.RANDOM_ID]
    first = post(discord.simulation, Draft(channel=random, author_id=seed.MIKA.id, content="the very first"))
    for number in range(120):
        post(discord.simulation, Draft(channel=random, author_id=seed.MIKA.id, content=f"later {number}"))
    await ada.page.goto(f"{discord.page_url}?as={seed.ADA.id}#/channels/{seed.GUILD_ID}/{random.id}/{first.id}")
    await expect(ada.row("the very first")).to_be_focused()
    await expect(ada.row("the very first")).to_be_in_viewport()
    await ada.page.get_by_role("button", name="Jump to present").click()
    await expect(ada.row("later 119")).to_be_in_viewport()
