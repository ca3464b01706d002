"""Routes of guilds: themselves, their channels and roles."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import Final

from devstack.discord import render
from devstack.discord import render_guild as guilds
from devstack.discord.access import joined_guild, require_in_guild
from devstack.discord.documents import JsonObject
from devstack.discord.errors import Code, Refused, check
from devstack.discord.objects import Channel, ChannelKind, Guild, Role
from devstack.discord.permissions import Permission
from devstack.discord.rest.call import NOTHING, Answer, Call, Route
from devstack.discord.rest.channels import read_overwrites
from devstack.discord.sessions import Event
from devstack.discord.simulation import Simulation
from devstack.discord.visibility import announce_channel, change

_CREATABLE: Final = (ChannelKind.TEXT, ChannelKind.VOICE, ChannelKind.CATEGORY)


def get_guild(call: Call) -> Answer:
    """GET /guilds/{guild_id}."""
    guild = _guild(call)
    body = guilds.guild(call.sim.world, guild)
    if call.query.get("with_counts", "").lower() in ("true", "1"):
        members = len(call.sim.world.guild_members(guild.id))
        body |= {"approximate_member_count": members, "approximate_presence_count": members}
    return Answer(payload=body)


def list_channels(call: Call) -> Answer:
    """GET /guilds/{guild_id}/channels: those that the caller sees, threads left out."""
    world = call.sim.world
    channels = world.guild_channels(_guild(call).id)
    if not call.me.bot:
        channels = [c for c in channels if world.sees(c, call.me.id)]
    return Answer(payload=[render.channel(world, c) for c in channels])


def create_channel(call: Call) -> Answer:
    """POST /guilds/{guild_id}/channels."""
    guild = _guild(call)
    require_in_guild(call.sim, guild, call.me, Permission.MANAGE_CHANNELS)
    form = call.form()
    kind = form.member("type", ChannelKind) or ChannelKind.TEXT
    if kind not in _CREATABLE:
        form.wrong("type", "BASE_TYPE_CHOICES", "Value must be one of (0, 2, 4).")
    name = form.text("name", minimum=1, maximum=100, required=True) or ""
    topic = form.text("topic", maximum=1024)
    parent_id = form.snowflake("parent_id")
    overwrites = read_overwrites(form) or ()
    check(form.problems)
    channel = Channel(
        id=call.sim.clock.next_id(),
        kind=kind,
        guild_id=guild.id,
        name=name,
        topic=topic,
        position=len(call.sim.world.guild_channels(guild.id)),
        parent_id=parent_id,
        overwrites=overwrites,
    )
    change(call.sim, guild.id, lambda: call.sim.world.put(channel))
    announce_channel(call.sim, "CHANNEL_CREATE", channel)
    return Answer(payload=render.channel(call.sim.world, channel), status=HTTPStatus.CREATED)


def list_roles(call: Call) -> Answer:
    """GET /guilds/{guild_id}/roles."""
    return Answer(payload=[render.role(r) for r in call.sim.world.guild_roles(_guild(call).id)])


def get_role(call: Call) -> Answer:
    """GET /guilds/{guild_id}/roles/{role_id}."""
    return Answer(payload=render.role(_role(call, _guild(call))))


def create_role(call: Call) -> Answer:
    """POST /guilds/{guild_id}/roles."""
    guild = _guild(call)
    require_in_guild(call.sim, guild, call.me, Permission.MANAGE_ROLES)
    form = call.form()
    role = _read_role(
        call, Role(id=call.sim.clock.next_id(), guild_id=guild.id, name="new role", permissions=0, position=1)
    )
    check(form.problems)
    set_role(call.sim, role, "GUILD_ROLE_CREATE")
    return Answer(payload=render.role(role))


def edit_role(call: Call) -> Answer:
    """PATCH /guilds/{guild_id}/roles/{role_id}."""
    guild = _guild(call)
    require_in_guild(call.sim, guild, call.me, Permission.MANAGE_ROLES)
    role = _role(call, guild)
    below_own_role(call, guild, role.position)
    role = _read_role(call, role)
    set_role(call.sim, role, "GUILD_ROLE_UPDATE")
    return Answer(payload=render.role(role))


def delete_role(call: Call) -> Answer:
    """DELETE /guilds/{guild_id}/roles/{role_id}."""
    guild = _guild(call)
    require_in_guild(call.sim, guild, call.me, Permission.MANAGE_ROLES)
    role = _role(call, guild)
    if role.id == guild.id or role.bot_id is not None:
        raise Refused(Code.INVALID_ROLE)
    below_own_role(call, guild, role.position)
    world = call.sim.world

    def act() -> None:
        for member in world.guild_members(guild.id):
            if role.id in member.role_ids:
                world.put(replace(member, role_ids=tuple(i for i in member.role_ids if i != role.id)))
        world.drop(role)

    change(call.sim, guild.id, act)
    body: JsonObject = {"guild_id": str(guild.id), "role_id": str(role.id)}
    call.sim.sessions.dispatch(Event(name="GUILD_ROLE_DELETE", payload=body, guild_id=guild.id))
    return NOTHING


def set_role(sim: Simulation, role: Role, event: str) -> None:
    """Store a new or changed role, and tell the guild; channels may appear and disappear by it."""
    change(sim, role.guild_id, lambda: sim.world.put(role))
    body: JsonObject = {"guild_id": str(role.guild_id), "role": render.role(role)}
    sim.sessions.dispatch(Event(name=event, payload=body, guild_id=role.guild_id))


def below_own_role(call: Call, guild: Guild, position: int) -> None:
    """Refuse with 50013 to touch what is not below the caller's highest role; the owner stands above all."""
    if call.me.id == guild.owner_id:
        return
    own = call.sim.world.roles_of(call.sim.world.member(guild.id, call.me.id))
    if position >= max((r.position for r in own), default=0):
        raise Refused(Code.MISSING_PERMISSIONS)


def _read_role(call: Call, role: Role) -> Role:
    form = call.form()
    name = form.text("name", minimum=1, maximum=100)
    permissions = form.integer("permissions", minimum=0)
    colour = form.integer("color", minimum=0, maximum=0xFFFFFF)
    hoist, mentionable = form.flag("hoist"), form.flag("mentionable")
    check(form.problems)
    return replace(
        role,
        name=name or role.name,
        permissions=role.permissions if permissions is None else permissions,
        colour=role.colour if colour is None else colour,
        hoist=role.hoist if hoist is None else hoist,
        mentionable=role.mentionable if mentionable is None else mentionable,
    )


def _role(call: Call, guild: Guild) -> Role:
    role = call.sim.world.roles.get(call.id("role_id"))
    if role is None or role.guild_id != guild.id:
        raise Refused(Code.UNKNOWN_ROLE)
    return role


def _guild(call: Call) -> Guild:
    return joined_guild(call.sim, call.id("guild_id"), call.me)


ROUTES: Final = (
    Route("GET", "/guilds/{guild_id}", get_guild),
    Route("GET", "/guilds/{guild_id}/channels", list_channels),
    Route("POST", "/guilds/{guild_id}/channels", create_channel),
    Route("GET", "/guilds/{guild_id}/roles", list_roles),
    Route("POST", "/guilds/{guild_id}/roles", create_role),
    Route("GET", "/guilds/{guild_id}/roles/{role_id}", get_role),
    Route("PATCH", "/guilds/{guild_id}/roles/{role_id}", edit_role),
    Route("DELETE", "/guilds/{guild_id}/roles/{role_id}", delete_role),
)
