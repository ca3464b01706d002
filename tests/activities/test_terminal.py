"""Delivery to a terminal."""

from __future__ import annotations

import pytest
from temporalio.testing import ActivityEnvironment

from activities.terminal import TerminalActivities
from gopher.domain.conversation import ChatTurn
from gopher.domain.ids import MessageId, RequestId
from gopher.domain.journal import AuthorKind
from gopher.domain.notices import notice
from gopher.domain.runs import DeliveryInput, DeliveryVerdict, Purpose
from gopher.errors import Conflict
from gopher.store.deliveries import DeliveryStore
from gopher.store.journal import Journal
from gopher.store.pool import Pool
from gopher.store.requests import RequestOutbox
from gopher.store.runs import RunStore
from tests.activities.samples import CHANNEL, journaled, message


async def deliver(pool: Pool, request_id: RequestId, purpose: Purpose, code: str | None = None) -> DeliveryVerdict:
    terminal = TerminalActivities(outbox=RequestOutbox(pool), deliveries=DeliveryStore(pool))
    delivery = DeliveryInput(request_id=request_id, purpose=purpose, code=code)
    return await ActivityEnvironment().run(terminal.deliver, delivery)


async def answered(pool: Pool, text: str) -> RequestId:
    request_id = await journaled(pool, message(1), request=True)
    await RunStore(pool).begin(request_id, workflow_run_id="w", trace_id=None)
    turn = ChatTurn(
        text=text,
        calls=(),
        finish_reason="stop",
        model="m",
        prompt_tokens=0,
        completion_tokens=0,
        first_token_ms=None,
        duration_ms=1,
    )
    await RunStore(pool).save_turn(request_id, 1, turn)
    return request_id


async def test_an_answer_becomes_one_message_of_the_channel(pool: Pool) -> None:
    request_id = await answered(pool, "x" * 5_000)
    first = await deliver(pool, request_id, Purpose.ANSWER)
    assert await deliver(pool, request_id, Purpose.ANSWER) == first
    assert first.message_id is not None
    recent = await Journal(pool).recent(CHANNEL, before=MessageId(first.message_id + 1), limit=5)
    assert [said.content for said in recent if said.author_kind is AuthorKind.ASSISTANT] == ["x" * 5_000]
    assert recent[-1].reply_to_message_id == request_id
    assert recent[-1].request_id == request_id


async def test_a_notice_says_why_there_is_no_answer(pool: Pool) -> None:
    request_id = await journaled(pool, message(1), request=True)
    verdict = await deliver(pool, request_id, Purpose.NOTICE, "authentication")
    assert verdict.message_id is not None
    said = await Journal(pool).message(verdict.message_id)
    assert said is not None
    assert said.content == notice("authentication")


async def test_an_answer_that_does_not_exist_cannot_be_delivered(pool: Pool) -> None:
    request_id = await journaled(pool, message(1), request=True)
    with pytest.raises(Conflict) as gone:
        await deliver(pool, request_id, Purpose.ANSWER)
    assert gone.value.code == "request_gone"
