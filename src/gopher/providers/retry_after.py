"""How long a provider asks to be left alone, read from its response headers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

LONGEST: Final = timedelta(days=1)
"""Longer waits are given as this: no run lives that long, and larger numbers would overflow a timedelta."""


def parse_retry_after(headers: Mapping[str, str], *, now: datetime) -> timedelta | None:
    """Read `retry-after-ms`, or else `Retry-After` in seconds or as an HTTP date, from case-insensitive headers.

    A date is taken relative to the response's own `Date` header where there is one, so that clocks need not agree;
    else to `now`. A moment that has passed gives zero; a missing or senseless value gives None.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return _bounded(milliseconds / 1000)
    written = headers.get("retry-after")
    seconds = _number(written)
    if seconds is not None:
        return _bounded(seconds)
    moment = _date(written)
    if moment is None:
        return None
    return _bounded((moment - (_date(headers.get("date")) or now)).total_seconds())


def _number(written: str | None) -> float | None:
    try:
        number = float(written or "")
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _bounded(seconds: float) -> timedelta:
    return timedelta(seconds=min(max(seconds, 0.0), LONGEST.total_seconds()))


def _date(written: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(written or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
