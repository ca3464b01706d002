"""Application commands: which definitions, invocations and members are refused."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from devstack.discord import seed
from devstack.discord.permissions import Permission

from .discord_invoking import COMMANDS, GENERAL, WHY, answer, invocation, invoke, message, option
from .discord_kit import Gateway, Rest


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


async def test_choices_are_completed_while_typing(rest: Rest, bot: Gateway, ada: Gateway, command: Any) -> None:  # noqa: ANN401 - JSON
    asked = await invoke(rest, bot, invocation(command, option("text", "wh", focused=True), kind=4))
    assert asked["data"]["options"] == [{"name": "text", "type": 3, "focused": True, "value": "wh"}]
    choices = [{"name": "Why?", "value": "why"}]
    assert (await answer(rest, asked, message("no"))).code == 50035
    await answer(rest, asked, {"type": 8, "data": {"choices": choices}}, told=False)
    response = await ada.until("APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE")
    assert (response["choices"], response["nonce"]) == (choices, "nonce")


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
