"""Deliveries: what goes to a requester, claimed with its text before the send and closed with its message id after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from gopher.domain.ids import MessageId, RequestId, delivery_nonce
from gopher.domain.journal import DeliveryChunk, JournalMessage
from gopher.domain.runs import Purpose
from gopher.errors import Conflict
from gopher.store.new_messages import write_messages
from gopher.store.pool import Connection, Pool, cursor_of, statement, transaction

# Two attempts may claim at once, with texts cut differently (an old attempt that still runs): they take turns on the
# request, in a statement of its own so that the second one's snapshot shows what the first one claimed.
SQL_TAKE_TURN = "select request_id from agent_requests where request_id = %(request_id)s::bigint for no key update"

SQL_CLAIM = """
with claimed as (
    insert into deliveries (request_id, purpose, chunk, nonce, content)
    select %(request_id)s::bigint, %(purpose)s::text, piece.place - 1, piece.nonce, piece.content
    from unnest(%(nonces)s::text[], %(contents)s::text[]) with ordinality as piece (nonce, content, place)
    where not exists (select from deliveries where request_id = %(request_id)s::bigint and purpose = %(purpose)s::text)
    returning chunk, nonce, content, message_id, claimed_at
)
select chunk, nonce, content, message_id, claimed_at, true as fresh from claimed
union all
select chunk, nonce, content, message_id, claimed_at, false as fresh
from deliveries
where request_id = %(request_id)s::bigint and purpose = %(purpose)s::text
order by chunk
"""

SQL_SENT = """
update deliveries
set message_id = %(message_id)s::bigint, sent_at = now()
where request_id = %(request_id)s::bigint and purpose = %(purpose)s::text and chunk = %(chunk)s::integer
    and message_id is null
"""

SQL_ANSWER_TEXT = """
select content
from agent_turns
where request_id = %(request_id)s::bigint
order by iteration desc
limit 1
"""

SQL_DELIVERIES = """
select purpose, chunk, content, message_id, claimed_at, sent_at
from deliveries
where request_id = %(request_id)s::bigint
order by purpose, chunk
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One message that a run sent or was about to send, for operators."""

    purpose: str
    """`answer` or `notice`."""
    chunk: int
    """From 0."""
    content: str
    message_id: int | None
    """None until it is known to be sent."""
    claimed_at: datetime
    sent_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _ChunkRow:
    chunk: int
    nonce: str
    content: str
    message_id: int | None
    claimed_at: datetime
    fresh: bool

    def record(self) -> DeliveryChunk:
        return DeliveryChunk(
            chunk=self.chunk,
            nonce=self.nonce,
            content=self.content,
            message_id=None if self.message_id is None else MessageId(self.message_id),
            fresh=self.fresh,
            claimed_at=self.claimed_at,
        )


class DeliveryStore:
    """Remembers what was promised to be sent and what was."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def claim(
        self, request_id: RequestId, purpose: Purpose, contents: Sequence[str]
    ) -> tuple[DeliveryChunk, ...]:
        """Write down what will be sent, before it is; return it in order.

        The first claim of a request and purpose wins: every later one returns the stored texts, however many, with
        `fresh` false. Raises Conflict (`request_gone`) when the request was erased, Unavailable.
        """
        parameters = {
            "request_id": request_id,
            "purpose": purpose,
            "nonces": [delivery_nonce(request_id, purpose, chunk) for chunk in range(len(contents))],
            "contents": list(contents),
        }
        async with transaction(self._pool) as connection:
            await _take_turn(connection, request_id)
            async with cursor_of(connection, _ChunkRow) as cursor:
                await cursor.execute(SQL_CLAIM, parameters)
                rows = await cursor.fetchall()
        return tuple(row.record() for row in rows)

    async def sent(self, request_id: RequestId, purpose: Purpose, chunk: int, message: JournalMessage) -> None:
        """Record that a claimed chunk went out as this message: delivery, journal and event in one transaction.

        `message.request_id` names the run that sent it. May be repeated, and the gateway may have journaled the message
        before: the first message id of a chunk stays. Raises Unavailable.
        """
        parameters = {
            "request_id": request_id,
            "purpose": purpose,
            "chunk": chunk,
            "message_id": message.message_id,
        }
        async with transaction(self._pool) as connection:
            await connection.execute(SQL_SENT, parameters)
            await write_messages(connection, [(message, None)])

    async def deliveries(self, request_id: RequestId) -> tuple[Delivery, ...]:
        """Return what was claimed or sent for a request, answers before notices, by chunk. Raises Unavailable."""
        async with statement(self._pool) as connection, cursor_of(connection, Delivery) as cursor:
            await cursor.execute(SQL_DELIVERIES, {"request_id": request_id})
            return tuple(await cursor.fetchall())

    async def answer_text(self, request_id: RequestId) -> str | None:
        """Return the text of the run's last turn; None when there is no turn or it has no text. Raises Unavailable."""
        async with statement(self._pool) as connection:
            cursor = await connection.execute(SQL_ANSWER_TEXT, {"request_id": request_id})
            row = await cursor.fetchone()
        return row[0] or None if row else None


async def _take_turn(connection: Connection, request_id: RequestId) -> None:
    cursor = await connection.execute(SQL_TAKE_TURN, {"request_id": request_id})
    if await cursor.fetchone() is None:
        raise Conflict(f"The request {request_id} does not exist any more.", code="request_gone")
