"""Interactions: what reaches the application, what it may answer, and until when."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from devstack.discord import seed
from devstack.discord.intents import Intent
from devstack.discord.permissions import Permission
from devstack.discord.server import SimulatedDiscord

from .discord_invoking import GENERAL, WHY, answer, hook, invocation, invoke, message, option
from .discord_kit import ALL_INTENTS, Gateway, Rest, gateway


async def test_the_application_hears_who_asked_what_and_where(rest: Rest, bot: Gateway, command: Any) -> None:  # noqa: ANN401 - JSON
    who, where = option("who", str(seed.GRACE.id), 6), option("where", str(seed.RANDOM_ID), 7)
    asked = await invoke(rest, bot, invocation(command, WHY, option("number", 2, 4), who, where))
    assert (asked["type"], asked["version"], asked["context"]) == (2, 1, 0)
    assert asked["member"]["user"]["id"] == str(seed.ADA.id)
    assert int(asked["member"]["permissions"]) & Permission.ADMINISTRATOR
    assert int(asked["app_permissions"]) & Permission.MANAGE_THREADS
    assert asked["channel"]["name"] == "general"
    data = asked["data"]
    assert [(o["name"], o["value"]) for o in data["options"]] == [
        ("text", "why"),
        ("number", 2),
        ("who", str(seed.GRACE.id)),
        ("where", str(seed.RANDOM_ID)),
    ]
    assert data["resolved"]["users"][str(seed.GRACE.id)]["username"] == "grace"
    assert data["resolved"]["members"][str(seed.GRACE.id)]["roles"] == [str(seed.STAFF_ROLE_ID)]
    assert data["resolved"]["channels"][str(seed.RANDOM_ID)]["name"] == "random"


async def test_an_answer_is_seen_by_all_and_success_is_told(
    rest: Rest,
    bot: Gateway,
    ada: Gateway,
    command: Any,  # noqa: ANN401 - JSON
) -> None:
    asked = await invoke(rest, bot, invocation(command, WHY))
    assert (await ada.until("INTERACTION_CREATE"))["nonce"] == "nonce"
    told = await answer(rest, asked, message("because"))
    shown = told.body["resource"]["message"]
    assert (shown["content"], shown["type"], shown["author"]["id"]) == ("because", 20, str(seed.BOT.id))
    assert (shown["application_id"], shown["webhook_id"]) == (str(seed.APPLICATION_ID),) * 2
    assert shown["interaction_metadata"]["name"] == "ask"
    assert (await ada.until("INTERACTION_SUCCESS"))["id"] == asked["id"]
    assert (await ada.until("MESSAGE_CREATE"))["id"] == shown["id"]
    assert [m["id"] for m in await rest.get(seed.LINUS, f"{GENERAL}/messages")] == [shown["id"]]


async def test_an_interaction_is_acknowledged_once(rest: Rest, bot: Gateway, command: Any) -> None:  # noqa: ANN401 - JSON
    asked = await invoke(rest, bot, invocation(command, WHY))
    assert (await answer(rest, asked, message("one"), told=False)).status == 204
    again = await answer(rest, asked, message("two"))
    assert (again.status, again.code) == (400, 40060)


async def test_after_three_seconds_it_is_unknown_and_has_failed(
    rest: Rest,
    bot: Gateway,
    ada: Gateway,
    command: Any,  # noqa: ANN401 - JSON
) -> None:
    asked = await invoke(rest, bot, invocation(command, WHY))
    assert (await ada.until("INTERACTION_FAILURE"))["id"] == asked["id"]
    late = await answer(rest, asked, message("late"))
    assert (late.status, late.code) == (404, 10062)
    fresh = await invoke(rest, bot, invocation(command, WHY))
    rest.discord.control.advance(timedelta(seconds=3))
    assert (await answer(rest, fresh, message("late"))).code == 10062
    wrong = fresh | {"token": "wrong"}
    assert (await answer(rest, wrong, message("x"))).code == 10062


async def test_the_token_of_an_acknowledged_one_lives_fifteen_minutes(rest: Rest, bot: Gateway, command: Any) -> None:  # noqa: ANN401 - JSON
    asked = await invoke(rest, bot, invocation(command, WHY))
    assert (await rest.ask(None, "POST", hook(asked), {"content": "too early"})).code == 10015
    await answer(rest, asked, {"type": 5})
    rest.discord.control.advance(timedelta(minutes=14, seconds=50))
    edited = await rest.ask(None, "PATCH", hook(asked, "/messages/@original"), {"content": "in time"})
    assert edited.status == 200
    rest.discord.control.advance(timedelta(seconds=11))
    for method, tail in (("PATCH", "/messages/@original"), ("POST", "")):
        late = await rest.ask(None, method, hook(asked, tail), {"content": "late"})
        assert (late.status, late.code) == (401, 50027)


async def test_the_first_follow_up_takes_the_place_of_a_deferral(rest: Rest, bot: Gateway, command: Any) -> None:  # noqa: ANN401 - JSON
    asked = await invoke(rest, bot, invocation(command, WHY))
    thinking = (await answer(rest, asked, {"type": 5})).body["resource"]["message"]
    assert (thinking["content"], thinking["flags"]) == ("", 128)
    first = (await rest.ask(None, "POST", hook(asked), {"content": "first"})).body
    assert (first["id"], first["flags"], first["edited_timestamp"]) == (thinking["id"], 0, None)
    second = (await rest.ask(None, "POST", hook(asked), {"content": "second"})).body
    assert second["id"] != first["id"]
    assert second["interaction_metadata"]["original_response_message_id"] == first["id"]


async def test_the_bot_hears_its_ephemeral_answers_as_direct_messages(
    discord: SimulatedDiscord,
    rest: Rest,
    bot: Gateway,
    ada: Gateway,
    command: Any,  # noqa: ANN401 - JSON
) -> None:
    without = ALL_INTENTS & ~Intent.DIRECT_MESSAGES
    async with gateway(discord, seed.BOT, intents=without) as deaf:
        asked = await invoke(rest, bot, invocation(command, WHY))
        await answer(rest, asked, message("secret", flags=64))
        await ada.until("MESSAGE_CREATE")
        await bot.until("MESSAGE_CREATE")
        await rest.say(seed.ADA, seed.GENERAL_ID, "open")
        heard = await deaf.until("MESSAGE_CREATE")
        assert heard["content"] == "open"


async def test_answers_ping_users_by_default_and_nobody_else(rest: Rest, bot: Gateway, command: Any) -> None:  # noqa: ANN401 - JSON
    words = f"<@{seed.LINUS.id}> <@&{seed.REGULARS_ROLE_ID}>"
    nobody: dict[str, object] = {"allowed_mentions": {"parse": []}}
    cases: tuple[tuple[dict[str, object], list[str]], ...] = (({}, [str(seed.LINUS.id)]), (nobody, []))
    for more, users in cases:
        asked = await invoke(rest, bot, invocation(command, WHY))
        shown = (await answer(rest, asked, message(words, **more))).body["resource"]["message"]
        assert [u["id"] for u in shown["mentions"]] == users
        assert shown["mention_roles"] == []


async def test_ephemeral_answers_reach_nobody_else(
    discord: SimulatedDiscord,
    rest: Rest,
    bot: Gateway,
    ada: Gateway,
    command: Any,  # noqa: ANN401 - JSON
) -> None:
    async with gateway(discord, seed.LINUS) as linus:
        asked = await invoke(rest, bot, invocation(command, WHY))
        await answer(rest, asked, {"type": 5, "data": {"flags": 64}})
        secret = (await rest.ask(None, "POST", hook(asked), {"content": "secret"})).body
        await rest.ask(None, "POST", hook(asked), {"content": "another", "flags": 64})
        await ada.until("MESSAGE_UPDATE", lambda m: m["content"] == "secret")
        await ada.until("MESSAGE_CREATE", lambda m: m["content"] == "another")
        path = f"{GENERAL}/messages"
        for who in (seed.LINUS, seed.ADA, seed.BOT):
            assert await rest.get(who, path) == []
            assert (await rest.ask(who, "GET", f"{path}/{secret['id']}")).code == 10008
        reply = await rest.ask(
            seed.LINUS, "POST", path, {"content": "x", "message_reference": {"message_id": secret["id"]}}
        )
        assert reply.code == 50035
        await rest.say(seed.LINUS, seed.GENERAL_ID, "end")
        await linus.until("MESSAGE_CREATE", lambda m: m["content"] == "end")
        assert [m["content"] for m in linus.all("MESSAGE_CREATE")] == ["end"]
        assert linus.all("MESSAGE_UPDATE") == []
        (own,) = bot.all("MESSAGE_UPDATE")
        assert (own["content"], "guild_id" in own, "member" in own) == ("secret", False, False), "as documented"
        await rest.ask(None, "DELETE", hook(asked, "/messages/@original"))
        await ada.until("MESSAGE_DELETE")
        assert linus.all("MESSAGE_DELETE") == []


async def test_a_callback_that_is_refused_leaves_the_interaction_open(rest: Rest, bot: Gateway, command: Any) -> None:  # noqa: ANN401 - JSON
    asked = await invoke(rest, bot, invocation(command, WHY))
    assert (await answer(rest, asked, message("x" * 2001))).code == 50035
    assert (await answer(rest, asked, message(""))).code == 50006
    assert (await answer(rest, asked, {"type": 7, "data": {"content": "x"}})).code == 50035
    assert (await answer(rest, asked, {})).code == 50035
    assert (await answer(rest, asked, message("fine"))).status == 200


async def test_two_answers_at_once_are_one(rest: Rest, bot: Gateway, command: Any) -> None:  # noqa: ANN401 - JSON
    asked = await invoke(rest, bot, invocation(command, WHY))
    replies = await asyncio.gather(*(answer(rest, asked, message(str(n))) for n in range(5)))
    assert sorted(r.status for r in replies) == [200, 400, 400, 400, 400]
    assert len(await rest.get(seed.ADA, f"{GENERAL}/messages")) == 1
