"""What a gateway session is told when it begins: READY, each guild, members on request; and who is online."""

from __future__ import annotations

from typing import Final

from devstack.discord import render
from devstack.discord import render_guild as guilds
from devstack.discord.documents import Form, JsonObject, dumps
from devstack.discord.intents import Intent, application_flags
from devstack.discord.objects import Member
from devstack.discord.sessions import Event, Session
from devstack.discord.simulation import Simulation

_OFFLINE: Final = "offline"
_CHUNK: Final = 1000
"""Members in one GUILD_MEMBERS_CHUNK."""


def greet(sim: Simulation, session: Session) -> None:
    """Send READY, and what follows it."""
    session.send("READY", dumps(_ready(sim, session)))
    if not session.user.bot or not session.intents & Intent.GUILDS:
        return
    everybody = bool(session.intents & Intent.GUILD_MEMBERS) and bool(session.intents & Intent.GUILD_PRESENCES)
    for guild in sim.world.guilds_of(session.user.id):
        if session.of_shard(guild.id):
            body = guilds.joined_guild(sim.world, guild, session.user, everybody=everybody)
            body["presences"] = presences(sim, guild.id) if session.intents & Intent.GUILD_PRESENCES else []
            session.send("GUILD_CREATE", dumps(body))


def _ready(sim: Simulation, session: Session) -> JsonObject:
    world, user = sim.world, session.user
    body: JsonObject = {
        "v": 10,
        "user": render.own_user(user),
        "session_id": session.id,
        "session_type": "normal",
        "resume_gateway_url": sim.gateway_url,
        "private_channels": [],
        "relationships": [],
        "presences": [],
        "guild_join_requests": [],
        "geo_ordered_rtc_regions": ["rotterdam"],
        "user_settings": {},
        "_trace": ["simulated-gateway"],
    }
    if user.bot:
        body["shard"] = list(session.shard)
        body["application"] = {"id": str(user.id), "flags": application_flags(sim.privileged_intents)}
        body["guilds"] = [
            {"id": str(g.id), "unavailable": True} for g in world.guilds_of(user.id) if session.of_shard(g.id)
        ]
        return body
    body["guilds"] = [
        guilds.joined_guild(world, g, user, everybody=True) | {"presences": presences(sim, g.id)}
        for g in world.guilds_of(user.id)
    ]
    body["private_channels"] = [render.channel(world, c, viewer_id=user.id) for c in world.direct_channels(user.id)]
    body["users"] = [render.user(u) for u in world.users.values()]
    return body


def send_members(sim: Simulation, session: Session, request: Form) -> None:
    """Answer op 8, the request for a guild's members, by GUILD_MEMBERS_CHUNKs."""
    guild_id = request.snowflake("guild_id")
    if guild_id is None or (guild_id, session.user.id) not in sim.world.members:
        return
    wanted = request.data.get("user_ids")
    ids = request.snowflakes("user_ids", maximum=100) if isinstance(wanted, (list, tuple)) else None
    single = request.snowflake("user_ids") if isinstance(wanted, str | int) else None
    if single is not None:
        ids = (single,)
    query = (request.text("query", maximum=100) or "").casefold()
    limit = request.integer("limit") or 0
    found = [m for m in sim.world.guild_members(guild_id) if _wanted(sim, m, ids, query)]
    if limit and ids is None:
        found = found[:limit]
    chunks = [found[at : at + _CHUNK] for at in range(0, len(found), _CHUNK)] or [[]]
    for index, chunk in enumerate(chunks):
        body: JsonObject = {
            "guild_id": str(guild_id),
            "members": [render.member(sim.world, m) for m in chunk],
            "chunk_index": index,
            "chunk_count": len(chunks),
        }
        if ids is not None:
            known = {m.user_id for m in found}
            body["not_found"] = [str(i) for i in ids if i not in known]
        if request.flag("presences"):
            body["presences"] = []
        nonce = request.text("nonce", maximum=32)
        if nonce is not None:
            body["nonce"] = nonce
        session.send("GUILD_MEMBERS_CHUNK", dumps(body))


def _wanted(sim: Simulation, member: Member, ids: tuple[int, ...] | None, query: str) -> bool:
    if ids is not None:
        return member.user_id in ids
    user = sim.world.user(member.user_id)
    names = (user.username, user.display_name, member.nick or "")
    return not query or any(name.casefold().startswith(query) for name in names)


def presences(sim: Simulation, guild_id: int) -> list[JsonObject]:
    """List the presences of a guild's members who are online."""
    found = [(m.user_id, status(sim, m.user_id)) for m in sim.world.guild_members(guild_id)]
    return [_presence(user_id, now) for user_id, now in found if now != _OFFLINE]


def status(sim: Simulation, user_id: int) -> str:
    """Tell a user's status: that of the latest session with a connection; invisible ones are offline."""
    connected = sim.sessions.connected(user_id)
    now = connected[-1].status if connected else _OFFLINE
    return _OFFLINE if now == "invisible" else now


def announce_presence(sim: Simulation, user_id: int) -> None:
    """Tell the guilds of a user their status, unless it is what was told last."""
    now = status(sim, user_id)
    if sim.told_presences.get(user_id, _OFFLINE) == now:
        return
    sim.told_presences[user_id] = now
    for guild in sim.world.guilds_of(user_id):
        body = _presence(user_id, now) | {"guild_id": str(guild.id)}
        sim.sessions.dispatch(Event(name="PRESENCE_UPDATE", payload=body, guild_id=guild.id))


def _presence(user_id: int, now: str) -> JsonObject:
    return {
        "user": {"id": str(user_id)},
        "status": now,
        "activities": [],
        "client_status": {} if now == _OFFLINE else {"web": now},
    }
