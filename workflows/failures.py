"""Failures of activities as steps of a workflow: the code to go on with, or that nobody foresaw it."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from temporalio.exceptions import ActivityError, ApplicationError, FailureError, is_cancelled_exception
from temporalio.exceptions import TimeoutError as ActivityTimeout

from gopher.domain.codes import UNEXPECTED, is_foreseen

ResultT = TypeVar("ResultT")


class StepFailed(Exception):  # noqa: N818 # caught by whoever takes the step, never an error to be shown
    """A step is given up with a code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


async def outcome(activity: Awaitable[ResultT], *, timed_out: str) -> ResultT:
    """Await an activity.

    Raises:
        StepFailed: it failed; `timed_out` is the code when its time was over.
        FailureError: the workflow was cancelled.
    """
    try:
        return await activity
    except FailureError as error:
        if is_cancelled_exception(error):
            raise
        raise StepFailed(failure_code(error, timed_out=timed_out)) from error


def failure_code(error: FailureError, *, timed_out: str) -> str:
    """Name why an activity failed after its last attempt; `timed_out` names that its time was over.

    A remote activity's failure is the cause of an ActivityError, a local one's may stand for itself. A timeout tells
    what the last attempt that ended by itself had failed with, which says more. Everything that is no code of this
    project is `UNEXPECTED`.
    """
    match error.cause if isinstance(error, ActivityError) else error:
        case ApplicationError(type=kind):
            return kind if kind is not None and is_foreseen(kind) else UNEXPECTED
        case ActivityTimeout(cause=ApplicationError(type=kind)) if kind is not None and is_foreseen(kind):
            return kind
        case ActivityTimeout():
            return timed_out
        case _:
            return UNEXPECTED
