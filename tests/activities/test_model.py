"""The model turn: asked for once, stored, and reported without content."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from temporalio.testing import ActivityEnvironment

from activities.model import ModelActivities
from devstack.postgres import Postgres
from devstack.providers import ScriptedProviders
from devstack.scripted_turns import ModelTurn, ScriptedCall
from gopher.domain.conversation import Role
from gopher.domain.ids import RequestId
from gopher.domain.runs import TurnInput, TurnVerdict
from gopher.domain.tools import ToolRegistry
from gopher.domain.transcripts import PromptEntry
from gopher.errors import ProviderRejected, ProviderUnavailable
from gopher.providers.chat import ChatModel
from gopher.store.pool import Pool, create_pool
from gopher.store.runs import RunStore
from gopher.store.schema import migrate
from tests.activities.samples import journaled, message
from tests.workflows.toolbox import TOOLS

PROMPT = (PromptEntry(position=0, layer="request", role=Role.USER, content="hello"),)


async def begun(pool: Pool) -> RequestId:
    request_id = await journaled(pool, message(1), request=True)
    await RunStore(pool).begin(request_id, workflow_run_id="w", trace_id=None)
    await RunStore(pool).save_prompt(request_id, PROMPT)
    return request_id


async def take(
    pool: Pool,
    model: ChatModel,
    request_id: RequestId,
    *,
    tools: ToolRegistry = TOOLS,
    tools_enabled: bool = True,
    deadline: float = 10,
    previews: bool = False,
) -> TurnVerdict:
    turns = ModelActivities(runs=RunStore(pool), model=model, tools=tools, previews=previews)
    turn = TurnInput(
        request_id=request_id, iteration=1, tools_enabled=tools_enabled, deadline=timedelta(seconds=deadline)
    )
    return await ActivityEnvironment().run(turns.model_turn, turn)


async def test_a_turn_is_asked_for_once(pool: Pool, model: ChatModel, providers: ScriptedProviders) -> None:
    request_id = await begun(pool)
    providers.script(ModelTurn(text="canary"))
    first = await take(pool, model, request_id)
    assert await take(pool, model, request_id) == first
    assert len(providers.requests) == 1
    assert first == TurnVerdict(
        iteration=1, calls=(), model="scripted", prompt_tokens=11, completion_tokens=7, characters=6
    )


async def test_calls_are_reported_without_their_arguments_or_invented_names(
    pool: Pool, model: ChatModel, providers: ScriptedProviders
) -> None:
    request_id = await begun(pool)
    calls = (ScriptedCall(name="lookup", arguments='{"query":"canary"}'), ScriptedCall(name="canary"))
    providers.script(ModelTurn(text="canary", calls=calls))
    verdict = await take(pool, model, request_id)
    assert [(call.position, call.name) for call in verdict.calls] == [(0, "lookup"), (1, "unknown")]
    assert "canary" not in str(verdict)


async def test_a_preview_is_given_only_when_asked_for(
    pool: Pool, model: ChatModel, providers: ScriptedProviders
) -> None:
    request_id = await begun(pool)
    providers.script(ModelTurn(text="first words"))
    assert (await take(pool, model, request_id, previews=True)).preview == "first words"
    assert (await take(pool, model, request_id)).preview is None


async def test_a_turn_without_tools_offers_none_and_drops_calls(
    pool: Pool, model: ChatModel, providers: ScriptedProviders
) -> None:
    request_id = await begun(pool)
    providers.script(ModelTurn(text="so", calls=(ScriptedCall(name="lookup"),)))
    assert (await take(pool, model, request_id, tools_enabled=False)).calls == ()
    (asked,) = providers.requests
    assert "tools" not in str(asked.body)
    stored = await RunStore(pool).turn(request_id, 1)
    assert stored is not None
    assert (stored.text, stored.calls) == ("so", ())


async def test_a_turn_without_tools_that_only_calls_is_no_answer(
    pool: Pool, model: ChatModel, providers: ScriptedProviders
) -> None:
    request_id = await begun(pool)
    providers.script(ModelTurn(calls=(ScriptedCall(name="lookup"),)))
    with pytest.raises(ProviderRejected) as refused:
        await take(pool, model, request_id, tools_enabled=False)
    assert refused.value.code == "empty_answer"


async def test_the_deadline_covers_the_whole_body(pool: Pool, model: ChatModel, providers: ScriptedProviders) -> None:
    request_id = await begun(pool)
    providers.script(ModelTurn(text="one two three four", chunk_delay_seconds=0.4))
    with pytest.raises(ProviderUnavailable) as late:
        await take(pool, model, request_id, deadline=0.6)
    assert late.value.code == "provider_timeout"
    assert await RunStore(pool).turn(request_id, 1) is None


async def test_a_finished_turn_outlasts_an_outage_of_the_store(
    model: ChatModel, providers: ScriptedProviders, postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> None:
    del postgres  # this one is stopped, and so its own
    directory = tmp_path_factory.mktemp("outage")
    server = Postgres(directory / "data", log=directory / "log", durable=False)
    await server.start()
    await migrate(server.url)
    async with create_pool(server.url) as pool:
        request_id = await begun(pool)
        providers.script(ModelTurn(text="paid for", delay_seconds=1))
        taking = asyncio.create_task(take(pool, model, request_id))
        await asyncio.sleep(0.5)
        await server.stop()
        await asyncio.sleep(2)
        await server.start()
        assert (await taking).characters == 8
        assert len(providers.requests) == 1
        stored = await RunStore(pool).turn(request_id, 1)
    await server.stop()
    assert stored is not None
    assert stored.text == "paid for"
