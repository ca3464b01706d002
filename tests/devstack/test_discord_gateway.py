"""The gateway's protocol: logging in, intents, resuming, compression, and the faults that can be switched on."""

from __future__ import annotations

import asyncio
import json
import zlib
from datetime import timedelta

import aiohttp
import pytest

from devstack.discord import seed
from devstack.discord.intents import Intent
from devstack.discord.server import SimulatedDiscord

from .discord_kit import ALL_INTENTS, PATIENCE, Rest, bare_gateway, gateway

GENERAL = f"/channels/{seed.GENERAL_ID}"
IDENTIFY = {"token": seed.BOT_TOKEN, "intents": ALL_INTENTS}


async def test_says_hello_and_acknowledges_heartbeats(discord: SimulatedDiscord) -> None:
    async with bare_gateway(discord) as session:
        assert (await session.until("op 10"))["heartbeat_interval"] == 41250
        await session.socket.send_json({"op": 1, "d": None})
        await session.until("op 11")


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ("no json", 4002),
        ("[]", 4002),
        ('{"op": 2, "d": {"token": "' + "x" * 16_000 + '"}}', 4002),
        ('{"op": 99}', 4001),
        ('{"op": 8, "d": {}}', 4003),
        ('{"op": 2, "d": {"token": "wrong", "intents": 1}}', 4004),
        ('{"op": 2, "d": {}}', 4004),
        (json.dumps({"op": 2, "d": IDENTIFY | {"intents": 1 << 40}}), 4013),
        (json.dumps({"op": 2, "d": {"token": seed.BOT_TOKEN}}), 4013),
        (json.dumps({"op": 2, "d": IDENTIFY | {"shard": [2, 2]}}), 4010),
        ('{"op": 6, "d": {"token": "wrong", "session_id": "x", "seq": 1}}', 4004),
    ],
)
async def test_closes_with_discords_codes(discord: SimulatedDiscord, sent: str, code: int) -> None:
    async with bare_gateway(discord) as session:
        await session.socket.send_str(sent)
        assert await session.until("closed") == code


async def test_identifying_twice_closes_with_4005(discord: SimulatedDiscord) -> None:
    async with gateway(discord, seed.BOT) as session:
        await session.socket.send_json({"op": 2, "d": IDENTIFY})
        assert await session.until("closed") == 4005


@pytest.mark.parametrize("intent", [Intent.MESSAGE_CONTENT, Intent.GUILD_MEMBERS, Intent.GUILD_PRESENCES])
async def test_a_privileged_intent_that_is_off_closes_with_4014(discord: SimulatedDiscord, intent: Intent) -> None:
    privileged = [Intent.MESSAGE_CONTENT, Intent.GUILD_MEMBERS, Intent.GUILD_PRESENCES]
    discord.control.set_intents([i for i in privileged if i is not intent])
    async with bare_gateway(discord) as session:
        await session.socket.send_json({"op": 2, "d": IDENTIFY | {"intents": int(Intent.GUILDS | intent)}})
        assert await session.until("closed") == 4014
    async with gateway(discord, seed.BOT, intents=ALL_INTENTS & ~intent):
        pass


async def test_ready_tells_guilds_and_what_follows_fills_them(discord: SimulatedDiscord) -> None:
    async with gateway(discord, seed.BOT) as session:
        assert session.ready["application"]["id"] == str(seed.APPLICATION_ID)
        assert session.ready["guilds"] == [
            {"id": str(seed.GUILD_ID), "unavailable": True},
            {"id": str(seed.SECOND_GUILD_ID), "unavailable": True},
        ]
        first = session.all("GUILD_CREATE")[0]
        assert (first["member_count"], len(first["members"]), len(first["channels"])) == (7, 7, 5)


async def test_without_the_members_intent_only_the_bot_is_listed(discord: SimulatedDiscord) -> None:
    async with gateway(discord, seed.BOT, intents=ALL_INTENTS & ~Intent.GUILD_MEMBERS) as session:
        assert [m["user"]["id"] for m in session.all("GUILD_CREATE")[0]["members"]] == [str(seed.BOT.id)]


