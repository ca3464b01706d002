"""The chat completions of the scripted providers, streamed and whole, by the script or by the demo model."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from aiohttp import web
from pydantic import JsonValue

from devstack.offline_model import MODEL_NAME, OfflineAnswer, answer
from devstack.scripted_turns import ModelTurn, Recorded, ScriptedCall
from devstack.scripted_wire import Ledger, as_list, as_object, drop, obey, read_body, refusal

WORD_DELAY_SECONDS: Final = 0.02
"""Between the words of the demo model: slow enough that typing shows, and a long answer takes some ten seconds."""

_WORDS: Final = re.compile(r"\s*\S+\s*$|\s*\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a request says of itself."""

    model: str
    stream: bool
    usage: bool
    messages: list[dict[str, JsonValue]]
    tools: list[dict[str, JsonValue]]


class ChatEndpoint:
    """`POST /v1/chat/completions`."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._ids = 0

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Answer one request by the script, or by the demo model."""
        body = await read_body(request)
        noted = self._ledger.record(request, body)
        async with self._ledger.answering(noted):
            response = await self._answer(request, _read(body), noted)
            noted.status = response.status
            return response

    async def _answer(self, request: web.Request, asked: _Asked, noted: Recorded) -> web.StreamResponse:
        if not noted.authorized:
            return refusal(401, error={"message": "A key is missing.", "type": "auth", "code": "invalid_api_key"})
        if not asked.messages:
            return refusal(400, error={"message": "messages is empty", "type": "invalid_request_error", "code": None})
        turn = self._choose(asked, noted)
        if turn is None:
            return refusal(
                400, error={"message": "No scripted turn matches.", "type": "scripted", "code": "script_exhausted"}
            )
        response = await obey(request, turn)
        if response is not None:
            return response
        self._ids += 1
        reply = _Reply(asked, turn, number=self._ids)
        if asked.stream and not turn.whole:
            return await _stream(request, turn, reply)
        return web.json_response(reply.whole(), headers=turn.headers)

    def _choose(self, asked: _Asked, noted: Recorded) -> ModelTurn | None:
        script = self._ledger.script
        if script is not None:
            text, iteration = last_user_text(asked.messages), iteration_of(asked.messages)
            taken = self._ledger.uses("chat").take(
                (position, turn)
                for position, turn in enumerate(script.chat)
                if (turn.match is None or turn.match in text) and turn.iteration in (None, iteration)
            )
            if taken is not None:
                noted.turn = taken
                return script.chat[taken]
            if script.otherwise == "error":
                return None
        return _demo_turn(answer(asked.messages, asked.tools), streamed=asked.stream)


def last_user_text(messages: list[dict[str, JsonValue]]) -> str:
    """The text of the last user message; parts of a multi-part message joined."""
    for message in reversed(messages):
        if message.get("role") == "user":
            content = message.get("content")
            if isinstance(content, str):
                return content
            return "\n".join(str(as_object(part).get("text", "")) for part in as_list(content))
    return ""


def iteration_of(messages: list[dict[str, JsonValue]]) -> int:
    """Which turn of a run is asked for: 1 plus the assistant messages after the last user message."""
    turns = 1
    for message in reversed(messages):
        if message.get("role") == "user":
            break
        turns += message.get("role") == "assistant"
    return turns


