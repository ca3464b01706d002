"""How the simulated Discord refuses: its documented JSON error codes, each with its HTTP status and sentence."""

from __future__ import annotations

from enum import IntEnum
from http import HTTPStatus
from typing import Final

from devstack.discord.documents import JsonObject, JsonValue, Problems


class Code(IntEnum):
    """Discord's JSON error codes (developer documentation, "Opcodes and Status Codes")."""

    NO_TOKEN = 0
    UNKNOWN_APPLICATION = 10002
    UNKNOWN_CHANNEL = 10003
    UNKNOWN_GUILD = 10004
    UNKNOWN_MEMBER = 10007
    UNKNOWN_MESSAGE = 10008
    UNKNOWN_OVERWRITE = 10009
    UNKNOWN_ROLE = 10011
    UNKNOWN_USER = 10013
    UNKNOWN_EMOJI = 10014
    UNKNOWN_WEBHOOK = 10015
    UNKNOWN_INTERACTION = 10062
    UNKNOWN_COMMAND = 10063
    BOTS_CANNOT_USE = 20001
    ONLY_BOTS_CAN_USE = 20002
    SLOWMODE = 20016
    MAX_PINS = 30003
    MAX_REACTIONS = 30010
    MAX_COMMANDS = 30032
    UNAUTHORIZED = 40001
    REQUEST_TOO_LARGE = 40005
    ALREADY_ACKNOWLEDGED = 40060
    MISSING_ACCESS = 50001
    CANNOT_EXECUTE_IN_DM = 50003
    CANNOT_EDIT_OTHERS_MESSAGE = 50005
    EMPTY_MESSAGE = 50006
    CANNOT_SEND_TO_USER = 50007
    CANNOT_SEND_IN_CHANNEL_TYPE = 50008
    MISSING_PERMISSIONS = 50013
    INVALID_TOKEN = 50014
    BULK_DELETE_COUNT = 50016
    SYSTEM_MESSAGE = 50021
    WRONG_CHANNEL_TYPE = 50024
    INVALID_WEBHOOK_TOKEN = 50027
    INVALID_ROLE = 50028
    INVALID_RECIPIENTS = 50033
    BULK_DELETE_TOO_OLD = 50034
    INVALID_FORM_BODY = 50035
    INVALID_FILE = 50046
    THREAD_ARCHIVED = 50083
    REACTION_BLOCKED = 90001
    INVALID_JSON = 50109
    NO_REPLY_WITHOUT_HISTORY = 160002
    THREAD_EXISTS = 160004
    THREAD_LOCKED = 160005


_N = HTTPStatus.NOT_FOUND
_F = HTTPStatus.FORBIDDEN
_B = HTTPStatus.BAD_REQUEST

