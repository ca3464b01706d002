"""The chat model: one finished turn for one prompt, streamed, under one deadline."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from time import perf_counter
from typing import TypeAlias, assert_never

import httpx2
import openai
from openai import AsyncStream
from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionMessageParam

from gopher.domain.conversation import AnswerSchema, ChatTurn, PromptMessage, Role, ToolDefinition
from gopher.providers.client import create_client
from gopher.providers.completion import TurnAssembly, WireCompletion, check_ending
from gopher.providers.endpoint import OPENAI_URL, check_url, host_of
from gopher.providers.failures import broke_off, failure, not_openai, read_reply, reply_of_body, timed_out, translate

_Prompt: TypeAlias = list[ChatCompletionMessageParam]
_Offered: TypeAlias = list[ChatCompletionFunctionToolParam]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dialect:
    """The two points in which OpenAI-compatible servers differ so much that no one request suits all."""

    newer_limit: bool
    """OpenAI's newer models refuse `max_tokens`, most others know nothing else."""
    usage: bool = True
    """Old servers refuse `stream_options`."""
    schema: bool = True
    """Many servers know no `response_format`; they are asked for JSON in words only."""

    def parameters(self, max_output_tokens: int) -> dict[str, object]:
        limit = "max_completion_tokens" if self.newer_limit else "max_tokens"
        usage: dict[str, object] = {"stream_options": {"include_usage": True}} if self.usage else {}
        return {limit: max_output_tokens, **usage}

    def without(self, complaint: str) -> _Dialect | None:
        """Find the dialect that avoids what a refused request was blamed for; None when there is none."""
        if self.schema and ("response_format" in complaint or "json_schema" in complaint):
            return replace(self, schema=False)
        if self.usage and "stream_options" in complaint:
            return replace(self, usage=False)
        if self.newer_limit and "max_completion_tokens" in complaint:
            return replace(self, newer_limit=False)
        if not self.newer_limit and "max_tokens" in complaint and "unsupported" in complaint:
            return replace(self, newer_limit=True)
        return None


class ChatModel:
    """A model behind the chat-completions protocol. Safe to use from many tasks at once; close it in the end.

    It retries nothing: whoever calls has the one retry policy. Only a parameter that a server does not know is taken
    back within the same attempt, and remembered.
    """

    def __init__(self, *, api_key: str, base_url: str | None, model: str, max_output_tokens: int) -> None:
        """Check the settings; nothing is sent.

        Args:
            api_key: As the provider gave it.
            base_url: None means OpenAI's own.
            model: Asked for in every turn.
            max_output_tokens: Most tokens of one turn; a turn that needs more fails with `answer_cut_off`.

        Raises:
            ConfigurationError: the URL or the key cannot be used.
        """
        url = check_url(base_url or OPENAI_URL, variable="OPENAI_BASE_URL")
        self._host = host_of(url)
        self._model = model
        self._max_output_tokens = max_output_tokens
        self._dialect = _Dialect(newer_limit=url == OPENAI_URL)
        self._client = create_client(url, api_key)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def complete(
        self,
        messages: Sequence[PromptMessage],
        tools: Sequence[ToolDefinition] = (),
        *,
        deadline: timedelta,
        schema: AnswerSchema | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> ChatTurn:
        """Take one turn.

        Args:
            messages: The prompt in order.
            tools: What the model may call; none means that it cannot call anything.
            schema: What the text is to be, as JSON. A provider that knows no such mode answers freely, so the text must
                be validated all the same.
            deadline: For the whole attempt: connecting, waiting, and the body to its end.
            on_text: Called with each piece of visible text as it comes. The turn's own text is the truth: it is
                stripped, and freed also of reasoning that only its end gives away.

        Raises:
            ProviderUnavailable: `provider_unavailable`, `provider_timeout`, `provider_rate_limited`, with what the
                provider said about when to come back; the connection is closed.
            ProviderRejected: `authentication`, `model_not_found`, `context_too_long`, `provider_quota`,
                `provider_not_openai`, `provider_rejected`, `content_filtered`, `answer_cut_off`, `empty_answer`.
        """
        prompt = [_message(message) for message in messages]
        offered = [_tool(tool) for tool in tools]
        try:
            async with asyncio.timeout(deadline.total_seconds()):
                return await self._take_turn(prompt, offered, schema, on_text)
        except TimeoutError:
            raise timed_out(self._host) from None
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            # Without the cause: the SDK's messages quote the provider, and the provider may quote the prompt or the
            # key.
            raise translate(error, host=self._host, now=datetime.now(UTC)) from None

    async def _take_turn(
        self, prompt: _Prompt, offered: _Offered, schema: AnswerSchema | None, on_text: Callable[[str], None] | None
    ) -> ChatTurn:
        while True:
            dialect = self._dialect
            try:
                return await self._attempt(prompt, offered, schema, dialect, _Listener(on_text))
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                reply = read_reply(error, now=datetime.now(UTC))
                other = dialect.without(f"{reply.parameter} {reply.words} {' '.join(reply.identifiers)}".lower())
                if other is None:
                    raise
                self._dialect = other

    async def _attempt(
        self,
        prompt: _Prompt,
        offered: _Offered,
        schema: AnswerSchema | None,
        dialect: _Dialect,
        listener: _Listener,
    ) -> ChatTurn:
        # Beside the typed parameters, which the SDK holds against its types message by message: 12 ms a turn, measured.
        body: dict[str, object] = {"messages": prompt, **dialect.parameters(self._max_output_tokens)}
        if offered:
            body["tools"] = offered
        if schema is not None and dialect.schema:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": schema.name, "schema": dict(schema.document)},
            }
        async with self._client.chat.completions.with_streaming_response.create(
            model=self._model, messages=(), stream=True, extra_body=body
        ) as response:
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind == "text/html":
                raise not_openai(self._host, "a page")
            if kind.endswith("json"):
                self._hear_whole(await response.read(), listener)
            else:
                await self._hear_stream(await response.parse(to=AsyncStream[object]), listener)
        return listener.turn(asked=self._model)

    def _hear_whole(self, body: bytes, listener: _Listener) -> None:
        """Read an answer of a server that does not stream although it was asked to."""
        try:
            completion = self._completion(json.loads(body))
        except ValueError:
            raise not_openai(self._host, "JSON of another kind") from None
        if completion.choices is None:
            raise not_openai(self._host, "JSON of another kind")
        listener.hear(completion, streamed=False)

    async def _hear_stream(self, stream: AsyncStream[object], listener: _Listener) -> None:
        heard = False
        try:
            async for chunk in stream:
                listener.hear(self._completion(chunk), streamed=True)
                heard = True
        except ValueError:  # the SDK's own JSON or UTF-8 decoding, or a chunk of another shape
            if not heard:
                raise not_openai(self._host, "a stream of another kind") from None
            raise broke_off(self._host) from None
        if not heard:
            raise not_openai(self._host, "neither JSON nor a stream of events")
        if (
            listener.assembly.finish_reason is None
        ):  # closed by a proxy in the middle: nothing else tells it from the end
            raise broke_off(self._host)

    def _completion(self, data: object) -> WireCompletion:
        """Read one JSON document.

        Raises:
            ProviderError: it is an error object.
            ValueError: it has another shape (`pydantic.ValidationError` is one).
        """
        reply = reply_of_body(data)
        if reply:
            raise failure(reply, host=self._host)
        return WireCompletion.model_validate(data)


