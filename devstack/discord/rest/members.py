"""Routes of a guild's members: list, find, change, give roles, remove."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from devstack.discord import render
from devstack.discord.access import joined_guild, require_in_guild
from devstack.discord.documents import Form, JsonObject
from devstack.discord.errors import Code, Refused, check
from devstack.discord.intents import Intent
from devstack.discord.objects import Guild, Member
from devstack.discord.permissions import Permission
from devstack.discord.rest.call import NOTHING, Answer, Call, Route
from devstack.discord.rest.guilds import below_own_role
from devstack.discord.rest.users import remove_member
from devstack.discord.sessions import Event
from devstack.discord.simulation import Simulation
from devstack.discord.visibility import change

_MOST_LISTED: Final = 1000
_MOST_ROLES: Final = 250
_LONGEST_TIMEOUT: Final = timedelta(days=28)


def list_members(call: Call) -> Answer:
    """GET /guilds/{guild_id}/members: by id; only with the privileged intent GUILD_MEMBERS."""
    guild = _guild(call)
    if call.me.bot and not call.sim.privileged_intents & Intent.GUILD_MEMBERS:
        raise Refused(Code.MISSING_ACCESS)
    query = call.query_form()
    limit = query.integer("limit", minimum=1, maximum=_MOST_LISTED) or 1
    after = query.snowflake("after") or 0
    check(query.problems)
    found = [m for m in call.sim.world.guild_members(guild.id) if m.user_id > after]
    return Answer(payload=[render.member(call.sim.world, m) for m in found[:limit]])


def search_members(call: Call) -> Answer:
    """GET /guilds/{guild_id}/members/search: those whose user name or nickname begins so."""
    guild = _guild(call)
    query = call.query_form()
    limit = query.integer("limit", minimum=1, maximum=_MOST_LISTED) or 1
    words = (query.text("query", minimum=1, maximum=100, required=True) or "").casefold()
    check(query.problems)
    found = [m for m in call.sim.world.guild_members(guild.id) if _named(call.sim, m, words)]
    return Answer(payload=[render.member(call.sim.world, m) for m in found[:limit]])


def _named(sim: Simulation, member: Member, words: str) -> bool:
    user = sim.world.user(member.user_id)
    return any(n.casefold().startswith(words) for n in (user.username, user.display_name, member.nick or "") if n)


def get_member(call: Call) -> Answer:
    """GET /guilds/{guild_id}/members/{user_id}."""
    guild = _guild(call)
    return Answer(payload=render.member(call.sim.world, call.sim.world.member(guild.id, call.id("user_id"))))


def edit_member(call: Call) -> Answer:
    """PATCH /guilds/{guild_id}/members/{user_id}: nickname, roles, timeout."""
    guild = _guild(call)
    member = call.sim.world.member(guild.id, call.id("user_id"))
    form = call.form()
    if "nick" in form:
        require_in_guild(call.sim, guild, call.me, Permission.MANAGE_NICKNAMES)
    if "roles" in form:
        require_in_guild(call.sim, guild, call.me, Permission.MANAGE_ROLES)
    if "communication_disabled_until" in form:
        require_in_guild(call.sim, guild, call.me, Permission.MODERATE_MEMBERS)
    _above(call, guild, member)
    edited = _read_member(call, form, member)
    check(form.problems)
    set_member(call.sim, edited)
    return Answer(payload=render.member(call.sim.world, edited))


def edit_own_member(call: Call) -> Answer:
    """PATCH /guilds/{guild_id}/members/@me: the own nickname."""
    guild = _guild(call)
    require_in_guild(call.sim, guild, call.me, Permission.CHANGE_NICKNAME)
    form = call.form()
    nick = form.text("nick", maximum=32)
    check(form.problems)
    member = call.sim.world.member(guild.id, call.me.id)
    edited = replace(member, nick=(nick or None) if "nick" in form else member.nick)
    set_member(call.sim, edited)
    return Answer(payload=render.member(call.sim.world, edited))


def _read_member(call: Call, form: Form, member: Member) -> Member:
    nick = form.text("nick", maximum=32)
    role_ids = form.snowflakes("roles", maximum=_MOST_ROLES)
    for role_id in role_ids or ():
        if role_id not in call.sim.world.roles:
            raise Refused(Code.UNKNOWN_ROLE)
    until = _read_timeout(call, form)
    check(form.problems)
    return replace(
        member,
        nick=(nick or None) if "nick" in form else member.nick,
        role_ids=member.role_ids if role_ids is None else role_ids,
        timeout_until=until if "communication_disabled_until" in form else member.timeout_until,
    )


def _read_timeout(call: Call, form: Form) -> datetime | None:
    until = form.moment("communication_disabled_until")
    if until is not None and until > call.sim.clock.now() + _LONGEST_TIMEOUT + timedelta(minutes=1):
        form.wrong("communication_disabled_until", "BASE_TYPE_MAX_LENGTH", "Timeouts may last 28 days at most.")
    return until


def add_role(call: Call) -> Answer:
    """PUT /guilds/{guild_id}/members/{user_id}/roles/{role_id}."""
    member, role_id = _role_change(call)
    if role_id not in member.role_ids:
        set_member(call.sim, replace(member, role_ids=(*member.role_ids, role_id)))
    return NOTHING


def remove_role(call: Call) -> Answer:
    """DELETE /guilds/{guild_id}/members/{user_id}/roles/{role_id}."""
    member, role_id = _role_change(call)
    set_member(call.sim, replace(member, role_ids=tuple(i for i in member.role_ids if i != role_id)))
    return NOTHING


def _role_change(call: Call) -> tuple[Member, int]:
    guild = _guild(call)
    require_in_guild(call.sim, guild, call.me, Permission.MANAGE_ROLES)
    member = call.sim.world.member(guild.id, call.id("user_id"))
    role = call.sim.world.roles.get(call.id("role_id"))
    if role is None or role.guild_id != guild.id:
        raise Refused(Code.UNKNOWN_ROLE)
    below_own_role(call, guild, role.position)
    return member, role.id


def kick(call: Call) -> Answer:
    """DELETE /guilds/{guild_id}/members/{user_id}."""
    guild = _guild(call)
    require_in_guild(call.sim, guild, call.me, Permission.KICK_MEMBERS)
    member = call.sim.world.member(guild.id, call.id("user_id"))
    _above(call, guild, member)
    remove_member(call.sim, guild.id, member.user_id)
    return NOTHING


def set_member(sim: Simulation, member: Member) -> None:
    """Store a changed member, and tell the guild; channels may appear and disappear by it."""
    change(sim, member.guild_id, lambda: sim.world.put(member))
    body: JsonObject = render.member(sim.world, member) | {"guild_id": str(member.guild_id)}
    sim.sessions.dispatch(Event(name="GUILD_MEMBER_UPDATE", payload=body, guild_id=member.guild_id))


def _above(call: Call, guild: Guild, member: Member) -> None:
    """Refuse to act on the owner, and on those whose highest role is not below the caller's."""
    if member.user_id == call.me.id:
        return
    if member.user_id == guild.owner_id:
        raise Refused(Code.MISSING_PERMISSIONS)
    roles = call.sim.world.roles_of(member)
    below_own_role(call, guild, max((r.position for r in roles), default=0))


def _guild(call: Call) -> Guild:
    return joined_guild(call.sim, call.id("guild_id"), call.me)


ROUTES: Final = (
    Route("GET", "/guilds/{guild_id}/members", list_members),
    Route("GET", "/guilds/{guild_id}/members/search", search_members),
    Route("GET", "/guilds/{guild_id}/members/{user_id}", get_member),
    Route("PATCH", "/guilds/{guild_id}/members/{user_id}", edit_member),
    Route("PATCH", "/guilds/{guild_id}/members/@me", edit_own_member),
    Route("DELETE", "/guilds/{guild_id}/members/{user_id}", kick),
    Route("PUT", "/guilds/{guild_id}/members/{user_id}/roles/{role_id}", add_role),
    Route("DELETE", "/guilds/{guild_id}/members/{user_id}/roles/{role_id}", remove_role),
)
