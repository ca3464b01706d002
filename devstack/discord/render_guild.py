"""How guilds and applications look on the wire."""

from __future__ import annotations

from devstack.discord import render, seed
from devstack.discord.documents import JsonObject, timestamp
from devstack.discord.objects import Channel, ChannelKind, Guild, User
from devstack.discord.permissions import Permission
from devstack.discord.state import World


def guild(world: World, record: Guild) -> JsonObject:
    """Render a guild as REST answers it."""
    return {
        "id": str(record.id),
        "name": record.name,
        "icon": None,
        "description": None,
        "home_header": None,
        "splash": None,
        "discovery_splash": None,
        "features": [],
        "banner": None,
        "owner_id": str(record.owner_id),
        "application_id": None,
        "region": "rotterdam",
        "afk_channel_id": None,
        "afk_timeout": 300,
        "system_channel_id": None,
        "system_channel_flags": 0,
        "widget_enabled": False,
        "widget_channel_id": None,
        "verification_level": 0,
        "roles": [render.role(r) for r in world.guild_roles(record.id)],
        "default_message_notifications": 1,
        "mfa_level": 0,
        "explicit_content_filter": 0,
        "max_presences": None,
        "max_members": 500000,
        "max_stage_video_channel_users": 50,
        "max_video_channel_users": 25,
        "vanity_url_code": None,
        "premium_tier": 0,
        "premium_subscription_count": 0,
        "preferred_locale": render.SYSTEM_LOCALE,
        "rules_channel_id": None,
        "safety_alerts_channel_id": None,
        "public_updates_channel_id": None,
        "premium_progress_bar_enabled": False,
        "nsfw": False,
        "nsfw_level": 0,
        "emojis": [],
        "stickers": [],
        "incidents_data": None,
    }


def joined_guild(world: World, record: Guild, viewer: User, *, everybody: bool) -> JsonObject:
    """Render a guild as GUILD_CREATE and a member's READY carry it.

    Bots get all channels, as from Discord, hidden ones included; people get those that they see, each with what they
    may do in it.
    `everybody` decides whether all members are listed or the viewer alone.
    """
    own = world.member(record.id, viewer.id)
    members = world.guild_members(record.id)
    channels = world.guild_channels(record.id)
    viewer_id = None if viewer.bot else viewer.id
    if not viewer.bot:
        channels = [c for c in channels if _shown(world, c, viewer.id)]
    threads = [t for t in world.threads(guild_id=record.id) if _active(t) and world.sees(t, viewer.id)]
    return guild(world, record) | {
        "joined_at": timestamp(own.joined_at),
        "large": False,
        "unavailable": False,
        "member_count": len(members),
        "members": [render.member(world, m) for m in members if everybody or m.user_id == viewer.id],
        "channels": [render.channel(world, c, viewer_id=viewer_id) for c in channels],
        "threads": [render.channel(world, t, viewer_id=viewer.id) for t in threads],
        "voice_states": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def _active(thread: Channel) -> bool:
    return thread.thread is not None and not thread.thread.archived


def _shown(world: World, record: Channel, viewer_id: int) -> bool:
    """Decide whether a person's channel list has it: a category is shown with what is in it."""
    if record.kind is not ChannelKind.CATEGORY:
        return world.sees(record, viewer_id)
    inside = [c for c in world.guild_channels(record.guild_id or 0) if c.parent_id == record.id]
    return any(world.sees(c, viewer_id) for c in inside)


def application(world: World, record: User, *, flags: int) -> JsonObject:
    """Render a bot's application for the bot itself; the flags tell which privileged intents are on."""
    owner = render.user(world.user(seed.ADA.id))
    return {
        "id": str(record.id),
        "name": record.display_name,
        "icon": None,
        "description": "A bot in the simulated Discord",
        "type": None,
        "bot": render.user(record),
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "0" * 64,
        "flags": flags,
        "flags_new": str(flags),
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "owner": owner,
        "approximate_guild_count": len(world.guilds_of(record.id)),
        "approximate_user_install_count": 0,
        "approximate_user_authorization_count": 0,
        "explicit_content_filter": 0,
        "team": None,
        "eligible_oauth2_scopes": ["bot", "applications.commands"],
    }


def partial_guild(record: Guild, permissions: Permission, viewer: User) -> JsonObject:
    """Render a guild as the list of one's guilds has it."""
    return {
        "id": str(record.id),
        "name": record.name,
        "icon": None,
        "banner": None,
        "owner": record.owner_id == viewer.id,
        "permissions": str(int(permissions)),
        "features": [],
    }
