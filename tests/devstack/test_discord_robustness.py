"""Whatever a client sends, the simulated Discord answers or refuses: it never fails."""

from __future__ import annotations

import copy
import random
from typing import Any, cast

import aiohttp
import pytest

from devstack.discord import seed
from devstack.discord.rest.routes import ROUTES
from devstack.discord.server import SimulatedDiscord

from .discord_kit import authorization, bare_gateway

JUNK: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**80, 1.5, 1e300, "", "x", "x" * 5000, "\ud800", "\x00", "٣", "-",
    [], {}, [[]], [None], {"": None}, {"type": 99}, [{"type": 1, "components": [{}]}], "2026-13-01", "1e9",
    [1, "1", None], {"id": "0"}, str(seed.GENERAL_ID), str(2**70), "2026-01-01T00:00:00",
)  # fmt: skip
BODIES: tuple[Any, ...] = (
    {
        "content": "words <@1> @everyone https://example.org",
        "embeds": [{"title": "t", "fields": [{"name": "n", "value": "v"}], "image": {"url": "attachment://x"}}],
        "components": [{"type": 1, "components": [{"type": 2, "style": 1, "label": "l", "custom_id": "c"}]}],
        "allowed_mentions": {"parse": ["users"], "roles": ["1"], "replied_user": True},
        "message_reference": {"message_id": "1", "fail_if_not_exists": False},
        "attachments": [{"id": "0", "description": "d"}],
        "flags": 1 << 15,
        "nonce": "n",
        "enforce_nonce": True,
        "messages": ["1", "2"],
    },
    {
        "name": "name",
        "description": "d",
        "type": 11,
        "topic": "t",
        "auto_archive_duration": 60,
        "permission_overwrites": [{"id": "1", "type": 0, "allow": "1", "deny": "0"}],
        "permissions": "8",
        "archived": True,
        "options": [
            {"type": 1, "name": "o", "description": "d", "options": [{"type": 3, "name": "p", "description": "d"}]}
        ],
        "communication_disabled_until": "2026-01-01T00:00:00+00:00",
        "roles": [str(seed.REGULARS_ROLE_ID)],
        "nick": "n",
        "recipient_id": str(seed.MIKA.id),
        "attachment_urls": ["https://example.org"],
    },
    {
        "type": 2,
        "application_id": str(seed.APPLICATION_ID),
        "channel_id": str(seed.GENERAL_ID),
        "message_id": "1",
        "data": {"id": "1", "custom_id": "c", "values": ["1"], "options": [{"name": "o", "type": 3, "value": "v"}]},
    },
    [{"name": "name", "description": "d", "contexts": [0], "default_member_permissions": "8"}],
)
IDS = (
    str(seed.GENERAL_ID), str(seed.GUILD_ID), str(seed.BOT.id), str(seed.LINUS.id), str(seed.REGULARS_ROLE_ID), "1",
    "@me", "x", "%F0%9F%91%8D", "%00", str(2**70),
)  # fmt: skip


def mutated(body: Any, dice: random.Random) -> Any:  # noqa: ANN401 - JSON
    """Put junk in a place or more, at any depth."""
    if dice.random() < 0.06:
        return copy.deepcopy(dice.choice(JUNK))
    if isinstance(body, dict):
        members = cast("dict[str, Any]", body)
        return {key: mutated(value, dice) for key, value in members.items()}
    if isinstance(body, list):
        return [mutated(item, dice) for item in cast("list[Any]", body)]
    return body


@pytest.mark.parametrize("number", range(4))
async def test_no_request_fails_the_server(discord: SimulatedDiscord, number: int) -> None:
    dice = random.Random(number)  # noqa: S311 - a reproducible die
    people = (seed.ADA, seed.BOT, seed.LINUS)
    async with aiohttp.ClientSession() as http:
        for _ in range(1500):
            route = dice.choice(ROUTES)
            path = "/".join(dice.choice(IDS) if s.startswith("{") else s for s in route.path.split("/"))
            query = dice.choice(("", "", "?limit=x", "?before=x&limit=3", "?after=-1", "?query=a&with_member=true"))
            body = mutated(dice.choice(BODIES), dice)
            headers = {"Authorization": authorization(dice.choice(people))}
            url = discord.api_url + path + query
            async with http.request(route.method, url, json=body, headers=headers) as response:
                assert response.status < 500, (route.method, path + query, body)


@pytest.mark.parametrize(
    "body",
    ["", "{", "[" * 5000, '{"content": NaN}', '"x"', "9" * 5000, '{"content": {"a": [1]}}', "null", "\x00"],
)
async def test_odd_bodies_are_refused(discord: SimulatedDiscord, body: str) -> None:
    headers = {"Authorization": seed.ADA.token, "Content-Type": "application/json"}
    url = f"{discord.api_url}/channels/{seed.GENERAL_ID}/messages"
    async with aiohttp.ClientSession() as http, http.post(url, data=body, headers=headers) as response:
        assert response.status == 400, await response.text()


async def test_no_gateway_message_fails_the_server(discord: SimulatedDiscord) -> None:
    dice = random.Random(1)  # noqa: S311 - a reproducible die
    valid: list[Any] = [
        {"op": 2, "d": {"token": seed.BOT_TOKEN, "intents": 1, "shard": [0, 1], "presence": {"status": "idle"}}},
        {"op": 6, "d": {"token": seed.BOT_TOKEN, "session_id": "x", "seq": 1}},
        {"op": 8, "d": {"guild_id": str(seed.GUILD_ID), "query": "", "limit": 0, "user_ids": ["1"], "nonce": "n"}},
        {"op": 3, "d": {"status": "dnd", "activities": [], "since": 0, "afk": False}},
        {"op": 1, "d": 1},
    ]
    for _ in range(150):
        async with bare_gateway(discord) as session:
            for message in [mutated(dice.choice(valid), dice) for _ in range(4)]:
                if not session.socket.closed:
                    await session.socket.send_json(message)
            if not session.socket.closed:
                await session.socket.send_json({"op": 1, "d": None})
            name, code = await session.until_any("op 11", "closed")
            assert name == "op 11" or code >= 4000, "closed on purpose, not by a failure"
