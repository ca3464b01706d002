"""Faults on demand: each happens as often as was asked, to what was asked, and then no more."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import aiohttp
import pytest

from devstack.discord import seed
from devstack.discord.server import SimulatedDiscord

from .discord_kit import File, Rest, gateway

SEND = f"/channels/{seed.GENERAL_ID}/messages"
ROUTE = "/channels/{channel_id}/messages"


async def test_the_next_requests_of_a_route_fail_before_anything_happens(rest: Rest) -> None:
    assert (await rest.control("fail_requests", route=ROUTE, method="POST", count=2, status=502)).status == 200
    await rest.get(seed.BOT, SEND)
    for _ in range(2):
        with pytest.raises(AssertionError, match="502"):  # no description of Discord's has a 5xx
            await rest.say(seed.BOT, seed.GENERAL_ID, "x")
    await rest.say(seed.BOT, seed.GENERAL_ID, "x")
    assert len(await rest.get(seed.BOT, SEND)) == 1


async def test_a_star_fails_everything(discord: SimulatedDiscord, rest: Rest) -> None:
    discord.control.fail_requests("*", count=2)
    for method, path in (("GET", "/users/@me"), ("DELETE", f"{SEND}/1")):
        with pytest.raises(AssertionError, match="503"):
            await rest.ask(seed.BOT, method, path)
    await rest.get(seed.BOT, "/users/@me")


async def test_an_outage_is_of_everything_and_passes(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.BOT) as bot:
        discord.control.outage_for(timedelta(milliseconds=300))
        await bot.until("closed")
    for _ in range(3):
        with pytest.raises(AssertionError, match="503"):
            await rest.get(seed.BOT, "/users/@me")
    with pytest.raises(aiohttp.WSServerHandshakeError):
        async with gateway(discord, seed.BOT):
            pass
    await asyncio.sleep(0.35)
    await rest.get(seed.BOT, "/users/@me")
    async with gateway(discord, seed.BOT):
        pass


async def test_a_response_is_lost_after_the_side_effect(discord: SimulatedDiscord, rest: Rest) -> None:
    discord.control.lose_responses(ROUTE, method="POST")
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await rest.say(seed.BOT, seed.GENERAL_ID, "done")
    assert [m["content"] for m in await rest.get(seed.ADA, SEND)] == ["done"]
    (logged,) = discord.control.requests(route=ROUTE, method="POST")
    assert logged.status == 0


@pytest.mark.parametrize("scope", ["user", "shared", "global"])
async def test_a_429_is_discords(rest: Rest, scope: str) -> None:
    await rest.control("rate_limit", route=ROUTE, seconds=1.5, scope=scope)
    reply = await rest.ask(seed.BOT, "POST", SEND, {"content": "x"})
    assert reply.status == 429
    assert (reply.body["retry_after"], reply.body["global"]) == (1.5, scope == "global")
    assert (reply.headers["Retry-After"], reply.headers["X-RateLimit-Scope"]) == ("2", scope)
    assert ("X-RateLimit-Global" in reply.headers) is (scope == "global")
    assert "Via" in reply.headers
    await rest.say(seed.BOT, seed.GENERAL_ID, "x")


async def test_every_answer_carries_its_bucket(rest: Rest) -> None:
    one = await rest.ask(seed.BOT, "POST", SEND, {"content": "x"})
    other = await rest.ask(seed.BOT, "GET", "/users/@me")
    refused = await rest.ask(seed.BOT, "GET", "/channels/1")
    for reply in (one, other, refused):
        limit, remaining = (int(reply.headers[f"X-RateLimit-{name}"]) for name in ("Limit", "Remaining"))
        assert 0 < remaining < limit
        assert float(reply.headers["X-RateLimit-Reset-After"]) > 0
        assert float(reply.headers["X-RateLimit-Reset"]) > 1.7e9
    assert one.headers["X-RateLimit-Bucket"] != other.headers["X-RateLimit-Bucket"]


async def test_strict_limits_are_discords_and_count_by_channel(discord: SimulatedDiscord, rest: Rest) -> None:
    discord.control.strict_limits(True)
    replies = [await rest.ask(seed.BOT, "POST", SEND, {"content": str(n)}) for n in range(6)]
    assert [r.status for r in replies] == [200] * 5 + [429]
    assert replies[4].headers["X-RateLimit-Remaining"] == "0"
    assert 0 < replies[5].body["retry_after"] <= 5
    await rest.say(seed.BOT, seed.RANDOM_ID, "another bucket")
    await rest.say(seed.ADA, seed.GENERAL_ID, "another user")
    discord.control.strict_limits(False)
    await rest.say(seed.BOT, seed.GENERAL_ID, "x")


async def test_strict_limits_have_a_global_one(discord: SimulatedDiscord, rest: Rest) -> None:
    discord.control.strict_limits(True)
    replies = [await rest.ask(seed.BOT, "GET", f"/users/{seed.ADA.id}") for _ in range(51)]
    assert (replies[49].status, replies[50].status) == (200, 429)
    assert replies[50].body["global"] or replies[50].headers["X-RateLimit-Scope"] == "user"


async def test_requests_can_be_slow(discord: SimulatedDiscord, rest: Rest) -> None:
    discord.control.slow_requests(ROUTE, delay=timedelta(milliseconds=200))
    async with gateway(discord, seed.ADA) as ada:
        await rest.say(seed.BOT, seed.GENERAL_ID, "slow")
        await ada.until("MESSAGE_CREATE")


async def test_the_log_shows_bodies_as_they_were_sent(discord: SimulatedDiscord, rest: Rest) -> None:
    body: dict[str, object] = {"content": "x", "allowed_mentions": {"parse": []}}
    await rest.post(seed.BOT, SEND, body)
    await rest.post(seed.BOT, SEND, body, files=(File("a.txt", b"x"),))
    await rest.ask(seed.BOT, "POST", SEND, {"content": ""})
    logged = discord.control.requests(route=ROUTE, method="POST")
    assert [(r.body, r.status, r.error_code) for r in logged] == [
        (body, 200, None),
        (body, 200, None),
        ({"content": ""}, 400, 50006),
    ]
    assert {r.user_id for r in logged} == {seed.BOT.id}
    async with aiohttp.ClientSession() as http:
        async with http.get(f"{discord.control_url}/requests?since={logged[0].number}&route={ROUTE}") as response:
            over_http = (await response.json())["requests"]
        async with http.get(f"{discord.control_url}/state") as response:
            state = await response.json()
    assert [r["number"] for r in over_http] == [r.number for r in logged[1:]]
    assert (state["messages"], state["channels"]) == (2, 6)


async def test_powers_name_what_is_wrong(rest: Rest) -> None:
    unknown = await rest.control("fly")
    assert (unknown.status, "drop_connections" in unknown.body["message"]) == (404, True)
    missing = await rest.control("fail_requests")
    assert (missing.status, missing.body["message"]) == (
        400,
        "The member route is missing, or is not of the right type.",
    )
    assert (await rest.control("delete_channel", channel_id="1")).body["message"] == "Unknown Channel"
    assert (await rest.control("set_intents", granted=["EVERYTHING"])).status == 400
    assert (await rest.control("advance", seconds=-1)).status == 400


async def test_every_power_works_over_http(discord: SimulatedDiscord, rest: Rest) -> None:
    person = (await rest.control("create_user", username="visitor", display_name="Visitor")).body["result"]
    guild, channel = str(seed.GUILD_ID), str(seed.RANDOM_ID)
    async with gateway(discord, seed.BOT) as bot:
        powers: tuple[tuple[str, dict[str, object]], ...] = (
            ("add_member", {"guild_id": guild, "user_id": person["id"], "role_ids": [str(seed.STAFF_ROLE_ID)]}),
            ("set_member_roles", {"guild_id": guild, "user_id": person["id"], "role_ids": []}),
            ("set_overwrite", {"channel_id": channel, "target_id": person["id"], "allow": 2048, "deny": 1024}),
            ("clear_overwrite", {"channel_id": channel, "target_id": person["id"]}),
            ("set_role_permissions", {"role_id": str(seed.REGULARS_ROLE_ID), "permissions": 8}),
            ("create_channel", {"guild_id": guild, "name": "made"}),
            ("delete_channel", {"channel_id": channel}),
            ("remove_member", {"guild_id": guild, "user_id": person["id"]}),
            ("delay_events", {"event": "MESSAGE_CREATE", "seconds": 0.01}),
            ("duplicate_events", {"event": "MESSAGE_CREATE"}),
            ("slow_requests", {"route": "*", "seconds": 0.01}),
            ("lose_responses", {"route": "/nothing"}),
            ("fail_resumes", {"count": 0}),
            ("strict_limits", {"strict": False}),
            ("set_intents", {"granted": ["MESSAGE_CONTENT", "GUILD_MEMBERS"]}),
            ("advance", {"seconds": 1}),
            ("request_reconnect", {}),
            ("invalidate_sessions", {"resumable": True}),
            ("clear_faults", {}),
            ("accept_connections", {"accept": True}),
            ("drop_connections", {"user_id": str(seed.BOT.id)}),
            ("refuse_connections_for", {"seconds": 0.01}),
            ("outage_for", {"seconds": 0.01}),
        )
        for power, body in powers:
            reply = await rest.control(power, **body)
            assert reply.status == 200, (power, reply.body)
        for event in (
            "GUILD_MEMBER_ADD",
            "GUILD_MEMBER_UPDATE",
            "CHANNEL_DELETE",
            "GUILD_MEMBER_REMOVE",
            "op 7",
            "op 9",
        ):
            await bot.until(event)
        await bot.until("closed")
