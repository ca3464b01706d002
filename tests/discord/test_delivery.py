from __future__ import annotations

from datetime import timedelta

import pytest
from temporalio.testing import ActivityEnvironment

from bot import Parts
from devstack.discord import seed
from devstack.discord.permissions import Permission
from gopher.domain.chunks import split
from gopher.domain.ids import ChannelId, GuildId, MessageId, RequestId, UserId, delivery_nonce, snowflake_time
from gopher.domain.journal import AuthorKind, JournalMessage, NewRequest, Trigger
from gopher.domain.notices import notice
from gopher.domain.runs import DeliveryInput, DeliveryVerdict, Purpose, Surface
from gopher.errors import Conflict, DiscordRejected, DiscordUnavailable
from gopher.store.deliveries import DeliveryStore
from gopher.store.journal import Journal
from gopher.store.pool import Pool
from tests.discord.burrow import SEND, Burrow, finish_turn, logged_in, rows

NO_PINGS: dict[str, object] = {"parse": [], "replied_user": False}


async def ask(burrow: Burrow, pool: Pool, channel_id: int = seed.GENERAL_ID, text: str = "hm?") -> RequestId:
    message_id = await burrow.say(seed.ADA, channel_id, text)
    message = JournalMessage(
        message_id=message_id,
        surface=Surface.DISCORD,
        guild_id=GuildId(seed.GUILD_ID),
        channel_id=ChannelId(channel_id),
        author_id=UserId(seed.ADA.id),
        author_name="Ada",
        author_kind=AuthorKind.MEMBER,
        content=text,
        created_at=snowflake_time(message_id),
    )
    request = NewRequest(
        request_id=RequestId(message_id),
        surface=Surface.DISCORD,
        trigger=Trigger.MESSAGE,
        guild_id=message.guild_id,
        channel_id=message.channel_id,
        user_id=message.author_id,
    )
    await Journal(pool).record_message(message, request)
    return request.request_id


async def deliver(parts: Parts, request_id: RequestId, code: str | None = None) -> DeliveryVerdict:
    purpose = Purpose.ANSWER if code is None else Purpose.NOTICE
    delivery = DeliveryInput(request_id=request_id, purpose=purpose, code=code)
    return await ActivityEnvironment().run(parts.delivery.deliver, delivery)


def deny_to_bot(burrow: Burrow, permission: Permission, channel_id: int = seed.GENERAL_ID) -> None:
    burrow.discord.control.set_overwrite(channel_id, seed.BOT.id, deny=int(permission))


