"""Buttons, selections and modals."""

from __future__ import annotations

from typing import Any

from devstack.discord import seed

from .discord_invoking import BUTTON, WHY, answer, hook, invocation, invoke, message
from .discord_kit import Gateway, Rest


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
