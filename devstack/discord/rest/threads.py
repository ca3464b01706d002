"""Routes that make threads and list them."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from devstack.discord import render
from devstack.discord.access import joined_guild, readable_channel, require, visible_channel
from devstack.discord.documents import Form, JsonObject
from devstack.discord.errors import Code, Refused, check
from devstack.discord.messages import WRITTEN_KINDS, MessageKind, Reference
from devstack.discord.objects import Channel, ChannelKind, ThreadFacts, ThreadMember
from devstack.discord.permissions import Permission
from devstack.discord.posting import Draft, announce, post
from devstack.discord.rest.call import Answer, Call, Route
from devstack.discord.thread_life import announce_thread

_ARCHIVE_MINUTES: Final = frozenset({60, 1440, 4320, 10080})
_DEFAULT_ARCHIVE_MINUTES: Final = 4320
_MOST_SLOWMODE: Final = 21_600
_MOST_LISTED: Final = 100


def start_from_message(call: Call) -> Answer:
    """POST /channels/{channel_id}/messages/{message_id}/threads: the thread has the id of its message."""
    sim, me = call.sim, call.me
    parent = _parent(call)
    require(sim, parent, me, Permission.CREATE_PUBLIC_THREADS | Permission.READ_MESSAGE_HISTORY)
    message = sim.world.message(parent.id, call.id("message_id"))
    if message.id in sim.world.channels:
        raise Refused(Code.THREAD_EXISTS)
    if message.kind not in WRITTEN_KINDS:
        raise Refused(Code.SYSTEM_MESSAGE)
    form = call.form()
    thread = _new_thread(call, form, parent, thread_id=message.id, kind=ChannelKind.PUBLIC_THREAD)
    _open(call, thread)
    announce(sim, "MESSAGE_UPDATE", message)
    reference = Reference(channel_id=parent.id, message_id=message.id, guild_id=parent.guild_id)
    starter = Draft(channel=thread, author_id=me.id, kind=MessageKind.THREAD_STARTER, reference=reference)
    post(sim, starter)
    return _created(call, thread.id)


def start(call: Call) -> Answer:
    """POST /channels/{channel_id}/threads: a thread of no message, private unless asked otherwise."""
    sim, me = call.sim, call.me
    parent = _parent(call)
    form = call.form()
    kind = form.member("type", ChannelKind) if "type" in form else ChannelKind.PRIVATE_THREAD
    if kind is None or kind not in (ChannelKind.PUBLIC_THREAD, ChannelKind.PRIVATE_THREAD):
        form.wrong("type", "BASE_TYPE_CHOICES", "Value must be one of (11, 12).")
        check(form.problems)
        raise Refused(Code.INVALID_FORM_BODY)
    private = kind is ChannelKind.PRIVATE_THREAD
    require(sim, parent, me, Permission.CREATE_PRIVATE_THREADS if private else Permission.CREATE_PUBLIC_THREADS)
    thread = _new_thread(call, form, parent, thread_id=sim.clock.next_id(), kind=kind)
    _open(call, thread)
    if not private:
        notice = Draft(
            channel=sim.world.channels[parent.id],
            author_id=me.id,
            content=thread.name,
            kind=MessageKind.THREAD_CREATED,
            reference=Reference(channel_id=thread.id, guild_id=thread.guild_id),
        )
        post(sim, notice)
    return _created(call, thread.id)


def list_active(call: Call) -> Answer:
    """GET /guilds/{guild_id}/threads/active: those that the caller sees, newest first."""
    guild = joined_guild(call.sim, call.id("guild_id"), call.me)
    found = call.sim.world.threads(guild_id=guild.id)
    active = [t for t in found if t.thread is not None and not t.thread.archived]
    return Answer(payload=_listed(call, [t for t in active if call.sim.world.sees(t, call.me.id)]))


def list_public_archived(call: Call) -> Answer:
    """GET /channels/{channel_id}/threads/archived/public."""
    return _archived(call, ChannelKind.PUBLIC_THREAD)


def list_private_archived(call: Call) -> Answer:
    """GET /channels/{channel_id}/threads/archived/private: for those who manage threads."""
    channel = readable_channel(call.sim, call.id("channel_id"), call.me)
    require(call.sim, channel, call.me, Permission.MANAGE_THREADS)
    return _archived(call, ChannelKind.PRIVATE_THREAD)


def list_own_private_archived(call: Call) -> Answer:
    """GET /channels/{channel_id}/users/@me/threads/archived/private: those that the caller joined."""
    return _archived(call, ChannelKind.PRIVATE_THREAD, joined=True)


def _archived(call: Call, kind: ChannelKind, *, joined: bool = False) -> Answer:
    channel = readable_channel(call.sim, call.id("channel_id"), call.me)
    query = call.query_form()
    limit = query.integer("limit", minimum=2, maximum=_MOST_LISTED) or 50
    before_id = query.snowflake("before") if joined else None  # one's own are paged by id, the others by time
    before = None if joined else query.moment("before")
    check(query.problems)
    found = [
        (t.thread.archive_changed_at, t)
        for t in call.sim.world.threads(parent_id=channel.id)
        if t.kind is kind and t.thread is not None and t.thread.archived
    ]
    if joined:
        found = [(at, t) for at, t in found if (t.id, call.me.id) in call.sim.world.thread_members]
    if before is not None:
        found = [(at, t) for at, t in found if at < before]
    if before_id is not None:
        found = [(at, t) for at, t in found if t.id < before_id]
    found.sort(key=lambda pair: (pair[0], pair[1].id), reverse=True)
    page = [t for _, t in found[:limit]]
    return Answer(payload=_listed(call, page) | {"has_more": len(found) > limit})


def _listed(call: Call, threads: Sequence[Channel]) -> JsonObject:
    world, me = call.sim.world, call.me
    own = [world.thread_members.get((t.id, me.id)) for t in threads]
    return {
        "threads": [render.channel(world, t, viewer_id=me.id) for t in threads],
        "members": [render.thread_member(m) for m in own if m is not None],
        "has_more": False,
    }


def _parent(call: Call) -> Channel:
    parent = visible_channel(call.sim, call.id("channel_id"), call.me)
    if parent.kind is not ChannelKind.TEXT:
        raise Refused(Code.WRONG_CHANNEL_TYPE)
    return parent


def archive_minutes(form: Form) -> int | None:
    """Read `auto_archive_duration`; None when absent."""
    minutes = form.integer("auto_archive_duration")
    if minutes is not None and minutes not in _ARCHIVE_MINUTES:
        form.wrong("auto_archive_duration", "BASE_TYPE_CHOICES", "Value must be one of (60, 1440, 4320, 10080).")
    return minutes


def _new_thread(call: Call, form: Form, parent: Channel, *, thread_id: int, kind: ChannelKind) -> Channel:
    name = form.text("name", minimum=1, maximum=100, required=True) or ""
    minutes = archive_minutes(form)
    slowmode = form.integer("rate_limit_per_user", minimum=0, maximum=_MOST_SLOWMODE)
    invitable = form.flag("invitable")
    check(form.problems)
    now = call.sim.clock.now()
    facts = ThreadFacts(
        owner_id=call.me.id,
        created_at=now,
        archive_changed_at=now,
        invitable=invitable is not False,
        auto_archive_minutes=minutes or _DEFAULT_ARCHIVE_MINUTES,
    )
    return Channel(
        id=thread_id,
        kind=kind,
        guild_id=parent.guild_id,
        name=name,
        parent_id=parent.id,
        slowmode_seconds=slowmode or 0,
        thread=facts,
    )


def _open(call: Call, thread: Channel) -> None:
    """Store a thread with its maker in it, and tell those who see it."""
    call.sim.world.put(thread)
    call.sim.world.put(ThreadMember(thread_id=thread.id, user_id=call.me.id, joined_at=call.sim.clock.now()))
    announce_thread(call.sim, "THREAD_CREATE", thread, newly_created=True)


def _created(call: Call, thread_id: int) -> Answer:
    thread = call.sim.world.channels[thread_id]
    payload = render.channel(call.sim.world, thread, viewer_id=call.me.id)
    return Answer(payload=payload, status=HTTPStatus.CREATED)


ROUTES: Final = (
    Route("POST", "/channels/{channel_id}/messages/{message_id}/threads", start_from_message),
    Route("POST", "/channels/{channel_id}/threads", start),
    Route("GET", "/guilds/{guild_id}/threads/active", list_active),
    Route("GET", "/channels/{channel_id}/threads/archived/public", list_public_archived),
    Route("GET", "/channels/{channel_id}/threads/archived/private", list_private_archived),
    Route("GET", "/channels/{channel_id}/users/@me/threads/archived/private", list_own_private_archived),
)
