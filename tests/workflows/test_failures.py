"""Failures of the provider: retried by one layer where that can help, else told in a plain sentence."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from devstack.providers import ScriptedProviders
from devstack.scripted_turns import ModelTurn
from gopher.domain.notices import notice
from gopher.domain.runs import RunLimits, RunStatus
from tests.workflows.stage import Stage

PAGE = "<html><body>Welcome to nginx</body></html>"


def gaps(providers: ScriptedProviders) -> list[float]:
    """Seconds from the end of each request to the beginning of the next."""
    asked = providers.requests
    return [after.received_at - (before.finished_at or 0) for before, after in pairwise(asked)]


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        pytest.param(ModelTurn(status=401), "authentication", id="401"),
        pytest.param(ModelTurn(status=400), "provider_rejected", id="400"),
        pytest.param(
            ModelTurn(status=400, error={"code": "context_length_exceeded", "message": "too long"}),
            "context_too_long",
            id="context",
        ),
        pytest.param(ModelTurn(text=""), "empty_answer", id="empty"),
        pytest.param(ModelTurn(text="half an ans", finish_reason="length"), "answer_cut_off", id="length"),
        pytest.param(ModelTurn(text="", finish_reason="content_filter"), "content_filtered", id="filter"),
        pytest.param(ModelTurn(body=PAGE, content_type="text/html"), "provider_not_openai", id="html"),
    ],
)
async def test_a_refusal_is_not_repeated_and_is_told(stage: Stage, turn: ModelTurn, code: str) -> None:
    stage.script(turn)
    record = await stage.run()
    assert (record.status, record.error_code) == (RunStatus.FAILED, code)
    assert await stage.answers(record.request_id) == [("notice", notice(code))]
    assert len(stage.providers.requests) == 1


async def test_retry_after_is_waited_once_and_by_one_layer(stage: Stage) -> None:
    stage.script(ModelTurn(status=429, headers={"Retry-After": "3"}), ModelTurn(text="now"))
    record = await stage.run()
    assert record.status is RunStatus.COMPLETED
    (gap,) = gaps(stage.providers)
    assert 3.0 <= gap < 4.5


async def test_a_wait_that_outlasts_the_run_ends_it_at_once(stage: Stage) -> None:
    stage.script(ModelTurn(status=429, headers={"Retry-After": "600"}))
    record = await stage.run()
    assert (record.status, record.error_code) == (RunStatus.FAILED, "provider_rate_limited")
    assert len(stage.providers.requests) == 1


async def test_an_outage_of_the_provider_is_bridged(stage: Stage) -> None:
    stage.script(ModelTurn(status=503), ModelTurn(drop=True), ModelTurn(text="back"))
    record = await stage.run()
    assert record.status is RunStatus.COMPLETED
    first, second = gaps(stage.providers)
    assert 1.0 <= first < 2.0
    assert 2.0 <= second < 3.5


async def test_a_body_that_stalls_is_given_up_at_the_turns_deadline(stage: Stage) -> None:
    stage.script(ModelTurn(text="one two three", stall_after=2), ModelTurn(text="whole"))
    record = await stage.run(limits=replace(RunLimits(), turn_timeout=timedelta(seconds=2)))
    assert record.status is RunStatus.COMPLETED
    assert await stage.answers(record.request_id) == [("answer", "whole")]
    assert stage.providers.open_connections <= 1


async def test_a_slow_first_byte_is_no_failure_and_no_second_request(stage: Stage) -> None:
    # Longer than two heartbeat timeouts: the worker lives, and says so.
    stage.script(ModelTurn(text="slow", delay_seconds=5))
    record = await stage.run()
    assert record.status is RunStatus.COMPLETED
    assert len(stage.providers.requests) == 1


async def test_a_turn_that_is_stored_is_not_asked_for_again(stage: Stage) -> None:
    stage.script(ModelTurn(text="paid for"))
    record = await stage.run()
    stage.script()
    async with stage.worker():
        again = await (await stage.start(record.request_id)).result()
    assert again == record
    assert not stage.providers.requests


async def test_a_request_that_was_taken_back_is_not_answered(stage: Stage) -> None:
    request_id = await stage.ask()
    async with stage.pool.connection() as connection:
        await connection.execute("update chat_messages set deleted_at = now() where message_id = %s", (request_id,))
    async with stage.worker():
        record = await (await stage.start(request_id)).result()
    assert (record.status, record.error_code) == (RunStatus.CANCELLED, "request_gone")
    assert await stage.answers(request_id) == []
