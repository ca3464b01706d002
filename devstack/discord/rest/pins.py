"""Routes of pins, by the paths of today and those of before."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from devstack.discord.access import readable_channel, shown_message, visible_channel, writable_thread
from devstack.discord.documents import timestamp
from devstack.discord.errors import Code, Refused, check
from devstack.discord.messages import WRITTEN_KINDS, Message, MessageKind, Reference
from devstack.discord.objects import Channel
from devstack.discord.permissions import Permission
from devstack.discord.posting import Draft, announce, post
from devstack.discord.rest.call import NOTHING, Answer, Call, Route
from devstack.discord.rest.changes import announce_pins

_MOST_PINS: Final = 250
_MOST_LISTED: Final = 50
_MAY_PIN: Final = Permission.PIN_MESSAGES | Permission.MANAGE_MESSAGES
"""Either one: Discord is splitting pinning off from managing messages."""


def list_pins(call: Call) -> Answer:
    """GET /channels/{channel_id}/messages/pins: latest pin first, by pages."""
    channel = readable_channel(call.sim, call.id("channel_id"), call.me)
    query = call.query_form()
    limit = query.integer("limit", minimum=1, maximum=_MOST_LISTED) or _MOST_LISTED
    before = query.moment("before")
    check(query.problems)
    pins = [(m.pinned_at, m) for m in call.sim.world.pinned(channel.id) if m.pinned_at is not None]
    if before is not None:
        pins = [(at, m) for at, m in pins if at < before]
    items = [{"pinned_at": timestamp(at), "message": shown_message(call.sim, m, call.me)} for at, m in pins[:limit]]
    return Answer(payload={"items": items, "has_more": len(pins) > limit})


def list_pins_as_before(call: Call) -> Answer:
    """GET /channels/{channel_id}/pins: the latest fifty messages."""
    channel = readable_channel(call.sim, call.id("channel_id"), call.me)
    pins = call.sim.world.pinned(channel.id)[:_MOST_LISTED]
    return Answer(payload=[shown_message(call.sim, m, call.me) for m in pins])


def pin(call: Call) -> Answer:
    """PUT /channels/{channel_id}/messages/pins/{message_id}: again is harmless and tells nobody."""
    channel, message = _pinnable(call)
    if message.pinned_at is not None:
        return NOTHING
    if len(call.sim.world.pinned(channel.id)) >= _MOST_PINS:
        raise Refused(Code.MAX_PINS)
    now = call.sim.clock.now()
    _set_pin(call, channel, message, now)
    reference = Reference(channel_id=channel.id, message_id=message.id, guild_id=channel.guild_id)
    channel = call.sim.world.channels[channel.id]
    post(
        call.sim,
        Draft(channel=channel, author_id=call.me.id, kind=MessageKind.PIN_ADDED, reference=reference),
    )
    return NOTHING


def unpin(call: Call) -> Answer:
    """DELETE /channels/{channel_id}/messages/pins/{message_id}."""
    channel, message = _pinnable(call)
    if message.pinned_at is not None:
        _set_pin(call, channel, message, None)
    return NOTHING


def _set_pin(call: Call, channel: Channel, message: Message, at: datetime | None) -> None:
    changed = replace(message, pinned_at=at)
    call.sim.world.put(changed)
    if at is not None:
        channel = replace(channel, last_pin_at=at)
        call.sim.world.put(channel)
    announce(call.sim, "MESSAGE_UPDATE", changed)
    announce_pins(call.sim, channel)


def _pinnable(call: Call) -> tuple[Channel, Message]:
    channel = visible_channel(call.sim, call.id("channel_id"), call.me)
    if not call.sim.world.permissions(channel, call.me.id) & _MAY_PIN:
        raise Refused(Code.MISSING_PERMISSIONS)
    message = call.sim.world.message(channel.id, call.id("message_id"))
    if message.kind not in WRITTEN_KINDS:
        raise Refused(Code.SYSTEM_MESSAGE)
    writable_thread(channel)
    return channel, message


ROUTES: Final = (
    Route("GET", "/channels/{channel_id}/messages/pins", list_pins),
    Route("PUT", "/channels/{channel_id}/messages/pins/{message_id}", pin),
    Route("DELETE", "/channels/{channel_id}/messages/pins/{message_id}", unpin),
    Route("GET", "/channels/{channel_id}/pins", list_pins_as_before),
    Route("PUT", "/channels/{channel_id}/pins/{message_id}", pin),
    Route("DELETE", "/channels/{channel_id}/pins/{message_id}", unpin),
)
