"""The agent run: one workflow a request, from loading its context to recording how it ended.

What to do next is the planner's decision (`gopher.domain.agent_loop`); this orders the activities that do it. The
history holds ids, names, counts and codes only.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final, TypeVar, assert_never

from temporalio import workflow
from temporalio.common import SearchAttributeKey
from temporalio.exceptions import ApplicationError, FailureError, is_cancelled_exception

from activities.context import ContextActivities
from activities.model import ModelActivities
from activities.runs import RunActivities
from activities.terminal import TerminalActivities
from gopher.domain.agent_loop import (
    GiveAnswer,
    GiveUp,
    LoopState,
    MakeCalls,
    TakeTurn,
    after_calls,
    after_failed_turn,
    after_turn,
    next_step,
)
from gopher.domain.codes import UNEXPECTED
from gopher.domain.notices import CANCELLED, INTERNAL_ERROR, NEEDS_OPERATOR
from gopher.domain.runs import (
    AgentInput,
    DeliveryInput,
    DeliveryVerdict,
    Purpose,
    RunRecord,
    RunStatus,
    Surface,
    TurnInput,
)
from gopher.domain.visibility import NEEDS_OPERATOR_STATUS, OperatorDecision, Progress, SearchAttribute, details
from workflows import policies
from workflows.failures import StepFailed, outcome
from workflows.operators import OperatorDesk
from workflows.tool_calls import ToolCalls

RUN_TIMEOUT: Final = "run_timeout"
DELIVERY_TIMEOUT: Final = "delivery_timeout"
STORE_UNAVAILABLE: Final = "store_unavailable"
REQUEST_GONE: Final = "request_gone"

DELIVER: Final = "deliver"
"""The activity of bot.py that sends to Discord."""

STATUS: Final = SearchAttributeKey.for_keyword(SearchAttribute.STATUS)
ERROR: Final = SearchAttributeKey.for_keyword(SearchAttribute.ERROR)

ResultT = TypeVar("ResultT")


@workflow.defn
class AgentWorkflow:
    """Answers one request, or tells the requester why not, once; however often its worker dies."""

    @workflow.init
    def __init__(self, request: AgentInput) -> None:
        self._request = request
        self._begun = workflow.now()
        self._desk = OperatorDesk()
        self._tools = ToolCalls(request.request_id, self._step)
        self._state = LoopState()
        self._doing = ""
        self._calls: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._prompt_tokens = 0
        self._completion_tokens = 0
        self._preview: str | None = None
        self._told = False

    @workflow.run
    async def run(self, request: AgentInput) -> RunRecord:
        """Run to the end; the record says how it ended. A cancelled run is recorded before the workflow ends so."""
        del request  # `__init__` has it
        try:
            status, code = await self._answer()
        except (asyncio.CancelledError, FailureError) as error:
            if not is_cancelled_exception(error):
                raise
            await self._tell(CANCELLED, patience=policies.PASSING_NOTICE_PATIENCE)
            await self._record(RunStatus.CANCELLED, CANCELLED)
            raise
        return await self._record(status, code)

    @workflow.signal
    def operator(self, decision: OperatorDecision) -> None:
        """Decide about a run that waits for an operator. Means nothing to any other run."""
        self._desk.decide(decision)

    async def _answer(self) -> tuple[RunStatus, str | None]:
        try:
            await self._load_context()
            code = await self._loop()
        except StepFailed as failed:
            code = failed.code
        if code is None:
            return await self._deliver_answer()
        if code == REQUEST_GONE:  # whoever takes a request back wants no reply to it
            return RunStatus.CANCELLED, code
        await self._tell(code, patience=policies.DELIVERY_PATIENCE)
        return RunStatus.FAILED, code

    async def _loop(self) -> str | None:
        """Drive the planner to the end: None when there is an answer, else the code why not."""
        while True:
            step = next_step(self._state, self._request.limits, self._elapsed())
            match step:
                case TakeTurn():
                    await self._take_turn(step)
                case MakeCalls():
                    await self._make_calls(step)
                case GiveAnswer():
                    return None
                case GiveUp():
                    return step.code
                case _:
                    assert_never(step)

    async def _load_context(self) -> None:
        self._show("loading the context")
        await self._step(
            lambda: workflow.execute_local_activity_method(
                ContextActivities.load_context, self._request, **policies.store_step(self._remaining())
            ),
            timed_out=RUN_TIMEOUT,
        )

    async def _take_turn(self, step: TakeTurn) -> None:
        self._show(f"model turn {step.iteration}")
        turn = TurnInput(
            request_id=self._request.request_id,
            iteration=step.iteration,
            tools_enabled=step.tools_enabled,
            deadline=step.deadline,
        )
        try:
            verdict = await self._step(
                lambda: workflow.execute_activity_method(ModelActivities.model_turn, turn, **policies.model_turn(step)),
                timed_out=RUN_TIMEOUT,
            )
        except StepFailed as failed:
            self._state = after_failed_turn(self._state, step, failed.code)
            return
        self._prompt_tokens += verdict.prompt_tokens
        self._completion_tokens += verdict.completion_tokens
        self._preview = verdict.preview
        self._state = after_turn(self._state, step, verdict)

    async def _make_calls(self, step: MakeCalls) -> None:
        names = [allowed.call.name for allowed in step.allowed]
        self._show(", ".join(names) or "refusing tool calls")
        self._calls.update(names)
        refused = (*step.refused, *await self._tools.make(step))
        if refused:
            self._refused.update(call.code for call in refused)
            await self._tools.refuse(step.iteration, refused, patience=self._remaining())
        self._state = after_calls(self._state, step)

    async def _deliver_answer(self) -> tuple[RunStatus, str | None]:
        self._show("delivering the answer")
        answer = DeliveryInput(request_id=self._request.request_id, purpose=Purpose.ANSWER, code=None)
        try:
            await self._step(
                lambda: self._deliver(answer, policies.DELIVERY_PATIENCE), timed_out=DELIVERY_TIMEOUT, tell=False
            )
        except StepFailed as failed:
            return RunStatus.FAILED, failed.code
        return RunStatus.COMPLETED, None

    async def _tell(self, code: str, *, patience: timedelta) -> None:
        """Tell the requester why there is no answer, at most once a run. That it cannot be told changes nothing."""
        if self._told:
            return
        self._told = True
        self._show("telling the requester", code=code)
        message = DeliveryInput(request_id=self._request.request_id, purpose=Purpose.NOTICE, code=code)
        try:
            await outcome(self._deliver(message, patience), timed_out=DELIVERY_TIMEOUT)
        except StepFailed as failed:
            workflow.logger.warning("the requester could not be told: %s", failed.code)

    def _deliver(self, message: DeliveryInput, patience: timedelta) -> Awaitable[DeliveryVerdict]:
        if self._request.surface is Surface.TERMINAL:
            return workflow.execute_local_activity_method(
                TerminalActivities.deliver, message, **policies.store_step(patience)
            )
        return workflow.execute_activity(
            DELIVER, message, result_type=DeliveryVerdict, **policies.delivery(message, patience)
        )

    async def _record(self, status: RunStatus, code: str | None) -> RunRecord:
        self._show(status, code=code)
        self._upsert(status, code)
        record = RunRecord(
            request_id=self._request.request_id,
            status=status,
            error_code=code,
            iterations=self._state.iteration,
            tool_calls=self._state.calls_made,
            prompt_tokens=self._prompt_tokens,
            completion_tokens=self._completion_tokens,
        )
        try:
            await self._step(
                lambda: workflow.execute_local_activity_method(
                    RunActivities.record_run, record, **policies.store_step(policies.RECORD_PATIENCE)
                ),
                timed_out=STORE_UNAVAILABLE,
                tell=False,
            )
        except StepFailed as failed:  # there is nothing left to do but to end as visibly as can be
            raise ApplicationError("The end of the run could not be recorded.", type=failed.code) from None
        return record

    async def _step(self, start: Callable[[], Awaitable[ResultT]], *, timed_out: str, tell: bool = True) -> ResultT:
        """Take a step, and again after each repair by an operator when it fails in a way that nobody foresaw.

        Raises:
            StepFailed: it failed in a foreseen way, or nobody repaired it.
        """
        while True:
            try:
                return await outcome(start(), timed_out=timed_out)
            except StepFailed as failed:
                if failed.code != UNEXPECTED:
                    raise
            if await self._operator_decides(tell=tell) is OperatorDecision.ABANDON:
                raise StepFailed(INTERNAL_ERROR)

    async def _operator_decides(self, *, tell: bool) -> OperatorDecision:
        """Wait for a person; the requester is told, and the run's clock stands still meanwhile."""
        doing = self._doing
        async with self._desk.waiting() as decided:
            self._upsert(NEEDS_OPERATOR_STATUS, UNEXPECTED)
            if tell:
                await self._tell(NEEDS_OPERATOR, patience=policies.PASSING_NOTICE_PATIENCE)
            self._show(f"waiting for an operator: {doing} failed, see the worker's log", code=UNEXPECTED)
            decision = await decided(policies.OPERATOR_PATIENCE)
        self._upsert(RunStatus.RUNNING, None)
        self._show(doing)
        return decision

    def _elapsed(self) -> timedelta:
        return workflow.now() - self._begun - self._desk.paused

    def _remaining(self) -> timedelta:
        """Time left of the run; a second at least, so that what is due can still be tried."""
        return max(self._request.limits.run_timeout - self._elapsed(), timedelta(seconds=1))

    def _upsert(self, status: str, code: str | None) -> None:
        changes = [STATUS.value_set(status)]
        if code is not None:
            changes.append(ERROR.value_set(code))
        elif status == RunStatus.RUNNING:
            changes.append(ERROR.value_unset())
        # The SDK's own annotation leaves a type argument out.
        workflow.upsert_search_attributes(changes)  # pyright: ignore[reportUnknownMemberType]

    def _show(self, doing: str, *, code: str | None = None) -> None:
        self._doing = doing
        progress = Progress(
            doing=doing,
            iterations=self._state.iteration,
            calls=self._calls,
            refused=self._refused,
            prompt_tokens=self._prompt_tokens,
            completion_tokens=self._completion_tokens,
            elapsed=self._elapsed(),
            code=code,
            preview=self._preview,
        )
        workflow.set_current_details(details(progress))
