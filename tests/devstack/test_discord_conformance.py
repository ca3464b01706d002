"""Every route of the simulated Discord is walked, and everything said on the way fits Discord's description."""

from __future__ import annotations

from typing import Any

import pytest

from devstack.discord import seed
from devstack.discord.documents import JsonObject
from devstack.discord.rest.routes import ROUTES
from devstack.discord.server import SimulatedDiscord

from .discord_kit import File, Gateway, Rest, gateway
from .discord_openapi import DiscordDescription

GENERAL = f"/channels/{seed.GENERAL_ID}"
GUILD = f"/guilds/{seed.GUILD_ID}"
COMMANDS = f"/applications/{seed.APPLICATION_ID}/commands"
GUILD_COMMANDS = f"/applications/{seed.APPLICATION_ID}/guilds/{seed.GUILD_ID}/commands"
PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"
)

RICH: JsonObject = {
    "content": "rich",
    "embeds": [
        {
            "title": "t",
            "description": "d",
            "url": "https://example.org",
            "color": 5,
            "timestamp": "2026-01-01T00:00:00+00:00",
            "footer": {"text": "f", "icon_url": "https://example.org/i.png"},
            "author": {"name": "a", "url": "https://example.org"},
            "image": {"url": "https://example.org/i.png"},
            "thumbnail": {"url": "https://example.org/i.png"},
            "fields": [{"name": "n", "value": "v", "inline": True}],
        }
    ],
    "components": [
        {"type": 1, "components": [{"type": 2, "style": 1, "label": "Go", "custom_id": "go"}]},
        {
            "type": 1,
            "components": [
                {
                    "type": 3,
                    "custom_id": "pick",
                    "placeholder": "which",
                    "options": [{"label": "A", "value": "a", "description": "first", "emoji": {"name": "🙂"}}],
                }
            ],
        },
        {"type": 1, "components": [{"type": 5, "custom_id": "who"}]},
    ],
    "allowed_mentions": {"parse": [], "replied_user": True},
    "flags": 0,
}

LAYOUT: JsonObject = {
    "flags": 1 << 15,
    "components": [
        {"type": 10, "content": "text"},
        {"type": 14, "divider": True, "spacing": 1},
        {
            "type": 17,
            "accent_color": 3,
            "components": [
                {
                    "type": 9,
                    "components": [{"type": 10, "content": "inside"}],
                    "accessory": {"type": 2, "style": 5, "label": "Link", "url": "https://example.org"},
                }
            ],
        },
    ],
}

UNDESCRIBED = {
    ("POST", "/interactions"),  # what Discord's own clients send
    ("GET", "/channels/{channel_id}/application-command-index"),  # likewise
    ("GET", "/users/@me/channels"),  # likewise
    ("POST", "/attachments/refresh-urls"),  # documented elsewhere
}
"""Routes that Discord has and its description leaves out."""


async def test_every_served_route_is_discords_own(description: DiscordDescription) -> None:
    described = set(description.described())
    assert {(r.method, r.path) for r in ROUTES} - described == UNDESCRIBED


async def test_every_answer_and_every_accepted_request_fits_the_description(
    discord: SimulatedDiscord, rest: Rest
) -> None:
    async with gateway(discord, seed.BOT) as bot:
        await _accounts(rest)
        await _messages(rest)
        await _reactions_and_pins(rest)
        await _threads(rest)
        await _guild(rest)
        await _members(rest)
        await _commands(rest)
        await _interactions(rest, bot)
        await _refusals(rest)
        await _goodbyes(rest)
    unvisited = {(r.method, r.path) for r in ROUTES} - rest.succeeded
    assert unvisited == set(), "these routes were not walked with success"


async def _accounts(rest: Rest) -> None:
    for path in ("/gateway", "/gateway/bot", "/users/@me", "/oauth2/applications/@me", "/applications/@me"):
        await rest.get(seed.BOT, path)
    await rest.get(seed.BOT, f"/users/{seed.ADA.id}")
    await rest.get(seed.ADA, "/users/@me")
    assert len(await rest.get(seed.MIKA, "/users/@me/guilds")) == 2
    await rest.get(seed.ADA, f"/users/@me/guilds/{seed.GUILD_ID}/member")
    opened = await rest.post(seed.ADA, "/users/@me/channels", {"recipient_id": str(seed.BOT.id)})
    assert await rest.get(seed.ADA, "/users/@me/channels") == [opened]
    await rest.get(seed.BOT, f"/channels/{opened['id']}")
    await rest.say(seed.BOT, opened["id"], "hello")
    await rest.delete(seed.BOT, f"/channels/{opened['id']}")


