"""The list of every REST route that the simulated Discord serves."""

from __future__ import annotations

from typing import Final

from devstack import (
    discord_rest_attachments,
    discord_rest_callbacks,
    discord_rest_changes,
    discord_rest_channels,
    discord_rest_commands,
    discord_rest_guilds,
    discord_rest_invocations,
    discord_rest_members,
    discord_rest_messages,
    discord_rest_pins,
    discord_rest_reactions,
    discord_rest_thread_members,
    discord_rest_threads,
    discord_rest_users,
    discord_rest_webhooks,
)
from devstack.discord_call import Route

ROUTES: Final[tuple[Route, ...]] = (
    *discord_rest_users.ROUTES,
    *discord_rest_guilds.ROUTES,
    *discord_rest_members.ROUTES,
    *discord_rest_channels.ROUTES,
    *discord_rest_threads.ROUTES,
    *discord_rest_thread_members.ROUTES,
    *discord_rest_messages.ROUTES,
    *discord_rest_changes.ROUTES,
    *discord_rest_reactions.ROUTES,
    *discord_rest_pins.ROUTES,
    *discord_rest_attachments.ROUTES,
    *discord_rest_commands.ROUTES,
    *discord_rest_invocations.ROUTES,
    *discord_rest_callbacks.ROUTES,
    *discord_rest_webhooks.ROUTES,
)
"""Paths are those of Discord's documentation, with the names of its parameters."""
