"""Commands, components and modals: what reaches the application, what it may answer, and until when."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from devstack import discord_seed as seed
from devstack.discord_intents import Intent
from devstack.discord_permissions import Permission
from devstack.discord_server import SimulatedDiscord

from .discord_kit import ALL_INTENTS, Gateway, Rest, gateway

GENERAL = f"/channels/{seed.GENERAL_ID}"
COMMANDS = f"/applications/{seed.APPLICATION_ID}/commands"
ASK: dict[str, object] = {
    "name": "ask",
    "description": "Ask",
    "options": [
        {"type": 3, "name": "text", "description": "t", "required": True, "max_length": 5, "autocomplete": True},
        {"type": 4, "name": "number", "description": "n", "min_value": 1, "max_value": 3},
        {"type": 3, "name": "kind", "description": "k", "choices": [{"name": "A", "value": "a"}]},
        {"type": 6, "name": "who", "description": "w"},
        {"type": 7, "name": "where", "description": "w"},
    ],
}
BUTTON = [{"type": 1, "components": [{"type": 2, "style": 1, "label": "Go", "custom_id": "go"}]}]


@pytest.fixture
async def bot(discord: SimulatedDiscord) -> AsyncIterator[Gateway]:
    async with gateway(discord, seed.BOT) as session:
        yield session


@pytest.fixture
async def ada(discord: SimulatedDiscord) -> AsyncIterator[Gateway]:
    async with gateway(discord, seed.ADA) as session:
        yield session


@pytest.fixture
async def command(rest: Rest) -> Any:  # noqa: ANN401 - JSON
    (made,) = await rest.put(seed.BOT, COMMANDS, [ASK])
    return made


def invocation(command: Any, *options: dict[str, object], kind: int = 2) -> dict[str, object]:  # noqa: ANN401 - JSON
    data = {"id": command["id"], "name": command["name"], "type": 1, "options": list(options)}
    return {
        "type": kind,
        "application_id": str(seed.APPLICATION_ID),
        "channel_id": str(seed.GENERAL_ID),
        "guild_id": str(seed.GUILD_ID),
        "nonce": "nonce",
        "data": data,
    }


def option(name: str, value: object, kind: int = 3, **more: object) -> dict[str, object]:
    return {"type": kind, "name": name, "value": value, **more}


WHY = option("text", "why")


async def invoke(rest: Rest, bot: Gateway, body: dict[str, object], who: seed.SeedMember = seed.ADA) -> Any:  # noqa: ANN401 - JSON
    """Invoke as a member, and tell what the application hears."""
    known = {i["id"] for i in bot.all("INTERACTION_CREATE")}
    await rest.post(who, "/interactions", body)
    return await bot.until("INTERACTION_CREATE", lambda i: i["id"] not in known)


async def answer(rest: Rest, interaction: Any, body: dict[str, object], *, told: bool = True) -> Any:  # noqa: ANN401 - JSON
    path = f"/interactions/{interaction['id']}/{interaction['token']}/callback"
    return await rest.ask(None, "POST", path + ("?with_response=true" if told else ""), body)


def message(content: str, **more: object) -> dict[str, object]:
    return {"type": 4, "data": {"content": content, **more}}


def hook(interaction: Any, tail: str = "") -> str:  # noqa: ANN401 - JSON
    return f"/webhooks/{seed.APPLICATION_ID}/{interaction['token']}{tail}"


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


@pytest.mark.parametrize(
    "options",
    [
        (),
        (option("text", "too long"),),
        (WHY, option("number", 4, 4)),
        (WHY, option("number", "two", 4)),
        (WHY, option("kind", "b")),
        (WHY, option("unknown", "x")),
        (WHY, option("who", "nobody", 6)),
    ],
)
async def test_options_that_do_not_fit_are_refused(
    rest: Rest,
    command: Any,  # noqa: ANN401 - JSON
    options: tuple[dict[str, object], ...],
) -> None:
    reply = await rest.ask(seed.ADA, "POST", "/interactions", invocation(command, *options))
    assert (reply.status, reply.code) == (400, 50035)


async def test_who_may_not_invoke(rest: Rest, command: Any) -> None:  # noqa: ANN401 - JSON
    body = invocation(command, WHY)
    assert (await rest.ask(seed.BOT, "POST", "/interactions", body)).code == 20001
    hidden = body | {"channel_id": str(seed.STAFF_ID)}
    assert (await rest.ask(seed.LINUS, "POST", "/interactions", hidden)).code == 50001
    unknown: dict[str, object] = body | {"data": {"id": "1", "name": "ask", "type": 1}}
    assert (await rest.ask(seed.ADA, "POST", "/interactions", unknown)).code == 10063
    elsewhere = body | {"application_id": str(seed.ADA.id)}
    assert (await rest.ask(seed.ADA, "POST", "/interactions", elsewhere)).code == 10002
    moderators = int(Permission.MODERATE_MEMBERS)
    await rest.patch(seed.BOT, f"{COMMANDS}/{command['id']}", {"name": "ask", "default_member_permissions": moderators})
    assert (await rest.ask(seed.LINUS, "POST", "/interactions", body)).code == 50013
    await rest.post(seed.GRACE, "/interactions", body)
    index = await rest.get(seed.LINUS, f"{GENERAL}/application-command-index")
    assert index["application_commands"] == []


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


async def test_choices_are_completed_while_typing(rest: Rest, bot: Gateway, ada: Gateway, command: Any) -> None:  # noqa: ANN401 - JSON
    asked = await invoke(rest, bot, invocation(command, option("text", "wh", focused=True), kind=4))
    assert asked["data"]["options"] == [{"name": "text", "type": 3, "focused": True, "value": "wh"}]
    choices = [{"name": "Why?", "value": "why"}]
    assert (await answer(rest, asked, message("no"))).code == 50035
    await answer(rest, asked, {"type": 8, "data": {"choices": choices}}, told=False)
    response = await ada.until("APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE")
    assert (response["choices"], response["nonce"]) == (choices, "nonce")


def press(shown: Any, custom_id: str = "go") -> dict[str, object]:  # noqa: ANN401 - JSON
    return {
        "type": 3,
        "application_id": str(seed.APPLICATION_ID),
        "channel_id": str(seed.GENERAL_ID),
        "message_id": shown["id"],
        "data": {"component_type": 2, "custom_id": custom_id},
    }


async def test_a_button_updates_its_message(rest: Rest, bot: Gateway, ada: Gateway) -> None:
    shown = await rest.say(seed.BOT, seed.GENERAL_ID, "press", components=BUTTON)
    assert (await rest.ask(seed.LINUS, "POST", "/interactions", press(shown, "other"))).code == 50035
    pressed = await invoke(rest, bot, press(shown), seed.LINUS)
    assert (pressed["data"]["custom_id"], pressed["message"]["id"]) == ("go", shown["id"])
    await answer(rest, pressed, {"type": 7, "data": {"content": "pressed", "components": []}}, told=False)
    update = await ada.until("MESSAGE_UPDATE")
    assert (update["content"], update["components"]) == ("pressed", [])
    assert (await rest.ask(seed.LINUS, "POST", "/interactions", press(shown))).code == 50035


async def test_a_button_on_an_ephemeral_message_is_its_readers(rest: Rest, bot: Gateway, command: Any) -> None:  # noqa: ANN401 - JSON
    asked = await invoke(rest, bot, invocation(command, WHY))
    shown = (await answer(rest, asked, message("press", components=BUTTON, flags=64))).body["resource"]["message"]
    assert (await rest.ask(seed.LINUS, "POST", "/interactions", press(shown))).code == 10008
    pressed = await invoke(rest, bot, press(shown))
    await answer(rest, pressed, {"type": 6}, told=False)
    edited = await rest.ask(None, "PATCH", hook(pressed, "/messages/@original"), {"content": "pressed"})
    assert (edited.body["id"], edited.body["content"]) == (shown["id"], "pressed")


async def test_a_selection_carries_its_values(rest: Rest, bot: Gateway) -> None:
    select = {"type": 1, "components": [{"type": 5, "custom_id": "who", "max_values": 2}]}
    shown = await rest.say(seed.BOT, seed.GENERAL_ID, "pick", components=[select])
    body = press(shown, "who")
    body["data"] = {"component_type": 5, "custom_id": "who", "values": [str(seed.ADA.id)]}
    picked = await invoke(rest, bot, body)
    assert picked["data"]["values"] == [str(seed.ADA.id)]
    assert picked["data"]["resolved"]["users"][str(seed.ADA.id)]["username"] == "ada"


async def test_a_modal_is_shown_and_submitted(rest: Rest, bot: Gateway, ada: Gateway, command: Any) -> None:  # noqa: ANN401 - JSON
    asked = await invoke(rest, bot, invocation(command, WHY))
    field = {"type": 4, "custom_id": "words", "style": 1, "label": "Words", "required": True}
    row = {"type": 1, "components": [field]}
    await answer(rest, asked, {"type": 9, "data": {"custom_id": "m", "title": "M", "components": [row]}}, told=False)
    modal = await ada.until("INTERACTION_MODAL_CREATE")
    assert (modal["id"], modal["custom_id"], modal["title"], modal["nonce"]) == (asked["id"], "m", "M", "nonce")
    filled = {"type": 1, "components": [{"type": 4, "custom_id": "words", "value": "v"}]}
    submission: dict[str, object] = {
        "type": 5,
        "application_id": str(seed.APPLICATION_ID),
        "channel_id": str(seed.GENERAL_ID),
        "data": {"id": modal["id"], "custom_id": "m", "components": [filled]},
    }
    assert (await rest.ask(seed.LINUS, "POST", "/interactions", submission)).code == 10062
    submitted = await invoke(rest, bot, submission)
    assert submitted["data"]["components"] == [filled]
    told = await answer(rest, submitted, message("thanks"))
    trigger = told.body["resource"]["message"]["interaction_metadata"]["triggering_interaction_metadata"]
    assert trigger["id"] == asked["id"]


async def test_commands_work_in_direct_messages(rest: Rest, bot: Gateway, ada: Gateway, command: Any) -> None:  # noqa: ANN401 - JSON
    opened = await rest.post(seed.ADA, "/users/@me/channels", {"recipient_id": str(seed.BOT.id)})
    body = invocation(command, WHY) | {"channel_id": opened["id"], "guild_id": None}
    asked = await invoke(rest, bot, body)
    assert (asked["user"]["id"], asked["context"], "member" in asked) == (str(seed.ADA.id), 1, False)
    await answer(rest, asked, message("here"))
    assert (await ada.until("MESSAGE_CREATE"))["channel_id"] == opened["id"]
    await rest.patch(seed.BOT, f"{COMMANDS}/{command['id']}", {"name": "ask", "dm_permission": False})
    assert (await rest.ask(seed.ADA, "POST", "/interactions", body)).code == 50013


@pytest.mark.parametrize(
    "definition",
    [
        {"name": "Upper", "description": "d"},
        {"name": "two words", "description": "d"},
        {"name": "x" * 33, "description": "d"},
        {"name": "x"},
        {"name": "x", "description": "d" * 101},
        {"name": "x", "description": "d", "options": [{"type": 3, "name": "o"}]},
        {"name": "x", "description": "d", "options": [{"type": 99, "name": "o", "description": "d"}]},
        {
            "name": "x",
            "description": "d",
            "options": [
                {"type": 3, "name": "a", "description": "d"},
                {"type": 3, "name": "b", "description": "d", "required": True},
            ],
        },
        {"name": "x", "description": "d", "options": [{"type": 3, "name": "a", "description": "d"}] * 2},
    ],
)
async def test_unusable_commands_are_refused(rest: Rest, definition: dict[str, object]) -> None:
    assert (await rest.ask(seed.BOT, "POST", COMMANDS, definition)).code == 50035
    assert (await rest.ask(seed.BOT, "PUT", COMMANDS, [definition])).code == 50035


async def test_an_outdated_command_is_refused(rest: Rest, command: Any) -> None:  # noqa: ANN401 - JSON
    body = invocation(command, WHY)
    outdated: Any = copy.deepcopy(body)
    outdated["data"]["version"] = command["version"]
    await rest.patch(seed.BOT, f"{COMMANDS}/{command['id']}", {"name": "ask", "description": "Ask anew"})
    reply = await rest.ask(seed.ADA, "POST", "/interactions", outdated)
    assert reply.body["errors"]["data"]["version"]["_errors"][0]["message"] == "This command is outdated"


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
