from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import JsonValue

from devstack.providers import ScriptedProviders
from devstack.scripted_turns import ModelTurn
from gopher.domain.conversation import ChatTurn, RequestedCall
from gopher.domain.ids import ChannelId, GuildId, MessageId, RequestId, UserId
from gopher.domain.journal import AuthorKind, JournalMessage, NewRequest, Trigger
from gopher.domain.runs import Effect, Surface
from gopher.domain.transcripts import ToolResult
from gopher.store.journal import Journal
from gopher.store.pool import create_pool
from gopher.store.runs import RunStore
from tests.system.command_line import CommandLine, scripted_providers, worker

CANARY = "canary-5be1"
UI = "http://127.0.0.1:8233"


@pytest.fixture
async def command_line(tmp_path: Path, database_url: str, temporal_address: str, namespace: str) -> CommandLine:
    return CommandLine(
        directory=tmp_path,
        settings={
            "DATABASE_URL": database_url,
            "TEMPORAL_ADDRESS": temporal_address,
            "TEMPORAL_NAMESPACE": namespace,
            "TEMPORAL_UI_URL": UI,
        },
    )


@pytest.fixture
async def providers(command_line: CommandLine) -> AsyncIterator[ScriptedProviders]:
    async with scripted_providers(command_line) as server:
        yield server


def fields(value: JsonValue) -> dict[str, JsonValue]:
    assert isinstance(value, dict)
    return value


def items(value: JsonValue) -> list[dict[str, JsonValue]]:
    assert isinstance(value, list)
    return [fields(item) for item in value]


async def listed(command_line: CommandLine, *words: str) -> list[dict[str, JsonValue]]:
    outcome = await command_line.call("runs", "list", "--json", *words)
    assert outcome.status == 0, outcome.err
    return items(fields(outcome.document())["runs"])


async def test_a_finished_run_is_listed_and_shown_with_everything_but_content(
    command_line: CommandLine, providers: ScriptedProviders
) -> None:
    providers.script(ModelTurn(text=f"Found it. {CANARY}"))
    async with worker(command_line):
        asked = await command_line.call("chat", "--as", "Ada", "--once", f"find {CANARY}")
    assert asked.out == f"Found it. {CANARY}\n"

    (run,) = await listed(command_line)
    assert (run["status"], run["surface"], run["model"]) == ("completed", "terminal", "tiny")
    assert (run["iterations"], run["prompt_tokens"], run["completion_tokens"]) == (1, 11, 7)
    namespace = command_line.settings["TEMPORAL_NAMESPACE"]
    assert str(run["temporal_url"]).startswith(f"{UI}/namespaces/{namespace}/workflows/agent%2F{run['id']}/")

    shown = await command_line.call("runs", "show", str(run["id"]))
    assert shown.status == 0
    assert CANARY not in shown.out
    for part in ("completed", "PROMPT", "TURN 1", "DELIVERIES", UI):
        assert part in shown.out
    whole = await command_line.call("runs", "show", f"agent/{run['id']}", "--content")
    assert whole.out.count(CANARY) == 3  # request, turn, delivery

    table = await command_line.call("runs", "list")
    assert str(run["id"]) in table.out
    assert CANARY not in table.out