async def _messages(rest: Rest) -> None:
    first = await rest.say(seed.ADA, seed.GENERAL_ID, f"hello <@{seed.BOT.id}>", nonce="n1", enforce_nonce=True)
    rich = RICH | {"message_reference": {"message_id": first["id"]}}
    answer = await rest.post(seed.BOT, f"{GENERAL}/messages", rich)
    assert answer["referenced_message"]["id"] == first["id"]
    described: dict[str, object] = {"content": "file", "attachments": [{"id": "0", "description": "a dot"}]}
    files = (File("dot.png", PNG, "image/png"), File("note.txt", b"hi", "text/plain"))
    with_files = await rest.post(seed.BOT, f"{GENERAL}/messages", described, files=files)
    await rest.post(seed.BOT, "/attachments/refresh-urls", {"attachment_urls": [with_files["attachments"][0]["url"]]})
    await rest.post(seed.BOT, f"{GENERAL}/messages", LAYOUT)
    await rest.patch(seed.BOT, f"{GENERAL}/messages/{answer['id']}", {"content": "edited", "embeds": []})
    await rest.get(seed.BOT, f"{GENERAL}/messages/{answer['id']}")
    for page in ("", "?limit=2", f"?before={answer['id']}", f"?after={first['id']}", f"?around={answer['id']}&limit=3"):
        await rest.get(seed.BOT, f"{GENERAL}/messages{page}")
    await rest.post(seed.BOT, f"{GENERAL}/typing")
    await rest.delete(seed.BOT, f"{GENERAL}/messages/{answer['id']}")
    several = [(await rest.say(seed.ADA, seed.GENERAL_ID, f"{n}"))["id"] for n in range(2)]
    await rest.post(seed.BOT, f"{GENERAL}/messages/bulk-delete", {"messages": several})


async def _reactions_and_pins(rest: Rest) -> None:
    message = f"{GENERAL}/messages/{(await rest.say(seed.ADA, seed.GENERAL_ID, 'react'))['id']}"
    thumb, heart = "%F0%9F%91%8D", "%E2%9D%A4%EF%B8%8F"
    await rest.put(seed.BOT, f"{message}/reactions/{thumb}/@me")
    await rest.put(seed.ADA, f"{message}/reactions/{thumb}/@me")
    await rest.put(seed.ADA, f"{message}/reactions/{heart}/@me")
    shown = await rest.get(seed.ADA, message)
    assert [(r["emoji"]["name"], r["count"], r["me"]) for r in shown["reactions"]] == [("👍", 2, True), ("❤️", 1, True)]
    assert len(await rest.get(seed.ADA, f"{message}/reactions/{thumb}?limit=10")) == 2
    await rest.delete(seed.BOT, f"{message}/reactions/{thumb}/@me")
    await rest.delete(seed.BOT, f"{message}/reactions/{thumb}/{seed.ADA.id}")
    await rest.delete(seed.BOT, f"{message}/reactions/{heart}")
    await rest.delete(seed.BOT, f"{message}/reactions")
    pinned = message.replace("/messages/", "/messages/pins/")
    await rest.put(seed.BOT, pinned)
    assert len((await rest.get(seed.ADA, f"{GENERAL}/messages/pins"))["items"]) == 1
    assert len(await rest.get(seed.ADA, f"{GENERAL}/pins")) == 1
    await rest.delete(seed.BOT, pinned)
    await rest.put(seed.BOT, message.replace("/messages/", "/pins/"))
    await rest.delete(seed.BOT, message.replace("/messages/", "/pins/"))


