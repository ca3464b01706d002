"""Where a run waits for a person: one decision for all steps that wait, and a clock that stands still."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from temporalio import workflow

from gopher.domain.visibility import OperatorDecision


class OperatorDesk:
    """Collects those who wait and gives them the operator's decision."""

    def __init__(self) -> None:
        self._waiting = 0
        self._stopped_at: datetime | None = None
        self._decision: OperatorDecision | None = None
        self._paused = timedelta()

    @property
    def paused(self) -> timedelta:
        """How long somebody waited, in waits that are over."""
        return self._paused

    def decide(self, decision: OperatorDecision) -> None:
        """Take the operator's word. It reaches those who wait now; later ones need a word of their own."""
        if self._waiting:
            self._decision = decision

    @asynccontextmanager
    async def waiting(self) -> AsyncGenerator[Callable[[timedelta], Awaitable[OperatorDecision]]]:
        """Begin to wait: decisions count from here on. The body gets what awaits one.

        That takes how long to have patience; nobody's decision within it is ABANDON.
        """
        if not self._waiting:
            self._stopped_at = workflow.now()
            self._decision = None
        self._waiting += 1
        try:
            yield self._decided
        finally:
            self._waiting -= 1
            if not self._waiting and self._stopped_at is not None:
                self._paused += workflow.now() - self._stopped_at

    async def _decided(self, patience: timedelta) -> OperatorDecision:
        try:
            await workflow.wait_condition(lambda: self._decision is not None, timeout=patience)
        except TimeoutError:
            self._decision = OperatorDecision.ABANDON
        return self._decision or OperatorDecision.ABANDON