async def test_members_are_sent_on_request(discord: SimulatedDiscord) -> None:
    async with gateway(discord, seed.BOT) as session:
        requests: list[dict[str, object]] = [
            {"query": "", "limit": 0, "nonce": "all"},
            {"query": "li", "limit": 5, "nonce": "some"},
            {"user_ids": [str(seed.ADA.id), "1"], "nonce": "these"},
        ]
        for request in requests:
            await session.socket.send_json({"op": 8, "d": {"guild_id": str(seed.GUILD_ID), **request}})
        everybody = await session.until("GUILD_MEMBERS_CHUNK", lambda c: c["nonce"] == "all")
        assert (len(everybody["members"]), everybody["chunk_index"], everybody["chunk_count"]) == (7, 0, 1)
        some = await session.until("GUILD_MEMBERS_CHUNK", lambda c: c["nonce"] == "some")
        assert [m["user"]["username"] for m in some["members"]] == ["linus"]
        these = await session.until("GUILD_MEMBERS_CHUNK", lambda c: c["nonce"] == "these")
        assert ([m["user"]["id"] for m in these["members"]], these["not_found"]) == ([str(seed.ADA.id)], ["1"])


async def test_events_are_heard_by_intents(discord: SimulatedDiscord, rest: Rest) -> None:
    only_reactions = int(Intent.GUILDS | Intent.GUILD_MESSAGE_REACTIONS)
    async with gateway(discord, seed.BOT, intents=only_reactions) as session:
        opened = await rest.post(seed.ADA, "/users/@me/channels", {"recipient_id": str(seed.BOT.id)})
        await rest.say(seed.ADA, opened["id"], "direct")
        message = await rest.say(seed.ADA, seed.GENERAL_ID, "words")
        await rest.post(seed.ADA, f"{GENERAL}/typing")
        await rest.put(seed.ADA, f"{GENERAL}/messages/{message['id']}/reactions/%F0%9F%91%8D/@me")
        await session.until("MESSAGE_REACTION_ADD")
        assert {n for n, _ in session.heard[1:]} <= {"READY", "GUILD_CREATE", "MESSAGE_REACTION_ADD"}


async def test_events_of_hidden_channels_are_not_heard(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.OTHER_BOT) as herald:
        await rest.say(seed.GRACE, seed.STAFF_ID, "hidden")
        await rest.say(seed.MIKA, seed.LOBBY_ID, "another guild")
        await rest.say(seed.GRACE, seed.GENERAL_ID, "open")
        await herald.until("MESSAGE_CREATE", lambda m: m["content"] == "open")
        assert [m["content"] for m in herald.all("MESSAGE_CREATE")] == ["open"]


async def test_content_is_withheld_without_the_intent(discord: SimulatedDiscord, rest: Rest) -> None:
    target = await rest.say(seed.BOT, seed.GENERAL_ID, "the bot's own")
    async with gateway(discord, seed.BOT, intents=ALL_INTENTS & ~Intent.MESSAGE_CONTENT) as session:
        plain: dict[str, object] = {"embeds": [{"title": "t"}]}
        reference = {"message_id": target["id"]}
        quiet: dict[str, object] = {"message_reference": reference, "allowed_mentions": {"parse": []}}
        await rest.say(seed.ADA, seed.GENERAL_ID, "plain", **plain)
        await rest.say(seed.ADA, seed.GENERAL_ID, "without a ping", **quiet)
        await rest.say(seed.ADA, seed.GENERAL_ID, "reply", message_reference=reference)
        await rest.say(seed.ADA, seed.GENERAL_ID, f"<@{seed.BOT.id}>")
        await rest.say(seed.BOT, seed.GENERAL_ID, "own")
        await session.until("MESSAGE_CREATE", lambda m: m["content"] == "own")
        shown = [(m["content"], m["embeds"]) for m in session.all("MESSAGE_CREATE")]
        assert shown == [("", []), ("", []), ("reply", []), (f"<@{seed.BOT.id}>", []), ("own", [])]


