"""The list of every REST route that the simulated Discord serves."""

from __future__ import annotations

from typing import Final

from devstack import discord_rest_changes, discord_rest_channels, discord_rest_messages, discord_rest_users
from devstack.discord_rest import Route

ROUTES: Final[tuple[Route, ...]] = (
    *discord_rest_users.ROUTES,
    *discord_rest_channels.ROUTES,
    *discord_rest_messages.ROUTES,
    *discord_rest_changes.ROUTES,
)
