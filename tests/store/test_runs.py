from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest

from gopher.domain.conversation import ChatTurn, RequestedCall, Role
from gopher.domain.ids import RequestId
from gopher.domain.runs import Effect, Purpose, RunRecord, RunStatus
from gopher.domain.transcripts import PromptEntry, StoredTurn, ToolResult
from gopher.errors import Conflict
from gopher.store.deliveries import DeliveryStore
from gopher.store.journal import Journal
from gopher.store.pool import Pool, transaction
from gopher.store.requests import RequestOutbox
from gopher.store.runs import RunStore
from tests.store.samples import NOON, ask, count, interaction

TURN = ChatTurn(
    text="let me look", calls=(RequestedCall(id="a", name="find", arguments='{"q": "\\u0000"}'),
                               RequestedCall(id="a", name="", arguments="not json")),
    finish_reason="tool_calls", model="m-1", prompt_tokens=10, completion_tokens=20, first_token_ms=5, duration_ms=50,
)  # fmt: skip
RESULT = ToolResult(
    iteration=1, position=0, call_id="a", tool_name="find", effect=Effect.READ, success=True, error_code=None,
    result='{"ok":true}', duration_ms=7,
)  # fmt: skip
PROMPT = (
    PromptEntry(position=0, layer="persona", role=Role.SYSTEM, content="You are."),
    PromptEntry(position=1, layer="request", role=Role.USER, content="Hi."),
)
COMPLETED = RunRecord(
    request_id=RequestId(0), status=RunStatus.COMPLETED, error_code=None, iterations=2, tool_calls=1,
    prompt_tokens=100, completion_tokens=50,
)  # fmt: skip


async def begun(pool: Pool, number: int = 1) -> RequestId:
    request_id = await ask(pool, number)
    await RunStore(pool).begin(request_id, workflow_run_id="w-1", trace_id="t-1")
    return request_id


async def test_a_run_keeps_its_prompt_turns_and_results_in_their_order(pool: Pool) -> None:
    request_id = await begun(pool)
    runs = RunStore(pool)
    assert await runs.save_prompt(request_id, PROMPT[::-1]) == PROMPT
    second = replace(TURN, text="done", calls=())
    await runs.save_turn(request_id, 2, second)
    await runs.save_turn(request_id, 1, TURN)
    unknown = replace(RESULT, position=1, effect=None, success=False, error_code="unknown_tool")
    await runs.save_tool_result(request_id, unknown)
    await runs.save_tool_result(request_id, RESULT)
    transcript = await runs.transcript(request_id)
    assert transcript.prompt == await runs.prompt(request_id) == PROMPT
    stored = (StoredTurn(iteration=1, turn=TURN), StoredTurn(iteration=2, turn=second))
    assert transcript.turns == await runs.turns(request_id) == stored
    assert transcript.results == await runs.tool_results(request_id) == (RESULT, unknown)


async def test_what_is_not_there_is_none_or_empty(pool: Pool) -> None:
    request_id = await begun(pool)
    runs = RunStore(pool)
    assert await runs.turn(request_id, 1) is None
    assert await runs.tool_result(request_id, 1, 0) is None
    transcript = await runs.transcript(request_id)
    assert (transcript.prompt, transcript.turns, transcript.results) == ((), (), ())
    assert await runs.run_details(RequestId(1)) is None


async def test_a_second_prompt_is_not_taken_and_not_mixed_with_the_first(pool: Pool) -> None:
    request_id = await begun(pool)
    runs = RunStore(pool)
    await runs.save_prompt(request_id, PROMPT)
    longer = [replace(PROMPT[0], position=position, content="other") for position in range(5)]
    assert await runs.save_prompt(request_id, longer) == PROMPT


async def test_of_eight_attempts_at_once_one_turn_is_kept_and_returned_to_all(pool: Pool) -> None:
    request_id = await begun(pool)
    runs = RunStore(pool)
    attempts = [replace(TURN, text=f"attempt {attempt}") for attempt in range(8)]
    kept = await asyncio.gather(*(runs.save_turn(request_id, 1, attempt) for attempt in attempts))
    assert len(set(kept)) == 1
    assert kept[0] == await runs.turn(request_id, 1)
    assert kept[0] in attempts


async def test_of_eight_attempts_at_once_one_prompt_is_kept_and_returned_to_all(pool: Pool) -> None:
    request_id = await begun(pool)
    runs = RunStore(pool)
    attempts = [
        [replace(PROMPT[0], position=position, content=f"attempt {attempt}") for position in range(attempt + 1)]
        for attempt in range(8)
    ]
    kept = await asyncio.gather(*(runs.save_prompt(request_id, attempt) for attempt in attempts))
    assert len(set(kept)) == 1
    assert list(kept[0]) in attempts


async def test_a_second_result_of_a_call_is_not_taken(pool: Pool) -> None:
    request_id = await begun(pool)
    runs = RunStore(pool)
    await runs.save_turn(request_id, 1, TURN)
    await runs.save_tool_result(request_id, RESULT)
    late = replace(RESULT, success=False, error_code="tool_timeout", result='{"ok":false}')
    assert await runs.save_tool_result(request_id, late) == RESULT
    assert await runs.tool_result(request_id, 1, 0) == RESULT


