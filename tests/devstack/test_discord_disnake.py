"""An unmodified disnake client lives in the simulated Discord as it lives in Discord."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, Literal

import aiohttp
import disnake
import pytest
from disnake.ext import commands
from disnake.http import Route

from devstack.discord import seed
from devstack.discord.intents import Intent
from devstack.discord.permissions import Permission
from devstack.discord.posting import Draft, post
from devstack.discord.server import SimulatedDiscord

from .discord_kit import PATIENCE, Rest, gateway

Asked = disnake.ApplicationCommandInteraction[commands.InteractionBot]
CREATE = "/channels/{channel_id}/messages"


@pytest.fixture(autouse=True)
def route_base(discord: SimulatedDiscord) -> Iterator[None]:
    before = Route.BASE
    Route.BASE = discord.api_url
    yield
    Route.BASE = before


@asynccontextmanager
async def connected(
    register: Callable[[commands.InteractionBot], None] = lambda _: None, *, content: bool = True, zlib: bool = True
) -> AsyncGenerator[commands.InteractionBot]:
    """Log in, wait until everything is there, and log out again. `register` may add commands before."""
    intents = disnake.Intents.default()
    intents.members = True
    intents.message_content = content
    params = disnake.GatewayParams(zlib=zlib)
    bot = commands.InteractionBot(intents=intents, gateway_params=params, guild_ready_timeout=0.2)
    register(bot)
    running = asyncio.create_task(bot.start(seed.BOT_TOKEN))
    try:
        ready = asyncio.create_task(bot.wait_until_ready())
        await asyncio.wait({running, ready}, timeout=PATIENCE * 2, return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            await running  # raises what the login raised
        assert ready.done(), "the client did not become ready"
        yield bot
    finally:
        await bot.close()
        await asyncio.gather(running, return_exceptions=True)


def text_channel(bot: disnake.Client, channel_id: int = seed.GENERAL_ID) -> disnake.TextChannel:
    channel = bot.get_channel(channel_id)
    assert isinstance(channel, disnake.TextChannel)
    return channel


async def heard(bot: disnake.Client, content: str) -> disnake.Message:
    found: disnake.Message = await bot.wait_for("message", check=_says(content), timeout=PATIENCE)
    return found


def _says(content: str) -> Callable[[disnake.Message], bool]:
    return lambda message: message.content == content


async def test_logs_in_and_sees_guilds_channels_members_and_roles() -> None:
    async with connected() as bot:
        assert bot.user.id == seed.BOT.id
        assert {g.name for g in bot.guilds} == {seed.GUILD_NAME, seed.SECOND_GUILD_NAME}
        guild = bot.get_guild(seed.GUILD_ID)
        assert guild is not None
        assert [c.name for c in guild.text_channels] == ["general", "projects", "random", "staff"]
        assert {m.id for m in guild.members} == {m.id for m in seed.EVERYBODY}, "asked for by op 8, answered in chunks"
        grace = guild.get_member(seed.GRACE.id)
        assert grace is not None
        assert [r.name for r in grace.roles] == ["@everyone", "Staff"]
        assert guild.owner_id == seed.ADA.id
        staff = text_channel(bot, seed.STAFF_ID)
        assert staff.permissions_for(grace).view_channel
        linus = guild.get_member(seed.LINUS.id)
        assert linus is not None
        assert not staff.permissions_for(linus).view_channel


async def test_the_application_tells_its_privileged_intents(discord: SimulatedDiscord) -> None:
    discord.control.set_intents([Intent.MESSAGE_CONTENT])
    intents = disnake.Intents.default()
    bot = disnake.Client(intents=intents)
    await bot.login(seed.BOT_TOKEN)
    flags = (await bot.application_info()).flags
    await bot.close()
    assert flags is not None
    assert flags.gateway_message_content_limited
    assert not flags.gateway_guild_members_limited


@pytest.mark.parametrize("zlib", [True, False])
async def test_a_message_and_its_reply_go_round(rest: Rest, zlib: bool) -> None:
    async with connected(zlib=zlib) as bot:
        hearing = asyncio.create_task(heard(bot, f"<@{seed.BOT.id}> hello"))
        await rest.say(seed.ADA, seed.GENERAL_ID, f"<@{seed.BOT.id}> hello")
        message = await hearing
        assert bot.user in message.mentions
        assert isinstance(message.author, disnake.Member)
        assert (message.author.display_name, message.author.guild.id) == ("Ada", seed.GUILD_ID)
        none = disnake.AllowedMentions.none()
        reply = await message.reply("@everyone <@&1> hi", allowed_mentions=none, suppress_embeds=True)
        assert (reply.mentions, reply.mention_everyone, reply.flags.suppress_embeds) == ([], False, True)
        assert reply.reference is not None
        assert reply.reference.message_id == message.id


async def test_files_reactions_edits_and_deletes_go_round(rest: Rest) -> None:
    async with connected() as bot:
        channel = text_channel(bot)
        sent = await channel.send("look", file=disnake.File(__file__, "a file.txt", description="this test"))
        (attachment,) = sent.attachments
        assert (attachment.filename, attachment.description) == ("a_file.txt", "this test")
        assert (await attachment.read()).startswith(b'"""An unmodified')
        reacting = asyncio.create_task(bot.wait_for("raw_reaction_add", timeout=PATIENCE))
        await sent.add_reaction("👍")
        event: disnake.RawReactionActionEvent = await reacting
        assert (event.user_id, str(event.emoji)) == (seed.BOT.id, "👍")
        editing = asyncio.create_task(bot.wait_for("message_edit", timeout=PATIENCE))
        await sent.edit("looked")
        _, after = await editing
        assert (after.content, after.edited_at is None) == ("looked", False)
        deleting = asyncio.create_task(bot.wait_for("raw_message_delete", timeout=PATIENCE))
        await rest.delete(seed.GRACE, f"/channels/{channel.id}/messages/{sent.id}")
        assert (await deleting).message_id == sent.id
        with pytest.raises(disnake.NotFound) as refused:
            await channel.fetch_message(sent.id)
        assert refused.value.code == 10008


