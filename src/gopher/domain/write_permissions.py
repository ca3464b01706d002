"""Whether requester and bot both may do a write, there and now: places, permissions, ownership."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from gopher.domain.write_codes import DenialCode
from gopher.domain.write_intent.requests import Scope, WriteAction
from gopher.domain.writes import (
    ChannelFacts,
    ChannelKind,
    CurrentRequest,
    Permission,
    ProposedWrite,
    WriteFacts,
)


class Party(StrEnum):
    """Who lacks what is missing."""

    REQUESTER = "requester"
    BOT = "bot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """What stands against a write."""

    code: DenialCode
    party: Party | None = None
    permission: Permission | None = None


_THREADS: Final = frozenset({ChannelKind.PUBLIC_THREAD, ChannelKind.PRIVATE_THREAD})
_ON_MEMORIES: Final = frozenset({WriteAction.MEMORY_REMEMBER, WriteAction.MEMORY_FORGET})
_ON_MESSAGES: Final = frozenset(
    {
        WriteAction.REACT,
        WriteAction.UNREACT,
        WriteAction.REPLY,
        WriteAction.EDIT,
        WriteAction.DELETE,
        WriteAction.PIN,
        WriteAction.UNPIN,
    }
)
_NEEDED: Final[dict[WriteAction, tuple[Permission, ...]]] = {
    WriteAction.REACT: (Permission.READ_MESSAGE_HISTORY, Permission.ADD_REACTIONS),
    WriteAction.UNREACT: (Permission.READ_MESSAGE_HISTORY,),
    WriteAction.SEND: (Permission.SEND_MESSAGES,),
    WriteAction.REPLY: (Permission.READ_MESSAGE_HISTORY, Permission.SEND_MESSAGES),
    WriteAction.THREAD_CREATE: (Permission.CREATE_PUBLIC_THREADS,),
    WriteAction.PIN: (Permission.READ_MESSAGE_HISTORY, Permission.MANAGE_MESSAGES),
    WriteAction.UNPIN: (Permission.READ_MESSAGE_HISTORY, Permission.MANAGE_MESSAGES),
}
"""Besides View Channel. In a thread, Send Messages in Threads takes the place of Send Messages."""


def obstacle(call: ProposedWrite, request: CurrentRequest, facts: WriteFacts) -> Obstacle | None:
    """Say what stands against a write that was asked for; None when requester and bot both may."""
    if not facts.writes_enabled:
        return Obstacle(code=DenialCode.ACTIONS_DISABLED)
    if call.action in _ON_MEMORIES:
        return _memory_obstacle(call, request, facts)
    place = facts.place
    if place is None:
        return Obstacle(code=DenialCode.CHANNEL_NOT_FOUND)
    return (
        _place_obstacle(call, request, place)
        or _access_obstacle(place)
        or _message_obstacle(call, place, facts)
        or _permission_obstacle(call.action, place)
        or _action_obstacle(call, request, place, facts)
    )


def _place_obstacle(call: ProposedWrite, request: CurrentRequest, place: ChannelFacts) -> Obstacle | None:
    named = call.channel_id if call.channel_id is not None else request.channel_id
    if place.channel_id != named:
        return Obstacle(code=DenialCode.CHANNEL_NOT_FOUND)
    if request.guild_id is None and place.channel_id != request.channel_id:
        return Obstacle(code=DenialCode.CROSS_CHANNEL)
    if place.kind is ChannelKind.DIRECT or place.guild_id is None:
        own = request.guild_id is None and place.direct_with == request.requester_id
        return None if own else Obstacle(code=DenialCode.DIRECT_MESSAGE)
    if place.guild_id != request.guild_id:
        return Obstacle(code=DenialCode.CROSS_GUILD)
    return Obstacle(code=DenialCode.CHANNEL_NOT_TEXT) if place.kind is ChannelKind.OTHER else None


def _access_obstacle(place: ChannelFacts) -> Obstacle | None:
    if place.kind is ChannelKind.DIRECT:
        return None
    missing = _missing(place, Permission.VIEW_CHANNEL)
    if missing is not None or place.kind is not ChannelKind.PRIVATE_THREAD:
        return missing
    for party, member, permissions in (
        (Party.REQUESTER, place.requester_is_member, place.requester_permissions),
        (Party.BOT, place.bot_is_member, place.bot_permissions),
    ):
        if not member and Permission.MANAGE_THREADS not in permissions:
            return Obstacle(code=DenialCode.PRIVATE_THREAD, party=party)
    return None


def _missing(place: ChannelFacts, permission: Permission) -> Obstacle | None:
    for party, held in ((Party.REQUESTER, place.requester_permissions), (Party.BOT, place.bot_permissions)):
        if permission not in held:
            return Obstacle(code=DenialCode.MISSING_PERMISSION, party=party, permission=permission)
    return None


def _message_obstacle(call: ProposedWrite, place: ChannelFacts, facts: WriteFacts) -> Obstacle | None:
    needed = call.action in _ON_MESSAGES or (call.action is WriteAction.THREAD_CREATE and call.message_id is not None)
    message = facts.message
    if not needed:
        return None
    if message is None or message.message_id != call.message_id or message.channel_id != place.channel_id:
        return Obstacle(code=DenialCode.MESSAGE_NOT_FOUND)
    return None


def _permission_obstacle(action: WriteAction, place: ChannelFacts) -> Obstacle | None:
    if place.kind is ChannelKind.DIRECT:
        return None
    for permission in _NEEDED.get(action, ()):
        in_thread = permission is Permission.SEND_MESSAGES and place.kind in _THREADS
        missing = _missing(place, Permission.SEND_MESSAGES_IN_THREADS if in_thread else permission)
        if missing is not None:
            return missing
    return None


def _action_obstacle(
    call: ProposedWrite, request: CurrentRequest, place: ChannelFacts, facts: WriteFacts
) -> Obstacle | None:
    match call.action:
        case WriteAction.PIN | WriteAction.UNPIN if place.kind is not ChannelKind.DIRECT:
            if not (facts.requester_is_administrator or facts.requester_is_owner):
                return Obstacle(code=DenialCode.ADMINISTRATOR_REQUIRED, party=Party.REQUESTER)
        case WriteAction.EDIT | WriteAction.DELETE:
            if (denied := _authorship_obstacle(request, place, facts)) is not None:
                return denied
        case WriteAction.THREAD_CREATE:
            return _thread_creation_obstacle(place)
        case WriteAction.THREAD_EDIT:
            return _thread_edit_obstacle(request, place)
        case _:
            pass
    return _closed_thread_obstacle(call.action, place)


def _authorship_obstacle(request: CurrentRequest, place: ChannelFacts, facts: WriteFacts) -> Obstacle | None:
    message = facts.message
    if message is None or message.author_id != request.listener.bot_id:
        return Obstacle(code=DenialCode.NOT_BOT_MESSAGE)
    own = message.requested_by == request.requester_id
    if own or Permission.MANAGE_MESSAGES in place.requester_permissions:
        return None
    return Obstacle(code=DenialCode.NOT_YOUR_REQUEST, party=Party.REQUESTER, permission=Permission.MANAGE_MESSAGES)


def _thread_creation_obstacle(place: ChannelFacts) -> Obstacle | None:
    if place.kind is ChannelKind.DIRECT:
        return Obstacle(code=DenialCode.GUILD_REQUIRED)
    return None if place.kind is ChannelKind.TEXT else Obstacle(code=DenialCode.CHANNEL_NOT_TEXT)


def _thread_edit_obstacle(request: CurrentRequest, place: ChannelFacts) -> Obstacle | None:
    if place.kind not in _THREADS:
        return Obstacle(code=DenialCode.THREAD_NOT_FOUND)
    for party, user_id, held in (
        (Party.REQUESTER, request.requester_id, place.requester_permissions),
        (Party.BOT, request.listener.bot_id, place.bot_permissions),
    ):
        manages = Permission.MANAGE_THREADS in held
        if not manages and place.locked:
            return Obstacle(code=DenialCode.THREAD_LOCKED, party=party, permission=Permission.MANAGE_THREADS)
        if not manages and place.thread_owner_id != user_id:
            return Obstacle(code=DenialCode.MISSING_PERMISSION, party=party, permission=Permission.MANAGE_THREADS)
    return None


def _closed_thread_obstacle(action: WriteAction, place: ChannelFacts) -> Obstacle | None:
    """An archived thread takes nothing but messages, which reopen it; a locked one not even those."""
    if place.kind not in _THREADS:
        return None
    if place.locked:
        for party, held in ((Party.REQUESTER, place.requester_permissions), (Party.BOT, place.bot_permissions)):
            if Permission.MANAGE_THREADS not in held:
                return Obstacle(code=DenialCode.THREAD_LOCKED, party=party, permission=Permission.MANAGE_THREADS)
    if place.archived and action not in (WriteAction.SEND, WriteAction.REPLY):
        return Obstacle(code=DenialCode.THREAD_ARCHIVED)
    return None


def _memory_obstacle(call: ProposedWrite, request: CurrentRequest, facts: WriteFacts) -> Obstacle | None:
    steward = facts.requester_is_administrator or facts.requester_is_owner
    if call.action is WriteAction.MEMORY_REMEMBER:
        if call.scope is Scope.USER:
            return None
        if request.guild_id is None:
            return Obstacle(code=DenialCode.GUILD_REQUIRED)
        return None if steward else Obstacle(code=DenialCode.MEMORY_SCOPE, party=Party.REQUESTER)
    memory = facts.memory
    if memory is None or memory.memory_id != call.memory_id:
        return Obstacle(code=DenialCode.MEMORY_NOT_FOUND)
    own = memory.scope is Scope.USER and memory.subject_id == request.requester_id
    here = memory.guild_id == request.guild_id
    if here and (own or (steward and request.guild_id is not None)):
        return None
    return Obstacle(code=DenialCode.MEMORY_NOT_FOUND, party=Party.REQUESTER)