class _Reply:
    """One answer in the protocol's shapes."""

    def __init__(self, asked: _Asked, turn: ModelTurn, *, number: int) -> None:
        self._asked = asked
        self._turn = turn
        self._number = number
        self._created = int(time.time())

    def whole(self) -> dict[str, JsonValue]:
        """The answer as one document."""
        message: dict[str, JsonValue] = {"role": "assistant", "content": self._turn.text or None, "refusal": None}
        if self._turn.calls:
            message["tool_calls"] = [self._call(position, call) for position, call in enumerate(self._turn.calls)]
        choice: dict[str, JsonValue] = {
            "index": 0, "message": message, "logprobs": None, "finish_reason": self._finish_reason(),
        }  # fmt: skip
        return {**self._envelope("chat.completion"), "choices": [choice], "usage": self._usage()}

    def chunks(self) -> Iterator[dict[str, JsonValue]]:
        """The answer as a stream's documents: the deltas, the finish, and the usage if it was asked for."""
        for delta in self._deltas():
            yield self._chunk(delta, None)
        finish = self._finish_reason()
        if finish is not None:
            yield self._chunk({}, finish)
        if self._asked.usage and self._turn.prompt_tokens is not None:
            yield {**self._envelope("chat.completion.chunk"), "choices": [], "usage": self._usage()}

    def _deltas(self) -> Iterator[dict[str, JsonValue]]:
        if self._turn.deltas is not None:
            yield from self._turn.deltas
            return
        yield {"role": "assistant", "content": ""}
        pieces = self._turn.pieces if self._turn.pieces is not None else _WORDS.findall(self._turn.text)
        for piece in pieces:
            yield {"content": piece}
        for position, call in enumerate(self._turn.calls):
            yield from self._call_deltas(position, call)

    def _call_deltas(self, position: int, call: ScriptedCall) -> Iterator[dict[str, JsonValue]]:
        """The first delta of a call names it; its arguments follow in two pieces, as providers stream them."""
        given = as_object(self._call(position, call))
        function = as_object(given["function"])
        arguments = function["arguments"]
        begin: dict[str, JsonValue] = {**given, "index": position, "function": {**function, "arguments": ""}}
        if not isinstance(arguments, str):
            yield {"tool_calls": [{**begin, "function": function}]}
            return
        yield {"tool_calls": [begin]}
        half = len(arguments) // 2
        for piece in filter(None, (arguments[:half], arguments[half:])):
            yield {"tool_calls": [{"index": position, "function": {"arguments": piece}}]}

    def _call(self, position: int, call: ScriptedCall) -> dict[str, JsonValue]:
        text = (
            call.arguments if isinstance(call.arguments, str | None) else json.dumps(call.arguments, ensure_ascii=False)
        )
        made: dict[str, JsonValue] = {"type": "function", "function": {"name": call.name, "arguments": text}}
        if call.id != "":
            made["id"] = call.id or f"call_{self._number}_{position}"
        return made

    def _finish_reason(self) -> str | None:
        if self._turn.finish_reason is not None:
            return self._turn.finish_reason or None
        return "tool_calls" if self._turn.calls else "stop"

    def _usage(self) -> JsonValue:
        if self._turn.prompt_tokens is None:
            return None
        completion = self._turn.completion_tokens or 0
        return {
            "prompt_tokens": self._turn.prompt_tokens,
            "completion_tokens": completion,
            "total_tokens": self._turn.prompt_tokens + completion,
        }

    def _envelope(self, kind: str) -> dict[str, JsonValue]:
        return {
            "id": f"chatcmpl-{self._number}",
            "object": kind,
            "created": self._created,
            "model": self._turn.model or self._asked.model,
        }

    def _chunk(self, delta: dict[str, JsonValue], finish_reason: str | None) -> dict[str, JsonValue]:
        choice: dict[str, JsonValue] = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return {**self._envelope("chat.completion.chunk"), "choices": [choice]}


async def _stream(request: web.Request, turn: ModelTurn, reply: _Reply) -> web.StreamResponse:
    response = web.StreamResponse(
        headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache", **turn.headers}
    )
    await response.prepare(request)
    for count, chunk in enumerate(reply.chunks()):
        if await _interrupted(request, response, turn, count):
            return response
        await asyncio.sleep(turn.chunk_delay_seconds)
        await _send(response, json.dumps(chunk, ensure_ascii=False))
    await _send(response, "[DONE]")
    await response.write_eof()
    return response


async def _interrupted(request: web.Request, response: web.StreamResponse, turn: ModelTurn, count: int) -> bool:
    """Do what the script says happens after so many chunks; True when nothing more is to be sent."""
    if turn.break_after == count:
        drop(request)
    if turn.stall_after == count:
        await asyncio.Event().wait()  # until the client goes, which cancels the handler
    if turn.end_after == count:
        await response.write_eof()
        return True
    if turn.error_after == count:
        error: dict[str, JsonValue] = {"message": "The script says so.", "type": "server_error", "code": None}
        await _send(response, json.dumps({"error": turn.error or error}))
        await response.write_eof()
        return True
    if turn.malformed_after == count:
        await _send(response, '{"id": "chatcmpl-')
    return False


async def _send(response: web.StreamResponse, data: str) -> None:
    await response.write(f"data: {data}\n\n".encode())


def _read(body: dict[str, JsonValue]) -> _Asked:
    return _Asked(
        model=str(body.get("model") or MODEL_NAME),
        stream=body.get("stream") is True,
        usage=as_object(body.get("stream_options")).get("include_usage") is True,
        messages=[as_object(message) for message in as_list(body.get("messages"))],
        tools=[as_object(tool) for tool in as_list(body.get("tools"))],
    )


def _demo_turn(said: OfflineAnswer, *, streamed: bool) -> ModelTurn:
    return ModelTurn(
        text=said.text,
        calls=tuple(
            ScriptedCall(name=call.name, arguments=json.dumps(call.arguments, ensure_ascii=False))
            for call in said.calls
        ),
        model=MODEL_NAME,
        chunk_delay_seconds=WORD_DELAY_SECONDS if streamed else 0,
        prompt_tokens=said.prompt_words,
        completion_tokens=len(said.text.split()),
    )
