"""The world of the simulated Discord: every record, how to find it, and the write-through to storage."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from typing import Final

from devstack.discord.clock import Clock
from devstack.discord.errors import Code, Refused
from devstack.discord.interactions import Interaction
from devstack.discord.messages import Attachment, Message
from devstack.discord.objects import Channel, ChannelKind, Command, Guild, Member, Role, ThreadMember, User
from devstack.discord.permissions import (
    NOTHING,
    Permission,
    Seat,
    channel_permissions,
    direct_message_permissions,
    guild_permissions,
    thread_permissions,
)
from devstack.discord.storage import FileStorage, Record, Storage

_NO_TIMELINE: Final[list[int]] = []


class World:
    """Records by id. Whoever changes something calls `put` or `drop`; the storage follows, and commits later."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self.storage = storage
        self.clock = clock
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.roles: dict[int, Role] = {}
        self.members: dict[tuple[int, int], Member] = {}
        """By guild and user."""
        self.channels: dict[int, Channel] = {}
        """Guild channels, threads and direct messages."""
        self.thread_members: dict[tuple[int, int], ThreadMember] = {}
        """By thread and user."""
        self.messages: dict[int, Message] = {}
        self.commands: dict[int, Command] = {}
        self.interactions: dict[int, Interaction] = {}
        self.attachments: dict[int, Attachment] = {}
        """Those of all messages."""
        self._tokens: dict[str, int] = {}
        self._timelines: dict[int, list[int]] = {}
        self._direct: dict[frozenset[int], int] = {}

    # --- changes

    def put(self, record: Record) -> None:
        """Add a record or replace it by its present form."""
        self._index(record)
        self.storage.put(record)

    def drop(self, record: Record) -> None:
        """Forget a record, and nothing that hangs on it."""
        self.storage.drop(record)
        match record:
            case Message():
                self.messages.pop(record.id, None)
                for file in record.attachments:
                    self.attachments.pop(file.id, None)
                timeline = self._timelines.get(record.channel_id, _NO_TIMELINE)
                at = bisect_left(timeline, record.id)
                if at < len(timeline) and timeline[at] == record.id:
                    del timeline[at]
            case Channel():
                self.channels.pop(record.id, None)
            case Member():
                self.members.pop((record.guild_id, record.user_id), None)
            case ThreadMember():
                self.thread_members.pop((record.thread_id, record.user_id), None)
            case Command():
                self.commands.pop(record.id, None)
            case Interaction():
                self.interactions.pop(record.id, None)
            case Role():
                self.roles.pop(record.id, None)
            case Guild():
                self.guilds.pop(record.id, None)
            case User():
                self.users.pop(record.id, None)
                self._tokens.pop(record.token, None)

    def load(self, storage: FileStorage) -> bool:
        """Read everything from storage; tell whether anything was there."""
        for record in storage.records():
            self._index(record)
        for snowflake in (*self.messages, *self.channels, *self.commands, *self.interactions):
            self.clock.seen_id(snowflake)
        return bool(self.users)

    def _index(self, record: Record) -> None:
        match record:
            case Message():
                self._index_message(record)
            case Channel():
                self.channels[record.id] = record
                if record.kind is ChannelKind.DM:
                    self._direct[frozenset(record.recipient_ids)] = record.id
            case Member():
                self.members[record.guild_id, record.user_id] = record
            case ThreadMember():
                self.thread_members[record.thread_id, record.user_id] = record
            case User():
                self.users[record.id] = record
                self._tokens[record.token] = record.id
            case Guild():
                self.guilds[record.id] = record
            case Role():
                self.roles[record.id] = record
            case Command():
                self.commands[record.id] = record
            case Interaction():
                self.interactions[record.id] = record

    def _index_message(self, message: Message) -> None:
        if message.id not in self.messages and message.ephemeral_for is None:
            insort(self._timelines.setdefault(message.channel_id, []), message.id)
        self.messages[message.id] = message
        for file in message.attachments:
            self.attachments[file.id] = file

    # --- look-ups that refuse as Discord does

    def user(self, user_id: int) -> User:
        """Find a user, or refuse with 10013."""
        found = self.users.get(user_id)
        if found is None:
            raise Refused(Code.UNKNOWN_USER)
        return found

    def guild(self, guild_id: int) -> Guild:
        """Find a guild, or refuse with 10004."""
        found = self.guilds.get(guild_id)
        if found is None:
            raise Refused(Code.UNKNOWN_GUILD)
        return found

    def channel(self, channel_id: int) -> Channel:
        """Find a channel, or refuse with 10003."""
        found = self.channels.get(channel_id)
        if found is None:
            raise Refused(Code.UNKNOWN_CHANNEL)
        return found

    def message(self, channel_id: int, message_id: int) -> Message:
        """Find a message that a channel sees, or refuse with 10008."""
        found = self.messages.get(message_id)
        if found is None or found.channel_id != channel_id or found.ephemeral_for is not None:
            raise Refused(Code.UNKNOWN_MESSAGE)
        return found

    def member(self, guild_id: int, user_id: int) -> Member:
        """Find a member, or refuse with 10007."""
        found = self.members.get((guild_id, user_id))
        if found is None:
            raise Refused(Code.UNKNOWN_MEMBER)
        return found

    # --- look-ups

    def user_of_token(self, token: str) -> User | None:
        """Find whose token this is."""
        user_id = self._tokens.get(token)
        return None if user_id is None else self.users[user_id]

    def roles_of(self, member: Member) -> list[Role]:
        """List a member's roles, @everyone first."""
        wanted = (member.guild_id, *member.role_ids)
        return [self.roles[role_id] for role_id in wanted if role_id in self.roles]

    def guild_roles(self, guild_id: int) -> list[Role]:
        """List a guild's roles, lowest first."""
        return sorted((r for r in self.roles.values() if r.guild_id == guild_id), key=lambda r: (r.position, r.id))

    def guild_members(self, guild_id: int) -> list[Member]:
        """List a guild's members by id."""
        return sorted((m for m in self.members.values() if m.guild_id == guild_id), key=lambda m: m.user_id)

    def guilds_of(self, user_id: int) -> list[Guild]:
        """List the guilds that a user is in, by id."""
        return [g for _, g in sorted(self.guilds.items()) if (g.id, user_id) in self.members]

    def guild_channels(self, guild_id: int) -> list[Channel]:
        """List a guild's channels in their order, threads left out."""
        found = (c for c in self.channels.values() if c.guild_id == guild_id and not c.is_thread)
        return sorted(found, key=lambda c: (c.position, c.id))

    def threads(self, *, guild_id: int | None = None, parent_id: int | None = None) -> list[Channel]:
        """List the threads of a guild or of a channel, newest first."""
        found = (
            c
            for c in self.channels.values()
            if c.is_thread and (guild_id in (None, c.guild_id)) and (parent_id in (None, c.parent_id))
        )
        return sorted(found, key=lambda c: -c.id)

    def thread_member_list(self, thread_id: int) -> list[ThreadMember]:
        """List who joined a thread, in order of joining."""
        return [m for m in self.thread_members.values() if m.thread_id == thread_id]

    def direct_channel(self, one: int, other: int) -> Channel | None:
        """Find the direct-message channel of two users."""
        channel_id = self._direct.get(frozenset((one, other)))
        return None if channel_id is None else self.channels[channel_id]

    def direct_channels(self, user_id: int) -> list[Channel]:
        """List a user's direct-message channels."""
        return [self.channels[c] for people, c in self._direct.items() if user_id in people]

    def guild_commands(self, application_id: int, guild_id: int | None) -> list[Command]:
        """List an application's commands of one guild, or its global ones for None, by id."""
        found = (c for c in self.commands.values() if c.application_id == application_id and c.guild_id == guild_id)
        return sorted(found, key=lambda c: c.id)

    # --- history

    def message_ids(self, channel_id: int) -> list[int]:
        """List the ids of a channel's messages, oldest first. Not to be changed."""
        return self._timelines.get(channel_id, _NO_TIMELINE)

    def before(self, channel_id: int, message_id: int | None, limit: int) -> list[Message]:
        """List messages older than an id (None: the newest), newest first."""
        timeline = self.message_ids(channel_id)
        end = len(timeline) if message_id is None else bisect_left(timeline, message_id)
        return [self.messages[i] for i in reversed(timeline[max(0, end - limit) : end])]

    def after(self, channel_id: int, message_id: int, limit: int) -> list[Message]:
        """List the messages that follow an id, newest first."""
        timeline = self.message_ids(channel_id)
        start = bisect_right(timeline, message_id)
        return [self.messages[i] for i in reversed(timeline[start : start + limit])]

    def pinned(self, channel_id: int) -> list[Message]:
        """List a channel's pinned messages, latest pin first."""
        found = (self.messages[i] for i in self.message_ids(channel_id))
        pins = [(m.pinned_at, m) for m in found if m.pinned_at is not None]
        return [m for _, m in sorted(pins, key=lambda pin: (pin[0], pin[1].id), reverse=True)]

    # --- permissions

    def seat(self, guild_id: int, user_id: int) -> Seat | None:
        """Collect what decides a member's permissions; None when the user is no member."""
        member = self.members.get((guild_id, user_id))
        guild = self.guilds.get(guild_id)
        if member is None or guild is None:
            return None
        return Seat(guild=guild, member=member, roles=self.roles_of(member), now=self.clock.now())

    def guild_permissions(self, guild_id: int, user_id: int) -> Permission:
        """Compute a user's permissions in a guild: none for strangers."""
        seat = self.seat(guild_id, user_id)
        return NOTHING if seat is None else guild_permissions(seat)

    def permissions(self, channel: Channel, user_id: int) -> Permission:
        """Compute a user's permissions in any channel: none for strangers."""
        if channel.guild_id is None:
            return direct_message_permissions(channel, user_id)
        seat = self.seat(channel.guild_id, user_id)
        if seat is None:
            return NOTHING
        if not channel.is_thread:
            return channel_permissions(seat, channel)
        parent = self.channels.get(channel.parent_id or 0)
        if parent is None:
            return NOTHING
        return thread_permissions(seat, channel, parent, joined=(channel.id, user_id) in self.thread_members)

    def sees(self, channel: Channel, user_id: int) -> bool:
        """Tell whether a user sees a channel."""
        return bool(self.permissions(channel, user_id) & Permission.VIEW_CHANNEL)

    def viewers(self, channel: Channel) -> Iterator[int]:
        """List the users who see a channel."""
        if channel.guild_id is None:
            yield from channel.recipient_ids
            return
        for member in self.guild_members(channel.guild_id):
            if self.sees(channel, member.user_id):
                yield member.user_id
