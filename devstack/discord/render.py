"""How people, roles and channels look on the wire: the payloads of REST answers and gateway events."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from devstack.discord.documents import JsonObject, JsonValue, timestamp
from devstack.discord.objects import Channel, ChannelKind, Member, Overwrite, Role, ThreadMember, User
from devstack.discord.state import World

SYSTEM_LOCALE: Final = "en-US"


def moment(value: datetime | None) -> str | None:
    """Write a moment, or null."""
    return None if value is None else timestamp(value)


def user(record: User) -> JsonObject:
    """Render what everybody sees of an account."""
    body: JsonObject = {
        "id": str(record.id),
        "username": record.username,
        "discriminator": f"{record.id % 9999 + 1:04}" if record.bot else "0",
        "global_name": None if record.bot else record.display_name,
        "avatar": None,
        "accent_color": record.colour,
        "banner": None,
        "public_flags": 0,
        "flags": 0,
        "primary_guild": None,
        "avatar_decoration_data": None,
        "collectibles": None,
    }
    if record.bot:
        body["bot"] = True
        body["username"] = record.display_name
    return body


def own_user(record: User) -> JsonObject:
    """Render an account for itself."""
    private: JsonObject = {
        "mfa_enabled": True,
        "locale": SYSTEM_LOCALE,
        "premium_type": 0,
        "email": None,
        "verified": True,
    }
    return user(record) | private


def bare_member(record: Member) -> JsonObject:
    """Render a member without the account, as messages carry it."""
    return {
        "nick": record.nick,
        "avatar": None,
        "banner": None,
        "roles": [str(role_id) for role_id in record.role_ids],
        "joined_at": timestamp(record.joined_at),
        "premium_since": None,
        "pending": False,
        "mute": False,
        "deaf": False,
        "flags": 0,
        "communication_disabled_until": moment(record.timeout_until),
    }


def member(world: World, record: Member) -> JsonObject:
    """Render a member with the account."""
    return bare_member(record) | {"user": user(world.user(record.user_id))}


def role(record: Role) -> JsonObject:
    """Render a role."""
    body: JsonObject = {
        "id": str(record.id),
        "name": record.name,
        "permissions": str(int(record.permissions)),
        "position": record.position,
        "color": record.colour,
        "colors": {"primary_color": record.colour, "secondary_color": None, "tertiary_color": None},
        "hoist": record.hoist,
        "managed": record.bot_id is not None,
        "mentionable": record.mentionable,
        "icon": None,
        "unicode_emoji": None,
        "flags": 0,
    }
    if record.bot_id is not None:
        body["tags"] = {"bot_id": str(record.bot_id)}
    return body


def overwrite(record: Overwrite) -> JsonObject:
    """Render a permission overwrite."""
    return {
        "id": str(record.id),
        "type": int(record.kind),
        "allow": str(int(record.allow)),
        "deny": str(int(record.deny)),
    }


def channel(world: World, record: Channel, *, viewer_id: int | None = None) -> JsonObject:
    """Render a channel, thread or direct-message channel; with a viewer, add what the viewer may do in it.

    For direct messages the viewer is left out of the recipients, as Discord does.
    """
    body: JsonObject = {
        "id": str(record.id),
        "type": int(record.kind),
        "last_message_id": None if record.last_message_id is None else str(record.last_message_id),
        "flags": 0,
    }
    if record.last_pin_at is not None:
        body["last_pin_timestamp"] = timestamp(record.last_pin_at)
    if record.kind is ChannelKind.DM:
        body["recipients"] = [user(world.user(i)) for i in record.recipient_ids if i != viewer_id]
        return body
    body["guild_id"] = str(record.guild_id)
    body["name"] = record.name
    body["parent_id"] = None if record.parent_id is None else str(record.parent_id)
    body["rate_limit_per_user"] = record.slowmode_seconds
    if viewer_id is not None:
        body["permissions"] = str(int(world.permissions(record, viewer_id)))
    if record.thread is not None:
        return body | _thread_part(world, record, viewer_id)
    body["topic"] = record.topic
    body["position"] = record.position
    body["permission_overwrites"] = [overwrite(o) for o in record.overwrites]
    body["nsfw"] = record.nsfw
    return body


def _thread_part(world: World, record: Channel, viewer_id: int | None) -> JsonObject:
    facts = record.thread
    if facts is None:
        return {}
    metadata: JsonObject = {
        "archived": facts.archived,
        "archive_timestamp": timestamp(facts.archive_changed_at),
        "auto_archive_duration": facts.auto_archive_minutes,
        "locked": facts.locked,
        "create_timestamp": timestamp(facts.created_at),
    }
    if record.kind is ChannelKind.PRIVATE_THREAD:
        metadata["invitable"] = facts.invitable
    body: JsonObject = {
        "owner_id": str(facts.owner_id),
        "thread_metadata": metadata,
        "message_count": facts.message_count,
        "member_count": len(world.thread_member_list(record.id)),
        "total_message_sent": facts.total_sent,
    }
    own = None if viewer_id is None else world.thread_members.get((record.id, viewer_id))
    if own is not None:
        body["member"] = thread_member(own)
    return body


def thread_member(record: ThreadMember) -> JsonObject:
    """Render a membership of a thread."""
    return {
        "id": str(record.thread_id),
        "user_id": str(record.user_id),
        "join_timestamp": timestamp(record.joined_at),
        "flags": 0,
    }


def strings(ids: tuple[int, ...]) -> list[JsonValue]:
    """Write ids as strings."""
    return [str(i) for i in ids]
