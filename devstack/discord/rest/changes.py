"""Routes that change what was said: edit, delete, delete many."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from devstack.discord.access import require, visible_channel, writable_thread
from devstack.discord.compose import Composed, compose
from devstack.discord.documents import JsonObject
from devstack.discord.errors import Code, Refused, check
from devstack.discord.messages import DELETABLE_KINDS, WRITTEN_KINDS, Message, MessageFlag
from devstack.discord.objects import Channel
from devstack.discord.permissions import Permission
from devstack.discord.posting import announce, mentions, preview_later, replied_author, store_files
from devstack.discord.render import moment
from devstack.discord.rest.call import NOTHING, Answer, Call, Route
from devstack.discord.sessions import Event
from devstack.discord.simulation import Simulation

_BULK_AGE: Final = timedelta(days=14)
_MOST_IN_BULK: Final = 100
_FEWEST_IN_BULK: Final = 2
_OTHERS_MAY_SET: Final = frozenset({"flags"})
"""What those who manage messages may change of somebody else's message: whether its embeds are shown."""


def edit_message(call: Call) -> Answer:
    """PATCH /channels/{channel_id}/messages/{message_id}."""
    sim, me = call.sim, call.me
    channel = visible_channel(sim, call.id("channel_id"), me)
    message = sim.world.message(channel.id, call.id("message_id"))
    form = call.form()
    if message.author_id != me.id:
        if set(form.data) - _OTHERS_MAY_SET:
            raise Refused(Code.CANNOT_EDIT_OTHERS_MESSAGE)
        require(sim, channel, me, Permission.MANAGE_MESSAGES)
    if message.kind not in WRITTEN_KINDS:
        raise Refused(Code.SYSTEM_MESSAGE)
    writable_thread(channel)
    composed = compose(form, call.uploads, old_flags=message.flags)
    check(form.problems)
    message = apply_edit(sim, message, composed)
    return Answer(payload=sim.renderer.rest(message, viewer_id=me.id))


def apply_edit(sim: Simulation, message: Message, composed: Composed, *, first_words: bool = False) -> Message:
    """Change a message as was asked, store it, and tell everybody. First words in place of a deferral are no edit.

    Raises:
        Refused: 50006, when nothing would be left to see.
    """
    edited = edited_message(sim, message, composed)
    if first_words:
        edited = replace(edited, edited_at=None)
    sim.world.put(edited)
    announce(sim, "MESSAGE_UPDATE", edited)
    if composed.content is not None:
        preview_later(sim, edited)
    return edited


def edited_message(sim: Simulation, message: Message, composed: Composed) -> Message:
    """Compute a message after an edit. Setting flags alone is no edit of the words, and leaves no edit time."""
    channel = sim.world.channel(message.channel_id)
    words = message.content if composed.content is None else composed.content
    changes_words = any(
        part is not None for part in (composed.content, composed.embeds, composed.components, composed.kept_attachments)
    ) or bool(composed.files)
    files = message.attachments
    if composed.kept_attachments is not None:
        files = tuple(a for a in files if a.id in composed.kept_attachments)
    edited = replace(
        message,
        content=words,
        embeds=message.embeds if composed.embeds is None else composed.embeds,
        link_embeds=message.link_embeds if composed.content is None else (),
        components=message.components if composed.components is None else composed.components,
        attachments=files + store_files(sim, composed.files),
        flags=_new_flags(message, composed.flags) & ~MessageFlag.LOADING,
        edited_at=sim.clock.now() if changes_words else message.edited_at,
    )
    if not (edited.content or edited.embeds or edited.components or edited.attachments):
        raise Refused(Code.EMPTY_MESSAGE)
    if composed.content is not None or composed.has_allowed:
        pinged = mentions(
            sim,
            channel,
            message.author_id,
            words,
            allowed=composed.allowed,
            replied_user_id=replied_author(sim, message.reference),
        )
        edited = replace(edited, mentions=pinged)
    return edited


