"""The one translation of failures to Temporal: code as type, no content, whether and when to try again."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any, Final

from temporalio import activity
from temporalio.exceptions import ApplicationError
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from gopher.domain.codes import UNEXPECTED
from gopher.errors import (
    ConfigurationError,
    DiscordError,
    DiscordUnavailable,
    GopherError,
    ProviderError,
    ProviderUnavailable,
    StoreError,
)

UNEXPECTED_ATTEMPTS: Final = 3
"""A bug that depends on chance or on a moment passes in three; one that does not should reach a person soon."""

PROVIDER_ATTEMPTS: Final = 5
"""With the waits below an outage of 15 s is bridged; after that the requester should hear of it rather than wait."""

PROVIDER_FIRST_WAIT: Final = timedelta(seconds=1)
"""Doubled each time, for providers that do not say themselves when to come back. The policy's own first interval is
much shorter: it is for attempts that died with their worker, where nobody needs to be spared."""

logger = logging.getLogger(__name__)


def to_application_error(error: GopherError, *, attempt: int = 1) -> ApplicationError:
    """Translate an expected failure of the given attempt (from 1).

    The type is the error's code. The delay before the next attempt is what the provider or Discord asked for, so that
    nothing else needs to wait; None leaves it to the retry policy.
    """
    delay = None
    retryable = error.retryable
    match error:
        case ProviderUnavailable():
            retryable = attempt < PROVIDER_ATTEMPTS
            delay = error.retry_after or PROVIDER_FIRST_WAIT * 2 ** (attempt - 1)
        case DiscordUnavailable():
            delay = error.retry_after
        case _:
            pass
    return ApplicationError(
        public_sentence(error),
        type=error.code,
        non_retryable=not retryable,
        next_retry_delay=delay if retryable else None,
    )


def public_sentence(error: GopherError) -> str:
    """Say what an error says, unless it may speak of a stranger's words: histories and logs hold no content.

    Errors of settings, providers, the store and Discord are worded by their borders without content; the others are
    worded for a model.
    """
    if isinstance(error, ConfigurationError | ProviderError | StoreError | DiscordError):
        return str(error)
    return type(error).__name__


class TranslateErrors(Interceptor):
    """Lets only translated failures out of activities. Every worker has it as its first interceptor."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002 # Temporal's name
        """Wrap every activity."""
        return _Translating(next)


class _Translating(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002, ANN401 # Temporal's signature
        attempt = activity.info().attempt
        try:
            return await self.next.execute_activity(input)
        except ApplicationError:
            raise
        except GopherError as error:
            logger.warning("activity failed with %s", error.code, extra=_facts(error.code), exc_info=error)
            failure = to_application_error(error, attempt=attempt)
        except Exception as error:  # the border: what crosses it otherwise would carry its words into the history
            logger.exception("activity failed unexpectedly", extra=_facts(UNEXPECTED))
            failure = ApplicationError(
                f"{type(error).__name__} in {activity.info().activity_type}: see the worker's log",
                type=UNEXPECTED,
                non_retryable=attempt >= UNEXPECTED_ATTEMPTS,
            )
        # Outside of the handlers: a context or cause would be written into the history with its words.
        raise failure


def _facts(code: str) -> dict[str, object]:
    info = activity.info()
    return {"code": code, "activity": info.activity_type, "attempt": info.attempt}