async def test_history_is_read_in_pages(rest: Rest) -> None:
    for number in range(7):
        await rest.say(seed.ADA, seed.GENERAL_ID, str(number))
    async with connected() as bot:
        channel = text_channel(bot)
        assert [m.content async for m in channel.history(limit=3)] == ["6", "5", "4"]
        assert [m.content async for m in channel.history(limit=None, oldest_first=True)] == list("0123456")
        second = [m async for m in channel.history(limit=2, oldest_first=True)][1]
        assert [m.content async for m in channel.history(after=second, limit=3)] == ["2", "3", "4"]
        assert [m.content async for m in channel.history(around=second, limit=3)] == ["2", "1", "0"]


async def test_a_direct_message_goes_round(rest: Rest) -> None:
    async with connected() as bot:
        opened = await rest.post(seed.ADA, "/users/@me/channels", {"recipient_id": str(seed.BOT.id)})
        hearing = asyncio.create_task(heard(bot, "psst"))
        await rest.say(seed.ADA, opened["id"], "psst")
        message = await hearing
        assert isinstance(message.channel, disnake.DMChannel)
        assert message.guild is None
        await message.channel.send("yes?")
        ada = await bot.fetch_user(seed.ADA.id)
        assert (await ada.create_dm()).id == message.channel.id, "there is one channel for the two"
        assert [m["content"] for m in await rest.get(seed.ADA, f"/channels/{opened['id']}/messages")] == [
            "yes?",
            "psst",
        ]


async def test_a_cut_connection_is_resumed_and_nothing_is_missed(discord: SimulatedDiscord, rest: Rest) -> None:
    async with connected() as bot:
        seen: list[str] = []
        bot.add_listener(_collector(seen), "on_message")
        resumed = asyncio.create_task(bot.wait_for("resumed", timeout=PATIENCE * 3))
        discord.control.drop_connections()
        sim = discord.simulation
        for number in range(3):  # at once, before the client can have come back
            draft = Draft(
                channel=sim.world.channel(seed.GENERAL_ID), author_id=seed.ADA.id, content=f"while away {number}"
            )
            post(sim, draft)
        await resumed
        await rest.say(seed.ADA, seed.GENERAL_ID, "back")
        await _until(lambda: "back" in seen)
        assert seen == ["while away 0", "while away 1", "while away 2", "back"]


def _collector(seen: list[str]) -> Callable[[disnake.Message], Coroutine[Any, Any, None]]:
    async def on_message(message: disnake.Message) -> None:
        seen.append(message.content)

    return on_message


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 - any condition may be waited for
            await asyncio.sleep(0.01)