async def test_several_sessions_of_one_token_hear_the_same(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.BOT) as one, gateway(discord, seed.BOT) as other:
        await rest.say(seed.ADA, seed.GENERAL_ID, "both")
        heard = [await s.until("MESSAGE_CREATE") for s in (one, other)]
        assert heard[0] == heard[1]


async def test_a_shard_hears_of_its_guilds_only(discord: SimulatedDiscord, rest: Rest) -> None:
    # Both seeded guilds are of one shard: the other has none.
    shard = (seed.GUILD_ID >> 22) % 2
    async with (
        gateway(discord, seed.BOT, shard=[shard, 2]) as serving,
        bare_gateway(discord) as idle,
    ):
        await idle.socket.send_json({"op": 2, "d": IDENTIFY | {"shard": [1 - shard, 2]}})
        assert (await idle.until("READY"))["guilds"] == []
        assert serving.ready["shard"] == [shard, 2]
        await rest.say(seed.ADA, seed.GENERAL_ID, "x")
        await serving.until("MESSAGE_CREATE")
        assert idle.all("MESSAGE_CREATE") == []


async def test_a_resumed_session_gets_what_it_missed_and_no_more(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.BOT) as session:
        await rest.say(seed.ADA, seed.GENERAL_ID, "before")
        await session.until("MESSAGE_CREATE")
        session_id, sequence = session.ready["session_id"], session.sequence
        discord.control.drop_connections()
        await session.until("closed")
    await rest.say(seed.ADA, seed.GENERAL_ID, "meanwhile")
    async with bare_gateway(discord) as again:
        resume = {"token": seed.BOT_TOKEN, "session_id": session_id, "seq": sequence}
        await again.socket.send_json({"op": 6, "d": resume})
        await again.until("RESUMED")
        assert [m["content"] for m in again.all("MESSAGE_CREATE")] == ["meanwhile"]
        assert [n for n, _ in again.heard].index("MESSAGE_CREATE") < [n for n, _ in again.heard].index("RESUMED")
        await rest.say(seed.ADA, seed.GENERAL_ID, "after")
        await again.until("MESSAGE_CREATE", lambda m: m["content"] == "after")


@pytest.mark.parametrize("spoil", ["another session", "a sequence to come", "another user", "on demand"])
async def test_what_cannot_be_resumed_is_an_invalid_session(discord: SimulatedDiscord, spoil: str) -> None:
    async with gateway(discord, seed.BOT) as session:
        session_id, sequence = session.ready["session_id"], session.sequence or 0
        discord.control.drop_connections()
        await session.until("closed")
    token = seed.OTHER_BOT_TOKEN if spoil == "another user" else seed.BOT_TOKEN
    resume = {"token": token, "session_id": session_id, "seq": sequence}
    match spoil:
        case "another session":
            resume["session_id"] = "0" * 32
        case "a sequence to come":
            resume["seq"] = sequence + 1000
        case "on demand":
            discord.control.fail_resumes()
        case _:
            pass
    async with bare_gateway(discord) as again:
        await again.socket.send_json({"op": 6, "d": resume})
        assert await again.until("op 9") is False


async def test_a_session_that_was_closed_normally_is_over(discord: SimulatedDiscord) -> None:
    async with gateway(discord, seed.BOT) as session:
        session_id, sequence = session.ready["session_id"], session.sequence
        await session.socket.close(code=1000)
    async with bare_gateway(discord) as again:
        await again.socket.send_json(
            {"op": 6, "d": {"token": seed.BOT_TOKEN, "session_id": session_id, "seq": sequence}}
        )
        assert await again.until("op 9") is False


async def test_reconnects_and_invalid_sessions_can_be_asked_for(discord: SimulatedDiscord) -> None:
    async with gateway(discord, seed.BOT) as session:
        assert discord.control.request_reconnect() == 1
        await session.until("op 7")
        assert discord.control.invalidate_sessions(resumable=True) == 1
        assert await session.until("op 9") is True
        discord.control.invalidate_sessions()
        assert await session.until("op 9", lambda resumable: not resumable) is False


