"""Delivery to a terminal: the answer becomes a message of the terminal's channel, which the command line waits for."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from temporalio import activity

from gopher.domain.ids import MessageId, UserId, named_id, snowflake_at
from gopher.domain.journal import AuthorKind, DeliveryChunk, JournalMessage, RequestFacts
from gopher.domain.notices import notice
from gopher.domain.runs import DeliveryInput, DeliveryVerdict, Purpose
from gopher.errors import Conflict

if TYPE_CHECKING:
    from gopher.store.deliveries import DeliveryStore
    from gopher.store.requests import RequestOutbox

BOT_NAME = "Gopher"


class TerminalActivities:
    """Writes answers where terminals read them."""

    def __init__(self, *, outbox: RequestOutbox, deliveries: DeliveryStore) -> None:
        self._outbox = outbox
        self._deliveries = deliveries

    @activity.defn(name="deliver_to_terminal")
    async def deliver(self, delivery: DeliveryInput) -> DeliveryVerdict:
        """Write the answer or notice once. Repeated, it changes nothing and says the same.

        Raises:
            Conflict: `request_gone`: the request was erased, or has no answer.
            Unavailable: PostgreSQL is away.
        """
        facts = await self._outbox.facts(delivery.request_id)
        text = await self._text(delivery)
        if facts is None or text is None:
            raise Conflict("The request or its answer was erased meanwhile.", code="request_gone")
        chunks = await self._deliveries.claim(delivery.request_id, delivery.purpose, [text])
        for chunk in chunks:
            if chunk.message_id is None:
                message = _message(facts, delivery.purpose, chunk)
                await self._deliveries.sent(delivery.request_id, delivery.purpose, chunk.chunk, message)
        first = chunks[0].message_id or _message(facts, delivery.purpose, chunks[0]).message_id
        return DeliveryVerdict(chunks=len(chunks), message_id=first)

    async def _text(self, delivery: DeliveryInput) -> str | None:
        match delivery.purpose:
            case Purpose.ANSWER:
                return await self._deliveries.answer_text(delivery.request_id)
            case Purpose.NOTICE:
                return notice(delivery.code or "")


def _message(request: RequestFacts, purpose: Purpose, chunk: DeliveryChunk) -> JournalMessage:
    """Make the message of a chunk: always the same one, since its id comes from the claim."""
    digest = hashlib.sha256(f"{request.request_id}\0{purpose}\0{chunk.chunk}".encode()).digest()
    message_id = snowflake_at(chunk.claimed_at, sequence=int.from_bytes(digest[:2], "big"))
    return JournalMessage(
        message_id=MessageId(message_id),
        surface=request.surface,
        guild_id=request.guild_id,
        channel_id=request.channel_id,
        author_id=UserId(named_id("bot", BOT_NAME)),
        author_name=BOT_NAME,
        author_kind=AuthorKind.ASSISTANT,
        content=chunk.content,
        reply_to_message_id=MessageId(request.request_id),
        request_id=request.request_id,
        created_at=chunk.claimed_at,
    )
