"""Routes of messages: read and send."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from devstack.discord.access import readable_channel, require, shown_message, visible_channel, writable_thread
from devstack.discord.compose import Composed, Target, compose
from devstack.discord.documents import Form
from devstack.discord.errors import Code, Refused, check
from devstack.discord.messages import WRITTEN_KINDS, Message, MessageFlag, MessageKind, Reference
from devstack.discord.objects import Channel, ChannelKind, User
from devstack.discord.permissions import Permission
from devstack.discord.posting import Draft, post
from devstack.discord.rest.call import Answer, Call, Route
from devstack.discord.simulation import Simulation

_MOST_MESSAGES: Final = 100
_SLOWMODE_EXEMPT: Final = Permission.MANAGE_MESSAGES | Permission.MANAGE_CHANNELS


def list_messages(call: Call) -> Answer:
    """GET /channels/{channel_id}/messages: newest first, whichever way the page is chosen."""
    channel = visible_channel(call.sim, call.id("channel_id"), call.me)
    query = call.query_form()
    limit = query.integer("limit", minimum=1, maximum=_MOST_MESSAGES) or 50
    before, after, around = query.snowflake("before"), query.snowflake("after"), query.snowflake("around")
    check(query.problems)
    world = call.sim.world
    if not world.permissions(channel, call.me.id) & Permission.READ_MESSAGE_HISTORY:
        return Answer(payload=[])  # as Discord: without the permission the history is empty
    if around is not None:
        newer = world.after(channel.id, around, limit // 2)
        found = newer + world.before(channel.id, around + 1, limit - len(newer))
    elif after is not None:
        found = world.after(channel.id, after, limit)
    else:
        found = world.before(channel.id, before, limit)
    return Answer(payload=[shown_message(call.sim, m, call.me) for m in found])


def get_message(call: Call) -> Answer:
    """GET /channels/{channel_id}/messages/{message_id}."""
    channel = readable_channel(call.sim, call.id("channel_id"), call.me)
    message = call.sim.world.message(channel.id, call.id("message_id"))
    return Answer(payload=shown_message(call.sim, message, call.me))


def create_message(call: Call) -> Answer:
    """POST /channels/{channel_id}/messages."""
    sim, me = call.sim, call.me
    channel = visible_channel(sim, call.id("channel_id"), me)
    if not channel.takes_messages:
        raise Refused(Code.CANNOT_SEND_IN_CHANNEL_TYPE)
    require(sim, channel, me, Permission.SEND_MESSAGES)
    if channel.kind is ChannelKind.DM and me.bot and all(sim.world.user(i).bot for i in channel.recipient_ids):
        raise Refused(Code.CANNOT_SEND_TO_USER)
    form = call.form()
    composed = compose(form, call.uploads)
    reference = _reference(sim, channel, me, composed.target, form)
    check(form.problems)
    if composed.is_empty:
        raise Refused(Code.EMPTY_MESSAGE)
    if composed.files:
        require(sim, channel, me, Permission.ATTACH_FILES)
    writable_thread(channel, sending=True)
    if composed.enforce_nonce and composed.nonce is not None:
        before = sent_with_nonce(sim, me.id, composed.nonce)
        if before is not None:
            return Answer(payload=sim.renderer.rest(before, viewer_id=me.id, nonce=True))
    _slow_down(sim, channel, me)
    message = post(sim, _draft(sim, channel, me, composed, reference))
    return Answer(payload=sim.renderer.rest(message, viewer_id=me.id, nonce=True))


def sent_with_nonce(sim: Simulation, author_id: int, nonce: str | int) -> Message | None:
    """Find the message that an author sent with this nonce in the past few minutes, unless it was deleted."""
    message_id = sim.nonces.find(author_id, nonce)
    return None if message_id is None else sim.world.messages.get(message_id)


def _draft(sim: Simulation, channel: Channel, me: User, composed: Composed, reference: Reference | None) -> Draft:
    may_embed = bool(sim.world.permissions(channel, me.id) & Permission.EMBED_LINKS)
    return Draft(
        channel=channel,
        author_id=me.id,
        content=composed.content or "",
        kind=MessageKind.DEFAULT if reference is None else MessageKind.REPLY,
        embeds=(composed.embeds or ()) if may_embed else (),
        components=composed.components or (),
        files=composed.files,
        flags=(composed.flags or 0) & ~MessageFlag.EPHEMERAL,
        allowed=composed.allowed,
        reference=reference,
        nonce=composed.nonce,
        tts=composed.tts,
    )


def _reference(sim: Simulation, channel: Channel, me: User, target: Target | None, form: Form) -> Reference | None:
    """Resolve the reply target; a missing one is a problem, or makes this a message without a reply, as was asked."""
    if target is None:
        return None
    if not sim.world.permissions(channel, me.id) & Permission.READ_MESSAGE_HISTORY:
        raise Refused(Code.NO_REPLY_WITHOUT_HISTORY)
    found = sim.world.messages.get(target.message_id)
    elsewhere = target.channel_id is not None and target.channel_id != channel.id
    if found is None or found.channel_id != channel.id or found.ephemeral_for is not None or elsewhere:
        if target.must_exist:
            form.wrong("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
        return None
    if found.kind not in WRITTEN_KINDS:
        form.wrong("message_reference", "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", "Cannot reply to a system message")
    return Reference(channel_id=channel.id, message_id=found.id, guild_id=channel.guild_id)


def _slow_down(sim: Simulation, channel: Channel, me: User) -> None:
    """Refuse with 20016 people who send again before the channel's slowmode lets them."""
    if not channel.slowmode_seconds or me.bot or sim.world.permissions(channel, me.id) & _SLOWMODE_EXEMPT:
        return
    since = sim.clock.now() - timedelta(seconds=channel.slowmode_seconds)
    for message in sim.world.before(channel.id, None, _MOST_MESSAGES):
        if message.created_at < since:
            return
        if message.author_id == me.id:
            raise Refused(Code.SLOWMODE, retry_after=(message.created_at - since).total_seconds())


ROUTES: Final = (
    Route("GET", "/channels/{channel_id}/messages", list_messages),
    Route("POST", "/channels/{channel_id}/messages", create_message),
    Route("GET", "/channels/{channel_id}/messages/{message_id}", get_message),
)
