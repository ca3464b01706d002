"""Routes of who is in a thread."""

from __future__ import annotations

from typing import Final

from devstack.discord import render
from devstack.discord.access import require, visible_channel, writable_thread
from devstack.discord.documents import JsonObject
from devstack.discord.errors import Code, Refused, check
from devstack.discord.objects import Channel, ChannelKind, ThreadMember
from devstack.discord.permissions import Permission
from devstack.discord.rest.call import NOTHING, Answer, Call, Route
from devstack.discord.thread_life import join, leave

_MOST_LISTED: Final = 100


def join_thread(call: Call) -> Answer:
    """PUT /channels/{channel_id}/thread-members/@me."""
    thread = _thread(call)
    writable_thread(thread)
    join(call.sim, thread, call.me.id)
    return NOTHING


def leave_thread(call: Call) -> Answer:
    """DELETE /channels/{channel_id}/thread-members/@me."""
    thread = _thread(call)
    writable_thread(thread)
    leave(call.sim, thread, call.me.id)
    return NOTHING


def add_member(call: Call) -> Answer:
    """PUT /channels/{channel_id}/thread-members/{user_id}."""
    sim, me = call.sim, call.me
    thread = _thread(call)
    writable_thread(thread)
    require(sim, thread, me, Permission.SEND_MESSAGES)
    facts = thread.thread
    if thread.kind is ChannelKind.PRIVATE_THREAD and facts is not None and not facts.invitable:
        owner = facts.owner_id == me.id
        if not owner:
            require(sim, thread, me, Permission.MANAGE_THREADS)
    user_id = call.id("user_id")
    sim.world.member(thread.guild_id or 0, user_id)
    parent = sim.world.channel(thread.parent_id or 0)
    if not sim.world.sees(parent, user_id):
        raise Refused(Code.MISSING_ACCESS)
    join(sim, thread, user_id)
    return NOTHING


def remove_member(call: Call) -> Answer:
    """DELETE /channels/{channel_id}/thread-members/{user_id}: for who manages threads, or made this private one."""
    thread = _thread(call)
    writable_thread(thread)
    facts = thread.thread
    made_it = thread.kind is ChannelKind.PRIVATE_THREAD and facts is not None and facts.owner_id == call.me.id
    if not made_it:
        require(call.sim, thread, call.me, Permission.MANAGE_THREADS)
    leave(call.sim, thread, call.id("user_id"))
    return NOTHING


def get_member(call: Call) -> Answer:
    """GET /channels/{channel_id}/thread-members/{user_id}, or @me."""
    thread = _thread(call)
    user_id = call.me.id if call.parameters["user_id"] == "@me" else call.id("user_id")
    member = call.sim.world.thread_members.get((thread.id, user_id))
    if member is None:
        raise Refused(Code.UNKNOWN_MEMBER)
    return Answer(payload=_rendered(call, thread, member))


def list_members(call: Call) -> Answer:
    """GET /channels/{channel_id}/thread-members: by id where members are wanted with it, else by joining."""
    thread = _thread(call)
    query = call.query_form()
    found = call.sim.world.thread_member_list(thread.id)
    if call.query.get("with_member", "").lower() in ("true", "1"):
        after = query.snowflake("after") or 0
        limit = query.integer("limit", minimum=1, maximum=_MOST_LISTED) or _MOST_LISTED
        check(query.problems)
        found = sorted((m for m in found if m.user_id > after), key=lambda m: m.user_id)[:limit]
    return Answer(payload=[_rendered(call, thread, m) for m in found])


def _rendered(call: Call, thread: Channel, member: ThreadMember) -> JsonObject:
    body = render.thread_member(member)
    if call.query.get("with_member", "").lower() in ("true", "1"):
        world = call.sim.world
        body["member"] = render.member(world, world.member(thread.guild_id or 0, member.user_id))
    return body


def _thread(call: Call) -> Channel:
    channel = visible_channel(call.sim, call.id("channel_id"), call.me)
    if not channel.is_thread:
        raise Refused(Code.WRONG_CHANNEL_TYPE)
    return channel


ROUTES: Final = (
    Route("PUT", "/channels/{channel_id}/thread-members/@me", join_thread),
    Route("DELETE", "/channels/{channel_id}/thread-members/@me", leave_thread),
    Route("PUT", "/channels/{channel_id}/thread-members/{user_id}", add_member),
    Route("DELETE", "/channels/{channel_id}/thread-members/{user_id}", remove_member),
    Route("GET", "/channels/{channel_id}/thread-members/{user_id}", get_member),
    Route("GET", "/channels/{channel_id}/thread-members", list_members),
)
