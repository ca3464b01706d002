"""Invoking applications as members do, and answering as applications do."""

from __future__ import annotations

from typing import Any

from devstack.discord import seed

from .discord_kit import Gateway, Rest

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
