"""Requests and messages in a journal, for the tests of activities."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from gopher.domain.ids import ChannelId, GuildId, MessageId, RequestId, UserId, snowflake_at
from gopher.domain.journal import AuthorKind, JournalMessage, NewRequest, Trigger
from gopher.domain.runs import AgentInput, RunLimits, Surface
from gopher.store.journal import Journal
from gopher.store.pool import Pool

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
CHANNEL = ChannelId(800)
MEMBER = UserId(900)


def message(number: int, content: str = "hello", **changes: object) -> JournalMessage:
    """The message of the n-th second after noon."""
    moment = NOON + timedelta(seconds=number)
    made = JournalMessage(
        message_id=MessageId(snowflake_at(moment)),
        surface=Surface.DISCORD,
        guild_id=GuildId(700),
        channel_id=CHANNEL,
        author_id=MEMBER,
        author_name="Ada",
        author_kind=AuthorKind.MEMBER,
        content=content,
        created_at=moment,
    )
    return replace(made, **changes)  # pyright: ignore[reportArgumentType] # the fields that a test names


async def journaled(pool: Pool, message: JournalMessage, *, request: bool = False) -> RequestId:
    """Journal a message, with a request when it asks."""
    opened = NewRequest(
        request_id=RequestId(message.message_id),
        surface=message.surface,
        trigger=Trigger.MESSAGE,
        guild_id=message.guild_id,
        channel_id=message.channel_id,
        user_id=message.author_id,
    )
    await Journal(pool).record_message(message, opened if request else None)
    return RequestId(message.message_id)


def agent_input(request_id: RequestId) -> AgentInput:
    return AgentInput(
        request_id=request_id,
        surface=Surface.DISCORD,
        guild_id=GuildId(700),
        channel_id=CHANNEL,
        user_id=MEMBER,
        limits=RunLimits(),
    )
