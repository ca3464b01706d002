"""The life of threads: who joins and leaves, and how a message opens an archived one again."""

from __future__ import annotations

from dataclasses import replace

from devstack.discord import render
from devstack.discord.documents import JsonObject
from devstack.discord.objects import Channel, ThreadMember
from devstack.discord.sessions import Event
from devstack.discord.simulation import Simulation


def announce_thread(sim: Simulation, name: str, thread: Channel, *, newly_created: bool = False) -> None:
    """Tell those who see a thread that it is there or has changed."""
    payload = render.channel(sim.world, thread)
    if newly_created:
        payload["newly_created"] = True
    sim.sessions.dispatch(Event(name=name, payload=payload, guild_id=thread.guild_id, channel=thread))


def join(sim: Simulation, thread: Channel, user_id: int) -> bool:
    """Add somebody to a thread; tell whether that changed anything."""
    if (thread.id, user_id) in sim.world.thread_members:
        return False
    member = ThreadMember(thread_id=thread.id, user_id=user_id, joined_at=sim.clock.now())
    sim.world.put(member)
    added = render.thread_member(member)
    guild_member = sim.world.members.get((thread.guild_id or 0, user_id))
    if guild_member is not None:
        added["member"] = render.member(sim.world, guild_member)
    # For whoever was added, the thread itself comes first: a private one was not to be seen before.
    _tell_new_member(sim, thread, user_id)
    _announce_members(sim, thread, {"added_members": [added]}, user_id)
    return True


def leave(sim: Simulation, thread: Channel, user_id: int) -> bool:
    """Take somebody out of a thread; tell whether that changed anything."""
    member = sim.world.thread_members.get((thread.id, user_id))
    if member is None:
        return False
    _announce_members(sim, thread, {"removed_member_ids": [str(user_id)]}, user_id, leaving=True)
    sim.world.drop(member)
    return True


def enter_to_speak(sim: Simulation, thread: Channel, user_id: int) -> Channel:
    """Prepare a thread for a message: it is opened again if it was archived, and the author joins it."""
    facts = thread.thread
    if facts is not None and facts.archived:
        thread = replace(thread, thread=replace(facts, archived=False, archive_changed_at=sim.clock.now()))
        sim.world.put(thread)
        announce_thread(sim, "THREAD_UPDATE", thread)
    join(sim, thread, user_id)
    return thread


def _tell_new_member(sim: Simulation, thread: Channel, user_id: int) -> None:
    payload = render.channel(sim.world, thread, viewer_id=user_id)
    sim.sessions.dispatch(
        Event(name="THREAD_CREATE", payload=payload, guild_id=thread.guild_id, only=frozenset({user_id}))
    )


def _announce_members(
    sim: Simulation, thread: Channel, change: JsonObject, user_id: int, *, leaving: bool = False
) -> None:
    count = len(sim.world.thread_member_list(thread.id)) - (1 if leaving else 0)
    payload: JsonObject = {"id": str(thread.id), "guild_id": str(thread.guild_id), "member_count": count} | change
    event = Event(
        name="THREAD_MEMBERS_UPDATE", payload=payload, guild_id=thread.guild_id, channel=thread, about=user_id
    )
    sim.sessions.dispatch(event)
