"""When permissions change, channels appear to people and disappear from them, and their clients are told.

Bots are sent every change of every channel, as by Discord; they compute what they see.
"""

from __future__ import annotations

from collections.abc import Callable

from devstack.discord import render
from devstack.discord.documents import JsonObject
from devstack.discord.objects import Channel
from devstack.discord.sessions import Event
from devstack.discord.simulation import Simulation


def announce_channel(sim: Simulation, name: str, channel: Channel) -> None:
    """Tell bots of a change of a channel, whether they see it or not."""
    payload = render.channel(sim.world, channel)
    sim.sessions.dispatch(Event(name=name, payload=payload, guild_id=channel.guild_id, bots_only=True))


def change(sim: Simulation, guild_id: int, act: Callable[[], None]) -> None:
    """Do something that may change who sees which channel of a guild, and tell people what came and went."""
    before = _seen(sim, guild_id)
    old = {c.id: c for c in sim.world.guild_channels(guild_id)}
    act()
    after = _seen(sim, guild_id)
    for channel_id, user_id in sorted(before - after):
        _tell(sim, "CHANNEL_DELETE", old[channel_id], user_id)
    for channel_id, user_id in sorted(after):
        channel = sim.world.channels[channel_id]
        if (channel_id, user_id) not in before:
            _tell(sim, "CHANNEL_CREATE", channel, user_id)
        elif channel is not old.get(channel_id):
            _tell(sim, "CHANNEL_UPDATE", channel, user_id)


def _seen(sim: Simulation, guild_id: int) -> set[tuple[int, int]]:
    people = [m.user_id for m in sim.world.guild_members(guild_id) if not sim.world.user(m.user_id).bot]
    channels = sim.world.guild_channels(guild_id)
    return {(c.id, user_id) for c in channels for user_id in people if sim.world.sees(c, user_id)}


def _tell(sim: Simulation, name: str, channel: Channel, user_id: int) -> None:
    payload: JsonObject = render.channel(sim.world, channel, viewer_id=user_id)
    sim.sessions.dispatch(
        Event(name=name, payload=payload, guild_id=channel.guild_id, only=frozenset({user_id}), people_only=True)
    )
