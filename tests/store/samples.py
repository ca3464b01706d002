"""Messages and requests for the tests of the store, with everything defaulted that a test does not care about."""

from __future__ import annotations

from datetime import UTC, datetime

from gopher.domain.ids import ChannelId, GuildId, MessageId, RequestId, UserId, snowflake_at
from gopher.domain.journal import Attachment, AuthorKind, JournalMessage, NewRequest, Trigger
from gopher.domain.runs import Surface
from gopher.store.journal import Journal
from gopher.store.pool import Pool, transaction

GUILD = GuildId(700)
CHANNEL = ChannelId(800)
MEMBER = UserId(900)
BOT = UserId(901)
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def message_id(number: int) -> MessageId:
    """The id of the message of one second: the n-th second after noon."""
    return MessageId(snowflake_at(NOON) + (number * 1000 << 22))


def message(
    number: int = 1,
    *,
    channel_id: int = CHANNEL,
    author_id: int = MEMBER,
    author_kind: AuthorKind = AuthorKind.MEMBER,
    content: str = "hello",
    attachments: tuple[Attachment, ...] = (),
    request_id: RequestId | None = None,
) -> JournalMessage:
    return JournalMessage(
        message_id=message_id(number),
        surface=Surface.DISCORD,
        guild_id=GUILD,
        channel_id=ChannelId(channel_id),
        author_id=UserId(author_id),
        author_name="Ada",
        author_kind=author_kind,
        content=content,
        attachments=attachments,
        request_id=request_id,
        created_at=NOON,
    )


def request_of(message: JournalMessage, *, traceparent: str | None = None) -> NewRequest:
    """The request that a message opens."""
    return NewRequest(
        request_id=RequestId(message.message_id),
        surface=message.surface,
        trigger=Trigger.MESSAGE,
        guild_id=message.guild_id,
        channel_id=message.channel_id,
        user_id=message.author_id,
        traceparent=traceparent,
    )


def interaction(number: int = 1, *, prompt: str = "what?") -> NewRequest:
    """A slash command in a direct message."""
    return NewRequest(
        request_id=RequestId(message_id(number)),
        surface=Surface.DISCORD,
        trigger=Trigger.INTERACTION,
        guild_id=None,
        channel_id=CHANNEL,
        user_id=MEMBER,
        prompt=prompt,
        interaction_token="CANARY",  # noqa: S106 - nobody's
        traceparent="00-1-2-01",
    )


async def ask(pool: Pool, number: int, *, channel_id: int = CHANNEL, author_id: int = MEMBER) -> RequestId:
    """Journal a message that opens a request; return the request's id."""
    asked = message(number, channel_id=channel_id, author_id=author_id)
    await Journal(pool).record_message(asked, request_of(asked))
    return RequestId(asked.message_id)


async def count(pool: Pool, table: str) -> int:
    """How many rows a table has."""
    async with transaction(pool) as connection:
        cursor = await connection.execute(f"select count(*) from {table}".encode())  # noqa: S608 - a name from a test
        ((rows,),) = await cursor.fetchall()
        return int(rows)
