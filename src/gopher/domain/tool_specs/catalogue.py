"""Which tools a deployment has: the groups of declarations, in the order in which models are told of them."""

from __future__ import annotations

from gopher.domain.tools import ToolRegistry


def catalogue() -> ToolRegistry:
    """Compose the registry."""
    return ToolRegistry(())
