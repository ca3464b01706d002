"""Every timeout and retry policy of the workflows, named once, each number with its reason.

The measurements that they rest on are described in docs/performance.md and in the decision records 0026 and 0027.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from temporalio.common import RetryPolicy
from temporalio.workflow import ActivityCancellationType, ActivityConfig, LocalActivityConfig

from gopher.domain.agent_loop import AllowedCall, TakeTurn
from gopher.domain.runs import DeliveryInput, TaskQueue

WORKFLOW_TASK_TIMEOUT: Final = timedelta(seconds=3)
"""A worker that is killed in the middle of a workflow task, and so of a local activity, is missed after this. Measured:
the default of 10 s is silence of 8.5 s; 2 s made live workers miss it on a saturated machine."""

EXECUTION_TIMEOUT: Final = timedelta(days=3)
"""Of a whole run, as the last resort: more than a run timeout, an operator's wait, a day of delivery and one of
recording."""

HEARTBEAT_TIMEOUT: Final = timedelta(seconds=2)
"""How long a killed process is not missed. Measured: with 2 s a run goes on 1.4 to 2.6 s after a kill; with 1 s live
workers missed beats on a saturated machine."""

FIRST_RETRY: Final = timedelta(milliseconds=100)
"""After an attempt that died with its process nobody needs to be spared. Whoever does, says so (`next_retry_delay`)."""

ATTEMPT_GRACE: Final = timedelta(seconds=2)
"""What an activity that keeps its own deadline gets beyond it, to store that it was reached."""

STORE_ATTEMPT: Final = timedelta(seconds=30)
"""One attempt of a step on the store: a connection is waited for 10 s, a statement runs 15 s at most, and both say so
themselves by a better name than a timeout."""

STORE_RETRY: Final = RetryPolicy(
    initial_interval=FIRST_RETRY,
    backoff_coefficient=2,
    maximum_interval=timedelta(seconds=10),  # PostgreSQL is noticed at most this long after it is back
)

LOCAL_RETRY_THRESHOLD: Final = timedelta(seconds=1)
"""Longer waits of a local activity become timers: inside the workflow task each 2.4 s of waiting cost three events."""

MODEL_STORE_TIME: Final = timedelta(seconds=35)
"""What a model turn gets beyond the model's deadline: reading the transcript, and holding on to the finished turn for
30 s while PostgreSQL is away."""

RECORD_PATIENCE: Final = timedelta(days=1)
"""A run that is not recorded holds back its member's next request, so it is not given up as long as anybody may still
care."""

DELIVERY_ATTEMPT: Final = timedelta(seconds=60)
"""Twenty messages, the longest answer, at Discord's five messages in five seconds take 20 s; the rest is for slow
answers."""

DELIVERY_PATIENCE: Final = timedelta(days=1)
"""An answer is not thrown away because Discord or the bot is away for a night."""

DELIVERY_RETRY: Final = RetryPolicy(
    initial_interval=FIRST_RETRY,
    backoff_coefficient=2,
    maximum_interval=timedelta(seconds=30),  # an outage's end is noticed within this
)

PASSING_NOTICE_PATIENCE: Final = timedelta(seconds=10)
"""For notices that are a courtesy while something else goes on: a run that was stopped, or that waits for an
operator."""

OPERATOR_PATIENCE: Final = timedelta(hours=1)
"""How long a run waits for a person. Its member's next requests in that channel wait behind it, and an answer that is
much older than its question helps nobody; after this the run fails, and can still be reset."""


def store_step(patience: timedelta) -> LocalActivityConfig:
    """Short work on the store, inside the workflow task: three events less than a remote activity, and 20 ms."""
    return LocalActivityConfig(
        start_to_close_timeout=STORE_ATTEMPT,
        schedule_to_close_timeout=patience,
        retry_policy=STORE_RETRY,
        local_retry_threshold=LOCAL_RETRY_THRESHOLD,
    )


def model_turn(step: TakeTurn) -> ActivityConfig:
    """One turn, retried as often as its time allows; the activity itself bounds how often a provider is asked."""
    return ActivityConfig(
        start_to_close_timeout=step.deadline + MODEL_STORE_TIME,
        schedule_to_close_timeout=step.available,
        heartbeat_timeout=HEARTBEAT_TIMEOUT,
        retry_policy=RetryPolicy(initial_interval=FIRST_RETRY, maximum_interval=timedelta(seconds=10)),
        summary=f"turn {step.iteration}",
    )


def tool_call(allowed: AllowedCall) -> ActivityConfig:
    """A call made elsewhere. Its deadline is for all attempts together: a retry after a kill has what is left."""
    return ActivityConfig(
        task_queue=allowed.call.queue,
        start_to_close_timeout=allowed.deadline + ATTEMPT_GRACE,
        schedule_to_close_timeout=allowed.deadline + ATTEMPT_GRACE,
        heartbeat_timeout=HEARTBEAT_TIMEOUT,
        retry_policy=RetryPolicy(initial_interval=FIRST_RETRY, maximum_interval=timedelta(seconds=5)),
        summary=allowed.call.name,
    )


def local_tool_calls(allowed: Sequence[AllowedCall]) -> LocalActivityConfig:
    """Calls made on the store together, inside the workflow task; each keeps its own deadline."""
    longest = max(one.deadline for one in allowed) + ATTEMPT_GRACE
    return LocalActivityConfig(
        start_to_close_timeout=longest,
        schedule_to_close_timeout=longest,
        retry_policy=STORE_RETRY,
        local_retry_threshold=LOCAL_RETRY_THRESHOLD,
        summary=", ".join(one.call.name for one in allowed),
    )


def delivery(message: DeliveryInput, patience: timedelta) -> ActivityConfig:
    """Sending from the process that has the token, however long that is away."""
    return ActivityConfig(
        task_queue=TaskQueue.DISCORD,
        start_to_close_timeout=DELIVERY_ATTEMPT,
        schedule_to_close_timeout=patience,
        heartbeat_timeout=HEARTBEAT_TIMEOUT,
        retry_policy=DELIVERY_RETRY,
        # What is on its way may have arrived: a cancelled run says which of the two it was.
        cancellation_type=ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        summary=message.code or message.purpose.value,
    )
