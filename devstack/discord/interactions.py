"""Interactions: what a member asked of an application, and how far the application has answered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Final

from devstack.discord.messages import Cause

ACKNOWLEDGE_WITHIN: Final = timedelta(seconds=3)
"""Later, the interaction is unknown and the member is told that the application did not respond."""
TOKEN_LIFETIME: Final = timedelta(minutes=15)
"""How long an acknowledged interaction's token opens the webhook routes."""


class InteractionKind(IntEnum):
    """Discord's interaction types."""

    PING = 1
    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL = 5


class Response(IntEnum):
    """Discord's interaction response types."""

    PONG = 1
    MESSAGE = 4
    DEFERRED_MESSAGE = 5
    DEFERRED_UPDATE = 6
    UPDATE = 7
    AUTOCOMPLETE = 8
    MODAL = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """One interaction. Times are by the clock of validity."""

    id: int
    token: str
    kind: InteractionKind
    application_id: int
    user_id: int
    channel_id: int
    created_at: datetime
    guild_id: int | None = None
    nonce: str | None = None
    """The client's own name for it, told back with success or failure."""
    command_id: int | None = None
    command_name: str | None = None
    command_kind: int = 1
    message_id: int | None = None
    """For components, and modals that a component opened: the message with the component."""
    trigger: Cause | None = None
    """For modals: the interaction that was answered by showing it."""
    modal_custom_id: str | None = None
    """For interactions that were answered by a modal: its custom id."""
    response: Response | None = None
    """None until acknowledged."""
    original_id: int | None = None
    """The message that answers it; for components that were deferred or updated, the component's own message."""

    def cause(self, original_id: int | None) -> Cause:
        """Make what messages that answer this say of it; `original_id` is the first answer, for follow-ups."""
        return Cause(
            interaction_id=self.id,
            kind=int(self.kind),
            user_id=self.user_id,
            name=self.command_name,
            command_id=self.command_id,
            original_response_id=original_id,
            component_message_id=self.message_id if self.kind is InteractionKind.COMPONENT else None,
            trigger=self.trigger,
        )

    def awaits_response(self, now: datetime) -> bool:
        """Tell whether it can still be acknowledged."""
        return self.response is None and now < self.created_at + ACKNOWLEDGE_WITHIN

    def token_lives(self, now: datetime) -> bool:
        """Tell whether its token still opens the webhook routes."""
        return now < self.created_at + TOKEN_LIFETIME
