"""Loading the context: what is read, what is stored, and that the first attempt's prompt stays."""

from __future__ import annotations

import re

import pytest
from temporalio.testing import ActivityEnvironment

from activities.context import ContextActivities
from gopher.domain.ids import ChannelId, RequestId
from gopher.domain.runs import ContextLoaded
from gopher.errors import Conflict, Rejected
from gopher.store.journal import Journal
from gopher.store.pool import Pool
from gopher.store.requests import RequestOutbox
from gopher.store.runs import RunStore
from tests.activities.samples import agent_input, journaled, message


async def load(pool: Pool, request_id: RequestId, *, recent: int = 5) -> ContextLoaded:
    context = ContextActivities(
        journal=Journal(pool),
        outbox=RequestOutbox(pool),
        runs=RunStore(pool),
        recent_messages=recent,
        bot_id=None,
        tools=False,
        trace_id=lambda: "4bf92f3577b34da6a3ce929d0e0e4736",
    )
    return await ActivityEnvironment().run(context.load_context, agent_input(request_id))


async def prompt(pool: Pool, request_id: RequestId) -> dict[str, str]:
    """The stored prompt, one text a layer."""
    layers: dict[str, str] = {}
    for entry in await RunStore(pool).prompt(request_id):
        layers[entry.layer] = layers.get(entry.layer, "") + entry.content
    return layers


async def test_the_run_is_opened_and_its_prompt_stored(pool: Pool) -> None:
    await journaled(pool, message(1, "before"))
    request_id = await journaled(pool, message(2, "asking"), request=True)
    await journaled(pool, message(3, "after"))
    loaded = await load(pool, request_id)
    layers = await prompt(pool, request_id)
    assert loaded == ContextLoaded(messages=4, characters=sum(map(len, layers.values())))
    assert "before" in layers["recent"]
    assert "asking" in layers["request"]
    assert "after" not in "".join(layers.values())
    run = await RunStore(pool).run_details(request_id)
    assert run is not None
    assert run.summary.trace_id == "4bf92f3577b34da6a3ce929d0e0e4736"
    assert run.summary.workflow_run_id


async def test_a_second_attempt_keeps_the_prompt_of_the_first(pool: Pool) -> None:
    request_id = await journaled(pool, message(2), request=True)
    first = await load(pool, request_id)
    before = await prompt(pool, request_id)
    await journaled(pool, message(1, "journaled late"))
    assert await load(pool, request_id) == first
    assert await prompt(pool, request_id) == before


async def test_the_delimiter_is_another_one_in_every_request(pool: Pool) -> None:
    requests = [await journaled(pool, message(number), request=True) for number in (1, 2)]
    delimiters: set[str] = set()
    for request_id in requests:
        await load(pool, request_id)
        delimiters.update(re.findall(r"<(\w+):request ", (await prompt(pool, request_id))["request"]))
    assert len(delimiters) == 2


async def test_a_message_that_is_replied_to_is_quoted_when_the_window_does_not_show_it(pool: Pool) -> None:
    await journaled(pool, message(1, "long ago"))
    for number in range(2, 6):
        await journaled(pool, message(number))
    request_id = await journaled(pool, message(9, reply_to_message_id=message(1).message_id), request=True)
    await load(pool, request_id, recent=2)
    assert "long ago" in (await prompt(pool, request_id))["quoted"]


async def test_a_message_in_the_window_is_not_quoted_again(pool: Pool) -> None:
    await journaled(pool, message(1, "just now"))
    request_id = await journaled(pool, message(9, reply_to_message_id=message(1).message_id), request=True)
    await load(pool, request_id)
    assert "quoted" not in await prompt(pool, request_id)


async def test_a_message_of_another_channel_is_never_quoted(pool: Pool) -> None:
    await journaled(pool, message(1, "staff only", channel_id=ChannelId(801)))
    request_id = await journaled(pool, message(9, reply_to_message_id=message(1).message_id), request=True)
    await load(pool, request_id)
    assert "staff only" not in "".join((await prompt(pool, request_id)).values())


async def test_a_request_whose_message_was_deleted_is_gone(pool: Pool) -> None:
    request_id = await journaled(pool, message(1), request=True)
    async with pool.connection() as connection:
        await connection.execute("update chat_messages set deleted_at = now()")
    with pytest.raises(Rejected) as gone:
        await load(pool, request_id)
    assert gone.value.code == "request_gone"


async def test_a_request_that_was_erased_is_gone(pool: Pool) -> None:
    with pytest.raises(Conflict) as gone:
        await load(pool, RequestId(4711))
    assert gone.value.code == "request_gone"
