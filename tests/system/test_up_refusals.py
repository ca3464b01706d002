from __future__ import annotations

import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
import pytest
from aiohttp import web
from psycopg import sql

from devstack.discord import seed
from devstack.discord.server import SimulatedDiscord
from devstack.ports import free_port
from tests.system.command_line import CommandLine
from tests.system.leftovers import processes_of


@pytest.fixture
def command_line(tmp_path: Path) -> CommandLine:
    return CommandLine(directory=tmp_path)


async def refusal(command_line: CommandLine, *words: str) -> str:
    """The one sentence with which `up` refuses; nothing was started for it."""
    outcome = await command_line.call("up", *words)
    assert (outcome.status, outcome.out) == (2, "")
    assert processes_of(command_line.directory) == {}
    assert not list(command_line.directory.glob(".gopher/logs/*"))
    assert outcome.err.startswith("gopher: ")
    assert outcome.err.count("\n") == 1
    return outcome.err.removeprefix("gopher: ").rstrip()


@asynccontextmanager
async def page_for_people(status: int) -> AsyncGenerator[str]:
    """Serve HTML at every address."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, text="<html>Welcome</html>", content_type="text/html")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    yield f"http://127.0.0.1:{port}/v1"
    await runner.cleanup()


@pytest.mark.parametrize(
    ("variable", "form", "whom"),
    [
        ("DATABASE_URL", "postgresql://gopher:canary@127.0.0.1:{port}/gopher", "the database"),
        ("REDIS_URL", "redis://:canary@127.0.0.1:{port}/0", "Valkey"),
        ("TEMPORAL_ADDRESS", "127.0.0.1:{port}", "Temporal"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:{port}/v1", "the model's provider"),
    ],
)
async def test_a_server_that_does_not_answer_is_named_by_its_variable(
    command_line: CommandLine, variable: str, form: str, whom: str
) -> None:
    command_line.settings[variable] = form.format(port=free_port())
    sentence = await refusal(command_line)
    assert sentence.startswith(f"{variable}: {whom} cannot be reached (")
    assert sentence.endswith(f"); start it, correct {variable}, or remove it.")
    assert "canary" not in sentence


async def test_several_problems_are_a_sentence_each(command_line: CommandLine) -> None:
    command_line.settings["REDIS_URL"] = f"redis://127.0.0.1:{free_port()}"
    command_line.settings["OPENAI_BASE_URL"] = f"http://127.0.0.1:{free_port()}/v1"
    outcome = await command_line.call("up")
    assert [line.split()[1] for line in outcome.err.splitlines()] == ["REDIS_URL:", "OPENAI_BASE_URL:"]


async def test_a_database_without_the_extensions_is_refused(command_line: CommandLine, database_url: str) -> None:
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as connection:
        name = sql.Identifier(connection.info.dbname)
        await connection.execute(sql.SQL("alter database {} set extension_control_path = '/nowhere'").format(name))
    command_line.settings["DATABASE_URL"] = database_url
    sentence = await refusal(command_line)
    assert sentence.startswith(
        "DATABASE_URL: the server does not have the extension vector or pg_trgm; install it there"
    )


async def test_a_database_of_a_newer_schema_is_refused(command_line: CommandLine, database_url: str) -> None:
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as connection:
        await connection.execute("insert into schema_migrations (version, name, digest) values (9999, 'x.sql', 'x')")
    command_line.settings["DATABASE_URL"] = database_url
    assert "newer" in await refusal(command_line)


async def test_a_missing_namespace_is_refused(command_line: CommandLine, temporal_address: str) -> None:
    command_line.settings |= {"TEMPORAL_ADDRESS": temporal_address, "TEMPORAL_NAMESPACE": "nowhere"}
    sentence = await refusal(command_line)
    assert sentence.startswith("TEMPORAL_ADDRESS or TEMPORAL_NAMESPACE: the namespace nowhere cannot be used there")


@pytest.mark.parametrize("status", [200, 404])
async def test_a_page_for_people_is_no_model(command_line: CommandLine, status: int) -> None:
    async with page_for_people(status) as url:
        command_line.settings["OPENAI_BASE_URL"] = url
        sentence = await refusal(command_line)
    assert sentence == (
        f"OPENAI_BASE_URL: what answers there is not an OpenAI-compatible API (status {status}, no JSON); "
        "its path usually ends in /v1."
    )


async def test_a_token_that_discord_refuses_is_refused(command_line: CommandLine) -> None:
    discord = SimulatedDiscord()
    await discord.start()
    command_line.settings |= {"DISCORD_TOKEN": "not.a.token", "DISCORD_API_URL": discord.api_url}
    sentence = await refusal(command_line)
    await discord.stop()
    assert sentence.startswith("DISCORD_TOKEN is refused by Discord; copy the bot's token")


async def test_a_bot_that_may_not_read_messages_is_refused(command_line: CommandLine) -> None:
    discord = SimulatedDiscord()
    await discord.start()
    discord.control.set_intents([])
    command_line.settings |= {"DISCORD_TOKEN": seed.BOT_TOKEN, "DISCORD_API_URL": discord.api_url}
    sentence = await refusal(command_line)
    await discord.stop()
    assert sentence.startswith("DISCORD_TOKEN: the bot may not read messages; switch on the Message Content Intent")


async def test_an_address_that_is_not_discords_is_refused(command_line: CommandLine) -> None:
    async with page_for_people(200) as url:
        command_line.settings |= {"DISCORD_TOKEN": "a.b.c", "DISCORD_API_URL": url}
        sentence = await refusal(command_line)
    assert sentence.startswith("DISCORD_API_URL: what answers there is not Discord's API")


async def test_discords_address_without_a_token_is_refused(command_line: CommandLine) -> None:
    command_line.settings["DISCORD_API_URL"] = "http://127.0.0.1:1/api/v10"
    assert await refusal(command_line) == (
        "DISCORD_API_URL is set without DISCORD_TOKEN; set the token too, or remove it."
    )


async def test_a_port_in_use_is_refused(command_line: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        sentence = await refusal(command_line, "--port", str(port))
    assert sentence == (
        f"--port {port}: the port {port} is in use or not allowed to this user; "
        "choose another, or leave --port out for a free one."
    )


async def test_a_port_for_a_page_that_there_is_not_is_refused(command_line: CommandLine) -> None:
    command_line.settings |= {"DISCORD_TOKEN": "a.b.c"}
    assert (await refusal(command_line, "--port", "8100")).startswith(
        "--port is the chat page's, and with DISCORD_TOKEN"
    )


async def test_a_data_directory_of_a_newer_version_is_refused(command_line: CommandLine) -> None:
    (command_line.directory / ".gopher").mkdir()
    (command_line.directory / ".gopher" / "version").write_text("99\n", encoding="ascii")
    assert "was written by a newer version of Gopher" in await refusal(command_line)


async def test_an_unknown_setting_is_refused(command_line: CommandLine) -> None:
    (command_line.directory / ".env").write_text("DISCORD_TOKN=x\n", encoding="utf-8")
    assert await refusal(command_line) == ".env: the setting DISCORD_TOKN is unknown; did you mean DISCORD_TOKEN?"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["statsu"], "gopher: the command statsu is unknown, did you mean status; see ./gopher --help.\n"),
        (["frobnicate"], "gopher: the command frobnicate is unknown; see ./gopher --help.\n"),
        (["up", "--detatch"], "gopher: the argument --detatch is unknown; see ./gopher up --help.\n"),
        (["down", "now"], "gopher: the argument now is unknown; see ./gopher down --help.\n"),
    ],
)
async def test_what_is_unknown_on_the_command_line_is_one_sentence(
    command_line: CommandLine, words: list[str], sentence: str
) -> None:
    outcome = await command_line.call(*words)
    assert (outcome.status, outcome.out, outcome.err) == (2, "", sentence)
