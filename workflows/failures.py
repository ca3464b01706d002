"""Reads the failure of an activity: the code to go on with, or that nobody foresaw it."""

from __future__ import annotations

from temporalio.exceptions import ActivityError, ApplicationError, FailureError
from temporalio.exceptions import TimeoutError as ActivityTimeout

from gopher.domain.codes import UNEXPECTED, is_foreseen


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
