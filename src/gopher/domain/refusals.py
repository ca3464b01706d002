"""What a model is told of a call that was not made, or that gave nothing of its own."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

REFUSALS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "unknown_tool": "There is no tool of this name.",
        "repeated_call": "This very call was made before, as often as one may be; its results are above.",
        "tool_budget": "No further tool call is allowed in this run. Answer from what is there.",
        "run_timeout": "There is no time left for tools. Answer from what is there.",
        "tool_timeout": "The tool did not answer in time; it was stopped.",
        "tool_unavailable": "This tool cannot be used at the moment.",
        "tool_failed": "The tool failed; nothing is known of why.",
    }
)


def refusal_message(code: str) -> str:
    """Say why a call has no result of its own."""
    return REFUSALS.get(code, "This call was not made.")
