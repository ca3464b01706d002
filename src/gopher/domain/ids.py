"""Identifiers: Discord snowflakes as distinct integer types, and the ids that derive from them."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime, timedelta
from typing import Final, NewType

GuildId = NewType("GuildId", int)
ChannelId = NewType("ChannelId", int)
"""A channel, a thread or a direct-message channel."""
UserId = NewType("UserId", int)
MessageId = NewType("MessageId", int)
RequestId = NewType("RequestId", int)
"""The snowflake of what triggered the request: a message, an interaction, or a line typed in a terminal. A run has the
id of its request: there is one run a request."""

DISCORD_EPOCH: Final = datetime(2015, 1, 1, tzinfo=UTC)
"""Snowflakes count milliseconds from here (Discord's developer documentation, "Snowflakes")."""

TERMINAL_WORKER: Final = 0x3FF
"""The ten worker and process bits of ids made by this project, all set: Discord has not been seen to use that
combination."""

_TIMESTAMP_SHIFT: Final = 22
_SEQUENCE_BITS: Final = 12


def workflow_id(request_id: RequestId) -> str:
    """Name the workflow of a request: the same trigger always gives the same name, so a second start is a no-op."""
    return f"agent/{request_id}"


def snowflake_time(snowflake: int) -> datetime:
    """Tell when a snowflake was made, in UTC, to the millisecond."""
    return DISCORD_EPOCH + timedelta(milliseconds=snowflake >> _TIMESTAMP_SHIFT)


def snowflake_at(moment: datetime, *, sequence: int = 0) -> int:
    """Make a snowflake of this project's own for a moment; `sequence` (0 to 4095) tells apart those of one ms."""
    milliseconds = (moment - DISCORD_EPOCH) // timedelta(milliseconds=1)
    return (milliseconds << _TIMESTAMP_SHIFT) | (TERMINAL_WORKER << _SEQUENCE_BITS) | (sequence & 0xFFF)


def named_id(kind: str, name: str) -> int:
    """Derive a stable positive 63-bit id from a name, for members and channels that exist only in a terminal."""
    digest = hashlib.sha256(f"{kind}\0{name}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def delivery_nonce(request_id: RequestId, purpose: str, chunk: int) -> str:
    """Derive Discord's message nonce (at most 25 characters) from what is sent: equal sends have equal nonces."""
    return hashlib.sha256(f"{request_id}\0{purpose}\0{chunk}".encode()).hexdigest()[:25]


def token_owner(token: str) -> UserId | None:
    """Read whose token it is: Discord's tokens begin with the user's id in base64. None when this one does not."""
    head = token.partition(".")[0]
    try:
        text = base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)).decode("ascii")
    except ValueError:
        return None
    return UserId(int(text)) if text.isdecimal() else None
