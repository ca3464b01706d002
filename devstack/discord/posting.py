"""Messages come into being here: whoever sends, by whatever route, everybody who should hear of it hears of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final

from devstack.discord.compose import NewFile, attachment
from devstack.discord.documents import JsonObject
from devstack.discord.embeds import previews
from devstack.discord.mentions import AllowedMentions, find_mentions
from devstack.discord.messages import WRITTEN_KINDS, Attachment, Cause, Mentions, Message, MessageKind, Reference
from devstack.discord.objects import Channel
from devstack.discord.permissions import Permission
from devstack.discord.render_message import without_content
from devstack.discord.sessions import Event
from devstack.discord.simulation import Simulation
from devstack.discord.thread_life import enter_to_speak, join

PREVIEW_DELAY: Final = timedelta(milliseconds=150)
"""How long after a message with a link the preview arrives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A message that may be sent: all checks are done."""

    channel: Channel
    author_id: int
    content: str = ""
    kind: MessageKind = MessageKind.DEFAULT
    embeds: tuple[JsonObject, ...] = ()
    components: tuple[JsonObject, ...] = ()
    files: tuple[NewFile, ...] = ()
    flags: int = 0
    allowed: AllowedMentions = field(default_factory=AllowedMentions)
    reference: Reference | None = None
    nonce: str | int | None = None
    tts: bool = False
    cause: Cause | None = None
    application_id: int | None = None
    ephemeral_for: int | None = None


def post(sim: Simulation, draft: Draft) -> Message:
    """Send a message: store it, tell everybody, and add previews of its links a moment later."""
    world, channel = sim.world, draft.channel
    if channel.is_thread and draft.ephemeral_for is None and draft.kind in WRITTEN_KINDS:
        channel = enter_to_speak(sim, channel, draft.author_id)
    message = Message(
        id=sim.clock.next_id(),
        channel_id=channel.id,
        guild_id=channel.guild_id,
        author_id=draft.author_id,
        created_at=sim.clock.now(),
        kind=draft.kind,
        content=draft.content,
        mentions=mentions(
            sim,
            channel,
            draft.author_id,
            draft.content,
            allowed=draft.allowed,
            replied_user_id=replied_author(sim, draft.reference),
        ),
        attachments=store_files(sim, draft.files),
        embeds=draft.embeds,
        components=draft.components,
        flags=draft.flags,
        nonce=draft.nonce,
        tts=draft.tts,
        reference=draft.reference,
        cause=draft.cause,
        application_id=draft.application_id,
        ephemeral_for=draft.ephemeral_for,
    )
    world.put(message)
    if channel.is_thread and message.ephemeral_for is None:
        _bring_in(sim, channel, message)
    if message.nonce is not None:
        sim.nonces.remember(message.author_id, message.nonce, message.id)
    if message.ephemeral_for is None:
        _count(sim, channel, message)
    announce(sim, "MESSAGE_CREATE", message, nonce=True)
    preview_later(sim, message)
    return message


def announce(sim: Simulation, name: str, message: Message, *, nonce: bool = False) -> None:
    """Tell everybody who sees it of a message, new or changed.

    Ephemeral ones go to their reader, and to the bot that sent them as if they were direct messages, as documented.
    """
    payload = sim.renderer.event(message, nonce=nonce)
    if message.ephemeral_for is not None:
        only = frozenset({message.ephemeral_for, message.author_id})
        sim.sessions.dispatch(Event(name=name, payload=payload, only=only))
        return
    sim.sessions.dispatch(
        Event(
            name=name,
            payload=payload,
            guild_id=message.guild_id,
            channel=sim.world.channels[message.channel_id],
            stripped=without_content(payload) if message.guild_id is not None else None,
            content_for=frozenset({message.author_id, *message.mentions.user_ids}),
        )
    )


def mentions(
    sim: Simulation,
    channel: Channel,
    author_id: int,
    content: str,
    *,
    allowed: AllowedMentions,
    replied_user_id: int | None,
) -> Mentions:
    """Decide whom a message in a channel pings."""
    if replied_user_id is None and "@" not in content:
        return Mentions()
    world = sim.world
    if channel.guild_id is None:
        known, roles, everyone = frozenset(channel.recipient_ids), frozenset[int](), False
    else:
        everyone = bool(world.permissions(channel, author_id) & Permission.MENTION_EVERYONE)
        known = frozenset(world.users)
        roles = frozenset(
            r.id
            for r in world.guild_roles(channel.guild_id)
            if r.id != channel.guild_id and (r.mentionable or everyone)
        )
    return find_mentions(
        content,
        allowed,
        known_users=known,
        pingable_roles=roles,
        may_ping_everyone=everyone,
        replied_user_id=replied_user_id,
    )


def replied_author(sim: Simulation, reference: Reference | None) -> int | None:
    """Find whom a reply answers; None when it answers nobody."""
    found = sim.world.messages.get(reference.message_id or 0) if reference is not None else None
    return None if found is None else found.author_id


def store_files(sim: Simulation, files: tuple[NewFile, ...]) -> tuple[Attachment, ...]:
    """Keep the bytes of files and make their records."""
    made: list[Attachment] = []
    for file in files:
        record = attachment(sim.clock.next_id(), file)
        sim.storage.put_blob(record.id, file.upload.content)
        made.append(record)
    return tuple(made)


def preview_later(sim: Simulation, message: Message) -> None:
    """Add previews of links a moment later, by a partial MESSAGE_UPDATE that is no edit."""
    if "http" not in message.content or message.suppresses_embeds or message.ephemeral_for is not None:
        return
    if not previews(message.content):
        return
    sim.timers.later(PREVIEW_DELAY, lambda: _preview(sim, message.id))


def _preview(sim: Simulation, message_id: int) -> None:
    message = sim.world.messages.get(message_id)
    channel = None if message is None else sim.world.channels.get(message.channel_id)
    if message is None or channel is None or message.suppresses_embeds:
        return
    if not sim.world.permissions(channel, message.author_id) & Permission.EMBED_LINKS:
        return
    message = replace(message, link_embeds=previews(message.content))
    sim.world.put(message)
    sim.storage.commit()
    payload = sim.renderer.link_preview(message)
    withheld: JsonObject = {"embeds": []}
    sim.sessions.dispatch(
        Event(
            name="MESSAGE_UPDATE",
            payload=payload,
            guild_id=message.guild_id,
            channel=channel,
            stripped=payload | withheld if message.guild_id is not None else None,
            content_for=frozenset({message.author_id, *message.mentions.user_ids}),
        )
    )


def _bring_in(sim: Simulation, thread: Channel, message: Message) -> None:
    """Add those whom a message in a thread mentions to the thread, if they see its parent."""
    parent = sim.world.channels.get(thread.parent_id or 0)
    for user_id in message.mentions.user_ids:
        if parent is not None and sim.world.sees(parent, user_id):
            join(sim, thread, user_id)


def _count(sim: Simulation, channel: Channel, message: Message) -> None:
    """Keep the channel's last message, and the counts of a thread; sending to an archived thread reopens it."""
    facts = channel.thread
    if facts is not None and message.kind is not MessageKind.THREAD_STARTER:
        facts = replace(facts, message_count=facts.message_count + 1, total_sent=facts.total_sent + 1)
    sim.world.put(replace(channel, last_message_id=message.id, thread=facts))
