"""What is said to a model and what it says back: prompt messages, tool definitions, finished turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """Who speaks in a prompt; the values are the chat-completions protocol's own."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    """The result of one tool call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedCall:
    """One tool call that a model asked for.

    Its identity is its position in the turn: ids are the provider's and need not be unique.
    """

    id: str
    """What is echoed to the provider: the id as it gave it, even when two calls share it; one made from the position
    when it gave none. Never empty."""
    name: str
    """As the model wrote it, which need not be a tool that exists. Empty when the provider named none."""
    arguments: str
    """JSON text as the model wrote it, valid or not; `{}` when it gave nothing, an empty text or `null`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMessage:
    """One message of a prompt."""

    role: Role
    content: str
    """Text; may be empty only for an assistant message that carries tool calls."""
    tool_calls: tuple[RequestedCall, ...] = ()
    """For assistant messages: the calls of that turn in the model's order."""
    tool_call_id: str | None = None
    """For tool messages: the `RequestedCall.id` that this answers; results stand in the order of their calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """A tool as it is offered to a model."""

    name: str
    """At most 64 letters, digits, underscores and dashes: the protocol's rule."""
    description: str
    parameters: Mapping[str, object]
    """JSON schema of the arguments; its top level is an object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSchema:
    """What a model is to answer with instead of prose."""

    name: str
    """At most 64 letters, digits, underscores and dashes: the protocol's rule."""
    document: Mapping[str, object]
    """JSON schema; its top level is an object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTurn:
    """A finished turn of a model: text, tool calls, or both; never neither."""

    text: str
    """Without the model's `<think>` blocks, stripped; empty only when there are calls."""
    calls: tuple[RequestedCall, ...]
    """In the model's order."""
    finish_reason: str
    """As the provider gave it; `stop` or `tool_calls` when it gave none."""
    model: str
    """The model that answered, as the provider named it; the one asked for when it named none."""
    prompt_tokens: int
    """0 when the provider did not say."""
    completion_tokens: int
    """0 when the provider did not say."""
    first_token_ms: int | None
    """From the request to the first piece of text or call; None when it did not arrive in pieces."""
    duration_ms: int
    """From the request to the end of the body."""
