from __future__ import annotations

import asyncio
from datetime import timedelta

import aiohttp
import pytest

from devstack.discord import seed
from devstack.discord.intents import Intent
from devstack.discord.server import SimulatedDiscord
from devstack.ports import free_port
from gopher.discord import session
from gopher.discord.client import GopherClient, use_api
from gopher.discord.typing_indicator import TypingIndicator
from gopher.errors import ConfigurationError
from gopher.store.pool import Pool
from gopher.store.requests import RequestOutbox
from tests.discord.burrow import TYPING, Burrow, logged_in, rows, running_bot, until


async def test_a_wrong_token_is_one_sentence_that_names_the_setting(burrow: Burrow) -> None:
    use_api(burrow.discord.api_url)
    client = GopherClient()
    with pytest.raises(ConfigurationError, match=r"^Discord does not accept DISCORD_TOKEN; [^\n]*\.$"):
        await session.log_in(client, "MTIwMDAwMDAwMDAwMDAwMDAwMQ.wrong.token")
    await client.close()


async def test_missing_intents_are_one_sentence_that_names_the_remedy(
    burrow: Burrow, pool: Pool, valkey_url: str
) -> None:
    burrow.discord.control.set_intents([Intent.GUILD_MEMBERS])
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        with pytest.raises(ConfigurationError, match=r"^[^\n]*Message Content Intent[^\n]*\.$"):
            async with asyncio.timeout(20):
                await session.hold(parts.client)


async def test_an_address_that_is_not_discords_is_one_sentence(burrow: Burrow) -> None:
    use_api(burrow.discord.page_url + "nowhere")
    client = GopherClient()
    with pytest.raises(ConfigurationError, match="DISCORD_API_URL"):
        await session.log_in(client, seed.BOT.token)
    await client.close()


async def test_logging_in_waits_for_a_discord_that_is_away(caplog: pytest.LogCaptureFixture) -> None:
    port = free_port()
    use_api(f"http://127.0.0.1:{port}/api/v10")
    client = GopherClient()
    logging_in = asyncio.create_task(session.log_in(client, seed.BOT.token))
    await until(lambda: "Discord is away" in caplog.text)
    discord = SimulatedDiscord()
    await discord.start(port)
    async with asyncio.timeout(20):
        assert await logging_in == seed.APPLICATION_ID
    await client.close()
    await discord.stop()
    assert caplog.text.count("Discord is away") == caplog.text.count("Discord is back") == 1


async def test_the_session_survives_that_discord_goes_and_comes_back(pool: Pool, valkey_url: str) -> None:
    discord = SimulatedDiscord()
    await discord.start()
    async with aiohttp.ClientSession() as http:
        burrow = Burrow(discord, http)
        async with running_bot(burrow, pool, valkey_url) as bot:
            port = int(discord.api_url.split(":")[2].split("/")[0])
            await discord.stop()
            await discord.start(port)
            asked = await burrow.say(seed.ADA, seed.GENERAL_ID, "gopher, are you back?")
            await until(lambda: _requested(pool, asked), within=40)
            await bot.settle()
    await discord.stop()


async def test_a_library_that_takes_too_long_to_reconnect_begins_anew(caplog: pytest.LogCaptureFixture) -> None:
    discord = SimulatedDiscord()
    await discord.start()
    use_api(discord.api_url)
    port = int(discord.api_url.split(":")[2].split("/")[0])
    client = GopherClient()
    await session.log_in(client, seed.BOT.token)
    holding = asyncio.create_task(session.hold(client, impatience=timedelta(seconds=2)))
    await client.wait_until_ready()
    await discord.stop()
    await until(lambda: "Discord's gateway is away" in caplog.text)
    await asyncio.sleep(5)  # the library's pauses have grown by now, and it was made to begin anew twice
    await discord.start(port)
    await until(lambda: "Discord's gateway is back" in caplog.text, within=6)
    await client.close()
    async with asyncio.timeout(5):
        await holding
    await discord.stop()


async def test_typing_goes_on_while_a_request_is_open_also_after_a_restart(
    burrow: Burrow, pool: Pool, valkey_url: str
) -> None:
    async with running_bot(burrow, pool, valkey_url) as bot:
        asked = await burrow.say(seed.ADA, seed.GENERAL_ID, "gopher, hello")
        await until(lambda: _requested(pool, asked))
        await bot.settle()
    before = len(burrow.requests(TYPING))
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        typing = TypingIndicator(parts.actions, RequestOutbox(pool), interval=timedelta(seconds=0.5))
        showing = asyncio.create_task(typing.run())
        await until(lambda: len(burrow.requests(TYPING)) >= before + 2)
        async with pool.connection() as connection:
            await connection.execute("update agent_requests set state = 'finished'")
        await asyncio.sleep(0.6)
        after = len(burrow.requests(TYPING))
        await asyncio.sleep(1.2)
        assert len(burrow.requests(TYPING)) == after
        showing.cancel()
        await asyncio.gather(showing, return_exceptions=True)


async def _requested(pool: Pool, message_id: int) -> bool:
    return (message_id,) in await rows(pool, "select request_id from agent_requests")
