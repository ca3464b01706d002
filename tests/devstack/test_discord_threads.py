"""Threads: how they begin, who sees them, and how they end."""

from __future__ import annotations

from typing import Any

import pytest

from devstack.discord import seed
from devstack.discord.permissions import Permission
from devstack.discord.server import SimulatedDiscord

from .discord_kit import Rest, gateway

GENERAL = f"/channels/{seed.GENERAL_ID}"


async def start(rest: Rest, who: seed.SeedMember, kind: int = 11, **more: object) -> Any:  # noqa: ANN401 - JSON
    return await rest.post(who, f"{GENERAL}/threads", {"name": "thread", "type": kind, **more})


async def test_a_thread_of_a_message_has_its_id_and_changes_the_message(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.BOT) as bot:
        message = await rest.say(seed.ADA, seed.GENERAL_ID, "topic")
        path = f"{GENERAL}/messages/{message['id']}/threads"
        thread = await rest.post(seed.LINUS, path, {"name": "topic", "auto_archive_duration": 60})
        assert (thread["id"], thread["parent_id"], thread["type"]) == (message["id"], str(seed.GENERAL_ID), 11)
        created = await bot.until("THREAD_CREATE")
        assert (created["newly_created"], created["owner_id"]) == (True, str(seed.LINUS.id))
        update = await bot.until("MESSAGE_UPDATE")
        assert (update["thread"]["id"], update["flags"] & 32, update["edited_timestamp"]) == (message["id"], 32, None)
        starter = await bot.until("MESSAGE_CREATE", lambda m: m["type"] == 21)
        assert starter["referenced_message"]["content"] == "topic"
        assert (await rest.ask(seed.ADA, "POST", path, {"name": "again"})).code == 160004


async def test_a_public_thread_is_announced_in_its_channel(discord: SimulatedDiscord, rest: Rest) -> None:
    async with gateway(discord, seed.BOT) as bot:
        thread = await start(rest, seed.LINUS)
        notice = await bot.until("MESSAGE_CREATE")
        assert (notice["type"], notice["content"], notice["message_reference"]["channel_id"]) == (
            18,
            "thread",
            thread["id"],
        )


async def test_speaking_joins_and_counts(discord: SimulatedDiscord, rest: Rest) -> None:
    thread = await start(rest, seed.LINUS)
    async with gateway(discord, seed.BOT) as bot:
        await rest.say(seed.ADA, thread["id"], "first")
        joined = await bot.until("THREAD_MEMBERS_UPDATE")
        assert [m["user_id"] for m in joined["added_members"]] == [str(seed.ADA.id)]
        second = await rest.say(seed.ADA, thread["id"], "second")
        shown = await rest.get(seed.BOT, f"/channels/{thread['id']}")
        assert (shown["message_count"], shown["total_message_sent"], shown["member_count"]) == (2, 2, 2)
        await rest.delete(seed.ADA, f"/channels/{thread['id']}/messages/{second['id']}")
        shown = await rest.get(seed.BOT, f"/channels/{thread['id']}")
        assert (shown["message_count"], shown["total_message_sent"]) == (1, 2)
        assert len(bot.all("THREAD_MEMBERS_UPDATE")) == 1


async def test_a_mention_in_a_private_thread_lets_in(discord: SimulatedDiscord, rest: Rest) -> None:
    thread = await start(rest, seed.LINUS, 12)
    path = f"/channels/{thread['id']}"
    async with gateway(discord, seed.MIKA) as mika:
        await rest.say(seed.LINUS, thread["id"], "secret")
        assert (await rest.ask(seed.MIKA, "GET", path)).code == 50001
        await rest.say(seed.LINUS, thread["id"], f"<@{seed.MIKA.id}> come in")
        assert (await mika.until("THREAD_CREATE"))["id"] == thread["id"]
        await mika.until("MESSAGE_CREATE", lambda m: "come in" in m["content"])
        assert "secret" not in [m["content"] for m in mika.all("MESSAGE_CREATE")]
        assert (await rest.get(seed.MIKA, f"{path}/thread-members/@me"))["user_id"] == str(seed.MIKA.id)
        await rest.delete(seed.MIKA, f"{path}/thread-members/@me")
        assert (await rest.ask(seed.MIKA, "GET", path)).code == 50001


async def test_only_the_maker_and_managers_invite_into_a_closed_private_thread(rest: Rest) -> None:
    thread = await start(rest, seed.LINUS, 12, invitable=False)
    path = f"/channels/{thread['id']}/thread-members"
    await rest.put(seed.LINUS, f"{path}/{seed.MIKA.id}")
    assert (await rest.ask(seed.MIKA, "PUT", f"{path}/{seed.NOOR.id}")).code == 50013
    await rest.put(seed.GRACE, f"{path}/{seed.NOOR.id}")
    assert (await rest.ask(seed.NOOR, "DELETE", f"{path}/{seed.MIKA.id}")).code == 50013
    await rest.delete(seed.LINUS, f"{path}/{seed.MIKA.id}")
    assert (await rest.ask(seed.LINUS, "GET", f"{path}/{seed.MIKA.id}")).code == 10007


