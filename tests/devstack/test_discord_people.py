"""What a member's client sees: the same API and gateway as the bot's, by the member's own permissions."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from devstack.discord import seed
from devstack.discord.page import PAGE
from devstack.discord.permissions import Permission
from devstack.discord.server import SimulatedDiscord

from .discord_kit import Gateway, Rest, gateway

GENERAL = f"/channels/{seed.GENERAL_ID}"


def names(session: Gateway, guild_id: int = seed.GUILD_ID) -> list[str]:
    guild = next(g for g in session.ready["guilds"] if g["id"] == str(guild_id))
    return [c["name"] for c in guild["channels"]]


def in_an_hour() -> str:
    return (datetime.now(UTC) + timedelta(hours=1)).isoformat()


async def test_ready_carries_everything_that_the_member_sees(discord: SimulatedDiscord, rest: Rest) -> None:
    opened = await rest.post(seed.LINUS, "/users/@me/channels", {"recipient_id": str(seed.BOT.id)})
    thread = await rest.post(seed.LINUS, f"{GENERAL}/threads", {"name": "t", "type": 11})
    async with gateway(discord, seed.LINUS) as linus:
        assert linus.ready["user"]["id"] == str(seed.LINUS.id)
        assert [g["name"] for g in linus.ready["guilds"]] == [seed.GUILD_NAME]
        assert names(linus) == ["Text channels", "general", "projects", "random"]
        (guild,) = linus.ready["guilds"]
        assert len(guild["members"]) == 7
        assert guild["roles"][0]["name"] == "@everyone"
        assert [t["id"] for t in guild["threads"]] == [thread["id"]]
        assert [c["id"] for c in linus.ready["private_channels"]] == [opened["id"]]
        assert [u["id"] for u in linus.ready["private_channels"][0]["recipients"]] == [str(seed.BOT.id)]
        general = next(c for c in guild["channels"] if c["name"] == "general")
        assert int(general["permissions"]) & Permission.SEND_MESSAGES


@pytest.mark.parametrize("who", [seed.ADA, seed.GRACE])
async def test_the_private_channel_is_listed_for_those_who_see_it(
    discord: SimulatedDiscord, who: seed.SeedMember
) -> None:
    async with gateway(discord, who) as session:
        assert names(session)[-1] == "staff"


async def test_typing_is_seen_by_the_others(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.LINUS) as linus:
        await rest.post(seed.BOT, f"/channels/{seed.STAFF_ID}/typing")
        await rest.post(seed.BOT, f"{GENERAL}/typing")
        typing = await linus.until("TYPING_START")
        assert (typing["user_id"], typing["channel_id"]) == (str(seed.BOT.id), str(seed.GENERAL_ID))


async def test_a_direct_message_reaches_both_and_nobody_else(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.ADA) as ada, gateway(discord, seed.LINUS) as linus:
        opened = await rest.post(seed.BOT, "/users/@me/channels", {"recipient_id": str(seed.ADA.id)})
        assert (await ada.until("CHANNEL_CREATE"))["id"] == opened["id"]
        await rest.say(seed.BOT, opened["id"], "between us")
        await ada.until("MESSAGE_CREATE")
        assert (await rest.ask(seed.LINUS, "GET", f"/channels/{opened['id']}/messages")).code == 50001
        await rest.say(seed.BOT, seed.GENERAL_ID, "for all")
        await linus.until("MESSAGE_CREATE")
        assert [m["content"] for m in linus.all("MESSAGE_CREATE")] == ["for all"]


async def test_nobody_writes_to_themselves_and_no_bot_to_a_bot(rest: Rest) -> None:
    path = "/users/@me/channels"
    assert (await rest.ask(seed.ADA, "POST", path, {"recipient_id": str(seed.ADA.id)})).code == 50033
    assert (await rest.ask(seed.BOT, "POST", path, {"recipient_id": str(seed.OTHER_BOT.id)})).code == 50033
    assert (await rest.ask(seed.BOT, "POST", path, {"recipient_id": "1"})).code == 10013
    assert (await rest.ask(seed.BOT, "GET", path)).code == 20001


async def test_channels_appear_and_disappear_with_permissions(discord: SimulatedDiscord, rest: Rest) -> None:
    control = discord.control
    async with gateway(discord, seed.LINUS) as linus, gateway(discord, seed.BOT) as bot:
        control.set_overwrite(seed.STAFF_ID, seed.LINUS.id, allow=Permission.VIEW_CHANNEL)
        assert (await linus.until("CHANNEL_CREATE"))["name"] == "staff"
        assert (await bot.until("CHANNEL_UPDATE"))["id"] == str(seed.STAFF_ID)
        await rest.say(seed.GRACE, seed.STAFF_ID, "welcome")
        await linus.until("MESSAGE_CREATE")
        control.clear_overwrite(seed.STAFF_ID, seed.LINUS.id)
        assert (await linus.until("CHANNEL_DELETE"))["id"] == str(seed.STAFF_ID)
        control.set_member_roles(seed.GUILD_ID, seed.LINUS.id, [seed.STAFF_ROLE_ID])
        await linus.until("CHANNEL_CREATE", lambda _: len(linus.all("CHANNEL_CREATE")) == 2)
        control.set_role_permissions(seed.GUILD_ID, int(Permission.VIEW_CHANNEL))
        await linus.until("GUILD_ROLE_UPDATE")
        assert (await rest.ask(seed.MIKA, "POST", f"{GENERAL}/messages", {"content": "x"})).code == 50013


async def test_a_made_and_a_deleted_channel_are_told(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.LINUS) as linus, gateway(discord, seed.BOT) as bot:
        channel_id = discord.control.create_channel(seed.GUILD_ID, "new")
        assert (await linus.until("CHANNEL_CREATE"))["id"] == str(channel_id)
        await bot.until("CHANNEL_CREATE")
        await rest.say(seed.LINUS, channel_id, "first")
        await rest.patch(seed.BOT, f"/channels/{channel_id}", {"topic": "t"})
        assert (await linus.until("CHANNEL_UPDATE"))["topic"] == "t"
        await rest.delete(seed.BOT, f"/channels/{channel_id}")
        await linus.until("CHANNEL_DELETE")
        await bot.until("CHANNEL_DELETE")


async def test_members_are_moderated_below_ones_own_rank(rest: Rest) -> None:
    guild = f"/guilds/{seed.GUILD_ID}/members"
    body = {"communication_disabled_until": "2999-01-01T00:00:00+00:00"}
    soon = {"communication_disabled_until": in_an_hour()}
    assert (await rest.ask(seed.LINUS, "PATCH", f"{guild}/{seed.MIKA.id}", soon)).code == 50013
    assert (await rest.ask(seed.GRACE, "PATCH", f"{guild}/{seed.BOT.id}", soon)).code == 50013
    assert (await rest.ask(seed.BOT, "PATCH", f"{guild}/{seed.ADA.id}", soon)).code == 50013
    assert (await rest.ask(seed.BOT, "PATCH", f"{guild}/{seed.MIKA.id}", body)).code == 50035
    assert (await rest.ask(seed.BOT, "PATCH", f"{guild}/1", soon)).code == 10007
    assert (await rest.ask(seed.GRACE, "DELETE", f"{guild}/{seed.BOT.id}")).code == 50013
    await rest.delete(seed.GRACE, f"{guild}/{seed.NOOR.id}")


async def test_a_timed_out_member_reads_and_does_not_write(discord: SimulatedDiscord, rest: Rest) -> None:
    body = {"communication_disabled_until": in_an_hour()}
    member = f"/guilds/{seed.GUILD_ID}/members/{seed.LINUS.id}"
    async with gateway(discord, seed.ADA) as ada:
        await rest.patch(seed.BOT, member, body)
        assert (await ada.until("GUILD_MEMBER_UPDATE"))["communication_disabled_until"] is not None
    assert (await rest.ask(seed.LINUS, "POST", f"{GENERAL}/messages", {"content": "x"})).code == 50013
    await rest.get(seed.LINUS, f"{GENERAL}/messages")
    await rest.patch(seed.BOT, member, {"communication_disabled_until": None})
    await rest.say(seed.LINUS, seed.GENERAL_ID, "x")


async def test_the_page_is_told_whom_it_may_speak_as(discord: SimulatedDiscord, rest: Rest) -> None:
    async def load(path: str) -> Any:  # noqa: ANN401 - JSON
        status, body = await rest.fetch(discord.page_url + path)
        assert status == 200
        return json.loads(body)

    listed = await load("sim/members")
    assert [m["name"] for m in listed["members"]] == ["Ada", "Grace", "Linus", "Mika", "Noor"]
    assert listed["members"][0]["token"] == seed.ADA.token
    assert "simulated" in listed["note"].lower()
    info = await load("sim/info")
    assert (info["namespace"], info["temporal_ui_url"]) == ("default", None)
    assert info["bot"]["id"] == str(seed.BOT.id)


async def test_only_the_pages_own_files_are_served(discord: SimulatedDiscord, rest: Rest) -> None:
    for path in ("nothing.js", "..%2Fpostgres.py", "%2e%2e/postgres.py", "../supervisor.py"):
        status, _ = await rest.fetch(discord.page_url + path)
        assert status == 404, path
    for file in sorted(PAGE.iterdir()):
        status, body = await rest.fetch(discord.page_url + file.name)
        assert (status, body) == (200, file.read_bytes())
