"""Routes of channels: look, type, change, delete, and who may do what in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from devstack.discord import render
from devstack.discord.access import require, visible_channel
from devstack.discord.documents import Form, JsonObject
from devstack.discord.errors import Code, Refused, check
from devstack.discord.objects import Channel, ChannelKind, Overwrite, OverwriteKind
from devstack.discord.permissions import Permission
from devstack.discord.rest.call import NOTHING, Answer, Call, Route
from devstack.discord.rest.threads import archive_minutes
from devstack.discord.sessions import Event
from devstack.discord.simulation import Simulation
from devstack.discord.thread_life import announce_thread
from devstack.discord.visibility import announce_channel, change

_MOST_SLOWMODE: Final = 21_600
_MOST_OVERWRITES: Final = 100


def get_channel(call: Call) -> Answer:
    """GET /channels/{channel_id}."""
    channel = visible_channel(call.sim, call.id("channel_id"), call.me)
    direct = channel.guild_id is None or channel.is_thread
    viewer_id = call.me.id if direct else None
    return Answer(payload=render.channel(call.sim.world, channel, viewer_id=viewer_id))


def start_typing(call: Call) -> Answer:
    """POST /channels/{channel_id}/typing."""
    sim, me = call.sim, call.me
    channel = visible_channel(sim, call.id("channel_id"), me)
    require(sim, channel, me, Permission.SEND_MESSAGES)
    body: JsonObject = {
        "channel_id": str(channel.id),
        "user_id": str(me.id),
        "timestamp": int(sim.clock.now().timestamp()),
    }
    if channel.guild_id is not None:
        body["guild_id"] = str(channel.guild_id)
        body["member"] = render.member(sim.world, sim.world.member(channel.guild_id, me.id))
    sim.sessions.dispatch(Event(name="TYPING_START", payload=body, guild_id=channel.guild_id, channel=channel))
    return NOTHING


def edit_channel(call: Call) -> Answer:
    """PATCH /channels/{channel_id}."""
    channel = visible_channel(call.sim, call.id("channel_id"), call.me)
    if channel.guild_id is None:
        raise Refused(Code.WRONG_CHANNEL_TYPE)
    edited = _edited_thread(call, channel) if channel.is_thread else _edited_channel(call, channel)
    replace_channel(call.sim, edited)
    viewer_id = call.me.id if channel.is_thread else None
    return Answer(payload=render.channel(call.sim.world, edited, viewer_id=viewer_id))


def replace_channel(sim: Simulation, channel: Channel) -> None:
    """Put a changed guild channel or thread in the place of the old one, and tell everybody."""
    if channel.is_thread:
        sim.world.put(channel)
        announce_thread(sim, "THREAD_UPDATE", channel)
        return
    change(sim, channel.guild_id or 0, lambda: sim.world.put(channel))
    announce_channel(sim, "CHANNEL_UPDATE", channel)


def _edited_channel(call: Call, channel: Channel) -> Channel:
    require(call.sim, channel, call.me, Permission.MANAGE_CHANNELS)
    form = call.form()
    name = form.text("name", minimum=1, maximum=100)
    topic = form.text("topic", maximum=1024)
    slowmode = form.integer("rate_limit_per_user", minimum=0, maximum=_MOST_SLOWMODE)
    position = form.integer("position", minimum=0)
    nsfw = form.flag("nsfw")
    parent_id = form.snowflake("parent_id")
    overwrites = read_overwrites(form)
    check(form.problems)
    return replace(
        channel,
        name=name or channel.name,
        topic=topic if "topic" in form else channel.topic,
        slowmode_seconds=channel.slowmode_seconds if slowmode is None else slowmode,
        position=channel.position if position is None else position,
        nsfw=channel.nsfw if nsfw is None else nsfw,
        parent_id=parent_id if "parent_id" in form else channel.parent_id,
        overwrites=channel.overwrites if overwrites is None else overwrites,
    )


def _edited_thread(call: Call, thread: Channel) -> Channel:
    """Change a thread: its maker and who manages threads; anybody who may send opens one that is not locked."""
    facts = thread.thread
    if facts is None:
        raise Refused(Code.WRONG_CHANNEL_TYPE)
    form = call.form()
    archived, locked, invitable = form.flag("archived"), form.flag("locked"), form.flag("invitable")
    name = form.text("name", minimum=1, maximum=100)
    minutes = archive_minutes(form)
    slowmode = form.integer("rate_limit_per_user", minimum=0, maximum=_MOST_SLOWMODE)
    check(form.problems)
    permissions = call.sim.world.permissions(thread, call.me.id)
    manages = bool(permissions & Permission.MANAGE_THREADS)
    only_opens = archived is False and set(form.data) == {"archived"} and not facts.locked
    if not manages:
        own = facts.owner_id == call.me.id and locked is None and slowmode is None and not facts.locked
        opens = only_opens and bool(permissions & Permission.SEND_MESSAGES)
        if not own and not opens:
            raise Refused(Code.MISSING_PERMISSIONS)
    if facts.archived and archived is not False and set(form.data) != {"locked"}:
        raise Refused(Code.THREAD_ARCHIVED)
    now_archived = facts.archived if archived is None else archived
    changed = replace(
        facts,
        archived=now_archived,
        archive_changed_at=facts.archive_changed_at if now_archived == facts.archived else call.sim.clock.now(),
        locked=facts.locked if locked is None else locked,
        invitable=facts.invitable if invitable is None else invitable,
        auto_archive_minutes=minutes or facts.auto_archive_minutes,
    )
    return replace(
        thread,
        name=name or thread.name,
        slowmode_seconds=thread.slowmode_seconds if slowmode is None else slowmode,
        thread=changed,
    )


def read_overwrites(form: Form) -> tuple[Overwrite, ...] | None:
    """Read `permission_overwrites`; None when absent."""
    found = form.forms("permission_overwrites", maximum=_MOST_OVERWRITES)
    if found is None:
        return None
    return tuple(o for o in (read_overwrite(f, f.snowflake("id")) for f in found) if o is not None)


def read_overwrite(form: Form, snowflake: int | None) -> Overwrite | None:
    """Read one overwrite; None when it is not usable, which is noted."""
    kind = form.member("type", OverwriteKind)
    allow, deny = form.integer("allow", minimum=0), form.integer("deny", minimum=0)
    if snowflake is None:
        form.required("id")
        return None
    return Overwrite(id=snowflake, kind=kind or OverwriteKind.ROLE, allow=allow or 0, deny=deny or 0)


def set_overwrite(call: Call) -> Answer:
    """PUT /channels/{channel_id}/permissions/{overwrite_id}."""
    channel = _manageable(call)
    form = call.form()
    overwrite = read_overwrite(form, call.id("overwrite_id"))
    check(form.problems)
    if overwrite is not None:
        replace_channel(call.sim, replace(channel, overwrites=with_overwrite(channel.overwrites, overwrite)))
    return NOTHING


def with_overwrite(overwrites: Sequence[Overwrite], overwrite: Overwrite) -> tuple[Overwrite, ...]:
    """Put an overwrite in the place of the one for the same role or member, or at the end."""
    return (*(o for o in overwrites if o.id != overwrite.id), overwrite)


def delete_overwrite(call: Call) -> Answer:
    """DELETE /channels/{channel_id}/permissions/{overwrite_id}."""
    channel = _manageable(call)
    kept = tuple(o for o in channel.overwrites if o.id != call.id("overwrite_id"))
    if len(kept) == len(channel.overwrites):
        raise Refused(Code.UNKNOWN_OVERWRITE)
    replace_channel(call.sim, replace(channel, overwrites=kept))
    return NOTHING


def _manageable(call: Call) -> Channel:
    channel = visible_channel(call.sim, call.id("channel_id"), call.me)
    if channel.guild_id is None or channel.is_thread:
        raise Refused(Code.WRONG_CHANNEL_TYPE)
    require(call.sim, channel, call.me, Permission.MANAGE_ROLES)
    return channel


def delete_channel(call: Call) -> Answer:
    """DELETE /channels/{channel_id}: a direct-message channel is only closed, and opens again with the next message."""
    channel = visible_channel(call.sim, call.id("channel_id"), call.me)
    payload = render.channel(call.sim.world, channel, viewer_id=call.me.id)
    if channel.kind is ChannelKind.DM:
        return Answer(payload=payload)
    needed = Permission.MANAGE_THREADS if channel.is_thread else Permission.MANAGE_CHANNELS
    require(call.sim, channel, call.me, needed)
    remove_channel(call.sim, channel)
    return Answer(payload=payload)


def remove_channel(sim: Simulation, channel: Channel) -> None:
    """Remove a guild channel with its threads and messages, and tell everybody."""
    if channel.is_thread:
        gone: JsonObject = {
            "id": str(channel.id),
            "guild_id": str(channel.guild_id),
            "parent_id": str(channel.parent_id),
            "type": int(channel.kind),
        }
        sim.sessions.dispatch(Event(name="THREAD_DELETE", payload=gone, guild_id=channel.guild_id, channel=channel))
        _forget_content(sim, channel)
        return
    for thread in sim.world.threads(parent_id=channel.id):
        _forget_content(sim, thread)
    announce_channel(sim, "CHANNEL_DELETE", channel)
    change(sim, channel.guild_id or 0, lambda: _forget_content(sim, channel))


def _forget_content(sim: Simulation, channel: Channel) -> None:
    for message_id in list(sim.world.message_ids(channel.id)):
        message = sim.world.messages[message_id]
        for file in message.attachments:
            sim.storage.drop_blob(file.id)
        sim.world.drop(message)
    for member in sim.world.thread_member_list(channel.id):
        sim.world.drop(member)
    sim.world.drop(channel)


ROUTES: Final = (
    Route("GET", "/channels/{channel_id}", get_channel),
    Route("PATCH", "/channels/{channel_id}", edit_channel),
    Route("DELETE", "/channels/{channel_id}", delete_channel),
    Route("POST", "/channels/{channel_id}/typing", start_typing),
    Route("PUT", "/channels/{channel_id}/permissions/{overwrite_id}", set_overwrite),
    Route("DELETE", "/channels/{channel_id}/permissions/{overwrite_id}", delete_overwrite),
)