async def test_an_invalid_resume_ends_in_a_new_session(discord: SimulatedDiscord, rest: Rest) -> None:
    async with connected() as bot:
        ready_again = asyncio.create_task(bot.wait_for("ready", timeout=PATIENCE * 4))
        discord.control.fail_resumes()
        discord.control.drop_connections()
        await ready_again
        hearing = asyncio.create_task(heard(bot, "again"))
        await rest.say(seed.ADA, seed.GENERAL_ID, "again")
        await hearing


async def test_op_7_makes_it_reconnect_and_resume(discord: SimulatedDiscord) -> None:
    async with connected() as bot:
        resumed = asyncio.create_task(bot.wait_for("resumed", timeout=PATIENCE * 3))
        assert discord.control.request_reconnect() == 1
        await resumed


async def test_a_wrong_token_fails_the_login() -> None:
    bot = disnake.Client()
    with pytest.raises(disnake.LoginFailure):
        await bot.start("not.a.token")
    await bot.close()


async def test_a_privileged_intent_that_is_off_closes_the_connection(discord: SimulatedDiscord) -> None:
    discord.control.set_intents([Intent.GUILD_MEMBERS])
    with pytest.raises(disnake.PrivilegedIntentsRequired):
        async with connected():
            pass


async def test_without_message_content_only_addressed_words_are_seen(rest: Rest) -> None:
    async with connected(content=False) as bot:
        seen: list[str] = []
        bot.add_listener(_collector(seen), "on_message")
        await rest.say(seed.ADA, seed.GENERAL_ID, "not for bots")
        await rest.say(seed.ADA, seed.GENERAL_ID, f"<@{seed.BOT.id}> for you")
        opened = await rest.post(seed.ADA, "/users/@me/channels", {"recipient_id": str(seed.BOT.id)})
        await rest.say(seed.ADA, opened["id"], "direct")
        await _until(lambda: "direct" in seen)
        assert seen == ["", f"<@{seed.BOT.id}> for you", "direct"]


async def test_a_thread_is_made_joined_and_answered_in(rest: Rest) -> None:
    async with connected() as bot:
        channel = text_channel(bot)
        made = asyncio.create_task(bot.wait_for("thread_create", timeout=PATIENCE))
        message = await rest.say(seed.ADA, seed.GENERAL_ID, "topic")
        created = await rest.post(
            seed.ADA, f"/channels/{channel.id}/messages/{message['id']}/threads", {"name": "topic"}
        )
        thread: disnake.Thread = await made
        assert (str(thread.id), thread.parent_id) == (created["id"], seed.GENERAL_ID)
        hearing = asyncio.create_task(heard(bot, "inside"))
        await rest.say(seed.ADA, thread.id, "inside")
        inside = await hearing
        assert isinstance(inside.channel, disnake.Thread)
        await inside.reply("answered")
        assert {m.id for m in await thread.fetch_members()} == {seed.ADA.id, seed.BOT.id}


async def test_a_private_thread_of_others_is_denied(discord: SimulatedDiscord, rest: Rest) -> None:
    permissions = int(Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES)
    discord.control.set_role_permissions(seed.GOPHER_ROLE_ID, permissions)  # without Manage Threads
    async with connected() as bot:
        seen: list[str] = []
        bot.add_listener(_collector(seen), "on_message")
        private = await rest.post(seed.ADA, f"/channels/{seed.GENERAL_ID}/threads", {"name": "secret", "type": 12})
        await rest.say(seed.ADA, private["id"], "secret")
        with pytest.raises(disnake.Forbidden) as refused:
            await bot.fetch_channel(int(private["id"]))
        assert refused.value.code == 50001
        joined = asyncio.create_task(bot.wait_for("thread_join", timeout=PATIENCE))
        await rest.put(seed.ADA, f"/channels/{private['id']}/thread-members/{seed.BOT.id}")
        await joined
        await rest.say(seed.ADA, private["id"], "no secret")
        await _until(lambda: "no secret" in seen)
        assert seen == ["no secret"]


async def test_a_429_is_waited_for_and_the_message_comes_once(discord: SimulatedDiscord) -> None:
    async with connected() as bot:
        wait = timedelta(milliseconds=200)
        discord.control.rate_limit(CREATE, method="POST", count=2, retry_after=wait)
        loop = asyncio.get_running_loop()
        began = loop.time()
        await text_channel(bot).send("patience")
        assert loop.time() - began >= 0.4
        log = discord.control.requests(route=CREATE, method="POST")
        assert [r.status for r in log] == [429, 429, 200]


