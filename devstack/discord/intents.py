"""Gateway intents: what a bot asked to hear, and which of them its application must have been granted."""

from __future__ import annotations

from enum import IntFlag
from typing import Final


class Intent(IntFlag):
    """Discord's gateway intents."""

    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    GUILD_MODERATION = 1 << 2
    GUILD_EXPRESSIONS = 1 << 3
    GUILD_INTEGRATIONS = 1 << 4
    GUILD_WEBHOOKS = 1 << 5
    GUILD_INVITES = 1 << 6
    GUILD_VOICE_STATES = 1 << 7
    GUILD_PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    GUILD_MESSAGE_REACTIONS = 1 << 10
    GUILD_MESSAGE_TYPING = 1 << 11
    DIRECT_MESSAGES = 1 << 12
    DIRECT_MESSAGE_REACTIONS = 1 << 13
    DIRECT_MESSAGE_TYPING = 1 << 14
    MESSAGE_CONTENT = 1 << 15
    GUILD_SCHEDULED_EVENTS = 1 << 16
    AUTO_MODERATION_CONFIGURATION = 1 << 20
    AUTO_MODERATION_EXECUTION = 1 << 21
    GUILD_MESSAGE_POLLS = 1 << 24
    DIRECT_MESSAGE_POLLS = 1 << 25


KNOWN: Final = sum(Intent)
EVERYTHING: Final = Intent(KNOWN)
PRIVILEGED: Final = Intent.GUILD_MEMBERS | Intent.GUILD_PRESENCES | Intent.MESSAGE_CONTENT
"""Only for applications that switched them on; identifying with one that is off closes the connection with 4014."""

_APPLICATION_FLAGS: Final = {
    Intent.GUILD_PRESENCES: 1 << 13,
    Intent.GUILD_MEMBERS: 1 << 15,
    Intent.MESSAGE_CONTENT: 1 << 19,
}
"""The application flags GATEWAY_..._LIMITED: switched on, in fewer than a hundred guilds."""


def application_flags(granted: Intent) -> int:
    """Tell an application's flags for the privileged intents that are switched on."""
    return sum(flag for intent, flag in _APPLICATION_FLAGS.items() if intent & granted)


_GUILD_OR_DIRECT: Final = {
    "MESSAGE_CREATE": (Intent.GUILD_MESSAGES, Intent.DIRECT_MESSAGES),
    "MESSAGE_UPDATE": (Intent.GUILD_MESSAGES, Intent.DIRECT_MESSAGES),
    "MESSAGE_DELETE": (Intent.GUILD_MESSAGES, Intent.DIRECT_MESSAGES),
    "MESSAGE_DELETE_BULK": (Intent.GUILD_MESSAGES, Intent.GUILD_MESSAGES),
    "MESSAGE_REACTION_ADD": (Intent.GUILD_MESSAGE_REACTIONS, Intent.DIRECT_MESSAGE_REACTIONS),
    "MESSAGE_REACTION_REMOVE": (Intent.GUILD_MESSAGE_REACTIONS, Intent.DIRECT_MESSAGE_REACTIONS),
    "MESSAGE_REACTION_REMOVE_ALL": (Intent.GUILD_MESSAGE_REACTIONS, Intent.DIRECT_MESSAGE_REACTIONS),
    "MESSAGE_REACTION_REMOVE_EMOJI": (Intent.GUILD_MESSAGE_REACTIONS, Intent.DIRECT_MESSAGE_REACTIONS),
    "TYPING_START": (Intent.GUILD_MESSAGE_TYPING, Intent.DIRECT_MESSAGE_TYPING),
    "CHANNEL_PINS_UPDATE": (Intent.GUILDS, Intent.DIRECT_MESSAGES),
}
_GUILDS: Final = frozenset(
    {
        "GUILD_CREATE", "GUILD_UPDATE", "GUILD_DELETE", "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE",
        "CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE", "THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE",
        "THREAD_LIST_SYNC", "THREAD_MEMBER_UPDATE", "THREAD_MEMBERS_UPDATE",
    }
)  # fmt: skip
_MEMBERS: Final = frozenset({"GUILD_MEMBER_ADD", "GUILD_MEMBER_UPDATE", "GUILD_MEMBER_REMOVE"})
_MODERATION: Final = frozenset({"GUILD_BAN_ADD", "GUILD_BAN_REMOVE", "GUILD_AUDIT_LOG_ENTRY_CREATE"})


def required(event: str, *, direct: bool) -> Intent:
    """Tell the intent that an event needs; none for events that every session gets, INTERACTION_CREATE for instance."""
    if event in _GUILD_OR_DIRECT:
        return _GUILD_OR_DIRECT[event][1 if direct else 0]
    if event in _GUILDS:
        return Intent.GUILDS
    if event in _MEMBERS:
        return Intent.GUILD_MEMBERS
    if event in _MODERATION:
        return Intent.GUILD_MODERATION
    if event == "PRESENCE_UPDATE":
        return Intent.GUILD_PRESENCES
    return Intent(0)
