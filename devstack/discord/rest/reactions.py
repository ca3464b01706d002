"""Routes of reactions."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from devstack.discord import render
from devstack.discord.access import readable_channel, require, writable_thread
from devstack.discord.documents import JsonObject
from devstack.discord.errors import Code, Refused, check
from devstack.discord.messages import Message, Reaction
from devstack.discord.objects import Channel
from devstack.discord.permissions import Permission
from devstack.discord.render_message import emoji
from devstack.discord.rest.call import NOTHING, Answer, Call, Route
from devstack.discord.sessions import Event
from devstack.discord.simulation import Simulation

_MOST_KINDS: Final = 20
"""Different emoji on one message."""
_MOST_LISTED: Final = 100
_LONGEST_EMOJI: Final = 16
"""Code points: families and flags are sequences, and none is longer."""


def add_reaction(call: Call) -> Answer:
    """PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me."""
    channel, message = _found(call)
    writable_thread(channel)
    name = _emoji_name(call)
    reaction = _reaction(message, name)
    if reaction is None:
        require(call.sim, channel, call.me, Permission.ADD_REACTIONS)
        if len(message.reactions) >= _MOST_KINDS:
            raise Refused(Code.MAX_REACTIONS)
        reactions = (*message.reactions, Reaction(emoji=name, user_ids=(call.me.id,)))
    elif call.me.id in reaction.user_ids:
        return NOTHING
    else:
        more = replace(reaction, user_ids=(*reaction.user_ids, call.me.id))
        reactions = tuple(more if r is reaction else r for r in message.reactions)
    call.sim.world.put(replace(message, reactions=reactions))
    body = _event(message, name) | {
        "user_id": str(call.me.id),
        "message_author_id": str(message.author_id),
        "burst": False,
        "type": 0,
    }
    member = call.sim.world.members.get((channel.guild_id or 0, call.me.id))
    if member is not None:
        body["member"] = render.member(call.sim.world, member)
    _tell(call.sim, channel, "MESSAGE_REACTION_ADD", body)
    return NOTHING


def remove_own_reaction(call: Call) -> Answer:
    """DELETE .../reactions/{emoji_name}/@me."""
    return _remove(call, call.me.id)


def remove_reaction(call: Call) -> Answer:
    """DELETE .../reactions/{emoji_name}/{user_id}: others' reactions need MANAGE_MESSAGES."""
    user_id = call.id("user_id")
    if user_id != call.me.id:
        channel = readable_channel(call.sim, call.id("channel_id"), call.me)
        require(call.sim, channel, call.me, Permission.MANAGE_MESSAGES)
    return _remove(call, user_id)


def list_reactions(call: Call) -> Answer:
    """GET .../reactions/{emoji_name}: who reacted, by id."""
    _, message = _found(call)
    query = call.query_form()
    limit = query.integer("limit", minimum=1, maximum=_MOST_LISTED) or 25
    after = query.snowflake("after") or 0
    check(query.problems)
    reaction = _reaction(message, _emoji_name(call))
    ids = sorted(i for i in (reaction.user_ids if reaction is not None else ()) if i > after)
    return Answer(payload=[render.user(call.sim.world.user(i)) for i in ids[:limit]])


def clear_reactions(call: Call) -> Answer:
    """DELETE .../reactions: all of them."""
    channel, message = _found(call)
    require(call.sim, channel, call.me, Permission.MANAGE_MESSAGES)
    call.sim.world.put(replace(message, reactions=()))
    _tell(call.sim, channel, "MESSAGE_REACTION_REMOVE_ALL", _place(message))
    return NOTHING


def clear_emoji(call: Call) -> Answer:
    """DELETE .../reactions/{emoji_name}: all of one emoji."""
    channel, message = _found(call)
    require(call.sim, channel, call.me, Permission.MANAGE_MESSAGES)
    name = _emoji_name(call)
    call.sim.world.put(replace(message, reactions=tuple(r for r in message.reactions if r.emoji != name)))
    _tell(call.sim, channel, "MESSAGE_REACTION_REMOVE_EMOJI", _event(message, name))
    return NOTHING


def _remove(call: Call, user_id: int) -> Answer:
    channel, message = _found(call)
    writable_thread(channel)
    name = _emoji_name(call)
    reaction = _reaction(message, name)
    if reaction is None or user_id not in reaction.user_ids:
        return NOTHING
    fewer = replace(reaction, user_ids=tuple(i for i in reaction.user_ids if i != user_id))
    reactions = tuple(fewer if r is reaction else r for r in message.reactions)
    call.sim.world.put(replace(message, reactions=tuple(r for r in reactions if r.user_ids)))
    body = _event(message, name) | {"user_id": str(user_id), "burst": False, "type": 0}
    _tell(call.sim, channel, "MESSAGE_REACTION_REMOVE", body)
    return NOTHING


def _found(call: Call) -> tuple[Channel, Message]:
    channel = readable_channel(call.sim, call.id("channel_id"), call.me)
    return channel, call.sim.world.message(channel.id, call.id("message_id"))


def _emoji_name(call: Call) -> str:
    """Read the emoji of the path: Unicode ones only, since no guild here has its own."""
    name = call.parameters["emoji_name"]
    if name.isascii() or len(name) > _LONGEST_EMOJI or any(c.isalpha() for c in name):
        raise Refused(Code.UNKNOWN_EMOJI)
    return name


def _reaction(message: Message, name: str) -> Reaction | None:
    return next((r for r in message.reactions if r.emoji == name), None)


def _place(message: Message) -> JsonObject:
    body: JsonObject = {"channel_id": str(message.channel_id), "message_id": str(message.id)}
    if message.guild_id is not None:
        body["guild_id"] = str(message.guild_id)
    return body


def _event(message: Message, name: str) -> JsonObject:
    return _place(message) | {"emoji": emoji(name)}


def _tell(sim: Simulation, channel: Channel, name: str, body: JsonObject) -> None:
    sim.sessions.dispatch(Event(name=name, payload=body, guild_id=channel.guild_id, channel=channel))


_MESSAGE: Final = "/channels/{channel_id}/messages/{message_id}"
ROUTES: Final = (
    Route("PUT", f"{_MESSAGE}/reactions/{{emoji_name}}/@me", add_reaction),
    Route("DELETE", f"{_MESSAGE}/reactions/{{emoji_name}}/@me", remove_own_reaction),
    Route("DELETE", f"{_MESSAGE}/reactions/{{emoji_name}}/{{user_id}}", remove_reaction),
    Route("GET", f"{_MESSAGE}/reactions/{{emoji_name}}", list_reactions),
    Route("DELETE", f"{_MESSAGE}/reactions/{{emoji_name}}", clear_emoji),
    Route("DELETE", f"{_MESSAGE}/reactions", clear_reactions),
)