async def test_a_lost_response_and_an_enforced_nonce_give_one_message(discord: SimulatedDiscord) -> None:
    async with connected() as bot:
        discord.control.lose_responses(CREATE, method="POST")
        body: dict[str, object] = {
            "content": "once",
            "nonce": "abc",
            "enforce_nonce": True,
            "allowed_mentions": {"parse": []},
        }
        route = Route("POST", CREATE, channel_id=seed.GENERAL_ID)
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await bot.http.request(route, json=body)
        again = await bot.http.request(route, json=body)
        history = [m async for m in text_channel(bot).history()]
        assert [(m.content, str(m.id)) for m in history] == [("once", again["id"])]


def _with_ask(bot: commands.InteractionBot) -> None:
    @bot.slash_command(description="Ask")
    async def ask(interaction: Asked, text: str, who: disnake.Member) -> None:
        assert isinstance(interaction.author, disnake.Member)
        button: disnake.ui.Button[None] = disnake.ui.Button(label="More", custom_id="more")
        await interaction.response.send_message(
            f"{interaction.author.display_name} asks {who.display_name}: {text}", components=button, ephemeral=True
        )

    async def more(interaction: disnake.MessageInteraction[commands.InteractionBot]) -> None:
        await interaction.response.defer(with_message=True)
        await interaction.edit_original_response("More")
        await interaction.followup.send("and more", ephemeral=True)

    bot.add_listener(more, "on_button_click")
    assert ask.name == "ask"


async def _command(rest: Rest, name: str) -> Any:  # noqa: ANN401 - JSON
    """Wait until a command is registered."""
    async with asyncio.timeout(PATIENCE):
        while True:
            index = await rest.get(seed.ADA, f"/channels/{seed.GENERAL_ID}/application-command-index")
            for command in index["application_commands"]:
                if command["name"] == name:
                    return command
            await asyncio.sleep(0.05)


async def test_a_slash_command_a_button_and_an_ephemeral_answer(discord: SimulatedDiscord, rest: Rest) -> None:
    async with connected(_with_ask), gateway(discord, seed.ADA) as ada, gateway(discord, seed.LINUS) as linus:
        command = await _command(rest, "ask")
        asked = {
            "application_id": command["application_id"],
            "guild_id": str(seed.GUILD_ID),
            "channel_id": str(seed.GENERAL_ID),
        }
        options = [
            {"type": 3, "name": "text", "value": "why?"},
            {"type": 6, "name": "who", "value": str(seed.GRACE.id)},
        ]
        data = {"id": command["id"], "version": command["version"], "name": "ask", "type": 1, "options": options}
        await rest.post(seed.ADA, "/interactions", asked | {"type": 2, "nonce": "17", "data": data})
        answer = await ada.until("MESSAGE_CREATE")
        assert (answer["content"], answer["flags"]) == ("Ada asks Grace: why?", 64)
        assert (await ada.until("INTERACTION_SUCCESS"))["nonce"] == "17"
        assert answer["interaction_metadata"]["user"]["id"] == str(seed.ADA.id)
        press = {"type": 3, "message_id": answer["id"], "data": {"component_type": 2, "custom_id": "more"}}
        await rest.post(seed.ADA, "/interactions", asked | press)
        updated = await ada.until("MESSAGE_UPDATE", lambda m: m["content"] == "More")
        assert updated["edited_timestamp"] is None, "the first words in place of a deferral are no edit"
        await ada.until("MESSAGE_CREATE", lambda m: m["content"] == "and more")
        await linus.until("MESSAGE_UPDATE", lambda m: m["content"] == "More")
        assert {m["content"] for m in linus.all("MESSAGE_CREATE")} == {""}, "only the deferral: the rest was ephemeral"


def _with_count(bot: commands.InteractionBot) -> None:
    @bot.slash_command(description="Count")
    async def count(
        interaction: Asked,
        number: commands.Range[int, 1, 10],
        kind: Literal["a", "b"] = "a",
    ) -> None:
        await interaction.response.send_message(f"{number} {kind}")

    assert count.name == "count"


async def test_registered_commands_are_found_unchanged_after_a_restart(discord: SimulatedDiscord, rest: Rest) -> None:
    async with connected(_with_count):
        await _command(rest, "count")
    before = discord.control.state()["requests"]
    base = "/applications/{application_id}/commands"
    async with connected(_with_count):
        await _until(lambda: len(discord.control.requests(since=before, route=base, method="GET")) > 0)
        await asyncio.sleep(0.2)
    assert discord.control.requests(since=before, route=base, method="PUT") == ()