async def _threads(rest: Rest) -> None:
    message = await rest.say(seed.ADA, seed.GENERAL_ID, "topic")
    of_message = await rest.post(seed.BOT, f"{GENERAL}/messages/{message['id']}/threads", {"name": "of a message"})
    await rest.say(seed.ADA, of_message["id"], "inside")
    await rest.get(seed.ADA, f"{GENERAL}/messages/{message['id']}")
    await rest.get(seed.ADA, f"/channels/{of_message['id']}/messages")
    public = await rest.post(
        seed.BOT, f"{GENERAL}/threads", {"name": "public", "type": 11, "auto_archive_duration": 60}
    )
    private = await rest.post(seed.BOT, f"{GENERAL}/threads", {"name": "private", "type": 12, "invitable": False})
    thread = f"/channels/{private['id']}"
    await rest.put(seed.BOT, f"{thread}/thread-members/{seed.MIKA.id}")
    await rest.get(seed.MIKA, f"{thread}/thread-members/@me")
    await rest.get(seed.BOT, f"{thread}/thread-members?with_member=true&limit=5")
    await rest.delete(seed.BOT, f"{thread}/thread-members/{seed.MIKA.id}")
    await rest.put(seed.BOT, f"/channels/{public['id']}/thread-members/@me")
    await rest.delete(seed.BOT, f"/channels/{public['id']}/thread-members/@me")
    assert len((await rest.get(seed.BOT, f"{GUILD}/threads/active"))["threads"]) == 3
    for created in (public, private):
        await rest.patch(seed.BOT, f"/channels/{created['id']}", {"archived": True})
    assert len((await rest.get(seed.BOT, f"{GENERAL}/threads/archived/public"))["threads"]) == 1
    assert len((await rest.get(seed.BOT, f"{GENERAL}/threads/archived/private"))["threads"]) == 1
    await rest.get(seed.BOT, f"{GENERAL}/users/@me/threads/archived/private?limit=5")


async def _guild(rest: Rest) -> None:
    await rest.get(seed.BOT, f"{GUILD}?with_counts=true")
    await rest.get(seed.BOT, f"{GUILD}/channels")
    made = await rest.post(seed.BOT, f"{GUILD}/channels", {"name": "made", "type": 0, "topic": "t"})
    await rest.patch(seed.BOT, f"/channels/{made['id']}", {"topic": "other", "rate_limit_per_user": 5})
    overwrite = f"/channels/{made['id']}/permissions/{seed.STAFF_ROLE_ID}"
    await rest.put(seed.BOT, overwrite, {"type": 0, "allow": 1024, "deny": 0})
    await rest.delete(seed.BOT, overwrite)
    await rest.delete(seed.BOT, f"/channels/{made['id']}")
    await rest.get(seed.BOT, f"{GUILD}/roles")
    role = await rest.post(seed.BOT, f"{GUILD}/roles", {"name": "new", "permissions": 0})
    await rest.get(seed.BOT, f"{GUILD}/roles/{role['id']}")
    await rest.patch(seed.BOT, f"{GUILD}/roles/{role['id']}", {"name": "newer", "mentionable": True})
    member = f"{GUILD}/members/{seed.NOOR.id}/roles/{role['id']}"
    await rest.put(seed.BOT, member)
    await rest.delete(seed.BOT, member)
    await rest.delete(seed.BOT, f"{GUILD}/roles/{role['id']}")


async def _members(rest: Rest) -> None:
    assert len(await rest.get(seed.BOT, f"{GUILD}/members?limit=100")) == len(seed.EVERYBODY)
    assert len(await rest.get(seed.BOT, f"{GUILD}/members/search?query=ad&limit=5")) == 1
    await rest.get(seed.BOT, f"{GUILD}/members/{seed.ADA.id}")
    await rest.patch(seed.BOT, f"{GUILD}/members/@me", {"nick": "Goph"})
    await rest.patch(seed.GRACE, f"{GUILD}/members/{seed.NOOR.id}", {"nick": "N", "communication_disabled_until": None})


async def _commands(rest: Rest) -> None:
    option = {"type": 3, "name": "text", "description": "what", "required": True, "max_length": 100}
    ask = {"name": "ask", "description": "Ask", "options": [option]}
    choose = {
        "name": "choose",
        "description": "Choose",
        "options": [
            {
                "type": 1,
                "name": "one",
                "description": "One",
                "options": [
                    {
                        "type": 4,
                        "name": "number",
                        "description": "n",
                        "min_value": 1,
                        "max_value": 3,
                        "choices": [{"name": "one", "value": 1}],
                    }
                ],
            }
        ],
    }
    for base in (COMMANDS, GUILD_COMMANDS):
        made = await rest.put(seed.BOT, base, [ask, {"name": "Report", "type": 3}])
        assert await rest.put(seed.BOT, base, [ask, {"name": "Report", "type": 3}]) == made, "unchanged, same ids"
        other = await rest.post(seed.BOT, base, choose)
        await rest.get(seed.BOT, base)
        await rest.get(seed.BOT, f"{base}/{other['id']}")
        await rest.patch(seed.BOT, f"{base}/{other['id']}", {"name": "choose", "description": "Choose well"})
        await rest.delete(seed.BOT, f"{base}/{other['id']}")
    index = await rest.get(seed.ADA, f"{GENERAL}/application-command-index")
    assert [c["name"] for c in index["application_commands"]] == ["ask", "Report", "ask", "Report"]


