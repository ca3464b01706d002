"""The list of every REST route that the simulated Discord serves."""

from __future__ import annotations

from typing import Final

from devstack.discord.rest import (
    attachments,
    callbacks,
    changes,
    channels,
    commands,
    guilds,
    invocations,
    members,
    messages,
    pins,
    reactions,
    thread_members,
    threads,
    users,
    webhooks,
)
from devstack.discord.rest.call import Route

ROUTES: Final[tuple[Route, ...]] = (
    *users.ROUTES,
    *guilds.ROUTES,
    *members.ROUTES,
    *channels.ROUTES,
    *threads.ROUTES,
    *thread_members.ROUTES,
    *messages.ROUTES,
    *changes.ROUTES,
    *reactions.ROUTES,
    *pins.ROUTES,
    *attachments.ROUTES,
    *commands.ROUTES,
    *invocations.ROUTES,
    *callbacks.ROUTES,
    *webhooks.ROUTES,
)
"""Paths are those of Discord's documentation, with the names of its parameters."""
