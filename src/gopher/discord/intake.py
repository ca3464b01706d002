"""Decides, for one message of Discord, whether it is journaled and whether it opens a request: from facts alone."""

from __future__ import annotations

import disnake
from opentelemetry.trace import SpanKind

from gopher.discord.convert import address_facts, journal_message
from gopher.discord.entries import MessageEntry
from gopher.domain.ids import RequestId, UserId
from gopher.domain.journal import JournalMessage, NewRequest, Trigger
from gopher.domain.routes import Addressed, Identity, MessageKind, route
from gopher.domain.runs import Surface
from gopher.telemetry import current_traceparent, span


class Intake:
    """Makes journal entries of messages for the bot that is logged in."""

    def __init__(self, *, names: tuple[str, ...], allowed_bot_ids: frozenset[UserId]) -> None:
        """Know the names that call the bot, and the bots that may mention it."""
        self._names = names
        self._allowed_bot_ids = allowed_bot_ids

    def entry(self, message: disnake.Message, bot_id: UserId, *, answer: bool) -> MessageEntry | None:
        """Make the entry of a message; None when it is no part of the conversation. `answer=False` opens no request."""
        facts = address_facts(message, bot_id)
        if facts.kind is MessageKind.SYSTEM or message.flags.loading or _recorded_by_delivery(message, bot_id):
            return None
        identity = Identity(bot_id=bot_id, names=self._names, allowed_bot_ids=self._allowed_bot_ids)
        journaled = journal_message(message, bot_id)
        match route(facts, identity):
            case Addressed() if answer:
                return MessageEntry(message=journaled, request=self._request(journaled))
            case _:
                return MessageEntry(message=journaled, request=None)

    @staticmethod
    def _request(message: JournalMessage) -> NewRequest:
        request_id = RequestId(message.message_id)
        return NewRequest(
            request_id=request_id,
            surface=Surface.DISCORD,
            trigger=Trigger.MESSAGE,
            guild_id=message.guild_id,
            channel_id=message.channel_id,
            user_id=message.author_id,
            traceparent=begin_trace("discord.message", request_id),
        )


def begin_trace(event: str, request_id: RequestId) -> str | None:
    """Begin the trace of a request with the event that opens it; return its W3C context, None when there is none."""
    with span(event, kind=SpanKind.CONSUMER) as opened:
        opened.set_attribute("gopher.request_id", str(request_id))
        return current_traceparent()


def _recorded_by_delivery(message: disnake.Message, bot_id: UserId) -> bool:
    # Whoever sends with a nonce journals the message itself, together with its delivery.
    return message.author.id == bot_id and message.nonce is not None
