from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from gopher.providers.retry_after import parse_retry_after

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, 86400),
        ({"retry-after": ""}, None),
        ({"retry-after": "later"}, None),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "2"}, 2),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:09 GMT"}, 9),
        ({"retry-after": "Wed, 31 Dec 2025 23:00:00 GMT"}, 0),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:09 GMT", "date": "Thu, 01 Jan 2026 00:00:05 GMT"}, 4),
        ({"retry-after": "Fri, 31 Feb 2026 00:00:00 GMT"}, None),
    ],
)
def test_every_form_of_the_header_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert parse_retry_after(headers, now=NOW) == (None if seconds is None else timedelta(seconds=seconds))
