"""Who is online: the status of whoever has a gateway connection, told to those who may know."""

from __future__ import annotations

from typing import Final

from devstack.discord_json import JsonObject
from devstack.discord_sessions import Event
from devstack.discord_simulation import Simulation

_OFFLINE: Final = "offline"


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
