"""The first day of the simulated Discord: puts the seed's people, guilds, roles and channels into an empty world."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from devstack.discord import seed
from devstack.discord.objects import Channel, ChannelKind, Guild, Member, Overwrite, OverwriteKind, Role, User
from devstack.discord.permissions import Permission
from devstack.discord.state import World

_FOUNDED_AT: Final = datetime(2024, 1, 25, 9, 0, tzinfo=UTC)
"""Near the time in the seed's ids."""

_EVERYONE: Final = (
    Permission.CREATE_INSTANT_INVITE
    | Permission.ADD_REACTIONS
    | Permission.STREAM
    | Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.EMBED_LINKS
    | Permission.ATTACH_FILES
    | Permission.READ_MESSAGE_HISTORY
    | Permission.USE_EXTERNAL_EMOJIS
    | Permission.CONNECT
    | Permission.SPEAK
    | Permission.USE_VAD
    | Permission.CHANGE_NICKNAME
    | Permission.USE_APPLICATION_COMMANDS
    | Permission.REQUEST_TO_SPEAK
    | Permission.CREATE_PUBLIC_THREADS
    | Permission.CREATE_PRIVATE_THREADS
    | Permission.USE_EXTERNAL_STICKERS
    | Permission.SEND_MESSAGES_IN_THREADS
    | Permission.SEND_VOICE_MESSAGES
    | Permission.SEND_POLLS
)
_STAFF: Final = (
    Permission.KICK_MEMBERS
    | Permission.BAN_MEMBERS
    | Permission.VIEW_AUDIT_LOG
    | Permission.MANAGE_MESSAGES
    | Permission.MENTION_EVERYONE
    | Permission.MANAGE_NICKNAMES
    | Permission.MANAGE_THREADS
    | Permission.MODERATE_MEMBERS
    | Permission.PIN_MESSAGES
    | Permission.MUTE_MEMBERS
    | Permission.MOVE_MEMBERS
)
_GOPHER: Final = (
    _EVERYONE
    | Permission.MANAGE_MESSAGES
    | Permission.MANAGE_THREADS
    | Permission.MODERATE_MEMBERS
    | Permission.PIN_MESSAGES
    | Permission.KICK_MEMBERS
    | Permission.BAN_MEMBERS
    | Permission.MANAGE_CHANNELS
    | Permission.MANAGE_ROLES
)


def found(world: World) -> None:
    """Fill an empty world."""
    for person in seed.EVERYBODY:
        world.put(
            User(
                id=person.id,
                username=person.username,
                display_name=person.display_name,
                colour=person.colour,
                token=person.token,
                bot=person.bot,
            )
        )
    _first_guild(world)
    _second_guild(world)
    world.storage.commit()


def _first_guild(world: World) -> None:
    guild_id = seed.GUILD_ID
    world.put(Guild(id=guild_id, name=seed.GUILD_NAME, owner_id=seed.ADA.id))
    for role in _first_roles():
        world.put(role)
    roles = {
        seed.BOT: (seed.GOPHER_ROLE_ID,),
        seed.OTHER_BOT: (seed.HERALD_ROLE_ID,),
        seed.GRACE: (seed.STAFF_ROLE_ID,),
        seed.LINUS: (seed.REGULARS_ROLE_ID,),
        seed.MIKA: (seed.REGULARS_ROLE_ID,),
    }
    for person in seed.EVERYBODY:
        world.put(Member(guild_id=guild_id, user_id=person.id, joined_at=_FOUNDED_AT, role_ids=roles.get(person, ())))
    _first_channels(world)


def _first_roles() -> tuple[Role, ...]:
    guild_id = seed.GUILD_ID
    return (
        Role(id=guild_id, guild_id=guild_id, name="@everyone", permissions=_EVERYONE, position=0),
        Role(
            id=seed.REGULARS_ROLE_ID,
            guild_id=guild_id,
            name="Regulars",
            permissions=0,
            position=1,
            colour=0xE5A50A,
            mentionable=True,
        ),
        Role(
            id=seed.HERALD_ROLE_ID,
            guild_id=guild_id,
            name="Herald",
            permissions=0,
            position=2,
            bot_id=seed.OTHER_BOT.id,
        ),
        Role(
            id=seed.STAFF_ROLE_ID,
            guild_id=guild_id,
            name="Staff",
            permissions=_STAFF,
            position=3,
            colour=0x2EC27E,
            hoist=True,
        ),
        Role(
            id=seed.GOPHER_ROLE_ID,
            guild_id=guild_id,
            name="Gopher",
            permissions=_GOPHER,
            position=4,
            colour=0x5B8DEF,
            bot_id=seed.BOT.id,
        ),
    )


def _first_channels(world: World) -> None:
    guild_id = seed.GUILD_ID
    world.put(
        Channel(
            id=seed.TEXT_CATEGORY_ID, kind=ChannelKind.CATEGORY, guild_id=guild_id, name="Text channels", position=0
        )
    )
    private = (
        Overwrite(id=guild_id, kind=OverwriteKind.ROLE, deny=Permission.VIEW_CHANNEL),
        Overwrite(id=seed.STAFF_ROLE_ID, kind=OverwriteKind.ROLE, allow=Permission.VIEW_CHANNEL),
        Overwrite(id=seed.GOPHER_ROLE_ID, kind=OverwriteKind.ROLE, allow=Permission.VIEW_CHANNEL),
    )
    for position, (channel_id, name, topic, overwrites) in enumerate(
        (
            (seed.GENERAL_ID, "general", "Everything that has no better place", ()),
            (seed.PROJECTS_ID, "projects", "What we build, and how it goes", ()),
            (seed.RANDOM_ID, "random", None, ()),
            (seed.STAFF_ID, "staff", "Only for staff", private),
        )
    ):
        world.put(
            Channel(
                id=channel_id,
                kind=ChannelKind.TEXT,
                guild_id=guild_id,
                name=name,
                topic=topic,
                position=position,
                parent_id=seed.TEXT_CATEGORY_ID,
                overwrites=overwrites,
            )
        )


def _second_guild(world: World) -> None:
    guild_id = seed.SECOND_GUILD_ID
    world.put(Guild(id=guild_id, name=seed.SECOND_GUILD_NAME, owner_id=seed.ADA.id))
    world.put(Role(id=guild_id, guild_id=guild_id, name="@everyone", permissions=_EVERYONE, position=0))
    world.put(
        Role(
            id=seed.SECOND_GUILD_BOT_ROLE_ID,
            guild_id=guild_id,
            name="Gopher",
            permissions=_GOPHER,
            position=1,
            bot_id=seed.BOT.id,
        )
    )
    for person, roles in ((seed.BOT, (seed.SECOND_GUILD_BOT_ROLE_ID,)), (seed.ADA, ()), (seed.MIKA, ())):
        world.put(Member(guild_id=guild_id, user_id=person.id, joined_at=_FOUNDED_AT, role_ids=roles))
    world.put(
        Channel(id=seed.LOBBY_ID, kind=ChannelKind.TEXT, guild_id=guild_id, name="lobby", topic="Night shift only")
    )
