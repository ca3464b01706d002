"""The translation of failures to Temporal."""

from __future__ import annotations

from datetime import timedelta

import pytest

from activities.errors import PROVIDER_ATTEMPTS, to_application_error
from gopher.errors import (
    ConfigurationError,
    Conflict,
    Denied,
    DiscordRejected,
    DiscordUnavailable,
    GopherError,
    ProviderRejected,
    ProviderUnavailable,
    Rejected,
    Unavailable,
)

SENTENCE = "It is as it is."
SEVEN = timedelta(seconds=7)


@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (ConfigurationError(SENTENCE), "configuration", False),
        (ProviderUnavailable(SENTENCE, code="provider_timeout"), "provider_timeout", True),
        (ProviderRejected(SENTENCE), "provider_rejected", False),
        (Unavailable(SENTENCE), "store_unavailable", True),
        (Conflict(SENTENCE), "conflict", False),
        (DiscordUnavailable(SENTENCE), "discord_unavailable", True),
        (DiscordRejected(SENTENCE), "discord_rejected", False),
        (Denied(SENTENCE, code="denied"), "denied", False),
    ],
)
def test_the_code_is_the_type_and_retrying_is_the_errors_own_word(
    error: GopherError, code: str, retryable: bool
) -> None:
    translated = to_application_error(error)
    assert translated.type == code
    assert translated.non_retryable is not retryable


@pytest.mark.parametrize(
    ("error", "attempt", "delay"),
    [
        (ProviderUnavailable(SENTENCE, retry_after=SEVEN), 1, SEVEN),
        (ProviderUnavailable(SENTENCE, retry_after=SEVEN), 3, SEVEN),
        (ProviderUnavailable(SENTENCE), 1, timedelta(seconds=1)),
        (ProviderUnavailable(SENTENCE), 3, timedelta(seconds=4)),
        (DiscordUnavailable(SENTENCE, retry_after=SEVEN), 9, SEVEN),
        (DiscordUnavailable(SENTENCE), 1, None),
        (Unavailable(SENTENCE), 1, None),
    ],
)
def test_the_wait_is_what_was_asked_for(error: GopherError, attempt: int, delay: timedelta | None) -> None:
    assert to_application_error(error, attempt=attempt).next_retry_delay == delay


def test_a_provider_is_not_asked_for_ever() -> None:
    last = to_application_error(ProviderUnavailable(SENTENCE, retry_after=SEVEN), attempt=PROVIDER_ATTEMPTS)
    assert last.non_retryable
    assert last.next_retry_delay is None


def test_sentences_without_content_are_for_operators_and_others_stay_behind() -> None:
    assert to_application_error(ProviderRejected(SENTENCE)).message == SENTENCE
    assert to_application_error(Rejected("canary is no number", code="x")).message == "Rejected"
