from __future__ import annotations

import asyncio

import pytest

from gopher.domain.conversation import ChatTurn
from gopher.domain.ids import RequestId
from gopher.domain.journal import AuthorKind, JournalMessage
from gopher.domain.runs import Purpose
from gopher.errors import Conflict
from gopher.store.deliveries import DeliveryStore
from gopher.store.journal import Journal
from gopher.store.pool import Pool
from gopher.store.runs import RunStore
from tests.store.samples import BOT, ask, count, message


def answer(number: int, request_id: RequestId) -> JournalMessage:
    return message(number, author_id=BOT, author_kind=AuthorKind.ASSISTANT, request_id=request_id)


def turn(text: str) -> ChatTurn:
    return ChatTurn(
        text=text, calls=(), finish_reason="stop", model="m",
        prompt_tokens=1, completion_tokens=1, first_token_ms=None, duration_ms=1,
    )  # fmt: skip


async def test_the_first_claim_is_fresh_and_in_order_with_a_nonce_for_each_chunk(pool: Pool) -> None:
    request_id = await ask(pool, 1)
    chunks = await DeliveryStore(pool).claim(request_id, Purpose.ANSWER, ["one", "two", "three"])
    assert [(chunk.chunk, chunk.content, chunk.fresh, chunk.message_id) for chunk in chunks] == [
        (0, "one", True, None),
        (1, "two", True, None),
        (2, "three", True, None),
    ]
    assert len({chunk.nonce for chunk in chunks}) == 3
    assert all(len(chunk.nonce) <= 25 for chunk in chunks)


@pytest.mark.parametrize("later", [["other", "texts"], ["other", "texts", "and", "more"], ["fewer"], []])
async def test_a_later_claim_returns_what_the_first_one_wrote(pool: Pool, later: list[str]) -> None:
    request_id = await ask(pool, 1)
    first = await DeliveryStore(pool).claim(request_id, Purpose.ANSWER, ["one", "two"])
    again = await DeliveryStore(pool).claim(request_id, Purpose.ANSWER, later)
    assert [(chunk.content, chunk.nonce, chunk.claimed_at) for chunk in again] == [
        (chunk.content, chunk.nonce, chunk.claimed_at) for chunk in first
    ]
    assert not any(chunk.fresh for chunk in again)


async def test_of_eight_attempts_at_once_one_claims_and_all_see_its_texts(pool: Pool) -> None:
    request_id = await ask(pool, 1)
    texts = [[f"attempt {attempt} piece {piece}" for piece in range(attempt + 1)] for attempt in range(8)]
    claims = await asyncio.gather(
        *(DeliveryStore(pool).claim(request_id, Purpose.ANSWER, contents) for contents in texts)
    )
    contents = {tuple(chunk.content for chunk in claim) for claim in claims}
    assert len(contents) == 1
    assert list(contents.pop()) in texts
    assert sorted(all(chunk.fresh for chunk in claim) for claim in claims) == [False] * 7 + [True]


async def test_an_answer_and_a_notice_of_one_request_do_not_meet(pool: Pool) -> None:
    request_id = await ask(pool, 1)
    (first,) = await DeliveryStore(pool).claim(request_id, Purpose.ANSWER, ["x"])
    (second,) = await DeliveryStore(pool).claim(request_id, Purpose.NOTICE, ["x"])
    assert second.fresh
    assert first.nonce != second.nonce


async def test_claiming_for_an_erased_request_is_a_conflict(pool: Pool) -> None:
    with pytest.raises(Conflict) as caught:
        await DeliveryStore(pool).claim(RequestId(1), Purpose.ANSWER, ["x"])
    assert caught.value.code == "request_gone"


async def test_what_was_sent_is_journaled_and_no_longer_open(pool: Pool) -> None:
    request_id = await ask(pool, 1)
    store = DeliveryStore(pool)
    await store.claim(request_id, Purpose.ANSWER, ["one", "two"])
    sent = answer(2, request_id)
    await store.sent(request_id, Purpose.ANSWER, 1, sent)
    first, second = await store.claim(request_id, Purpose.ANSWER, [])
    assert (first.message_id, second.message_id) == (None, sent.message_id)
    assert await Journal(pool).message(sent.message_id) == sent


async def test_recording_a_send_twice_changes_nothing(pool: Pool) -> None:
    request_id = await ask(pool, 1)
    store = DeliveryStore(pool)
    await store.claim(request_id, Purpose.ANSWER, ["one"])
    await store.sent(request_id, Purpose.ANSWER, 0, answer(2, request_id))
    await store.sent(request_id, Purpose.ANSWER, 0, answer(2, request_id))
    (chunk,) = await store.claim(request_id, Purpose.ANSWER, [])
    assert chunk.message_id == answer(2, request_id).message_id
    assert await count(pool, "chat_messages") == 2
    assert await count(pool, "discord_events") == 2


async def test_the_first_message_of_a_chunk_stays(pool: Pool) -> None:
    request_id = await ask(pool, 1)
    store = DeliveryStore(pool)
    await store.claim(request_id, Purpose.ANSWER, ["one"])
    await store.sent(request_id, Purpose.ANSWER, 0, answer(2, request_id))
    await store.sent(request_id, Purpose.ANSWER, 0, answer(3, request_id))
    (chunk,) = await store.claim(request_id, Purpose.ANSWER, [])
    assert chunk.message_id == answer(2, request_id).message_id


async def test_a_message_that_came_back_from_the_gateway_first_gets_its_run(pool: Pool) -> None:
    request_id = await ask(pool, 1)
    store = DeliveryStore(pool)
    await store.claim(request_id, Purpose.ANSWER, ["one"])
    await Journal(pool).record_message(message(2, author_id=BOT, author_kind=AuthorKind.ASSISTANT))
    await store.sent(request_id, Purpose.ANSWER, 0, answer(2, request_id))
    assert await Journal(pool).message(answer(2, request_id).message_id) == answer(2, request_id)


async def test_the_answer_is_the_text_of_the_last_turn(pool: Pool) -> None:
    request_id = await ask(pool, 1)
    runs = RunStore(pool)
    assert await DeliveryStore(pool).answer_text(request_id) is None
    await runs.begin(request_id, workflow_run_id="w", trace_id=None)
    for iteration, text in ((1, "thinking"), (2, "done")):
        await runs.save_turn(request_id, iteration, turn(text))
    assert await DeliveryStore(pool).answer_text(request_id) == "done"


async def test_a_last_turn_without_text_is_no_answer(pool: Pool) -> None:
    request_id = await ask(pool, 1)
    runs = RunStore(pool)
    await runs.begin(request_id, workflow_run_id="w", trace_id=None)
    await runs.save_turn(request_id, 1, turn("thinking"))
    await runs.save_turn(request_id, 2, turn(""))
    assert await DeliveryStore(pool).answer_text(request_id) is None
