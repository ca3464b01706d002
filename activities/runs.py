"""Recording how a run ended."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from temporalio import activity

from gopher.domain.runs import RunRecord

if TYPE_CHECKING:
    from gopher.store.runs import RunStore

logger = logging.getLogger(__name__)


class RunActivities:
    """Closes runs."""

    def __init__(self, *, runs: RunStore) -> None:
        self._runs = runs

    @activity.defn
    async def record_run(self, record: RunRecord) -> None:
        """Close the run and its request, and wake whoever waits for either. May be repeated.

        Raises:
            Unavailable: PostgreSQL is away.
        """
        await self._runs.finish(record)
        facts = {
            "request_id": record.request_id,
            "status": record.status,
            "code": record.error_code,
            "iterations": record.iterations,
            "tool_calls": record.tool_calls,
            "prompt_tokens": record.prompt_tokens,
            "completion_tokens": record.completion_tokens,
        }
        logger.info("run ended", extra=facts)