async def run_with_tools(database_url: str) -> RequestId:
    """Store a run whose only turn asks for three tools: one answered, one failed, one was not made."""
    request_id = RequestId(1_400_000_000_000_000_001)
    message = JournalMessage(
        message_id=MessageId(request_id),
        surface=Surface.DISCORD,
        guild_id=GuildId(7),
        channel_id=ChannelId(8),
        author_id=UserId(9),
        author_name="Ada",
        author_kind=AuthorKind.MEMBER,
        content=CANARY,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    request = NewRequest(
        request_id=request_id,
        surface=Surface.DISCORD,
        trigger=Trigger.MESSAGE,
        guild_id=GuildId(7),
        channel_id=ChannelId(8),
        user_id=UserId(9),
    )
    calls = tuple(
        RequestedCall(id="c", name=name, arguments=f'{{"q": "{CANARY}"}}') for name in ("look", "say", "rest")
    )
    turn = ChatTurn(
        text="",
        calls=calls,
        finish_reason="tool_calls",
        model="tiny",
        prompt_tokens=5,
        completion_tokens=3,
        first_token_ms=40,
        duration_ms=90,
    )

    def result(position: int, effect: Effect | None, code: str | None) -> ToolResult:
        return ToolResult(
            iteration=1,
            position=position,
            call_id="c",
            tool_name=calls[position].name,
            effect=effect,
            success=code is None,
            error_code=code,
            result=f'{{"said": "{CANARY}"}}',
            duration_ms=12,
        )

    async with create_pool(database_url, max_size=1) as pool:
        await Journal(pool).record_message(message, request)
        runs = RunStore(pool)
        await runs.begin(request_id, workflow_run_id="w-1", trace_id="t-1")
        await runs.save_turn(request_id, 1, turn)
        await runs.save_tool_result(request_id, result(0, Effect.READ, None))
        await runs.save_tool_result(request_id, result(1, None, "unknown_tool"))
    return request_id


async def test_tool_calls_are_shown_with_effect_outcome_and_time(command_line: CommandLine) -> None:
    request_id = await run_with_tools(command_line.settings["DATABASE_URL"])
    shown = await command_line.call("runs", "show", str(request_id))
    assert "guild 7, channel 8" in shown.out
    assert "TURN 1  tiny: tool_calls, 5 tokens in, 3 out, 90 ms, first token after 40 ms" in shown.out
    assert "  0  look  read, ok, 12 ms, 23 characters" in shown.out
    assert "  1  say  unknown, failed (unknown_tool), 12 ms, 23 characters" in shown.out
    assert "  2  rest  not made" in shown.out
    assert CANARY not in shown.out
    whole = await command_line.call("runs", "show", str(request_id), "--content")
    assert whole.out.count(CANARY) == 5
    document = fields((await command_line.call("runs", "show", str(request_id), "--json")).document())
    outcomes = [(call["success"], call["error_code"]) for call in items(items(document["turns"])[0]["calls"])]
    assert outcomes == [(True, None), (False, "unknown_tool"), (None, None)]


async def test_the_json_of_a_run_holds_content_only_on_demand(
    command_line: CommandLine, providers: ScriptedProviders
) -> None:
    providers.script(ModelTurn(text=f"said {CANARY}"))
    async with worker(command_line):
        await command_line.call("chat", "--once", "hello")
    (run,) = await listed(command_line)
    plain = fields((await command_line.call("runs", "show", str(run["id"]), "--json")).document())
    whole = fields((await command_line.call("runs", "show", str(run["id"]), "--json", "--content")).document())
    assert CANARY not in str(plain)
    assert items(plain["turns"])[0]["characters"] == len(f"said {CANARY}")
    assert items(whole["turns"])[0]["content"] == f"said {CANARY}"
    (delivery,) = items(whole["deliveries"])
    assert (delivery["purpose"], delivery["content"]) == ("answer", f"said {CANARY}")
    assert delivery["message_id"]
    assert delivery["sent_at"]


async def test_a_failed_run_tells_its_code_and_a_waiting_one_that_it_waits(
    command_line: CommandLine, providers: ScriptedProviders
) -> None:
    providers.script(ModelTurn(status=404, error={"message": "no", "code": "model_not_found"}))
    async with worker(command_line):
        await command_line.call("chat", "--once", "hello")
    await command_line.call("chat", "--once", "again", "--timeout", "0.5")
    newest, failed = await listed(command_line)
    assert (newest["status"], newest["temporal_url"]) == ("queued", None)
    assert (failed["status"], failed["error_code"]) == ("failed", "model_not_found")
    assert [run["id"] for run in await listed(command_line, "--limit", "1")] == [newest["id"]]
    shown = await command_line.call("runs", "show", str(newest["id"]))
    assert "queued" in shown.out


async def test_no_runs_and_no_such_run_are_said(command_line: CommandLine) -> None:
    assert (await command_line.call("runs", "list")).out == "No runs yet.\n"
    outcome = await command_line.call("runs", "show", "12345")
    assert outcome.status == 1
    assert outcome.err == "There is no run 12345; ./gopher runs list shows the newest.\n"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("show", "latest"), "latest"),
        (("show", "99999999999999999999"), "99999999999999999999"),
        (("list", "--limit", "0"), "--limit"),
        (("lst",), "lst"),
        ((), "COMMAND"),
    ],
)
async def test_words_that_make_no_sense_are_named(
    command_line: CommandLine, words: tuple[str, ...], named: str
) -> None:
    outcome = await command_line.call("runs", *words)
    assert outcome.status == 2
    assert named in outcome.err
    assert outcome.err.count("\n") == 1
