"""The model turn: asks the model once for (run, iteration), and never again once the turn is stored."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from temporalio import activity

from gopher.domain.conversation import ChatTurn
from gopher.domain.dialogue import next_prompt
from gopher.domain.runs import TurnInput, TurnVerdict
from gopher.domain.tools import ToolRegistry
from gopher.domain.transcripts import Transcript
from gopher.domain.visibility import preview
from gopher.errors import ProviderRejected, Unavailable

if TYPE_CHECKING:
    from gopher.providers.chat import ChatModel
    from gopher.store.runs import RunStore

MOST_CALLS = 64
"""Of one turn: the upper bound of the setting for a whole run, so that no more could ever be made. What a model gone
wild asks for beyond is forgotten, or each call would cost an event."""

SAVE_PAUSE = timedelta(milliseconds=500)
"""Between attempts to store a finished turn while PostgreSQL is away: the turn is paid for and only this process has
it."""

SAVE_PATIENCE = timedelta(seconds=30)
"""How long to hold on to it; after that the retry policy takes over, and the next attempt asks the model again."""


class ModelActivities:
    """Asks the model and stores what it says."""

    def __init__(self, *, runs: RunStore, model: ChatModel, tools: ToolRegistry, previews: bool) -> None:
        self._runs = runs
        self._model = model
        self._tools = tools
        self._previews = previews

    @activity.defn
    async def model_turn(self, turn: TurnInput) -> TurnVerdict:
        """Take one turn and say what it asks for. Repeated, it returns the turn that was stored first.

        Raises:
            ProviderError: as `ChatModel.complete` does.
            StoreError: the turn could not be read or stored.
        """
        transcript = await self._runs.transcript(turn.request_id)
        finished = next((stored.turn for stored in transcript.turns if stored.iteration == turn.iteration), None)
        if finished is None:
            finished = await self._save(turn, await self._ask(turn, transcript))
        return TurnVerdict(
            iteration=turn.iteration,
            calls=tuple(self._tools.summarize(position, call) for position, call in enumerate(finished.calls)),
            model=finished.model,
            prompt_tokens=finished.prompt_tokens,
            completion_tokens=finished.completion_tokens,
            characters=len(finished.text),
            preview=preview(finished.text) if self._previews else None,
        )

    async def _ask(self, turn: TurnInput, transcript: Transcript) -> ChatTurn:
        tools = self._tools.definitions if turn.tools_enabled else ()
        prompt = next_prompt(transcript, last=not turn.tools_enabled)
        answer = await self._model.complete(prompt, tools, deadline=turn.deadline)
        if tools:
            return replace(answer, calls=answer.calls[:MOST_CALLS])
        # Models trained on tools sometimes call what they were not offered.
        if not answer.text:
            raise ProviderRejected("The model called tools that it was not offered.", code="empty_answer")
        return replace(answer, calls=())

    async def _save(self, turn: TurnInput, finished: ChatTurn) -> ChatTurn:
        patience = asyncio.get_running_loop().time() + SAVE_PATIENCE.total_seconds()
        while True:
            try:
                return await self._runs.save_turn(turn.request_id, turn.iteration, finished)
            except Unavailable:
                if asyncio.get_running_loop().time() >= patience:
                    raise
            await asyncio.sleep(SAVE_PAUSE.total_seconds())
