"""Loading the context of a run: opens the run and stores the prompt that all of its turns begin with."""

from __future__ import annotations

import asyncio
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from temporalio import activity

from gopher.domain.context import ContextFacts, build_prompt
from gopher.domain.ids import MessageId, UserId
from gopher.domain.journal import JournalMessage, RequestFacts, Trigger
from gopher.domain.runs import AgentInput, ContextLoaded
from gopher.domain.transcripts import PromptEntry
from gopher.errors import Rejected

if TYPE_CHECKING:
    from collections.abc import Callable

    from gopher.store.journal import Journal
    from gopher.store.requests import RequestOutbox
    from gopher.store.runs import RunStore

DELIMITER_BYTES = 6
"""48 random bits for a text that lives for one request and cannot be tried out: nobody guesses it."""


class ContextActivities:
    """Reads the journal, writes the prompt."""

    def __init__(
        self,
        *,
        journal: Journal,
        outbox: RequestOutbox,
        runs: RunStore,
        recent_messages: int,
        bot_id: UserId | None,
        tools: bool,
        trace_id: Callable[[], str | None],
    ) -> None:
        self._journal = journal
        self._outbox = outbox
        self._runs = runs
        self._recent_messages = recent_messages
        self._bot_id = bot_id
        self._tools = tools
        self._trace_id = trace_id

    @activity.defn
    async def load_context(self, request: AgentInput) -> ContextLoaded:
        """Open the run and store its prompt. Repeated, it keeps the prompt that was stored first.

        Raises:
            Rejected: `request_gone`: the request or its message was deleted meanwhile.
            Conflict: `request_gone` as well.
            Unavailable: PostgreSQL is away.
        """
        run_id = activity.info().workflow_run_id or ""
        loaded = await self._runs.begin(request.request_id, workflow_run_id=run_id, trace_id=self._trace_id())
        if loaded is not None:
            return loaded
        stored = await self._runs.save_prompt(request.request_id, await self._prompt(request))
        return ContextLoaded(messages=len(stored), characters=sum(len(entry.content) for entry in stored))

    async def _prompt(self, request: AgentInput) -> tuple[PromptEntry, ...]:
        before = MessageId(request.request_id)
        facts, message, recent = await asyncio.gather(
            self._outbox.facts(request.request_id),
            self._journal.message(before),
            self._journal.recent(request.channel_id, before=before, limit=self._recent_messages),
        )
        if facts is None or (facts.trigger is Trigger.MESSAGE and message is None):
            raise Rejected("The message that asked was deleted before the run began.", code="request_gone")
        return build_prompt(await self._facts(facts, message, recent))

    async def _facts(
        self, request: RequestFacts, message: JournalMessage | None, recent: tuple[JournalMessage, ...]
    ) -> ContextFacts:
        return ContextFacts(
            request=request,
            message=message,
            recent=recent,
            quoted=await self._quoted(message, recent),
            bot_id=self._bot_id,
            now=datetime.now(UTC),
            delimiter=secrets.token_hex(DELIMITER_BYTES),
            tools=self._tools,
        )

    async def _quoted(
        self, message: JournalMessage | None, recent: tuple[JournalMessage, ...]
    ) -> JournalMessage | None:
        """Find what the request replies to, if the recent messages do not show it already."""
        if message is None or message.reply_to_message_id is None:
            return None
        if any(earlier.message_id == message.reply_to_message_id for earlier in recent):
            return None
        quoted = await self._journal.message(message.reply_to_message_id)
        # A forwarded or forged reference could name a message of another place, which its readers alone may see.
        return quoted if quoted is not None and quoted.channel_id == message.channel_id else None
