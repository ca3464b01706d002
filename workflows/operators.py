"""Where a run waits for a person: one decision for all steps that wait, and a clock that stands still."""

from __future__ import annotations

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

    async def wait(self, patience: timedelta) -> OperatorDecision:
        """Wait for a decision; nobody's decision within `patience` is ABANDON."""
        if not self._waiting:
            self._stopped_at = workflow.now()
            self._decision = None
        self._waiting += 1
        try:
            await workflow.wait_condition(lambda: self._decision is not None, timeout=patience)
        except TimeoutError:
            self._decision = OperatorDecision.ABANDON
        finally:
            self._waiting -= 1
            if not self._waiting and self._stopped_at is not None:
                self._paused += workflow.now() - self._stopped_at
        return self._decision or OperatorDecision.ABANDON
