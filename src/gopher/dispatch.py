"""The request dispatcher: starts the workflow of every journaled request, in the order that the outbox decides."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from temporalio.client import Client
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes, WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from gopher import telemetry
from gopher.domain.ids import MessageId, workflow_id
from gopher.domain.journal import RequestFacts
from gopher.domain.runs import AgentInput, RunLimits, RunStatus, TaskQueue
from gopher.domain.visibility import SearchAttribute, preview, static_summary
from gopher.errors import Unavailable
from gopher.outage import Outage
from workflows.agent import AgentWorkflow
from workflows.policies import EXECUTION_TIMEOUT, WORKFLOW_TASK_TIMEOUT

if TYPE_CHECKING:
    from gopher.store.journal import Journal
    from gopher.store.requests import RequestOutbox

BATCH: Final = 20
"""Requests claimed at once. Starting one takes 5 ms, so a lease is never outlived by waiting in a batch."""

LEASE: Final = timedelta(seconds=15)
"""How long a dispatcher that dies keeps its claims from the others; three times the longest a start may take."""

POLL: Final = timedelta(seconds=1)
"""Notifications wake it at once; this is for those that were lost and for requests whose postponement ends."""

RPC_TIMEOUT: Final = timedelta(seconds=2)
START_TIMEOUT: Final = timedelta(seconds=3)
"""Of one attempt and of all of them: a frozen server must not hold up the batch."""

FIRST_DELAY: Final = timedelta(seconds=1)
MOST_DELAY: Final = timedelta(seconds=10)
"""Between attempts while Temporal is away. Capped low: people wait for these requests."""

REFUSED_DELAY: Final = timedelta(seconds=60)
"""Before a request that Temporal refuses is tried again: something must be mended first."""

AWAY: Final = frozenset(
    {
        RPCStatusCode.ABORTED,
        RPCStatusCode.CANCELLED,  # what the client makes of its own timeout
        RPCStatusCode.DEADLINE_EXCEEDED,
        RPCStatusCode.INTERNAL,
        RPCStatusCode.RESOURCE_EXHAUSTED,
        RPCStatusCode.UNAVAILABLE,
        RPCStatusCode.UNKNOWN,
    }
)
"""Statuses that say something of the server; any other says something of the one request."""

GUILD: Final = SearchAttributeKey.for_keyword(SearchAttribute.GUILD)
CHANNEL: Final = SearchAttributeKey.for_keyword(SearchAttribute.CHANNEL)
USER: Final = SearchAttributeKey.for_keyword(SearchAttribute.USER)
STATUS: Final = SearchAttributeKey.for_keyword(SearchAttribute.STATUS)

logger = logging.getLogger(__name__)


class RequestDispatcher:
    """Claims requests and starts their workflows until it is cancelled. Any number of them may run, in any processes.

    Nothing is lost and nothing is started twice: a request stays in the outbox until it is known to be started, and its
    workflow's id comes from it.
    """

    def __init__(
        self, *, outbox: RequestOutbox, client: Client, limits: RunLimits, previews: Journal | None = None
    ) -> None:
        """Wire a dispatcher.

        Args:
            outbox: Where requests wait.
            client: When it is a worker's own, a workflow's first task skips the way through the server.
            limits: Of every run.
            previews: Where to read the first words of requests for the Temporal UI; None keeps them out of it.
        """
        self._outbox = outbox
        self._client = client
        self._limits = limits
        self._previews = previews
        self._store_outage = Outage("PostgreSQL", logger, meanwhile="requests wait in Discord and in the journal")
        self._temporal_outage = Outage("Temporal", logger, meanwhile="requests wait in the outbox")
        self._delay = FIRST_DELAY

    async def run(self) -> None:
        """Dispatch for ever. Raises only what is a bug."""
        while True:
            try:
                claimed = await self._outbox.claim(limit=BATCH, lease=LEASE)
                self._store_outage.worked()
                await self._start_all(claimed)
            except Unavailable as error:
                self._store_outage.failed(error.code)
                await asyncio.sleep(POLL.total_seconds())
                continue
            if len(claimed) < BATCH:
                await self._outbox.wait(POLL)

    async def _start_all(self, claimed: tuple[RequestFacts, ...]) -> None:
        for request in claimed:
            if self._temporal_outage.away and request is not claimed[0]:
                # One attempt a round finds out whether Temporal is back; the others would only wait for its timeout.
                delay = self._delay
            else:
                delay = await self._start(request)
            if delay is None:
                await self._outbox.started(request.request_id)
            else:
                await self._outbox.postpone(request.request_id, delay=delay)

    async def _start(self, request: RequestFacts) -> timedelta | None:
        """Start a request's workflow; None when it is started, else when to try again."""
        try:
            with telemetry.span("dispatch request", traceparent=request.traceparent):
                async with asyncio.timeout(START_TIMEOUT.total_seconds()):
                    await self._start_workflow(request)
        except WorkflowAlreadyStartedError:
            pass  # by another dispatcher, or by this one before it heard so
        except (RPCError, RuntimeError, TimeoutError) as error:
            if isinstance(error, RPCError) and error.status not in AWAY:
                self._temporal_outage.worked()
                logger.error("Temporal refuses a request: %s", _reason(error), extra={"request_id": request.request_id})  # noqa: TRY400 # its words may quote the request
                return REFUSED_DELAY
            self._delay = min(self._delay * 2, MOST_DELAY) if self._temporal_outage.away else FIRST_DELAY
            self._temporal_outage.failed(_reason(error))
            return self._delay
        self._temporal_outage.worked()
        logger.info("run started", extra={"request_id": request.request_id, "channel_id": request.channel_id})
        return None

    async def _start_workflow(self, request: RequestFacts) -> None:
        await self._client.start_workflow(
            AgentWorkflow.run,
            AgentInput(
                request_id=request.request_id,
                surface=request.surface,
                guild_id=request.guild_id,
                channel_id=request.channel_id,
                user_id=request.user_id,
                limits=self._limits,
            ),
            id=workflow_id(request.request_id),
            task_queue=TaskQueue.GOPHER,
            id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
            execution_timeout=EXECUTION_TIMEOUT,
            task_timeout=WORKFLOW_TASK_TIMEOUT,
            search_attributes=_search_attributes(request),
            static_summary=static_summary(request),
            static_details=await self._preview(request),
            request_eager_start=True,
            rpc_timeout=RPC_TIMEOUT,
        )

    async def _preview(self, request: RequestFacts) -> str | None:
        if self._previews is None:
            return None
        message = await self._previews.message(MessageId(request.request_id))
        text = request.prompt if message is None else message.content
        return preview(text or "")


def _search_attributes(request: RequestFacts) -> TypedSearchAttributes:
    pairs = [
        SearchAttributePair(CHANNEL, str(request.channel_id)),
        SearchAttributePair(USER, str(request.user_id)),
        SearchAttributePair(STATUS, RunStatus.RUNNING.value),
    ]
    if request.guild_id is not None:
        pairs.append(SearchAttributePair(GUILD, str(request.guild_id)))
    return TypedSearchAttributes(pairs)


def _reason(error: Exception) -> str:
    return error.status.name.lower() if isinstance(error, RPCError) else type(error).__name__
