"""Routes of channels: look, change, delete, type in them."""

from __future__ import annotations

from typing import Final

from devstack import discord_render as render
from devstack.discord_access import require, visible_channel
from devstack.discord_json import JsonObject
from devstack.discord_permissions import Permission
from devstack.discord_rest import NOTHING, Answer, Call, Route
from devstack.discord_sessions import Event


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


ROUTES: Final = (
    Route("GET", "/channels/{channel_id}", get_channel),
    Route("POST", "/channels/{channel_id}/typing", start_typing),
)