async def test_an_archived_thread_takes_a_message_and_opens_but_no_reaction(
    discord: SimulatedDiscord, rest: Rest
) -> None:
    thread = await start(rest, seed.LINUS)
    path = f"/channels/{thread['id']}"
    message = await rest.say(seed.LINUS, thread["id"], "x")
    await rest.patch(seed.LINUS, path, {"archived": True})
    reaction = f"{path}/messages/{message['id']}/reactions/%F0%9F%91%8D/@me"
    assert (await rest.ask(seed.ADA, "PUT", reaction)).code == 50083
    assert (await rest.ask(seed.LINUS, "PATCH", f"{path}/messages/{message['id']}", {"content": "y"})).code == 50083
    async with gateway(discord, seed.BOT) as bot:
        await rest.say(seed.BOT, thread["id"], "open")
        assert (await bot.until("THREAD_UPDATE"))["thread_metadata"]["archived"] is False
    await rest.put(seed.ADA, reaction)


async def test_a_locked_thread_is_opened_by_managers_only(rest: Rest) -> None:
    thread = await start(rest, seed.LINUS)
    path = f"/channels/{thread['id']}"
    assert (await rest.ask(seed.LINUS, "PATCH", path, {"locked": True})).code == 50013
    await rest.patch(seed.GRACE, path, {"locked": True, "archived": True})
    assert (await rest.ask(seed.MIKA, "POST", f"{path}/messages", {"content": "x"})).code == 50083
    assert (await rest.ask(seed.LINUS, "PATCH", path, {"archived": False})).code == 50013
    await rest.patch(seed.GRACE, path, {"archived": False, "locked": False})
    await rest.say(seed.MIKA, thread["id"], "x")


async def test_threads_are_not_made_where_they_cannot_be(rest: Rest) -> None:
    thread = await start(rest, seed.LINUS)
    opened = await rest.post(seed.ADA, "/users/@me/channels", {"recipient_id": str(seed.BOT.id)})
    for channel_id in (thread["id"], opened["id"]):
        reply = await rest.ask(seed.ADA, "POST", f"/channels/{channel_id}/threads", {"name": "x", "type": 11})
        assert reply.code == 50024
    rest.discord.control.set_overwrite(seed.GENERAL_ID, seed.LINUS.id, deny=Permission.CREATE_PRIVATE_THREADS)
    reply = await rest.ask(seed.LINUS, "POST", f"{GENERAL}/threads", {"name": "x", "type": 12})
    assert reply.code == 50013
    for body in ({"name": ""}, {"name": "x", "type": 5}, {"name": "x", "auto_archive_duration": 7}):
        assert (await rest.ask(seed.ADA, "POST", f"{GENERAL}/threads", body)).code == 50035


@pytest.mark.parametrize("how", ["thread", "channel"])
async def test_a_deleted_thread_is_gone_for_everybody(discord: SimulatedDiscord, rest: Rest, how: str) -> None:
    thread = await start(rest, seed.LINUS)
    await rest.say(seed.LINUS, thread["id"], "x")
    async with gateway(discord, seed.BOT) as bot:
        await rest.delete(seed.BOT, f"/channels/{thread['id']}" if how == "thread" else GENERAL)
        await bot.until("THREAD_DELETE" if how == "thread" else "CHANNEL_DELETE")
    assert (await rest.ask(seed.BOT, "GET", f"/channels/{thread['id']}/messages")).code == 10003
    assert (await rest.get(seed.BOT, f"/guilds/{seed.GUILD_ID}/threads/active"))["threads"] == []


async def test_lists_of_archived_threads_come_in_pages(rest: Rest) -> None:
    made = [(await start(rest, seed.LINUS))["id"] for _ in range(3)]
    for thread_id in made:
        await rest.patch(seed.LINUS, f"/channels/{thread_id}", {"archived": True})
    path = f"{GENERAL}/threads/archived/public"
    first = await rest.get(seed.ADA, f"{path}?limit=2")
    assert ([t["id"] for t in first["threads"]], first["has_more"]) == ([made[2], made[1]], True)
    before = first["threads"][-1]["thread_metadata"]["archive_timestamp"].replace("+", "%2B")
    rest_of_them = await rest.get(seed.ADA, f"{path}?limit=2&before={before}")
    assert ([t["id"] for t in rest_of_them["threads"]], rest_of_them["has_more"]) == ([made[0]], False)