async def test_zlib_stream_is_one_stream_of_flushed_texts(discord: SimulatedDiscord, rest: Rest) -> None:
    url = f"{discord.simulation.gateway_url}?v=10&encoding=json&compress=zlib-stream"
    async with aiohttp.ClientSession() as http, http.ws_connect(url) as socket:
        await socket.send_json({"op": 2, "d": IDENTIFY})
        inflate = zlib.decompressobj()
        names: list[object] = []
        while "MESSAGE_CREATE" not in names:
            frame = await socket.receive_bytes(timeout=PATIENCE)
            assert frame.endswith(b"\x00\x00\xff\xff")
            names.append(json.loads(inflate.decompress(frame))["t"])
            if names[-1] == "READY":
                await rest.say(seed.ADA, seed.GENERAL_ID, "x")
        assert names[:2] == [None, "READY"]


async def test_an_event_can_come_twice_a_millisecond_apart(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.BOT) as bot, gateway(discord, seed.ADA) as ada:
        discord.control.duplicate_events("MESSAGE_CREATE")
        await rest.say(seed.ADA, seed.GENERAL_ID, "twice")
        await rest.say(seed.ADA, seed.GENERAL_ID, "once")
        await bot.until("MESSAGE_CREATE", lambda m: m["content"] == "once")
        await _quiet()
        assert sorted(m["content"] for m in bot.all("MESSAGE_CREATE")) == ["once", "twice", "twice"]
        assert len(ada.all("MESSAGE_CREATE")) == 2, "people's clients are spared"


async def _quiet() -> None:
    """Let what is a few milliseconds late come."""
    await asyncio.sleep(0.05)


async def test_an_event_can_be_late(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.BOT) as bot:
        discord.control.delay_events("MESSAGE_CREATE", timedelta(milliseconds=200))
        late = await rest.say(seed.ADA, seed.GENERAL_ID, "late")
        await rest.delete(seed.ADA, f"{GENERAL}/messages/{late['id']}")
        await bot.until("MESSAGE_CREATE")
        names = [n for n, _ in bot.heard]
        assert names.index("MESSAGE_DELETE") < names.index("MESSAGE_CREATE")


async def test_connections_can_be_refused_for_a_while(discord: SimulatedDiscord) -> None:
    async with gateway(discord, seed.BOT) as session:
        discord.control.refuse_connections_for(timedelta(milliseconds=300))
        await session.until("closed")
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        async with gateway(discord, seed.BOT):
            pass
    assert refused.value.status == 503
    await asyncio.sleep(0.35)
    async with gateway(discord, seed.BOT):
        pass


async def test_a_kicked_bot_hears_that_the_guild_is_gone(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.BOT) as bot, gateway(discord, seed.ADA) as ada:
        discord.control.remove_member(seed.GUILD_ID, seed.BOT.id)
        assert (await bot.until("GUILD_DELETE"))["id"] == str(seed.GUILD_ID)
        assert (await ada.until("GUILD_MEMBER_REMOVE"))["user"]["id"] == str(seed.BOT.id)
        assert (await rest.ask(seed.BOT, "GET", f"/guilds/{seed.GUILD_ID}")).code == 10004
        assert (await rest.ask(seed.BOT, "GET", GENERAL)).code == 50001
        discord.control.add_member(seed.GUILD_ID, seed.BOT.id, [seed.GOPHER_ROLE_ID])
        await bot.until("GUILD_CREATE", lambda g: g["id"] == str(seed.GUILD_ID))
        await rest.say(seed.BOT, seed.GENERAL_ID, "back")


async def test_presence_follows_connections(discord: SimulatedDiscord) -> None:
    async with gateway(discord, seed.LINUS) as linus:

        async def told(status: str) -> None:
            await linus.until("PRESENCE_UPDATE", lambda p: (p["user"]["id"], p["status"]) == (str(seed.BOT.id), status))

        async with gateway(discord, seed.BOT) as bot:
            await told("online")
            await bot.socket.send_json({"op": 3, "d": {"status": "idle", "activities": [], "since": 0, "afk": False}})
            await told("idle")
        await told("offline")
    async with gateway(discord, seed.BOT), gateway(discord, seed.LINUS) as later:
        presences = later.ready["guilds"][0]["presences"]
        assert str(seed.BOT.id) in [p["user"]["id"] for p in presences]
