"""Delivery to Discord: an answer or notice becomes messages, each exactly once, whatever dies in between."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from temporalio import activity

from gopher.domain.chunks import split
from gopher.domain.ids import MessageId, snowflake_time
from gopher.domain.journal import DeliveryChunk, JournalMessage, RequestFacts, Trigger
from gopher.domain.notices import notice
from gopher.domain.runs import DeliveryInput, DeliveryVerdict, Purpose
from gopher.errors import Conflict, DiscordRejected

if TYPE_CHECKING:
    from gopher.discord.actions import DiscordActions
    from gopher.store.deliveries import DeliveryStore
    from gopher.store.journal import Journal
    from gopher.store.requests import RequestOutbox

TOKEN_LIFE: Final = timedelta(minutes=14, seconds=45)
"""Discord forgets the token of an interaction after 15 minutes; a call needs some seconds."""

SEARCH_PAGES: Final = 5
"""How far the channel is searched for a message that may have been sent: 500 messages after the trigger."""


class DeliveryActivities:
    """Sends what was claimed, and asks the channel before it sends anything a second time."""

    def __init__(
        self, *, actions: DiscordActions, outbox: RequestOutbox, deliveries: DeliveryStore, journal: Journal
    ) -> None:
        self._actions = actions
        self._outbox = outbox
        self._deliveries = deliveries
        self._journal = journal

    @activity.defn
    async def deliver(self, delivery: DeliveryInput) -> DeliveryVerdict:
        """Send the answer or notice once, in order. Repeated, it goes on where the attempt before ended.

        Raises:
            Conflict: `request_gone`: the request was erased, or has no answer.
            DiscordRejected: `channel_gone`, `missing_permission`, …: it cannot be sent.
            DiscordUnavailable: Discord is away or allows no more requests now.
            Unavailable: PostgreSQL is away.
        """
        facts = await self._outbox.facts(delivery.request_id)
        text = await self._text(delivery)
        if facts is None or text is None:
            raise Conflict("The request or its answer was erased meanwhile.", code="request_gone")
        contents = [chunk.text for chunk in split(text)]
        sent: list[MessageId] = []
        for chunk in await self._deliveries.claim(delivery.request_id, delivery.purpose, contents):
            after = sent[-1] if sent else MessageId(delivery.request_id)
            sent.append(chunk.message_id or await self._deliver_chunk(facts, delivery.purpose, chunk, after))
        return DeliveryVerdict(chunks=len(sent), message_id=sent[0] if sent else None)

    async def _text(self, delivery: DeliveryInput) -> str | None:
        match delivery.purpose:
            case Purpose.ANSWER:
                return await self._deliveries.answer_text(delivery.request_id)
            case Purpose.NOTICE:
                return notice(delivery.code or "")

    async def _deliver_chunk(
        self, facts: RequestFacts, purpose: Purpose, chunk: DeliveryChunk, after: MessageId
    ) -> MessageId:
        # What an earlier attempt claimed it may have sent: Discord's nonce tells for some minutes, the channel always.
        found = None if chunk.fresh else await self._find(facts, chunk, after)
        message = found or await self._send(facts, chunk)
        await self._deliveries.sent(
            facts.request_id, purpose, chunk.chunk, replace(message, request_id=facts.request_id)
        )
        return message.message_id

    async def _find(self, facts: RequestFacts, chunk: DeliveryChunk, after: MessageId) -> JournalMessage | None:
        """Look for the chunk among the bot's own messages after its trigger or the chunk before it."""
        try:
            candidates = await self._actions.own_messages_after(
                guild_id=facts.guild_id, channel_id=facts.channel_id, after=after, pages=SEARCH_PAGES
            )
        except DiscordRejected as error:
            if error.code != "missing_permission":
                raise
            return None  # the history may not be read; the nonce has to do
        for message in candidates:
            if _may_be(chunk, facts, message) and not await self._belongs_to_a_delivery(message):
                return message
        return None

    async def _belongs_to_a_delivery(self, message: JournalMessage) -> bool:
        journaled = await self._journal.message(message.message_id)
        return journaled is not None and journaled.request_id is not None

    async def _send(self, facts: RequestFacts, chunk: DeliveryChunk) -> JournalMessage:
        token = facts.interaction_token if _token_lives(facts) else None
        if token is not None and chunk.chunk == 0:
            try:
                return await self._actions.answer_interaction(
                    guild_id=facts.guild_id, token=token, content=chunk.content
                )
            except DiscordRejected as error:
                # The first response failed, or was deleted: the answer still arrives, as a message.
                if error.code not in {"interaction_expired", "message_gone"}:
                    raise
                token = None
        try:
            return await self._send_message(facts, chunk)
        except DiscordRejected as error:
            # Where members may use commands and the bot may not write, only the interaction is a way in.
            if token is None or error.code != "missing_permission":
                raise
            return await self._actions.follow_up(guild_id=facts.guild_id, token=token, content=chunk.content)

    async def _send_message(self, facts: RequestFacts, chunk: DeliveryChunk) -> JournalMessage:
        replies = chunk.chunk == 0 and facts.trigger is Trigger.MESSAGE
        return await self._actions.send(
            guild_id=facts.guild_id,
            channel_id=facts.channel_id,
            content=chunk.content,
            nonce=chunk.nonce,
            reply_to=MessageId(facts.request_id) if replies else None,
        )


def _token_lives(facts: RequestFacts) -> bool:
    age = time.time() - snowflake_time(facts.request_id).timestamp()
    return facts.interaction_token is not None and age < TOKEN_LIFE.total_seconds()


def _may_be(chunk: DeliveryChunk, facts: RequestFacts, message: JournalMessage) -> bool:
    """Say whether a message can be this chunk: it has its text, and replies to nothing else than the trigger."""
    replies_elsewhere = message.reply_to_message_id not in {None, facts.request_id if chunk.chunk == 0 else None}
    return message.content.strip() == chunk.content.strip() and not replies_elsewhere
