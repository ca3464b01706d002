from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, RemoveSearchAttributesRequest
from temporalio.client import Client

from devstack.discord import seed
from devstack.discord.intents import Intent
from devstack.discord.server import SimulatedDiscord
from devstack.postgres import Postgres
from devstack.providers import ScriptedProviders
from devstack.scripted_turns import ModelTurn, ScriptedCall, Step
from gopher.cli.checks import database, gateway, model, orchestration
from gopher.cli.checks.findings import Finding
from gopher.cli.doctor import Check
from gopher.settings import Settings
from tests.system.command_line import CommandLine, scripted_providers, worker


@pytest.fixture
async def discord() -> AsyncIterator[SimulatedDiscord]:
    server = SimulatedDiscord()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def command_line(  # noqa: PLR0917 # every part that there is
    tmp_path: Path,
    database_url: str,
    valkey_url: str,
    temporal_address: str,
    namespace: str,
    discord: SimulatedDiscord,
) -> CommandLine:
    return CommandLine(
        directory=tmp_path,
        settings={
            "DATABASE_URL": database_url,
            "REDIS_URL": valkey_url,
            "TEMPORAL_ADDRESS": temporal_address,
            "TEMPORAL_NAMESPACE": namespace,
            "DISCORD_TOKEN": seed.BOT_TOKEN,
            "DISCORD_API_URL": discord.api_url,
        },
    )


@pytest.fixture
async def providers(command_line: CommandLine) -> AsyncIterator[ScriptedProviders]:
    async with scripted_providers(command_line) as server:
        yield server


async def findings(command_line: CommandLine) -> list[Finding]:
    """What the command finds; its exit status must fit."""
    outcome = await command_line.call("doctor", "--json")
    document = outcome.document()
    assert isinstance(document, dict)
    assert isinstance(document["findings"], list)
    found: list[Finding] = []
    for entry in document["findings"]:
        assert isinstance(entry, dict)
        remedy = entry["remedy"]
        assert (remedy is None) == (entry["ok"] is True)
        found.append(
            Finding(part=str(entry["part"]), what=str(entry["what"]), remedy=None if remedy is None else str(remedy))
        )
    assert document["ok"] == all(finding.ok for finding in found)
    assert outcome.status == (0 if document["ok"] else 1)
    return found


async def problems(check: Check, command_line: CommandLine) -> list[tuple[str, str]]:
    """What one check finds wrong, and the remedies; without a process of its own, which takes seconds."""
    settings = Settings.model_validate({name.lower(): value for name, value in command_line.settings.items()})
    return [(finding.what, finding.remedy) for finding in await check(settings) if finding.remedy is not None]


async def test_a_whole_installation_is_well(command_line: CommandLine, providers: ScriptedProviders) -> None:
    command_line.settings |= {"EMBEDDING_MODEL": "offline-embedding"}
    async with worker(command_line), worker(command_line, program="bot.py"):
        outcome = await command_line.call("doctor")
    assert (outcome.status, outcome.err) == (0, ""), outcome.out
    assert outcome.out.endswith("\nAll is well.\n")
    for part in (
        "Python 3.",
        "temporalio 1.",
        "PostgreSQL 18",
        "encoding UTF8",
        "extension vector",
        "extension pg_trgm",
        "trigrams of all 8 scripts",
        "Valkey 9",
        "search attributes GuildId, ChannelId, UserId, RunStatus, ErrorCode (Keyword)",
        "task queue gopher: served by",
        "task queue discord: served by",
        "Message Content Intent is on",
        "calls tools with their arguments",
        "it streams",
        "vectors of 1024 numbers",
    ):
        assert part in outcome.out
    assert providers.requests


async def test_nothing_configured_names_every_setting(tmp_path: Path) -> None:
    found = await findings(CommandLine(directory=tmp_path))
    remedies = " ".join(finding.remedy or "" for finding in found)
    for variable in ("DATABASE_URL", "REDIS_URL", "TEMPORAL_ADDRESS", "DISCORD_TOKEN", "OPENAI_API_KEY"):
        assert variable in remedies
    assert [finding.ok for finding in found if finding.part == "python"] == [True]


async def test_servers_that_do_not_answer_are_named_each_with_its_remedy(command_line: CommandLine) -> None:
    command_line.settings |= {
        "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "TEMPORAL_ADDRESS": "127.0.0.1:1",
        "DISCORD_API_URL": "http://127.0.0.1:1/api/v10",
        "OPENAI_API_KEY": "k",
        "OPENAI_BASE_URL": "http://127.0.0.1:1/v1",
    }
    found = {finding.part: finding for finding in await findings(command_line) if not finding.ok}
    expected = {
        "postgresql": "DATABASE_URL",
        "valkey": "REDIS_URL",
        "temporal": "TEMPORAL_ADDRESS",
        "discord": "DISCORD_API_URL",
        "model": "OPENAI_BASE_URL",
    }
    assert {part: variable for part, variable in expected.items() if variable in (found[part].remedy or "")} == expected


