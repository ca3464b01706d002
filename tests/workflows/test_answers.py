from __future__ import annotations

from devstack.scripted_turns import ModelTurn
from gopher.domain.runs import RunStatus
from tests.workflows.stage import Stage


async def test_a_request_is_answered_and_recorded(stage: Stage) -> None:
    stage.script(ModelTurn(text="hi there"))
    record = await stage.run()
    assert record.status is RunStatus.COMPLETED
    assert (record.iterations, record.tool_calls, record.prompt_tokens, record.completion_tokens) == (1, 0, 11, 7)
    assert await stage.answers(record.request_id) == [("answer", "hi there")]
