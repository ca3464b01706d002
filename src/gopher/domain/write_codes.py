"""Every code with which a write is denied or put to the requester, in one table."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class DenialCode(StrEnum):
    """Why a write is denied. The values are stable: they are stored and told to models."""

    ACTIONS_DISABLED = "discord_actions_disabled"
    CONFIRMATION_REQUIRED = "confirmation_required"
    # What the request says
    NOT_REQUESTED = "explicit_action_required"
    NEGATED = "action_negated"
    QUESTION = "action_only_asked_about"
    HYPOTHETICAL = "action_hypothetical"
    CONDITIONAL = "action_conditional"
    REPORTED = "action_reported"
    QUOTED = "action_quoted"
    ADDRESSED_TO_OTHER = "action_addressed_to_other"
    RETRACTED = "action_retracted"
    # What the call does that the request does not say
    TARGET_NOT_REQUESTED = "target_not_requested"
    CHANNEL_NOT_REQUESTED = "channel_not_requested"
    CONTENT_NOT_REQUESTED = "content_not_requested"
    EMOJI_NOT_REQUESTED = "emoji_not_requested"
    NAME_NOT_REQUESTED = "name_not_requested"
    STATE_NOT_REQUESTED = "state_not_requested"
    SCOPE_NOT_REQUESTED = "scope_not_requested"
    MEMORY_NOT_REQUESTED = "memory_not_requested"
    # Where it would happen
    CROSS_GUILD = "cross_guild_denied"
    CROSS_CHANNEL = "cross_channel_denied"
    DIRECT_MESSAGE = "direct_message_denied"
    GUILD_REQUIRED = "guild_required"
    CHANNEL_NOT_FOUND = "channel_not_found"
    CHANNEL_NOT_TEXT = "channel_not_text"
    MESSAGE_NOT_FOUND = "message_not_found"
    THREAD_NOT_FOUND = "thread_not_found"
    # Who may
    MISSING_PERMISSION = "missing_permission"
    ADMINISTRATOR_REQUIRED = "administrator_required"
    NOT_BOT_MESSAGE = "not_bot_message"
    NOT_YOUR_REQUEST = "not_your_request"
    PRIVATE_THREAD = "private_thread_denied"
    THREAD_ARCHIVED = "thread_archived"
    THREAD_LOCKED = "thread_locked"
    MEMORY_SCOPE = "memory_scope_denied"
    MEMORY_NOT_FOUND = "memory_not_found_or_denied"


class AskCode(StrEnum):
    """Why the requester is asked first. Stable like the codes of denials."""

    INTENT_UNCLEAR = "intent_unclear"
    TARGET_UNCLEAR = "target_unclear"
    CHANNEL_UNCLEAR = "channel_unclear"
    CONTENT_COMPOSED = "content_composed"
    CONTENT_CHANGED = "content_changed"
    EMOJI_CHOSEN = "emoji_chosen"
    NAME_CHOSEN = "name_chosen"
    MEMORY_UNCLEAR = "memory_unclear"


MEANINGS: Final[Mapping[DenialCode | AskCode, str]] = MappingProxyType(
    {
        DenialCode.ACTIONS_DISABLED: "Writes are switched off in this deployment.",
        DenialCode.CONFIRMATION_REQUIRED: "The request is not explicit enough, and this deployment asks nobody.",
        DenialCode.NOT_REQUESTED: "The requester's message does not ask for this.",
        DenialCode.NEGATED: "The requester's message says not to do this.",
        DenialCode.QUESTION: "The requester's message asks about this and does not ask for it.",
        DenialCode.HYPOTHETICAL: "The requester's message only imagines this.",
        DenialCode.CONDITIONAL: "The requester's message asks for this in some case or at some other time.",
        DenialCode.REPORTED: "The requester's message reports somebody else's words.",
        DenialCode.QUOTED: "Only quoted, pasted or forwarded words, or code, ask for this.",
        DenialCode.ADDRESSED_TO_OTHER: "The requester's message asks somebody else to do this.",
        DenialCode.RETRACTED: "The requester's message takes this back.",
        DenialCode.TARGET_NOT_REQUESTED: "The requester's message is about another message.",
        DenialCode.CHANNEL_NOT_REQUESTED: "The requester's message names another channel or thread, or none.",
        DenialCode.CONTENT_NOT_REQUESTED: "These are not the words that the requester gave.",
        DenialCode.EMOJI_NOT_REQUESTED: "This is not the emoji that the requester named.",
        DenialCode.NAME_NOT_REQUESTED: "This is not the name that the requester gave.",
        DenialCode.STATE_NOT_REQUESTED: "The requester did not ask to archive or to reopen.",
        DenialCode.SCOPE_NOT_REQUESTED: "The requester did not ask to remember this for so many.",
        DenialCode.MEMORY_NOT_REQUESTED: "The requester named another memory.",
        DenialCode.CROSS_GUILD: "The channel belongs to another server.",
        DenialCode.CROSS_CHANNEL: "In a direct message, only that conversation can be written to.",
        DenialCode.DIRECT_MESSAGE: "Direct messages cannot be written to from a server, nor anybody else's at all.",
        DenialCode.GUILD_REQUIRED: "This exists in servers only.",
        DenialCode.CHANNEL_NOT_FOUND: "There is no such channel.",
        DenialCode.CHANNEL_NOT_TEXT: "This cannot be done in a channel of that kind.",
        DenialCode.MESSAGE_NOT_FOUND: "There is no such message there.",
        DenialCode.THREAD_NOT_FOUND: "That is no thread.",
        DenialCode.MISSING_PERMISSION: "The requester or the bot lacks a permission there.",
        DenialCode.ADMINISTRATOR_REQUIRED: "Only an administrator or an owner can ask for this.",
        DenialCode.NOT_BOT_MESSAGE: "The message is not the bot's own.",
        DenialCode.NOT_YOUR_REQUEST: "The bot wrote that for somebody else; that takes Manage Messages.",
        DenialCode.PRIVATE_THREAD: "The requester or the bot is not in that private thread.",
        DenialCode.THREAD_ARCHIVED: "The thread is archived.",
        DenialCode.THREAD_LOCKED: "The thread is locked.",
        DenialCode.MEMORY_SCOPE: "Only an administrator or an owner can have this remembered for others.",
        DenialCode.MEMORY_NOT_FOUND: "There is no such memory, or it is not the requester's.",
        AskCode.INTENT_UNCLEAR: "The message may ask for this, but not plainly.",
        AskCode.TARGET_UNCLEAR: "The message does not say plainly which message is meant.",
        AskCode.CHANNEL_UNCLEAR: "The message does not say plainly which channel or thread is meant.",
        AskCode.CONTENT_COMPOSED: "The requester gave no words; these were composed.",
        AskCode.CONTENT_CHANGED: "These are not quite the words that the requester gave.",
        AskCode.EMOJI_CHOSEN: "The requester named no emoji; this one was chosen.",
        AskCode.NAME_CHOSEN: "The requester gave no name, or not quite this one.",
        AskCode.MEMORY_UNCLEAR: "The message does not say plainly which memory is meant.",
    }
)
"""What each code means, as one sentence for models and people."""
