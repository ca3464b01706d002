"""Routes of accounts: oneself, others, one's guilds, direct messages, and the bot's application."""

from __future__ import annotations

from typing import Final

from devstack.discord import render
from devstack.discord import render_guild as guilds
from devstack.discord.documents import JsonObject
from devstack.discord.errors import Code, Refused, check
from devstack.discord.intents import application_flags
from devstack.discord.objects import Channel, ChannelKind, Member, User
from devstack.discord.rest.call import NOTHING, Answer, Call, Route
from devstack.discord.sessions import Event
from devstack.discord.simulation import Simulation

_SESSIONS_A_DAY: Final = 1000
_DAY_MS: Final = 86_400_000


def get_gateway(call: Call) -> Answer:
    """GET /gateway."""
    return Answer(payload={"url": call.sim.gateway_url})


def get_bot_gateway(call: Call) -> Answer:
    """GET /gateway/bot."""
    limit: JsonObject = {
        "total": _SESSIONS_A_DAY,
        "remaining": _SESSIONS_A_DAY - 1,
        "reset_after": _DAY_MS,
        "max_concurrency": 1,
    }
    return Answer(payload={"url": call.sim.gateway_url, "shards": 1, "session_start_limit": limit})


def get_me(call: Call) -> Answer:
    """GET /users/@me."""
    return Answer(payload=render.own_user(call.me))


def get_user(call: Call) -> Answer:
    """GET /users/{user_id}."""
    return Answer(payload=render.user(call.sim.world.user(call.id("user_id"))))


def get_application(call: Call) -> Answer:
    """GET /oauth2/applications/@me and /applications/@me."""
    if not call.me.bot:
        raise Refused(Code.ONLY_BOTS_CAN_USE)
    flags = application_flags(call.sim.privileged_intents)
    return Answer(payload=guilds.application(call.sim.world, call.me, flags=flags))


def list_my_guilds(call: Call) -> Answer:
    """GET /users/@me/guilds."""
    world, me = call.sim.world, call.me
    joined = world.guilds_of(me.id)
    return Answer(payload=[guilds.partial_guild(g, world.guild_permissions(g.id, me.id), me) for g in joined])


def get_my_member(call: Call) -> Answer:
    """GET /users/@me/guilds/{guild_id}/member."""
    world = call.sim.world
    return Answer(payload=render.member(world, world.member(call.id("guild_id"), call.me.id)))


def leave_guild(call: Call) -> Answer:
    """DELETE /users/@me/guilds/{guild_id}."""
    guild = call.sim.world.guild(call.id("guild_id"))
    remove_member(call.sim, guild.id, call.me.id)
    return NOTHING


def remove_member(sim: Simulation, guild_id: int, user_id: int) -> None:
    """Take somebody out of a guild: they hear that it is gone, the others that they are.

    Raises:
        Refused: 10007, when they are not in it.
    """
    member = sim.world.member(guild_id, user_id)
    gone: JsonObject = {"id": str(guild_id), "unavailable": False}
    sim.sessions.dispatch(Event(name="GUILD_DELETE", payload=gone, only=frozenset({user_id})))
    for thread in sim.world.threads(guild_id=guild_id):
        joined = sim.world.thread_members.get((thread.id, user_id))
        if joined is not None:
            sim.world.drop(joined)
    sim.world.drop(member)
    body: JsonObject = {"guild_id": str(guild_id), "user": render.user(sim.world.user(user_id))}
    sim.sessions.dispatch(Event(name="GUILD_MEMBER_REMOVE", payload=body, guild_id=guild_id))


def announce_join(sim: Simulation, member: Member) -> None:
    """Tell a new member of the guild, and the guild of its new member."""
    user, guild = sim.world.user(member.user_id), sim.world.guild(member.guild_id)
    body = guilds.joined_guild(sim.world, guild, user, everybody=not user.bot)
    body["presences"] = []
    sim.sessions.dispatch(Event(name="GUILD_CREATE", payload=body, guild_id=guild.id, only=frozenset({user.id})))
    joined: JsonObject = render.member(sim.world, member) | {"guild_id": str(guild.id)}
    sim.sessions.dispatch(Event(name="GUILD_MEMBER_ADD", payload=joined, guild_id=guild.id))


def open_direct_channel(call: Call) -> Answer:
    """POST /users/@me/channels: the same channel every time."""
    form = call.form()
    recipient = form.snowflake("recipient_id")
    if recipient is None and "recipients" in form:
        recipients = form.snowflakes("recipients", maximum=10) or ()
        recipient = recipients[0] if len(recipients) == 1 else None
    check(form.problems)
    if recipient is None:
        form.required("recipient_id")
        check(form.problems)
    other = call.sim.world.user(recipient or 0)
    if other.id == call.me.id or (other.bot and call.me.bot):
        raise Refused(Code.INVALID_RECIPIENTS)
    channel = direct_channel(call.sim, call.me, other)
    return Answer(payload=render.channel(call.sim.world, channel, viewer_id=call.me.id))


def direct_channel(sim: Simulation, one: User, other: User) -> Channel:
    """Find or make the direct-message channel of two users. Only people hear of a new one, as with Discord."""
    found = sim.world.direct_channel(one.id, other.id)
    if found is not None:
        return found
    channel = Channel(id=sim.clock.next_id(), kind=ChannelKind.DM, recipient_ids=(one.id, other.id))
    sim.world.put(channel)
    for user in (one, other):
        payload = render.channel(sim.world, channel, viewer_id=user.id)
        event = Event(name="CHANNEL_CREATE", payload=payload, only=frozenset({user.id}), people_only=True)
        sim.sessions.dispatch(event)
    return channel


def list_direct_channels(call: Call) -> Answer:
    """GET /users/@me/channels: for people only."""
    if call.me.bot:
        raise Refused(Code.BOTS_CANNOT_USE)
    world = call.sim.world
    channels = world.direct_channels(call.me.id)
    return Answer(payload=[render.channel(world, c, viewer_id=call.me.id) for c in channels])


ROUTES: Final = (
    Route("GET", "/gateway", get_gateway, open=True),
    Route("GET", "/gateway/bot", get_bot_gateway),
    Route("GET", "/users/@me", get_me),
    Route("GET", "/users/{user_id}", get_user),
    Route("GET", "/users/@me/guilds", list_my_guilds),
    Route("GET", "/users/@me/guilds/{guild_id}/member", get_my_member),
    Route("DELETE", "/users/@me/guilds/{guild_id}", leave_guild),
    Route("POST", "/users/@me/channels", open_direct_channel),
    Route("GET", "/users/@me/channels", list_direct_channels),
    Route("GET", "/oauth2/applications/@me", get_application),
    Route("GET", "/applications/@me", get_application),
)
