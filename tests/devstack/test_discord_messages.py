"""Sending, reading and changing messages, and what Discord refuses of them."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from devstack.discord import seed
from devstack.discord.documents import JsonObject
from devstack.discord.intents import Intent
from devstack.discord.permissions import Permission
from devstack.discord.server import SimulatedDiscord

from .discord_kit import File, Rest, gateway

GENERAL = f"/channels/{seed.GENERAL_ID}"
SEND = f"{GENERAL}/messages"
NONE: dict[str, object] = {"parse": []}


async def test_content_is_trimmed_and_bounded_at_2000_characters(rest: Rest) -> None:
    assert (await rest.say(seed.BOT, seed.GENERAL_ID, "  words \n"))["content"] == "words"
    assert len((await rest.say(seed.BOT, seed.GENERAL_ID, "x" * 2000))["content"]) == 2000
    reply = await rest.ask(seed.BOT, "POST", SEND, {"content": "x" * 2001})
    assert (reply.status, reply.code) == (400, 50035)
    (problem,) = reply.body["errors"]["content"]["_errors"]
    assert problem == {"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 2000 or fewer in length."}


UNUSABLE: list[tuple[JsonObject, int]] = [
    ({}, 50006),
    ({"content": ""}, 50006),
    ({"content": " \n\t"}, 50006),
    ({"content": None, "embeds": []}, 50006),
    ({"content": ["x"]}, 50035),
    ({"content": "x", "nonce": "n" * 26}, 50035),
    ({"content": "x", "embeds": [{}]}, 50035),
    ({"content": "x", "embeds": [{"title": "t"}] * 11}, 50035),
    ({"embeds": [{"description": "d" * 4000}, {"description": "d" * 2001}]}, 50035),
    ({"embeds": [{"title": "t", "url": "javascript:alert(1)"}]}, 50035),
    ({"content": "x", "components": [{"type": 2, "style": 1, "label": "l", "custom_id": "c"}]}, 50035),
    ({"content": "x", "components": [{"type": 1, "components": [{"type": 2, "style": 1}]}]}, 50035),
    ({"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}}, 50035),
    ({"content": "x", "allowed_mentions": {"parse": ["nobody"]}}, 50035),
    ({"content": "x", "message_reference": {"message_id": "1"}}, 50035),
    ({"content": "x", "message_reference": {}}, 50035),
    ({"content": "x", "message_reference": {"message_id": "one"}}, 50035),
]


@pytest.mark.parametrize(("body", "code"), UNUSABLE)
async def test_unusable_messages_are_refused(rest: Rest, body: JsonObject, code: int) -> None:
    reply = await rest.ask(seed.BOT, "POST", SEND, body)
    assert (reply.status, reply.code) == (400, code)
    assert rest.discord.control.state()["messages"] == 0


@pytest.mark.parametrize(
    ("who", "channel_id", "status", "code"),
    [
        (seed.LINUS, seed.STAFF_ID, 403, 50001),
        (seed.NOOR, seed.LOBBY_ID, 403, 50001),
        (seed.BOT, seed.TEXT_CATEGORY_ID, 400, 50008),
        (seed.BOT, 1, 404, 10003),
    ],
)
async def test_channels_that_cannot_be_written_to(
    rest: Rest, who: seed.SeedMember, channel_id: int, status: int, code: int
) -> None:
    reply = await rest.ask(who, "POST", f"/channels/{channel_id}/messages", {"content": "x"})
    assert (reply.status, reply.code) == (status, code)


async def test_a_lost_permission_is_50013_and_a_deleted_channel_10003(rest: Rest) -> None:
    control = rest.discord.control
    control.set_overwrite(seed.GENERAL_ID, seed.BOT.id, deny=Permission.SEND_MESSAGES)
    assert (await rest.ask(seed.BOT, "POST", SEND, {"content": "x"})).code == 50013
    control.clear_overwrite(seed.GENERAL_ID, seed.BOT.id)
    await rest.say(seed.BOT, seed.GENERAL_ID, "x")
    control.delete_channel(seed.GENERAL_ID)
    assert (await rest.ask(seed.BOT, "POST", SEND, {"content": "x"})).code == 10003


async def test_a_wrong_token_and_a_token_of_the_wrong_kind_are_401(rest: Rest) -> None:
    for header in ("Bot nonsense", f"Bot {seed.ADA.token}", seed.BOT_TOKEN, ""):
        reply = await rest.ask(header, "GET", "/users/@me")
        assert (reply.status, reply.body["message"]) == (401, "401: Unauthorized")


@pytest.mark.parametrize(
    ("content", "allowed", "users", "roles"),
    [
        (f"<@{seed.LINUS.id}> <@!{seed.ADA.id}>", None, [seed.LINUS.id, seed.ADA.id], []),
        (f"`<@{seed.LINUS.id}>`", None, [], []),
        (f"<@{seed.LINUS.id}> @everyone", NONE, [], []),
        (f"<@{seed.LINUS.id}> <@{seed.ADA.id}>", {"users": [str(seed.ADA.id)]}, [seed.ADA.id], []),
        (f"<@&{seed.REGULARS_ROLE_ID}> <@&{seed.STAFF_ROLE_ID}>", None, [], [seed.REGULARS_ROLE_ID]),
        ("@everyone @here", None, [], []),
        ("<@1>", None, [], []),
    ],
)
async def test_mentions_ping_whom_the_words_name_and_the_message_allows(
    rest: Rest, content: str, allowed: object, users: list[int], roles: list[int]
) -> None:
    more = {} if allowed is None else {"allowed_mentions": allowed}
    message = await rest.say(seed.BOT, seed.GENERAL_ID, content, **more)
    assert [int(u["id"]) for u in message["mentions"]] == users
    assert [int(r) for r in message["mention_roles"]] == roles
    assert message["mention_everyone"] is False, "the bot may not ping everyone"


async def test_everyone_is_pinged_by_those_who_may(rest: Rest) -> None:
    assert (await rest.say(seed.GRACE, seed.GENERAL_ID, "@here"))["mention_everyone"] is True
    assert (await rest.say(seed.GRACE, seed.GENERAL_ID, "@here", allowed_mentions=NONE))["mention_everyone"] is False
    to_staff = await rest.say(seed.GRACE, seed.GENERAL_ID, f"<@&{seed.STAFF_ROLE_ID}>")
    assert to_staff["mention_roles"] == [str(seed.STAFF_ROLE_ID)]


async def test_a_reply_pings_its_target_unless_it_says_not_to(rest: Rest) -> None:
    target = await rest.say(seed.ADA, seed.GENERAL_ID, "target")
    reference = {"message_id": target["id"]}
    loud = await rest.say(seed.BOT, seed.GENERAL_ID, "reply", message_reference=reference)
    quiet = await rest.say(seed.BOT, seed.GENERAL_ID, "reply", message_reference=reference, allowed_mentions=NONE)
    assert loud["type"] == quiet["type"] == 19
    assert [u["id"] for u in loud["mentions"]] == [str(seed.ADA.id)]
    assert quiet["mentions"] == []
    assert quiet["referenced_message"]["content"] == "target"


async def test_a_reply_to_a_deleted_message_is_refused_or_sent_without_the_reference(rest: Rest) -> None:
    target = await rest.say(seed.ADA, seed.GENERAL_ID, "target")
    earlier = await rest.say(seed.BOT, seed.GENERAL_ID, "a", message_reference={"message_id": target["id"]})
    await rest.delete(seed.ADA, f"{SEND}/{target['id']}")
    reference: dict[str, object] = {"message_id": target["id"]}
    refused = await rest.ask(seed.BOT, "POST", SEND, {"content": "b", "message_reference": reference})
    assert refused.code == 50035
    assert refused.body["errors"]["message_reference"]["_errors"][0]["code"] == "REPLIES_UNKNOWN_MESSAGE"
    sent = await rest.say(seed.BOT, seed.GENERAL_ID, "b", message_reference=reference | {"fail_if_not_exists": False})
    assert (sent["type"], "message_reference" in sent) == (0, False)
    assert (await rest.get(seed.ADA, f"{SEND}/{earlier['id']}"))["referenced_message"] is None


async def test_a_reply_needs_the_permission_to_read_history(rest: Rest) -> None:
    target = await rest.say(seed.ADA, seed.GENERAL_ID, "target")
    rest.discord.control.set_overwrite(seed.GENERAL_ID, seed.BOT.id, deny=Permission.READ_MESSAGE_HISTORY)
    body = {"content": "x", "message_reference": {"message_id": target["id"]}}
    assert (await rest.ask(seed.BOT, "POST", SEND, body)).code == 160002
    assert await rest.get(seed.BOT, SEND) == [], "and the history is empty"
    assert (await rest.ask(seed.BOT, "GET", f"{SEND}/{target['id']}")).code == 50013


async def test_an_enforced_nonce_gives_one_message_within_its_window(rest: Rest) -> None:
    body = {"content": "x", "nonce": "n", "enforce_nonce": True}
    first = await rest.post(seed.BOT, SEND, body)
    assert first["nonce"] == "n"
    assert await rest.post(seed.BOT, SEND, body | {"content": "other"}) == first
    assert (await rest.post(seed.ADA, SEND, body))["id"] != first["id"], "nonces are the author's own"
    unenforced = await rest.say(seed.BOT, seed.GENERAL_ID, "y", nonce="n")
    assert unenforced["id"] != first["id"]
    rest.discord.control.advance(timedelta(minutes=6))
    assert (await rest.post(seed.BOT, SEND, body))["id"] not in (first["id"], unenforced["id"])
    assert "nonce" not in (await rest.get(seed.BOT, f"{SEND}/{first['id']}")), "told only when it is sent"


async def test_many_senders_of_one_nonce_make_one_message(rest: Rest) -> None:
    body = {"content": "x", "nonce": "n", "enforce_nonce": True}
    sent = await asyncio.gather(*(rest.post(seed.BOT, SEND, body) for _ in range(20)))
    assert len({m["id"] for m in sent}) == 1
    assert rest.discord.control.state()["messages"] == 1


async def test_edits_of_words_have_a_time_and_of_flags_none(rest: Rest) -> None:
    message = await rest.say(seed.BOT, seed.GENERAL_ID, "https://example.org/a", embeds=[{"title": "t"}])
    path = f"{SEND}/{message['id']}"
    hidden = await rest.patch(seed.GRACE, path, {"flags": 4})
    assert (hidden["embeds"], hidden["edited_timestamp"]) == ([], None)
    assert (await rest.ask(seed.GRACE, "PATCH", path, {"content": "mine"})).code == 50005
    assert (await rest.ask(seed.LINUS, "PATCH", path, {"flags": 0})).code == 50013
    edited = await rest.patch(seed.BOT, path, {"content": "words", "flags": 0})
    assert (edited["content"], edited["edited_timestamp"] is None) == ("words", False)
    assert (await rest.ask(seed.BOT, "PATCH", path, {"content": "", "embeds": []})).code == 50006


async def test_a_link_is_resolved_by_a_partial_update_that_is_no_edit(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.BOT) as bot:
        message = await rest.say(seed.ADA, seed.GENERAL_ID, "see https://example.org/x and <https://example.org/y>")
        assert message["embeds"] == []
        update = await bot.until("MESSAGE_UPDATE")
        assert set(update) == {"id", "channel_id", "guild_id", "embeds"}
        assert [e["url"] for e in update["embeds"]] == ["https://example.org/x"]
        shown = await rest.get(seed.BOT, f"{SEND}/{message['id']}")
        assert (len(shown["embeds"]), shown["edited_timestamp"]) == (1, None)


async def test_a_suppressed_preview_stays_away(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.ADA) as ada:
        await rest.say(seed.BOT, seed.GENERAL_ID, "https://example.org/x", flags=4)
        last = await rest.say(seed.BOT, seed.GENERAL_ID, "https://example.org/y")
        update = await ada.until("MESSAGE_UPDATE")
        assert update["id"] == last["id"]


async def test_deletes_are_the_authors_and_the_moderators(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.BOT) as bot:
        message = await rest.say(seed.ADA, seed.GENERAL_ID, "x")
        path = f"{SEND}/{message['id']}"
        assert (await rest.ask(seed.LINUS, "DELETE", path)).code == 50013
        await rest.delete(seed.ADA, path)
        assert (await bot.until("MESSAGE_DELETE"))["id"] == message["id"]
        assert (await rest.ask(seed.ADA, "DELETE", path)).code == 10008


async def test_bulk_deletes_take_2_to_100(rest: Rest) -> None:
    path = f"{SEND}/bulk-delete"
    ids = [(await rest.say(seed.ADA, seed.GENERAL_ID, str(n)))["id"] for n in range(3)]
    assert (await rest.ask(seed.BOT, "POST", path, {"messages": ids[:1]})).code == 50016
    assert (await rest.ask(seed.BOT, "POST", path, {"messages": [str(n) for n in range(101)]})).code == 50016
    assert (await rest.ask(seed.ADA, "POST", path, {"messages": ids})).code == 20002
    assert (await rest.ask(seed.OTHER_BOT, "POST", path, {"messages": ids})).code == 50013
    old = str(1 << 22)
    await rest.post(seed.BOT, path, {"messages": [*ids[:2], old]})
    assert [m["content"] for m in await rest.get(seed.ADA, SEND)] == ["2"]


async def test_system_messages_are_not_edited_replied_to_or_pinned(rest: Rest) -> None:
    message = await rest.say(seed.BOT, seed.GENERAL_ID, "x")
    await rest.put(seed.BOT, f"{SEND}/pins/{message['id']}")
    notice, *_ = await rest.get(seed.BOT, SEND)
    assert (notice["type"], notice["message_reference"]["message_id"]) == (6, message["id"])
    assert (await rest.ask(seed.BOT, "PATCH", f"{SEND}/{notice['id']}", {"content": "y"})).code == 50021
    assert (await rest.ask(seed.BOT, "PUT", f"{SEND}/pins/{notice['id']}")).code == 50021
    body = {"content": "y", "message_reference": {"message_id": notice["id"]}}
    assert (await rest.ask(seed.BOT, "POST", SEND, body)).code == 50035
    await rest.delete(seed.BOT, f"{SEND}/{notice['id']}")


async def test_pins_tell_their_channel(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.ADA) as ada:
        message = await rest.say(seed.ADA, seed.GENERAL_ID, "x")
        path = f"{SEND}/pins/{message['id']}"
        assert (await rest.ask(seed.LINUS, "PUT", path)).code == 50013
        await rest.put(seed.BOT, path)
        await rest.put(seed.BOT, path)
        update = await ada.until("MESSAGE_UPDATE")
        assert (update["pinned"], update["edited_timestamp"]) == (True, None)
        assert (await ada.until("CHANNEL_PINS_UPDATE"))["last_pin_timestamp"] is not None
        await rest.delete(seed.BOT, path)
        await ada.until("CHANNEL_PINS_UPDATE", lambda p: p["last_pin_timestamp"] is None)
        assert len(ada.all("MESSAGE_CREATE")) == 2, "one pin, one notice"


async def test_slowmode_holds_for_people_and_not_for_bots(rest: Rest) -> None:
    await rest.patch(seed.BOT, GENERAL, {"rate_limit_per_user": 60})
    await rest.say(seed.LINUS, seed.GENERAL_ID, "1")
    reply = await rest.ask(seed.LINUS, "POST", SEND, {"content": "2"})
    assert (reply.status, reply.code, 0 < reply.body["retry_after"] <= 60) == (429, 20016, True)
    for who in (seed.BOT, seed.BOT, seed.GRACE, seed.GRACE, seed.MIKA):
        await rest.say(who, seed.GENERAL_ID, "x")


async def test_signed_urls_expire_and_are_signed_again(discord: SimulatedDiscord, rest: Rest) -> None:
    file = File("a picture.png", b"\x89PNG\r\n\x1a\n" + bytes(8) + (3).to_bytes(4, "big") + (4).to_bytes(4, "big"))
    message = await rest.post(seed.ADA, SEND, {"content": ""}, files=(file,))
    (attachment,) = message["attachments"]
    url: str = attachment["url"]
    assert (attachment["filename"], attachment["width"], attachment["height"]) == ("a_picture.png", 3, 4)
    assert all(f"{name}=" in url for name in ("ex", "is", "hm"))
    assert await rest.fetch(url) == (200, file.content)
    assert (await rest.fetch(url.replace("hm=", "hm=0")))[0] == 404
    assert (await rest.fetch(url.partition("?")[0]))[0] == 404
    discord.control.advance(timedelta(hours=25))
    assert (await rest.fetch(url))[0] == 404
    again = await rest.get(seed.BOT, f"{SEND}/{message['id']}")
    assert await rest.fetch(again["attachments"][0]["url"]) == (200, file.content)
    elsewhere = "https://example.org/a.png"
    fresh = await rest.post(seed.BOT, "/attachments/refresh-urls", {"attachment_urls": [url, elsewhere]})
    (pair,) = fresh["refreshed_urls"]
    assert pair["original"] == url
    assert await rest.fetch(pair["refreshed"]) == (200, file.content)
    await rest.delete(seed.ADA, f"{SEND}/{message['id']}")
    assert (await rest.fetch(pair["refreshed"]))[0] == 404


async def test_a_file_in_an_embed_is_shown_there_and_not_beside_it(rest: Rest) -> None:
    body: dict[str, object] = {"embeds": [{"title": "card", "image": {"url": "attachment://card.png"}}]}
    message = await rest.post(seed.BOT, SEND, body, files=(File("card.png", b"png"),))
    assert message["attachments"] == []
    assert await rest.fetch(message["embeds"][0]["image"]["url"]) == (200, b"png")


async def test_reactions_are_counted_by_emoji(discord: SimulatedDiscord, rest: Rest) -> None:
    message = await rest.say(seed.ADA, seed.GENERAL_ID, "x")
    path = f"{SEND}/{message['id']}/reactions"
    assert (await rest.ask(seed.ADA, "PUT", f"{path}/nonsense/@me")).code == 10014
    async with gateway(discord, seed.BOT) as bot:
        for _ in range(2):
            await rest.put(seed.LINUS, f"{path}/%F0%9F%91%8D/@me")
        event = await bot.until("MESSAGE_REACTION_ADD")
        assert (event["emoji"]["name"], event["user_id"]) == ("👍", str(seed.LINUS.id))
        await rest.delete(seed.LINUS, f"{path}/%F0%9F%91%8D/@me")
        await bot.until("MESSAGE_REACTION_REMOVE")
        assert len(bot.all("MESSAGE_REACTION_ADD")) == 1, "the second one changed nothing"
    assert (await rest.ask(seed.LINUS, "DELETE", f"{path}/%F0%9F%91%8D/{seed.ADA.id}")).code == 50013
    discord.control.set_overwrite(seed.GENERAL_ID, seed.LINUS.id, deny=Permission.ADD_REACTIONS)
    assert (await rest.ask(seed.LINUS, "PUT", f"{path}/%F0%9F%91%8E/@me")).code == 50013
    await rest.put(seed.ADA, f"{path}/%F0%9F%91%8E/@me")
    await rest.put(seed.LINUS, f"{path}/%F0%9F%91%8E/@me")  # joining an existing one needs no permission


async def test_without_the_intent_the_api_withholds_words_too(discord: SimulatedDiscord, rest: Rest) -> None:
    discord.control.set_intents([Intent.GUILD_MEMBERS])
    plain = await rest.say(seed.ADA, seed.GENERAL_ID, "words", embeds=[{"title": "t"}])
    own = await rest.say(seed.BOT, seed.GENERAL_ID, "own", message_reference={"message_id": plain["id"]})
    await rest.say(seed.ADA, seed.GENERAL_ID, f"<@{seed.BOT.id}>")
    shown: list[Any] = await rest.get(seed.BOT, SEND)
    assert [m["content"] for m in shown] == [f"<@{seed.BOT.id}>", "own", ""]
    assert shown[2]["embeds"] == []
    assert own["referenced_message"] is not None
    assert [m["content"] for m in await rest.get(seed.LINUS, SEND)][2] == "words"


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "before=x"])
async def test_wrong_pages_are_refused(rest: Rest, query: str) -> None:
    assert (await rest.ask(seed.BOT, "GET", f"{SEND}?{query}")).code == 50035


async def test_pages_of_history(rest: Rest) -> None:
    ids = [(await rest.say(seed.ADA, seed.GENERAL_ID, str(n)))["id"] for n in range(5)]

    async def page(query: str) -> list[str]:
        return [m["content"] for m in await rest.get(seed.BOT, f"{SEND}?{query}")]

    assert await page("limit=2") == ["4", "3"]
    assert await page(f"before={ids[2]}") == ["1", "0"]
    assert await page(f"after={ids[1]}&limit=2") == ["3", "2"]
    assert await page(f"around={ids[2]}&limit=3") == ["3", "2", "1"]
    assert await page("after=0&limit=2") == ["1", "0"]
