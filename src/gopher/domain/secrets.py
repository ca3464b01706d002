"""Credentials in text: where they are, what kind they are, and the text without them.

Applied before anything derived from a message is stored, before any provider sees it, and on every display and export
of the journal. It errs on the side of redacting: a harmless string that looks like a key costs less than a leak.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from gopher.domain.secret_patterns import ASSIGNED, KEYS, PHRASES
from gopher.domain.secret_values import is_card_number, is_password, is_random

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator


class SecretKind(StrEnum):
    """What a credential opens."""

    CLOUD_KEY = "cloud_key"
    SERVICE_TOKEN = "service_token"  # noqa: S105 - the name of a kind, not a password
    PRIVATE_KEY = "private_key"
    CONNECTION_STRING = "connection_string"
    JWT = "jwt"
    BEARER = "bearer"
    CARD_NUMBER = "card_number"
    PASSWORD = "password"  # noqa: S105 - the name of a kind, not a password
    ONE_TIME_CODE = "one_time_code"
    SEED_PHRASE = "seed_phrase"


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretSpan:
    """One credential in a text."""

    kind: SecretKind
    start: int
    """Offset of its first character."""
    end: int
    """Offset after its last character."""


def find_secrets(text: str) -> tuple[SecretSpan, ...]:
    """List the credentials in a text by position; those that overlap are one, of the kind that starts first."""
    spans = sorted(_candidates(text), key=lambda span: (span.start, -span.end))
    kept: list[SecretSpan] = []
    for span in spans:
        if kept and span.start < kept[-1].end:
            last = kept[-1]
            kept[-1] = SecretSpan(kind=last.kind, start=last.start, end=max(last.end, span.end))
        else:
            kept.append(span)
    return tuple(kept)


def contains_secret(text: str) -> bool:
    """Tell whether a text holds any credential."""
    return next(_candidates(text), None) is not None


def redact(text: str) -> str:
    """Return the text with each credential replaced by `[redacted: kind]`; redacting twice changes nothing more."""
    parts: list[str] = []
    position = 0
    for span in find_secrets(text):
        parts += (text[position : span.start], f"[redacted: {span.kind}]")
        position = span.end
    parts.append(text[position:])
    return "".join(parts)


def _candidates(text: str) -> Iterator[SecretSpan]:
    for kind, pattern in KEYS:
        for match in pattern.finditer(text):
            yield _span(SecretKind(kind), match)
    for match in ASSIGNED.finditer(text):
        if is_random(match["value"]):
            yield _span(SecretKind.SERVICE_TOKEN, match)
    for kind, pattern in PHRASES:
        for match in pattern.finditer(text):
            if _holds(SecretKind(kind), match["value"], text[match.end("value") :]):
                yield _span(SecretKind(kind), match)


def _holds(kind: SecretKind, value: str, after: str) -> bool:
    match kind:
        case SecretKind.CARD_NUMBER:
            return is_card_number(value)
        case SecretKind.PASSWORD:
            return is_password(value, after)
        case _:
            return True


def _span(kind: SecretKind, match: re.Match[str]) -> SecretSpan:
    group = "value" if "value" in match.re.groupindex else 0
    return SecretSpan(kind=kind, start=match.start(group), end=match.end(group))