async def test_an_answer_replies_to_its_trigger_and_pings_nobody(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    request_id = await ask(burrow, pool)
    words = f"@everyone <@&{seed.REGULARS_ROLE_ID}> <@{seed.GRACE.id}> see https://example.org"
    await finish_turn(pool, request_id, words)
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        verdict = await deliver(parts, request_id)
    (sent,) = await burrow.said_by_bot(seed.GENERAL_ID)
    assert verdict == DeliveryVerdict(chunks=1, message_id=MessageId(int(sent["id"])))
    assert sent["content"] == words
    assert sent["message_reference"]["message_id"] == str(request_id)
    assert (sent["mentions"], sent["mention_roles"], sent["mention_everyone"]) == ([], [], False)
    assert sent["embeds"] == []
    (body,) = burrow.bodies(SEND)
    assert body == {
        "content": words,
        "allowed_mentions": NO_PINGS,
        "flags": 4,
        "nonce": delivery_nonce(request_id, Purpose.ANSWER, 0),
        "enforce_nonce": True,
        "message_reference": {
            "channel_id": str(seed.GENERAL_ID),
            "message_id": str(request_id),
            "fail_if_not_exists": False,
        },
    }
    assert await rows(
        pool, "select content, author_kind, request_id from chat_messages where author_kind = 'assistant'"
    ) == [(words, "assistant", request_id)]


async def test_a_long_answer_comes_in_order_each_part_once(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    request_id = await ask(burrow, pool)
    code = "\n".join(f"line_{number} = {number}  # {'x' * 40}" for number in range(60))
    answer = f"Here:\n\n```python\n{code}\n```"
    await finish_turn(pool, request_id, answer)
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        verdict = await deliver(parts, request_id)
        assert await deliver(parts, request_id) == verdict
    sent = await burrow.said_by_bot(seed.GENERAL_ID)
    assert [message["content"] for message in sent] == [chunk.text for chunk in split(answer)]
    assert all(len(message["content"]) <= 2000 and message["content"].count("```") % 2 == 0 for message in sent)
    assert [("message_reference" in message) for message in sent] == [True] + [False] * (len(sent) - 1)
    assert all(body["allowed_mentions"] == NO_PINGS for body in burrow.bodies(SEND))
    assert len({body["nonce"] for body in burrow.bodies(SEND)}) == verdict.chunks == len(sent)


async def test_a_notice_says_its_sentence(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    request_id = await ask(burrow, pool)
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        await deliver(parts, request_id, "provider_unavailable")
    (sent,) = await burrow.said_by_bot(seed.GENERAL_ID)
    assert sent["content"] == notice("provider_unavailable")
    assert sent["message_reference"]["message_id"] == str(request_id)


async def test_a_lost_response_makes_no_second_message(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    request_id = await ask(burrow, pool)
    await finish_turn(pool, request_id, "Once.")
    burrow.discord.control.lose_responses(SEND[1], method=SEND[0])
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        with pytest.raises(DiscordUnavailable):
            await deliver(parts, request_id)
        verdict = await deliver(parts, request_id)
    (sent,) = await burrow.said_by_bot(seed.GENERAL_ID)
    assert verdict.message_id == int(sent["id"])
    assert len(burrow.requests(SEND)) == 1  # the channel was asked, and nothing was sent again


async def test_where_the_history_may_not_be_read_the_nonce_tells(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    request_id = await ask(burrow, pool)
    await finish_turn(pool, request_id, "Once.")
    deny_to_bot(burrow, Permission.READ_MESSAGE_HISTORY)
    burrow.discord.control.lose_responses(SEND[1], method=SEND[0], count=2)
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        with pytest.raises(DiscordUnavailable):
            await deliver(parts, request_id)
        await deliver(parts, request_id)
    (sent,) = await burrow.said_by_bot(seed.GENERAL_ID)
    assert sent["content"] == "Once."
    assert "message_reference" not in sent  # a reply needs the history, too
    assert len(burrow.requests(SEND)) > 1


async def test_a_server_error_is_tried_again_and_sends_once(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    request_id = await ask(burrow, pool)
    await finish_turn(pool, request_id, "Once.")
    burrow.discord.control.fail_requests(SEND[1], method=SEND[0], count=1, status=502)
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        await deliver(parts, request_id)
    assert len(await burrow.said_by_bot(seed.GENERAL_ID)) == 1


async def test_service_unavailable_is_left_to_the_next_attempt(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    request_id = await ask(burrow, pool)
    await finish_turn(pool, request_id, "Once.")
    burrow.discord.control.fail_requests(SEND[1], method=SEND[0], count=1, status=503)
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        with pytest.raises(DiscordUnavailable, match="status 503"):
            await deliver(parts, request_id)
        await deliver(parts, request_id)
    assert len(await burrow.said_by_bot(seed.GENERAL_ID)) == 1


async def test_a_rate_limit_is_waited_for(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    request_id = await ask(burrow, pool)
    await finish_turn(pool, request_id, "Once.")
    burrow.discord.control.rate_limit(SEND[1], method=SEND[0], retry_after=timedelta(milliseconds=300), scope="global")
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        await deliver(parts, request_id)
    assert len(await burrow.said_by_bot(seed.GENERAL_ID)) == 1


async def test_a_message_of_an_attempt_that_died_is_found_and_recorded(
    burrow: Burrow, pool: Pool, valkey_url: str
) -> None:
    request_id = await ask(burrow, pool)
    await finish_turn(pool, request_id, "Found.")
    await DeliveryStore(pool).claim(request_id, Purpose.ANSWER, ["Found."])
    await burrow.say(seed.BOT, seed.GENERAL_ID, "Something else.")
    sent = await burrow.say(seed.BOT, seed.GENERAL_ID, "Found.", reply_to=request_id)
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        assert (await deliver(parts, request_id)).message_id == sent
    assert burrow.requests(SEND)[2:] == []  # both sends were the test's own
    assert await rows(pool, "select message_id from deliveries") == [(sent,)]
    assert await rows(pool, "select message_id from chat_messages where author_kind = 'assistant'") == [(sent,)]


async def test_equal_answers_of_two_requests_are_two_messages(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    first, second = await ask(burrow, pool), await ask(burrow, pool)
    for request_id in (first, second):
        await finish_turn(pool, request_id, "ok")
    await DeliveryStore(pool).claim(first, Purpose.ANSWER, ["ok"])
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        await deliver(parts, second)
        await deliver(parts, first)
    sent = await burrow.said_by_bot(seed.GENERAL_ID)
    assert [message["message_reference"]["message_id"] for message in sent] == [str(second), str(first)]


async def test_equal_parts_of_one_answer_are_sent_as_often_as_they_stand(
    burrow: Burrow, pool: Pool, valkey_url: str
) -> None:
    request_id = await ask(burrow, pool)
    await finish_turn(pool, request_id, "unused, the claim decides")
    await DeliveryStore(pool).claim(request_id, Purpose.ANSWER, ["again", "again", "again"])
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        assert (await deliver(parts, request_id)).chunks == 3
    assert [message["content"] for message in await burrow.said_by_bot(seed.GENERAL_ID)] == ["again"] * 3


async def test_an_answer_goes_on_where_the_attempt_before_ended(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    request_id = await ask(burrow, pool)
    await finish_turn(pool, request_id, "unused, the claim decides")
    await DeliveryStore(pool).claim(request_id, Purpose.ANSWER, ["one", "two", "three"])
    await burrow.say(seed.BOT, seed.GENERAL_ID, "one", reply_to=request_id)
    await burrow.say(seed.BOT, seed.GENERAL_ID, "two")
    await burrow.say(seed.GRACE, seed.GENERAL_ID, "two")
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        await deliver(parts, request_id)
    assert [message["content"] for message in await burrow.said_by_bot(seed.GENERAL_ID)] == ["one", "two", "three"]


async def test_the_answer_to_a_deleted_trigger_comes_without_the_reference(
    burrow: Burrow, pool: Pool, valkey_url: str
) -> None:
    request_id = await ask(burrow, pool)
    await finish_turn(pool, request_id, "Still here.")
    await burrow.call(seed.ADA, "DELETE", f"/channels/{seed.GENERAL_ID}/messages/{request_id}")
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        await deliver(parts, request_id)
    (sent,) = await burrow.said_by_bot(seed.GENERAL_ID)
    assert sent["content"] == "Still here."
    assert "message_reference" not in sent


async def test_a_channel_that_is_gone_is_no_reason_to_try_again(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    channel_id = burrow.discord.control.create_channel(seed.GUILD_ID, "fleeting")
    request_id = await ask(burrow, pool, channel_id)
    await finish_turn(pool, request_id, "Too late.")
    burrow.discord.control.delete_channel(channel_id)
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        with pytest.raises(DiscordRejected) as refused:
            await deliver(parts, request_id)
    assert refused.value.code == "channel_gone"
    assert not refused.value.retryable


@pytest.mark.parametrize("permission", [Permission.SEND_MESSAGES, Permission.VIEW_CHANNEL])
async def test_a_lost_permission_is_no_reason_to_try_again(
    burrow: Burrow, pool: Pool, valkey_url: str, permission: Permission
) -> None:
    request_id = await ask(burrow, pool)
    await finish_turn(pool, request_id, "Not allowed.")
    deny_to_bot(burrow, permission)
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        with pytest.raises(DiscordRejected) as refused:
            await deliver(parts, request_id)
        with pytest.raises(DiscordRejected) as refused_again:
            await deliver(parts, request_id)
    assert refused.value.code == refused_again.value.code == "missing_permission"
    assert await burrow.said_by_bot(seed.GENERAL_ID) == []


async def test_a_request_without_an_answer_is_a_conflict(burrow: Burrow, pool: Pool, valkey_url: str) -> None:
    request_id = await ask(burrow, pool)
    async with logged_in(burrow, pool, valkey_url) as (parts, _):
        with pytest.raises(Conflict, match="erased"):
            await deliver(parts, request_id)
        with pytest.raises(Conflict, match="erased"):
            await deliver(parts, RequestId(1))
