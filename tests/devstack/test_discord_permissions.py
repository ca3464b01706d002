"""Permissions by Discord's documented algorithm."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from devstack.discord.objects import Channel, ChannelKind, Guild, Member, Overwrite, OverwriteKind, Role
from devstack.discord.permissions import (
    ALL,
    NOTHING,
    Permission,
    Seat,
    channel_permissions,
    direct_message_permissions,
    guild_permissions,
    thread_permissions,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OWNER, MEMBER, GUILD = 1, 2, 100
BASE = Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES | Permission.EMBED_LINKS | Permission.READ_MESSAGE_HISTORY
EVERYONE = Role(id=GUILD, guild_id=GUILD, name="@everyone", permissions=BASE, position=0)
HELPER = Role(id=101, guild_id=GUILD, name="helper", permissions=Permission.MANAGE_MESSAGES, position=1)
QUIET = Role(id=102, guild_id=GUILD, name="quiet", permissions=0, position=2)


def seat(*roles: Role, user_id: int = MEMBER, timeout_until: datetime | None = None) -> Seat:
    member = Member(guild_id=GUILD, user_id=user_id, joined_at=NOW, timeout_until=timeout_until)
    return Seat(guild=Guild(id=GUILD, name="g", owner_id=OWNER), member=member, roles=(EVERYONE, *roles), now=NOW)


def channel(*overwrites: Overwrite) -> Channel:
    return Channel(id=10, kind=ChannelKind.TEXT, guild_id=GUILD, overwrites=overwrites)


def for_role(role: Role, *, allow: int = 0, deny: int = 0) -> Overwrite:
    return Overwrite(id=role.id, kind=OverwriteKind.ROLE, allow=allow, deny=deny)


def for_member(*, allow: int = 0, deny: int = 0) -> Overwrite:
    return Overwrite(id=MEMBER, kind=OverwriteKind.MEMBER, allow=allow, deny=deny)


def test_roles_add_up() -> None:
    assert guild_permissions(seat(HELPER)) == BASE | Permission.MANAGE_MESSAGES


def test_owner_and_administrators_have_everything_whatever_channels_deny() -> None:
    closed = channel(for_role(EVERYONE, deny=ALL))
    admin = replace(QUIET, permissions=Permission.ADMINISTRATOR)
    assert channel_permissions(seat(user_id=OWNER), closed) == ALL
    assert channel_permissions(seat(admin), closed) == ALL


@pytest.mark.parametrize(
    ("overwrites", "sends"),
    [
        ((), True),
        ((for_role(EVERYONE, deny=Permission.SEND_MESSAGES),), False),
        ((for_role(EVERYONE, deny=Permission.SEND_MESSAGES), for_role(HELPER, allow=Permission.SEND_MESSAGES)), True),
        # among roles, allowing wins, whatever their order
        ((for_role(QUIET, deny=Permission.SEND_MESSAGES), for_role(HELPER, allow=Permission.SEND_MESSAGES)), True),
        ((for_role(HELPER, allow=Permission.SEND_MESSAGES), for_role(QUIET, deny=Permission.SEND_MESSAGES)), True),
        # the member's own overwrite has the last word
        ((for_member(deny=Permission.SEND_MESSAGES), for_role(HELPER, allow=Permission.SEND_MESSAGES)), False),
        ((for_member(allow=Permission.SEND_MESSAGES), for_role(HELPER, deny=Permission.SEND_MESSAGES)), True),
        # everyone comes first, wherever it stands in the list
        ((for_role(HELPER, allow=Permission.SEND_MESSAGES), for_role(EVERYONE, deny=Permission.SEND_MESSAGES)), True),
    ],
)
def test_overwrites_apply_for_everyone_then_roles_then_the_member(
    overwrites: tuple[Overwrite, ...], sends: bool
) -> None:
    ordered = sorted(overwrites, key=lambda o: (o.kind, o.id != GUILD))
    for order in (overwrites, tuple(ordered)):
        granted = channel_permissions(seat(HELPER, QUIET), channel(*order))
        assert bool(granted & Permission.SEND_MESSAGES) is sends


def test_who_does_not_see_a_channel_may_nothing_there() -> None:
    assert channel_permissions(seat(HELPER), channel(for_role(EVERYONE, deny=Permission.VIEW_CHANNEL))) == NOTHING


def test_who_may_not_send_may_not_embed_or_mention_everyone_either() -> None:
    granted = channel_permissions(seat(HELPER), channel(for_role(EVERYONE, deny=Permission.SEND_MESSAGES)))
    assert granted == Permission.VIEW_CHANNEL | Permission.READ_MESSAGE_HISTORY | Permission.MANAGE_MESSAGES


def test_a_timeout_leaves_looking_and_reading_until_it_ends() -> None:
    timed_out = seat(HELPER, timeout_until=NOW + timedelta(seconds=1))
    over = seat(HELPER, timeout_until=NOW)
    allowing = channel(for_member(allow=Permission.SEND_MESSAGES))
    assert channel_permissions(timed_out, allowing) == Permission.VIEW_CHANNEL | Permission.READ_MESSAGE_HISTORY
    assert channel_permissions(over, channel()) == BASE | Permission.MANAGE_MESSAGES
    assert guild_permissions(seat(user_id=OWNER, timeout_until=NOW + timedelta(days=1))) == ALL


THREAD = Channel(id=11, kind=ChannelKind.PUBLIC_THREAD, guild_id=GUILD, parent_id=10)
PRIVATE = replace(THREAD, kind=ChannelKind.PRIVATE_THREAD)


@pytest.mark.parametrize(
    ("overwrites", "sends"),
    [
        ((), False),  # the base has no SEND_MESSAGES_IN_THREADS
        ((for_role(EVERYONE, allow=Permission.SEND_MESSAGES_IN_THREADS),), True),
        (
            (for_role(EVERYONE, allow=Permission.SEND_MESSAGES_IN_THREADS, deny=Permission.SEND_MESSAGES),),
            True,
        ),
        ((for_role(EVERYONE, allow=Permission.SEND_MESSAGES_IN_THREADS, deny=Permission.VIEW_CHANNEL),), False),
    ],
)
def test_threads_inherit_and_have_their_own_permission_to_send(overwrites: tuple[Overwrite, ...], sends: bool) -> None:
    granted = thread_permissions(seat(), THREAD, channel(*overwrites), joined=True)
    assert bool(granted & Permission.SEND_MESSAGES) is sends
    assert bool(granted & Permission.EMBED_LINKS) is sends


@pytest.mark.parametrize(
    ("roles", "joined", "seen"),
    [
        ((), False, False),
        ((), True, True),
        ((replace(HELPER, permissions=Permission.MANAGE_THREADS),), False, True),
    ],
)
def test_private_threads_are_seen_by_those_who_joined_or_manage_threads(
    roles: tuple[Role, ...], joined: bool, seen: bool
) -> None:
    granted = thread_permissions(seat(*roles), PRIVATE, channel(), joined=joined)
    assert bool(granted & Permission.VIEW_CHANNEL) is seen


def test_managing_threads_opens_no_private_thread_of_a_hidden_channel() -> None:
    manager = replace(HELPER, permissions=Permission.MANAGE_THREADS)
    hidden = channel(for_role(EVERYONE, deny=Permission.VIEW_CHANNEL))
    assert thread_permissions(seat(manager), PRIVATE, hidden, joined=True) == NOTHING


def test_direct_messages_are_for_their_two_people() -> None:
    direct = Channel(id=12, kind=ChannelKind.DM, recipient_ids=(OWNER, MEMBER))
    assert direct_message_permissions(direct, MEMBER) & Permission.SEND_MESSAGES
    assert direct_message_permissions(direct, 3) == NOTHING
