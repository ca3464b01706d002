"""Asking an installation something, and making certain that the answer came exactly once."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from devstack.discord import seed
from devstack.scripted_turns import ModelTurn
from tests.system.installation import Installation

MENTION = f"<@{seed.BOT.id}>"


class Asked:
    """A question with an answer that nothing else has."""

    def __init__(self, answer: str | None = None, *, thinking_seconds: float = 0) -> None:
        self.question = f"question {uuid4().hex}"
        self.answer = answer or f"Answer {uuid4().hex}."
        self.turn = ModelTurn(match=self.question, text=self.answer, delay_seconds=thinking_seconds, times=None)
        self.message_id = 0

    async def ask(self, installation: Installation, channel_id: int = seed.GENERAL_ID) -> int:
        """Ask it; returns the message's id."""
        await installation.script(self.turn)
        self.message_id = await installation.say(seed.ADA, channel_id, f"{MENTION} {self.question}")
        return self.message_id

    async def assert_answered_once(self, installation: Installation) -> None:
        """Wait for the answer; make certain that it is in the channel, the journal and the deliveries exactly once."""
        assert await installation.answered(self.message_id, seed.GENERAL_ID) == self.answer
        await asyncio.sleep(1)  # a second answer would have been on its way
        said = [message["content"] for message in await installation.messages(seed.GENERAL_ID)]
        assert said.count(self.answer) == 1
        for table in ("chat_messages", "discord_events"):
            statement = f"select count(*) from {table} where message_id = %s::bigint"  # noqa: S608 - two names
            assert await installation.rows(statement, self.message_id) == [(1,)]
        delivered = "select count(*), count(message_id) from deliveries where request_id = %s::bigint"
        assert await installation.rows(delivered, self.message_id) == [(1, 1)]