def _new_flags(message: Message, wanted: int | None) -> int:
    if wanted is None:
        return message.flags
    settable = MessageFlag.SUPPRESS_EMBEDS | MessageFlag.IS_COMPONENTS_V2
    return (message.flags & ~MessageFlag.SUPPRESS_EMBEDS) | (wanted & settable)


def delete_message(call: Call) -> Answer:
    """DELETE /channels/{channel_id}/messages/{message_id}."""
    sim, me = call.sim, call.me
    channel = visible_channel(sim, call.id("channel_id"), me)
    message = sim.world.message(channel.id, call.id("message_id"))
    if message.author_id != me.id:
        if channel.guild_id is None:
            raise Refused(Code.CANNOT_EXECUTE_IN_DM)
        require(sim, channel, me, Permission.MANAGE_MESSAGES)
    if message.kind not in DELETABLE_KINDS:
        raise Refused(Code.SYSTEM_MESSAGE)
    forget_message(sim, channel, message)
    body: JsonObject = {"id": str(message.id), "channel_id": str(channel.id)}
    if channel.guild_id is not None:
        body["guild_id"] = str(channel.guild_id)
    sim.sessions.dispatch(Event(name="MESSAGE_DELETE", payload=body, guild_id=channel.guild_id, channel=channel))
    return NOTHING


def bulk_delete(call: Call) -> Answer:
    """POST /channels/{channel_id}/messages/bulk-delete: unknown ids are passed over, as by Discord."""
    sim, me = call.sim, call.me
    if not me.bot:
        raise Refused(Code.ONLY_BOTS_CAN_USE)
    channel = visible_channel(sim, call.id("channel_id"), me)
    if channel.guild_id is None:
        raise Refused(Code.CANNOT_EXECUTE_IN_DM)
    require(sim, channel, me, Permission.MANAGE_MESSAGES)
    form = call.form()
    ids = form.snowflakes("messages", maximum=1000) or ()
    check(form.problems)
    if not _FEWEST_IN_BULK <= len(ids) <= _MOST_IN_BULK:
        raise Refused(Code.BULK_DELETE_COUNT)
    found = [m for m in (sim.world.messages.get(i) for i in ids) if m is not None and m.channel_id == channel.id]
    if any(sim.clock.now() - m.created_at > _BULK_AGE for m in found):
        raise Refused(Code.BULK_DELETE_TOO_OLD)
    for message in found:
        forget_message(sim, sim.world.channels[channel.id], message)
    body: JsonObject = {
        "ids": [str(m.id) for m in found],
        "channel_id": str(channel.id),
        "guild_id": str(channel.guild_id),
    }
    sim.sessions.dispatch(Event(name="MESSAGE_DELETE_BULK", payload=body, guild_id=channel.guild_id, channel=channel))
    return NOTHING


def forget_message(sim: Simulation, channel: Channel, message: Message) -> None:
    """Remove a message and its files; a thread counts one message less, a pin is gone."""
    for file in message.attachments:
        sim.storage.drop_blob(file.id)
    sim.world.drop(message)
    facts = channel.thread
    if facts is not None and message.ephemeral_for is None:
        sim.world.put(replace(channel, thread=replace(facts, message_count=max(0, facts.message_count - 1))))
    if message.pinned_at is not None:
        announce_pins(sim, channel)


def announce_pins(sim: Simulation, channel: Channel) -> None:
    """Tell those who see a channel that its pins have changed."""
    pins = sim.world.pinned(channel.id)
    body: JsonObject = {
        "channel_id": str(channel.id),
        "last_pin_timestamp": moment(pins[0].pinned_at) if pins else None,
    }
    if channel.guild_id is not None:
        body["guild_id"] = str(channel.guild_id)
    sim.sessions.dispatch(Event(name="CHANNEL_PINS_UPDATE", payload=body, guild_id=channel.guild_id, channel=channel))


ROUTES: Final = (
    Route("PATCH", "/channels/{channel_id}/messages/{message_id}", edit_message),
    Route("DELETE", "/channels/{channel_id}/messages/{message_id}", delete_message),
    Route("POST", "/channels/{channel_id}/messages/bulk-delete", bulk_delete),
)