async def test_a_database_that_is_not_migrated_or_blind_is_named(command_line: CommandLine, postgres: Postgres) -> None:
    name = f"blind_{command_line.settings['DATABASE_URL'].rsplit('_', 1)[1]}"
    create = sql.SQL("create database {} template template0 encoding 'UTF8' locale_provider libc locale 'C'")
    admin = postgres.url_of("postgres")
    async with await psycopg.AsyncConnection.connect(admin, autocommit=True) as connection:
        await connection.execute(create.format(sql.Identifier(name)))
    command_line.settings["DATABASE_URL"] = postgres.url_of(name)
    empty = [what for what, _ in await problems(database.examine, command_line)]
    assert "extension vector is not in the database" in empty
    assert any(what.startswith("schema version 0 of ") for what in empty)
    async with await psycopg.AsyncConnection.connect(postgres.url_of(name), autocommit=True) as connection:
        await connection.execute("create extension pg_trgm")
    found = await problems(database.examine, command_line)
    ((what, remedy),) = [problem for problem in found if "trigrams" in problem[0]]
    assert "Cyrillic" in what
    assert "Japanese" in what
    assert "builtin_locale 'C.UTF-8'" in remedy


async def test_a_database_of_a_newer_gopher_is_named(command_line: CommandLine) -> None:
    async with await psycopg.AsyncConnection.connect(command_line.settings["DATABASE_URL"]) as connection:
        await connection.execute("insert into schema_migrations (version, name, digest) values (9999, 'x', 'x')")
    ((what, remedy),) = await problems(database.examine, command_line)
    assert "9999" in what
    assert "Update Gopher" in remedy


async def test_a_namespace_that_does_not_exist_is_named(command_line: CommandLine) -> None:
    command_line.settings["TEMPORAL_NAMESPACE"] = "nowhere"
    ((what, remedy),) = await problems(orchestration.examine, command_line)
    assert "'nowhere'" in what
    assert "TEMPORAL_NAMESPACE" in remedy


async def test_missing_and_wrong_search_attributes_and_unserved_queues_are_named(command_line: CommandLine) -> None:
    address, namespace = (command_line.settings[name] for name in ("TEMPORAL_ADDRESS", "TEMPORAL_NAMESPACE"))
    client = await Client.connect(address)
    await client.operator_service.remove_search_attributes(
        RemoveSearchAttributesRequest(namespace=namespace, search_attributes=["ErrorCode"])
    )
    missing = await problems(orchestration.examine, command_line)
    assert [what for what, _ in missing] == [
        "search attributes are missing: ErrorCode",
        "task queue gopher: nobody serves it",
        "task queue discord: nobody serves it",
    ]
    assert ["worker.py" in remedy or "bot.py" in remedy for _, remedy in missing] == [True, True, True]
    kinds = {"ErrorCode": IndexedValueType.INDEXED_VALUE_TYPE_INT}
    await client.operator_service.add_search_attributes(
        AddSearchAttributesRequest(namespace=namespace, search_attributes=kinds)
    )
    wrong = await problems(orchestration.examine, command_line)
    assert wrong[0][0] == "search attributes of another type than Keyword: ErrorCode"


async def test_a_bot_that_may_not_read_messages_is_named(command_line: CommandLine, discord: SimulatedDiscord) -> None:
    discord.control.set_intents([Intent.GUILD_MEMBERS])
    ((what, remedy),) = await problems(gateway.examine, command_line)
    assert "Message Content Intent is off" in what
    assert "developer portal" in remedy


async def test_a_wrong_token_is_named_and_not_shown(command_line: CommandLine) -> None:
    wrong = seed.BOT_TOKEN[:-1] + "9"
    command_line.settings["DISCORD_TOKEN"] = wrong
    ((what, remedy),) = await problems(gateway.examine, command_line)
    assert what == "the token is refused (status 401)"
    assert wrong not in what + remedy


CALL = ModelTurn(calls=(ScriptedCall(name="doctor_check", arguments={"word": "burrow"}),), iteration=1)


@pytest.mark.parametrize(
    ("turns", "what", "remedy"),
    [
        ([ModelTurn(text="I cannot call tools.")], "does not call a tool", "CHAT_MODEL"),
        ([ModelTurn(calls=(ScriptedCall(name="doctor_check", arguments="{"),))], "does not call a tool", "CHAT_MODEL"),
        ([CALL, ModelTurn(text="It worked.", whole=True)], "does not stream", "streaming"),
        ([ModelTurn(status=401)], "refused the key", "OPENAI_API_KEY"),
        ([ModelTurn(status=404, error={"code": "model_not_found"})], "does not offer the model", "CHAT_MODEL"),
        ([ModelTurn(body="<p>", content_type="text/html")], "no OpenAI-compatible API", "OPENAI_BASE_URL"),
        ([CALL, ModelTurn(status=429)], "asks for fewer requests", "limit"),
    ],
)
async def test_what_is_wrong_with_a_model_is_named(
    command_line: CommandLine, providers: ScriptedProviders, turns: list[ModelTurn], what: str, remedy: str
) -> None:
    providers.script(*turns)
    ((found, mended),) = await problems(model.examine, command_line)
    assert what in found
    assert remedy in mended


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ('{"data": [{"index": 0, "embedding": [1]}]}', "one vector a text"),
        ('{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1, 2]}]}', "the same vector"),
        ("<p>", "no OpenAI-compatible API"),
    ],
)
async def test_an_embedding_of_the_wrong_shape_is_named(
    command_line: CommandLine, providers: ScriptedProviders, body: str, what: str
) -> None:
    content_type = "text/html" if body == "<p>" else "application/json"
    providers.script(demo=True, embeddings=[Step(body=body, content_type=content_type)])
    command_line.settings["EMBEDDING_MODEL"] = "e"
    ((found, remedy),) = await problems(model.examine, command_line)
    assert what in found
    assert "EMBEDDING_MODEL" in remedy
