"""Who may do what: Discord's documented algorithm for permissions, from roles, channel overwrites and threads. Pure.

Source: Discord's developer documentation, "Permissions" (hierarchy, overwrites, implicit permissions, inheritance in
threads) and "Threads" (private threads).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntFlag
from typing import Final

from devstack.discord.objects import Channel, ChannelKind, Guild, Member, Overwrite, OverwriteKind, Role


class Permission(IntFlag):
    """Discord's permission bits."""

    CREATE_INSTANT_INVITE = 1 << 0
    KICK_MEMBERS = 1 << 1
    BAN_MEMBERS = 1 << 2
    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    ADD_REACTIONS = 1 << 6
    VIEW_AUDIT_LOG = 1 << 7
    PRIORITY_SPEAKER = 1 << 8
    STREAM = 1 << 9
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    SEND_TTS_MESSAGES = 1 << 12
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    USE_EXTERNAL_EMOJIS = 1 << 18
    CONNECT = 1 << 20
    SPEAK = 1 << 21
    MUTE_MEMBERS = 1 << 22
    DEAFEN_MEMBERS = 1 << 23
    MOVE_MEMBERS = 1 << 24
    USE_VAD = 1 << 25
    CHANGE_NICKNAME = 1 << 26
    MANAGE_NICKNAMES = 1 << 27
    MANAGE_ROLES = 1 << 28
    MANAGE_WEBHOOKS = 1 << 29
    MANAGE_GUILD_EXPRESSIONS = 1 << 30
    USE_APPLICATION_COMMANDS = 1 << 31
    REQUEST_TO_SPEAK = 1 << 32
    MANAGE_EVENTS = 1 << 33
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    CREATE_PRIVATE_THREADS = 1 << 36
    USE_EXTERNAL_STICKERS = 1 << 37
    SEND_MESSAGES_IN_THREADS = 1 << 38
    USE_EMBEDDED_ACTIVITIES = 1 << 39
    MODERATE_MEMBERS = 1 << 40
    SEND_VOICE_MESSAGES = 1 << 46
    SEND_POLLS = 1 << 49
    PIN_MESSAGES = 1 << 51


ALL: Final = Permission((1 << 53) - 1)
"""Every bit that Discord may assign, present and future ones of this range."""
NOTHING: Final = Permission(0)

_DIES_WITHOUT_SENDING: Final = (
    Permission.MENTION_EVERYONE | Permission.SEND_TTS_MESSAGES | Permission.ATTACH_FILES | Permission.EMBED_LINKS
)
"""Implicitly denied where SEND_MESSAGES is denied."""
_SURVIVES_TIMEOUT: Final = Permission.VIEW_CHANNEL | Permission.READ_MESSAGE_HISTORY
_DM_PERMISSIONS: Final = (
    Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.SEND_TTS_MESSAGES
    | Permission.EMBED_LINKS
    | Permission.ATTACH_FILES
    | Permission.READ_MESSAGE_HISTORY
    | Permission.ADD_REACTIONS
    | Permission.USE_EXTERNAL_EMOJIS
    | Permission.USE_APPLICATION_COMMANDS
    | Permission.SEND_VOICE_MESSAGES
    | Permission.PIN_MESSAGES
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """Everything that decides what one member may do in a guild."""

    guild: Guild
    member: Member
    roles: Sequence[Role]
    """The member's roles, @everyone included."""
    now: datetime
    """Decides whether a timeout is still on."""


def guild_permissions(seat: Seat) -> Permission:
    """Compute base permissions: the owner and administrators have all, others what their roles add up to."""
    if seat.member.user_id == seat.guild.owner_id:
        return ALL
    granted = NOTHING
    for role in seat.roles:
        granted |= Permission(role.permissions)
    if granted & Permission.ADMINISTRATOR:
        return ALL
    return _under_timeout(seat, granted)


def channel_permissions(seat: Seat, channel: Channel) -> Permission:
    """Compute permissions in a guild channel that is no thread, implicit denials applied."""
    granted = guild_permissions(seat)
    if granted == ALL:
        return ALL
    granted = _overwritten(seat, granted, channel.overwrites)
    return _under_timeout(seat, _without_implied(granted))


def thread_permissions(seat: Seat, thread: Channel, parent: Channel, *, joined: bool) -> Permission:
    """Compute permissions in a thread: its parent's, with SEND_MESSAGES_IN_THREADS in the place of SEND_MESSAGES.

    A private thread is seen only by those who joined it and by those who may manage threads.
    """
    granted = guild_permissions(seat)
    if granted == ALL:
        return ALL
    granted = _overwritten(seat, granted, parent.overwrites)
    if thread.kind is ChannelKind.PRIVATE_THREAD and not joined and not granted & Permission.MANAGE_THREADS:
        return NOTHING
    granted &= ~Permission.SEND_MESSAGES
    if granted & Permission.SEND_MESSAGES_IN_THREADS:
        granted |= Permission.SEND_MESSAGES
    return _under_timeout(seat, _without_implied(granted))


def direct_message_permissions(channel: Channel, user_id: int) -> Permission:
    """Compute permissions in a direct-message channel: fixed for its two people, none for others."""
    return _DM_PERMISSIONS if user_id in channel.recipient_ids else NOTHING


def _overwritten(seat: Seat, granted: Permission, overwrites: Sequence[Overwrite]) -> Permission:
    role_ids = {role.id for role in seat.roles}
    allow = deny = 0
    own: Overwrite | None = None
    for overwrite in overwrites:
        if overwrite.kind is OverwriteKind.MEMBER:
            if overwrite.id == seat.member.user_id:
                own = overwrite
        elif overwrite.id == seat.guild.id:
            granted = (granted & ~Permission(overwrite.deny)) | Permission(overwrite.allow)
        elif overwrite.id in role_ids:
            allow |= overwrite.allow
            deny |= overwrite.deny
    granted = (granted & ~Permission(deny)) | Permission(allow)
    if own is not None:
        granted = (granted & ~Permission(own.deny)) | Permission(own.allow)
    return granted


def _without_implied(granted: Permission) -> Permission:
    if not granted & Permission.VIEW_CHANNEL:
        return NOTHING
    if not granted & Permission.SEND_MESSAGES:
        return granted & ~_DIES_WITHOUT_SENDING
    return granted


def _under_timeout(seat: Seat, granted: Permission) -> Permission:
    until = seat.member.timeout_until
    if until is not None and until > seat.now:
        return granted & _SURVIVES_TIMEOUT
    return granted
