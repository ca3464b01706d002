from __future__ import annotations

import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from devstack.postgres import Postgres
from devstack.providers import ScriptedProviders
from devstack.scripted_turns import ModelTurn
from gopher.domain.notices import notice
from tests.system.command_line import CommandLine, Terminal, scripted_providers, worker


@pytest.fixture
async def command_line(tmp_path: Path, database_url: str, temporal_address: str, namespace: str) -> CommandLine:
    return CommandLine(
        directory=tmp_path,
        settings={"DATABASE_URL": database_url, "TEMPORAL_ADDRESS": temporal_address, "TEMPORAL_NAMESPACE": namespace},
    )


@pytest.fixture
async def providers(command_line: CommandLine) -> AsyncIterator[ScriptedProviders]:
    async with scripted_providers(command_line) as server:
        yield server


async def test_one_question_is_answered_on_stdout_by_the_whole_path(
    command_line: CommandLine, providers: ScriptedProviders
) -> None:
    providers.script(ModelTurn(match="warmest burrow", text="The one **under the oak**."))
    async with worker(command_line):
        outcome = await command_line.call("chat", "--as", "Ada", "--once", "Which is the warmest burrow?")
    assert (outcome.status, outcome.out, outcome.err) == (0, "The one **under the oak**.\n", "")
    assert len(providers.requests) == 1


async def test_a_conversation_is_remembered_and_each_member_has_one_of_their_own(
    command_line: CommandLine, providers: ScriptedProviders
) -> None:
    providers.script(demo=True)
    async with worker(command_line):
        told = await command_line.call("chat", "--as", "Ada", stdin="echo one\n\necho two\n")
        asked = await command_line.call("chat", "--as", "Ada", "--once", "what did Ada say?")
        other = await command_line.call("chat", "--as", "Grace", "--once", "what did Ada say?")
    assert (told.status, told.out) == (0, "one\ntwo\n")
    assert asked.out == "Ada said:\n> **Ada**: echo one\n> **Ada**: echo two\n"
    assert "nothing like that" in other.out


async def test_on_a_terminal_it_shows_the_history_and_ends_cleanly(
    command_line: CommandLine, providers: ScriptedProviders
) -> None:
    providers.script(demo=True)
    async with worker(command_line):
        first = await Terminal.open(command_line, "chat", "--as", "Ada")
        await first.until("Ada> ")
        first.type("echo warm tunnels\n")
        await first.until("\nwarm tunnels\nAda> ")
        first.type("\x04")  # Ctrl-D
        assert await first.end() == 0
        second = await Terminal.open(command_line, "chat", "--as", "Ada")
        await second.until("Ada> ")
        second.type("\x03")  # Ctrl-C
        assert await second.end() == 0
    assert second.shown.startswith("Ada: echo warm tunnels\nGopher: warm tunnels\nYou are Ada, in private with Gopher.")
    assert "Traceback" not in first.shown + second.shown
    assert "journaled" not in second.shown


async def test_without_an_answer_the_notice_is_printed_and_the_status_says_so(
    command_line: CommandLine, providers: ScriptedProviders
) -> None:
    providers.script(ModelTurn(status=401, times=None))
    async with worker(command_line):
        outcome = await command_line.call("chat", "--once", "hello")
    assert (outcome.status, outcome.out) == (1, notice("authentication") + "\n")


async def test_without_a_worker_there_is_a_hint_and_the_question_is_answered_later(
    command_line: CommandLine, providers: ScriptedProviders
) -> None:
    providers.script(demo=True)
    outcome = await command_line.call("chat", "--as", "Ada", "--once", "echo patience", "--timeout", "6")
    assert (outcome.status, outcome.out) == (1, "")
    assert "No worker has taken this up yet" in outcome.err
    assert "./gopher up" in outcome.err
    assert "./gopher status" in outcome.err
    async with worker(command_line):
        later = await command_line.call("chat", "--as", "Ada", "--once", "what did you say?")
    assert "> **Gopher**: patience" in later.out


async def test_ctrl_c_while_waiting_ends_at_once_without_a_traceback(
    command_line: CommandLine, providers: ScriptedProviders
) -> None:
    assert providers.requests == ()
    process = await command_line.start("chat", "--once", "hello")
    assert process.stderr is not None
    hint = await process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, err = await process.communicate()
    assert b"No worker" in hint
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert b"journaled" in err


async def test_without_an_installation_the_remedy_is_named(tmp_path: Path) -> None:
    outcome = await CommandLine(directory=tmp_path).call("chat", "--once", "hello")
    assert outcome.status == 2
    assert outcome.err.startswith("gopher: No Gopher runs with the data directory .gopher: start it with ./gopher up")
    assert outcome.err.count("\n") == 1


async def test_a_database_without_a_schema_is_named(tmp_path: Path, postgres: Postgres) -> None:
    command_line = CommandLine(directory=tmp_path, settings={"DATABASE_URL": postgres.url_of("postgres")})
    outcome = await command_line.call("chat", "--once", "hello")
    assert outcome.status == 2
    assert (
        outcome.err
        == "gopher: The database of DATABASE_URL has no schema yet: start ./gopher up (or worker.py) once.\n"
    )


async def test_a_database_that_cannot_be_reached_is_named(tmp_path: Path) -> None:
    command_line = CommandLine(directory=tmp_path, settings={"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"})
    outcome = await command_line.call("chat", "--once", "hello")
    assert outcome.status == 1
    assert outcome.err.startswith("gopher: The database of DATABASE_URL cannot be reached: ")
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--once", "  "), "--once"),
        (("--as", ""), "--as"),
        (("--as", "x" * 33), "--as"),
        (("--timeout", "0"), "--timeout"),
    ],
)
async def test_options_that_make_no_sense_are_named(tmp_path: Path, words: tuple[str, ...], named: str) -> None:
    command_line = CommandLine(directory=tmp_path, settings={"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"})
    outcome = await command_line.call("chat", *words)
    assert outcome.status == 2
    assert named in outcome.err
    assert outcome.err.count("\n") == 1
