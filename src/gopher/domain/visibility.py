"""What operators see of a run in the Temporal UI: search attributes, summary and details, never content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from gopher.domain.journal import RequestFacts

NEEDS_OPERATOR_STATUS: Final = "needs_operator"
"""Value of `RunStatus` while a run waits for a person; the other values are those of `gopher.domain.runs.RunStatus`."""


PREVIEW_CHARACTERS: Final = 80


class SearchAttribute(StrEnum):
    """Names of the search attributes of a run; all are keywords."""

    GUILD = "GuildId"
    CHANNEL = "ChannelId"
    USER = "UserId"
    STATUS = "RunStatus"
    ERROR = "ErrorCode"


class OperatorDecision(StrEnum):
    """What an operator tells a run that waits: the argument of the signal `operator`."""

    RETRY = "retry"
    """Take the failed step again."""
    ABANDON = "abandon"
    """End the run as failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is."""

    doing: str
    """What it does or waits for; how it ended once it has."""
    iterations: int
    calls: Mapping[str, int]
    """How often each tool was called, by name."""
    refused: Mapping[str, int]
    """How many calls were not made, by code."""
    prompt_tokens: int
    completion_tokens: int
    elapsed: timedelta
    code: str | None = None
    """Why it ended without an answer."""
    preview: str | None = None
    """The first words of the last turn, where an operator has asked to see them; else None."""


def static_summary(request: RequestFacts) -> str:
    """Name a run in the list of workflows."""
    place = f"{request.surface}, direct" if request.guild_id is None else f"guild {request.guild_id}"
    return f"{request.trigger} {request.request_id} by {request.user_id} in {place}, channel {request.channel_id}"


def details(progress: Progress) -> str:
    """Write a run's state in Markdown."""
    lines = [
        f"**{progress.doing}**" + (f" (`{progress.code}`)" if progress.code else ""),
        "",
        f"- iterations: {progress.iterations}",
        f"- tools: {_counts(progress.calls)}",
        f"- refused: {_counts(progress.refused)}",
        f"- tokens: {progress.prompt_tokens} in, {progress.completion_tokens} out",
        f"- workflow time: {progress.elapsed.total_seconds():.1f} s",
    ]
    if progress.preview is not None:
        lines += ["", f"> {progress.preview}"]
    return "\n".join(lines)


def preview(text: str) -> str:
    """Take the first words of a text, on one line."""
    words = " ".join(text.split())
    return words if len(words) <= PREVIEW_CHARACTERS else f"{words[:PREVIEW_CHARACTERS]}…"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in counts.items()) or "none"
