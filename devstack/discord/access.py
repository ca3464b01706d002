"""What a caller may reach: the checks that every route makes, refusing with Discord's codes."""

from __future__ import annotations

from devstack.discord.documents import JsonObject
from devstack.discord.errors import Code, Refused
from devstack.discord.intents import Intent
from devstack.discord.messages import Message
from devstack.discord.objects import Channel, Guild, User
from devstack.discord.permissions import Permission
from devstack.discord.render_message import without_content
from devstack.discord.simulation import Simulation


def shown_message(sim: Simulation, message: Message, viewer: User) -> JsonObject:
    """Render a message for who asks: applications without the intent MESSAGE_CONTENT see no words of others.

    Exceptions are direct messages, their own messages, and those that mention them.
    """
    body = sim.renderer.rest(message, viewer_id=viewer.id)
    granted = not viewer.bot or message.guild_id is None or sim.privileged_intents & Intent.MESSAGE_CONTENT
    if granted or viewer.id in (message.author_id, *message.mentions.user_ids):
        return body
    return without_content(body)


def visible_channel(sim: Simulation, channel_id: int, user: User) -> Channel:
    """Find a channel that the user sees: 10003 when there is none, 50001 when it is hidden."""
    channel = sim.world.channel(channel_id)
    if not sim.world.sees(channel, user.id):
        raise Refused(Code.MISSING_ACCESS)
    return channel


def require(sim: Simulation, channel: Channel, user: User, needed: Permission) -> None:
    """Refuse with 50013 when the user lacks one of the permissions in the channel."""
    if needed & ~sim.world.permissions(channel, user.id):
        raise Refused(Code.MISSING_PERMISSIONS)


def readable_channel(sim: Simulation, channel_id: int, user: User) -> Channel:
    """Find a channel whose history the user may read."""
    channel = visible_channel(sim, channel_id, user)
    require(sim, channel, user, Permission.READ_MESSAGE_HISTORY)
    return channel


def joined_guild(sim: Simulation, guild_id: int, user: User) -> Guild:
    """Find a guild that the user is in: 10004 when there is none or the user is a stranger to it."""
    guild = sim.world.guild(guild_id)
    if (guild_id, user.id) not in sim.world.members:
        raise Refused(Code.UNKNOWN_GUILD)
    return guild


def require_in_guild(sim: Simulation, guild: Guild, user: User, needed: Permission) -> None:
    """Refuse with 50013 when the user lacks one of the permissions in the guild."""
    if needed & ~sim.world.guild_permissions(guild.id, user.id):
        raise Refused(Code.MISSING_PERMISSIONS)


def writable_thread(channel: Channel, *, sending: bool = False) -> None:
    """Refuse with 50083 what cannot be done in an archived thread; sending reopens one that is not locked."""
    facts = channel.thread
    if facts is None or not facts.archived:
        return
    if sending and not facts.locked:
        return
    raise Refused(Code.THREAD_ARCHIVED)
