"""Heartbeats: for the whole duration of every remote activity, from outside of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput

from activities.errors import TranslateErrors
from activities.heartbeat import AutoHeartbeat
from gopher.errors import Rejected


class Body(ActivityInboundInterceptor):
    """The end of the chain: what the activity itself does."""

    def __init__(self, seconds: float = 0, error: Exception | None = None) -> None:
        self._seconds = seconds
        self._error = error

    async def execute_activity(self, input: ExecuteActivityInput) -> str:  # noqa: A002 # Temporal's name
        del input
        await asyncio.sleep(self._seconds)
        if self._error is not None:
            raise self._error
        return "done"


NOTHING = ExecuteActivityInput(fn=lambda: None, args=[], executor=None, headers={})


def environment(heartbeat_timeout: timedelta | None, *, attempt: int = 1) -> ActivityEnvironment:
    made = ActivityEnvironment()
    made.info = replace(made.info, heartbeat_timeout=heartbeat_timeout, attempt=attempt)
    return made


async def test_it_beats_thrice_in_a_timeout_and_not_after() -> None:
    beats: list[tuple[object, ...]] = []
    made = environment(timedelta(milliseconds=300))
    made.on_heartbeat = lambda *details: beats.append(details)
    chain = AutoHeartbeat().intercept_activity(Body(0.45))
    assert await made.run(chain.execute_activity, NOTHING) == "done"
    assert 4 <= len(beats) <= 5
    await asyncio.sleep(0.2)
    assert len(beats) <= 5


async def test_an_activity_without_a_heartbeat_timeout_does_not_beat() -> None:
    beats: list[tuple[object, ...]] = []
    made = environment(None)
    made.on_heartbeat = lambda *details: beats.append(details)
    assert await made.run(AutoHeartbeat().intercept_activity(Body(0.05)).execute_activity, NOTHING) == "done"
    assert beats == []


@pytest.mark.parametrize(
    ("error", "attempt", "kind", "final"),
    [
        (ZeroDivisionError("canary"), 1, "unexpected", False),
        (ZeroDivisionError("canary"), 3, "unexpected", True),
        (Rejected("canary", code="odd"), 1, "odd", True),
        (ApplicationError("as it is", type="kept"), 1, "kept", False),
    ],
)
async def test_what_leaves_an_activity_holds_none_of_its_words(
    error: Exception, attempt: int, kind: str, final: bool
) -> None:
    chain = TranslateErrors().intercept_activity(Body(error=error))
    with pytest.raises(ApplicationError) as translated:
        await environment(None, attempt=attempt).run(chain.execute_activity, NOTHING)
    assert translated.value.type == kind
    assert translated.value.non_retryable is final
    assert "canary" not in str(translated.value)
    assert translated.value.__cause__ is None
    assert translated.value.__context__ is None