async def test_finishing_closes_run_and_request_and_forgets_the_interaction_token(pool: Pool) -> None:
    opening = interaction()
    request_id = opening.request_id
    await Journal(pool).record_interaction(opening, occurred_at=NOON, user_name="Ada")
    runs = RunStore(pool)
    await runs.begin(request_id, workflow_run_id="w-1", trace_id="t-1")
    await runs.save_turn(request_id, 1, TURN)
    await runs.finish(replace(COMPLETED, request_id=request_id))
    facts = await RequestOutbox(pool).facts(request_id)
    assert facts is not None
    assert (facts.state, facts.interaction_token) == ("finished", None)
    details = await runs.run_details(request_id)
    assert details is not None
    summary = details.summary
    assert (summary.status, summary.model, summary.iterations, summary.tool_calls) == (RunStatus.COMPLETED, "m-1", 2, 1)
    assert (summary.prompt_tokens, summary.completion_tokens) == (100, 50)
    assert (summary.workflow_run_id, summary.trace_id) == ("w-1", "t-1")
    assert summary.completed_at is not None


async def test_finishing_again_changes_nothing(pool: Pool) -> None:
    request_id = await begun(pool)
    runs = RunStore(pool)
    await runs.finish(replace(COMPLETED, request_id=request_id))
    first = await runs.run_details(request_id)
    failed = replace(COMPLETED, request_id=request_id, status=RunStatus.FAILED, error_code="late", iterations=9)
    await runs.finish(failed)
    assert await runs.run_details(request_id) == first


async def test_a_run_that_ended_before_it_began_is_recorded(pool: Pool) -> None:
    request_id = await ask(pool, 1)
    await RunStore(pool).finish(
        replace(COMPLETED, request_id=request_id, status=RunStatus.FAILED, error_code="store_unavailable")
    )
    (run,) = await RunStore(pool).recent_runs(10)
    assert (run.status, run.error_code, run.workflow_run_id) == (RunStatus.FAILED, "store_unavailable", None)


async def test_finishing_notifies_who_waits_for_the_run(database_url: str, pool: Pool) -> None:
    request_id = await begun(pool)
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as listener:
        await listener.execute("listen agent_runs")
        await RunStore(pool).finish(replace(COMPLETED, request_id=request_id))
        notes = [note.payload async for note in listener.notifies(timeout=5, stop_after=1)]
    assert notes == [str(request_id)]


async def test_beginning_again_in_the_same_workflow_run_changes_nothing(pool: Pool) -> None:
    request_id = await begun(pool)
    runs = RunStore(pool)
    before = await runs.run_details(request_id)
    await runs.begin(request_id, workflow_run_id="w-1", trace_id="t-2")
    assert await runs.run_details(request_id) == before


async def test_another_workflow_run_opens_the_run_again_and_keeps_the_turns(pool: Pool) -> None:
    request_id = await begun(pool)
    runs = RunStore(pool)
    await runs.save_turn(request_id, 1, TURN)
    await runs.finish(replace(COMPLETED, request_id=request_id, status=RunStatus.FAILED, error_code="x"))
    await runs.begin(request_id, workflow_run_id="w-2", trace_id="t-2")
    reopened = await runs.run_details(request_id)
    assert reopened is not None
    assert (reopened.summary.status, reopened.summary.error_code) == (RunStatus.RUNNING, None)
    assert reopened.transcript.turns == (StoredTurn(iteration=1, turn=TURN),)
    await runs.finish(replace(COMPLETED, request_id=request_id))
    again = await runs.run_details(request_id)
    assert again is not None
    assert (again.summary.status, again.summary.workflow_run_id) == (RunStatus.COMPLETED, "w-2")


async def test_runs_are_listed_newest_first_with_those_that_wait(pool: Pool) -> None:
    first = await begun(pool, 1)
    second, third = await ask(pool, 2), await ask(pool, 3)
    listed = await RunStore(pool).recent_runs(2)
    assert [(run.request_id, run.status) for run in listed] == [(third, None), (second, None)]
    assert (await RunStore(pool).recent_runs(3))[-1].request_id == first
    assert listed[0].requested_at.utcoffset() == timedelta()


async def test_erasing_a_request_takes_everything_of_its_run_with_it(pool: Pool) -> None:
    request_id = await begun(pool)
    runs = RunStore(pool)
    await runs.save_prompt(request_id, PROMPT)
    await runs.save_turn(request_id, 1, TURN)
    await runs.save_tool_result(request_id, RESULT)
    await DeliveryStore(pool).claim(request_id, Purpose.ANSWER, ["x"])
    async with transaction(pool) as connection:
        await connection.execute("delete from agent_requests")
    tables = ("agent_runs", "agent_prompts", "agent_turns", "agent_tool_calls", "deliveries")
    assert [await count(pool, table) for table in tables] == [0] * 5


async def test_writing_for_an_erased_request_is_a_conflict_and_finishing_it_is_nothing(pool: Pool) -> None:
    runs = RunStore(pool)
    gone = RequestId(1)
    with pytest.raises(Conflict, match="does not exist any more"):
        await runs.begin(gone, workflow_run_id="w", trace_id=None)
    with pytest.raises(Conflict):
        await runs.save_prompt(gone, PROMPT)
    with pytest.raises(Conflict):
        await runs.save_turn(gone, 1, TURN)
    with pytest.raises(Conflict):
        await runs.save_tool_result(gone, RESULT)
    await runs.finish(replace(COMPLETED, request_id=gone))
    assert await count(pool, "agent_runs") == 0