_REFUSALS: Final[dict[Code, tuple[HTTPStatus, str]]] = {
    Code.NO_TOKEN: (HTTPStatus.UNAUTHORIZED, "401: Unauthorized"),
    Code.UNKNOWN_APPLICATION: (_N, "Unknown Application"),
    Code.UNKNOWN_CHANNEL: (_N, "Unknown Channel"),
    Code.UNKNOWN_GUILD: (_N, "Unknown Guild"),
    Code.UNKNOWN_MEMBER: (_N, "Unknown Member"),
    Code.UNKNOWN_MESSAGE: (_N, "Unknown Message"),
    Code.UNKNOWN_OVERWRITE: (_N, "Unknown Permission Overwrite"),
    Code.UNKNOWN_ROLE: (_N, "Unknown Role"),
    Code.UNKNOWN_USER: (_N, "Unknown User"),
    Code.UNKNOWN_EMOJI: (_B, "Unknown Emoji"),
    Code.UNKNOWN_WEBHOOK: (_N, "Unknown Webhook"),
    Code.UNKNOWN_INTERACTION: (_N, "Unknown interaction"),
    Code.UNKNOWN_COMMAND: (_N, "Unknown application command"),
    Code.BOTS_CANNOT_USE: (_F, "Bots cannot use this endpoint"),
    Code.ONLY_BOTS_CAN_USE: (_F, "Only bots can use this endpoint"),
    Code.SLOWMODE: (HTTPStatus.TOO_MANY_REQUESTS, "This action cannot be performed due to slowmode rate limit"),
    Code.MAX_PINS: (_B, "Maximum number of pins reached for the channel (250)"),
    Code.MAX_REACTIONS: (_B, "Maximum number of reactions reached (20)"),
    Code.MAX_COMMANDS: (_B, "Maximum number of application commands reached (100)"),
    Code.UNAUTHORIZED: (_F, "Unauthorized"),
    Code.REQUEST_TOO_LARGE: (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "Request entity too large"),
    Code.ALREADY_ACKNOWLEDGED: (_B, "Interaction has already been acknowledged."),
    Code.MISSING_ACCESS: (_F, "Missing Access"),
    Code.CANNOT_EXECUTE_IN_DM: (_F, "Cannot execute action on a DM channel"),
    Code.CANNOT_EDIT_OTHERS_MESSAGE: (_F, "Cannot edit a message authored by another user"),
    Code.EMPTY_MESSAGE: (_B, "Cannot send an empty message"),
    Code.CANNOT_SEND_TO_USER: (_F, "Cannot send messages to this user"),
    Code.CANNOT_SEND_IN_CHANNEL_TYPE: (_B, "Cannot send messages in a non-text channel"),
    Code.MISSING_PERMISSIONS: (_F, "Missing Permissions"),
    Code.INVALID_TOKEN: (HTTPStatus.UNAUTHORIZED, "Invalid authentication token provided"),
    Code.BULK_DELETE_COUNT: (
        _B,
        (
            "Provided too few or too many messages to delete. "
            "Must provide at least 2 and fewer than 100 messages to delete."
        ),
    ),
    Code.SYSTEM_MESSAGE: (_F, "Cannot execute action on a system message"),
    Code.WRONG_CHANNEL_TYPE: (_B, "Cannot execute action on this channel type"),
    Code.INVALID_WEBHOOK_TOKEN: (HTTPStatus.UNAUTHORIZED, "Invalid Webhook Token"),
    Code.INVALID_ROLE: (_B, "Invalid Role"),
    Code.INVALID_RECIPIENTS: (_B, "Invalid Recipient(s)"),
    Code.BULK_DELETE_TOO_OLD: (_B, "A message provided was too old to bulk delete"),
    Code.INVALID_FORM_BODY: (_B, "Invalid Form Body"),
    Code.INVALID_FILE: (_B, "Invalid file uploaded"),
    Code.THREAD_ARCHIVED: (_B, "Thread is archived"),
    Code.REACTION_BLOCKED: (_F, "Reaction was blocked"),
    Code.INVALID_JSON: (_B, "The request body contains invalid JSON."),
    Code.NO_REPLY_WITHOUT_HISTORY: (_B, "Cannot reply without permission to read message history"),
    Code.THREAD_EXISTS: (_B, "A thread has already been created for this message"),
    Code.THREAD_LOCKED: (_F, "This thread is locked"),
}


class Refused(Exception):  # noqa: N818 - named as what happened, like the project's other errors
    """A request that Discord would refuse, with its code; the REST layer answers with it."""

    def __init__(self, code: Code, *, errors: JsonValue = None, retry_after: float | None = None) -> None:
        status, message = _REFUSALS[code]
        super().__init__(message)
        self.code = code
        self.status = status
        self.message = message
        self.errors = errors
        self.retry_after = retry_after
        """Seconds, for refusals that are rate limits; None for others."""

    def payload(self) -> JsonObject:
        """Render the body."""
        body: JsonObject = {"message": self.message, "code": int(self.code)}
        if self.errors is not None:
            body["errors"] = self.errors
        if self.retry_after is not None:
            body |= {"retry_after": round(self.retry_after, 3), "global": False}
        return body


def check(problems: Problems) -> None:
    """Refuse with 50035 when a body has problems.

    Raises:
        Refused: naming every problem at its path.
    """
    if problems:
        raise Refused(Code.INVALID_FORM_BODY, errors=problems.tree)