async def _interactions(rest: Rest, bot: Gateway) -> None:
    commands = await rest.get(seed.BOT, COMMANDS)
    command = next(c for c in commands if c["name"] == "ask")
    deferred = await _invoke(rest, bot, command)
    answer = await rest.ask(None, "POST", f"{_callback(deferred)}?with_response=true", {"type": 5})
    assert answer.body["resource"]["message"]["flags"] == 1 << 7
    hook = f"/webhooks/{seed.APPLICATION_ID}/{deferred['token']}"
    await _open(rest, "PATCH", f"{hook}/messages/@original", {"content": "done"})
    await _open(rest, "GET", f"{hook}/messages/@original")
    more = await _open(rest, "POST", hook, {"content": "more", "flags": 64})
    await _open(rest, "GET", f"{hook}/messages/{more['id']}")
    await _open(rest, "PATCH", f"{hook}/messages/{more['id']}", {"content": "still more"})
    await _open(rest, "DELETE", f"{hook}/messages/{more['id']}")
    await _open(rest, "DELETE", f"{hook}/messages/@original")
    direct = await _invoke(rest, bot, command)
    buttons = [{"type": 1, "components": [{"type": 2, "style": 2, "label": "Press", "custom_id": "press"}]}]
    data = {"content": "press", "components": buttons}
    told = await rest.ask(None, "POST", f"{_callback(direct)}?with_response=true", {"type": 4, "data": data})
    message = told.body["resource"]["message"]
    pressed = await _press(rest, bot, message)
    updated: JsonObject = {"type": 7, "data": {"content": "pressed", "components": []}}
    assert (await rest.ask(None, "POST", f"{_callback(pressed)}?with_response=true", updated)).status == 200


async def _invoke(rest: Rest, bot: Gateway, command: Any) -> Any:  # noqa: ANN401 - JSON
    before = len(bot.all("INTERACTION_CREATE"))
    data = {
        "id": command["id"],
        "name": "ask",
        "type": 1,
        "version": command["version"],
        "options": [{"type": 3, "name": "text", "value": "why"}],
    }
    body = {"type": 2, "application_id": str(seed.APPLICATION_ID), "channel_id": str(seed.GENERAL_ID), "data": data}
    await rest.post(seed.ADA, "/interactions", body)
    await bot.until("INTERACTION_CREATE", lambda _: len(bot.all("INTERACTION_CREATE")) > before)
    return bot.all("INTERACTION_CREATE")[-1]


async def _press(rest: Rest, bot: Gateway, message: Any) -> Any:  # noqa: ANN401 - JSON
    body = {
        "type": 3,
        "application_id": str(seed.APPLICATION_ID),
        "channel_id": str(seed.GENERAL_ID),
        "message_id": message["id"],
        "data": {"component_type": 2, "custom_id": "press"},
    }
    await rest.post(seed.ADA, "/interactions", body)
    return await bot.until("INTERACTION_CREATE", lambda i: i["type"] == 3)


async def _open(rest: Rest, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
    reply = await rest.ask(None, method, path, body)
    assert reply.status < 300, reply.body
    return reply.body


def _callback(interaction: Any) -> str:  # noqa: ANN401 - JSON
    return f"/interactions/{interaction['id']}/{interaction['token']}/callback"


async def _refusals(rest: Rest) -> None:
    """Refusals fit the description too, the nested ones as well."""
    long = {"content": "x" * 2001, "embeds": [{"title": "t" * 300}]}
    reply = await rest.ask(seed.BOT, "POST", f"{GENERAL}/messages", long)
    assert (reply.status, reply.code) == (400, 50035)
    assert set(reply.body["errors"]) == {"content", "embeds"}
    assert (await rest.ask(None, "GET", "/users/@me")).status == 401
    rest.discord.control.rate_limit(f"{GENERAL}/messages".replace(str(seed.GENERAL_ID), "{channel_id}"))
    assert (await rest.ask(seed.BOT, "GET", f"{GENERAL}/messages")).status == 429


async def _goodbyes(rest: Rest) -> None:
    await rest.delete(seed.BOT, f"{GUILD}/members/{seed.NOOR.id}")
    await rest.delete(seed.OTHER_BOT, f"/users/@me/guilds/{seed.GUILD_ID}")


@pytest.mark.parametrize("path", ["/nothing", "/channels/1/nothing"])
async def test_an_unknown_path_is_404_and_a_known_one_by_another_method_is_405(rest: Rest, path: str) -> None:
    assert (await rest.ask(seed.BOT, "GET", path)).status == 404
    assert (await rest.ask(seed.BOT, "PUT", f"{GENERAL}/messages")).status == 405
