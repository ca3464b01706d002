"""What the scripted providers answer: turns chosen by what was asked, and the record of everything that was asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class _Scripted(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Step(_Scripted):
    """What every scripted answer can do besides answering: be late, refuse, or send something else."""

    match: str | None = None
    """Text that must occur in the last user message (or in the query or URL of web research); None matches all."""
    times: int | None = Field(default=1, ge=1)
    """How many requests it answers; None: any number."""
    delay_seconds: float = Field(default=0, ge=0)
    """Before the first byte, status line included."""
    status: int = Field(default=200, ge=100, le=599)
    headers: dict[str, str] = {}
    """Added to the response: `Retry-After`, `x-should-retry`, …"""
    body: str | None = None
    """Sent instead of anything else, as it stands."""
    content_type: str = "application/json"
    """Of `body`."""
    error: dict[str, JsonValue] | None = None
    """The error object of a status that is not 200; None gives a plain one."""
    drop: bool = False
    """Close the connection instead of answering."""


class ScriptedCall(_Scripted):
    """A tool call of a scripted turn, as the provider is to give it."""

    name: str
    arguments: JsonValue = "{}"
    """Text is sent as it stands, null as null, anything else as its JSON text."""
    id: str | None = None
    """None: a fresh one. Empty: none is sent."""


class ModelTurn(Step):
    """One answer of the scripted model."""

    iteration: int | None = Field(default=None, ge=1)
    """Which turn of a run it is: 1 plus the assistant messages after the last user message. None matches all."""
    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    finish_reason: str | None = None
    """None: `tool_calls` with calls, else `stop`. Empty: none is sent."""
    pieces: tuple[str, ...] | None = None
    """How the text is cut in a stream; None: word by word."""
    deltas: tuple[dict[str, JsonValue], ...] | None = None
    """The deltas of a stream as they stand, instead of those of text and calls."""
    chunk_delay_seconds: float = Field(default=0, ge=0)
    """Before each chunk of a stream."""
    break_after: int | None = Field(default=None, ge=0)
    """Close the connection after so many chunks, in the middle of the body."""
    stall_after: int | None = Field(default=None, ge=0)
    """Send nothing more after so many chunks, and keep the connection."""
    end_after: int | None = Field(default=None, ge=0)
    """End the body after so many chunks as if all were said."""
    malformed_after: int | None = Field(default=None, ge=0)
    """Send a chunk that is no JSON after so many chunks, then go on."""
    error_after: int | None = Field(default=None, ge=0)
    """Send `error` as an error object after so many chunks, then end."""
    whole: bool = False
    """Answer with one JSON document although a stream was asked for."""
    model: str | None = None
    """The model it claims to be; None: the one asked for."""
    prompt_tokens: int | None = 11
    """None: usage is not told."""
    completion_tokens: int | None = 7


class WebTurn(Step):
    """One answer of the scripted web research."""

    endpoint: Literal["search", "scrape"] | None = None
    """None matches both."""
    data: JsonValue = None
    """`data` of the answer: grouped, flat or odd; None gives the stand-in's own pages."""


class Script(_Scripted):
    """What a test wants answered. The first turn that matches and is not used up answers a request."""

    chat: tuple[ModelTurn, ...] = ()
    web: tuple[WebTurn, ...] = ()
    embeddings: tuple[Step, ...] = ()
    """Only their delays and failures: a scripted embedding that succeeds is the usual one."""
    otherwise: Literal["error", "default"] = "error"
    """What answers a request that no turn matches: an error that says so, or the demo model and its pages."""


class Recorded(BaseModel):
    """One request as it came in."""

    model_config = ConfigDict(extra="forbid")

    number: int
    """From 1, over all endpoints."""
    path: str
    body: JsonValue
    authorized: bool
    """Whether it carried a bearer token; which one is not kept."""
    received_at: float
    """Seconds since 1970."""
    finished_at: float | None = None
    """None while it is being answered."""
    status: int | None = None
    """None while it is being answered and when the client went away first."""
    turn: int | None = None
    """Position of the turn that answered, from 0; None for a default answer."""


KEPT: Final = 1000
"""Requests that are kept: plenty for a test, and bounded for a demo that runs for weeks."""


class Uses:
    """Counts how often each turn of a script was used."""

    def __init__(self) -> None:
        self._used: dict[int, int] = {}

    def take(self, turns: Iterable[tuple[int, Step]]) -> int | None:
        """Use up one of the turns that match: the first, in script order, that has uses left. Returns its position."""
        for position, turn in turns:
            used = self._used.get(position, 0)
            if turn.times is None or used < turn.times:
                self._used[position] = used + 1
                return position
        return None