class _Listener:
    """Hears one attempt: assembles the turn, keeps the times, passes visible text on."""

    def __init__(self, on_text: Callable[[str], None] | None) -> None:
        self.assembly = TurnAssembly()
        self._on_text = on_text
        self._begun = perf_counter()
        self._first_token_ms: int | None = None

    def hear(self, completion: WireCompletion, *, streamed: bool) -> None:
        self._show(self.assembly.add(completion))
        if streamed and self._first_token_ms is None and self.assembly.begun:
            self._first_token_ms = self._elapsed_ms()

    def turn(self, *, asked: str) -> ChatTurn:
        """Close the turn; raises `ProviderRejected` when it is no answer."""
        self._show(self.assembly.finish())
        check_ending(self.assembly)
        calls = self.assembly.calls
        return ChatTurn(
            text=self.assembly.text,
            calls=calls,
            finish_reason=self.assembly.finish_reason or ("tool_calls" if calls else "stop"),
            model=self.assembly.model or asked,
            prompt_tokens=self.assembly.prompt_tokens,
            completion_tokens=self.assembly.completion_tokens,
            first_token_ms=self._first_token_ms,
            duration_ms=self._elapsed_ms(),
        )

    def _show(self, visible: str) -> None:
        if visible and self._on_text:
            self._on_text(visible)

    def _elapsed_ms(self) -> int:
        return round((perf_counter() - self._begun) * 1000)


def _message(message: PromptMessage) -> ChatCompletionMessageParam:
    match message.role:
        case Role.SYSTEM:
            return {"role": "system", "content": message.content}
        case Role.USER:
            return {"role": "user", "content": message.content}
        case Role.TOOL:
            return {"role": "tool", "content": message.content, "tool_call_id": message.tool_call_id or ""}
        case Role.ASSISTANT:
            if not message.tool_calls:
                return {"role": "assistant", "content": message.content}
            # Servers refuse an empty text beside calls, and all accept null.
            return {
                "role": "assistant",
                "content": message.content or None,
                "tool_calls": [
                    {"type": "function", "id": call.id, "function": {"name": call.name, "arguments": call.arguments}}
                    for call in message.tool_calls
                ],
            }
        case _:
            assert_never(message.role)


def _tool(tool: ToolDefinition) -> ChatCompletionFunctionToolParam:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
    }
