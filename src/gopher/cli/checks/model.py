"""The model: a real round trip with a tool, streamed, and the shape of embeddings."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Final

from gopher.cli.checks.findings import Finding
from gopher.domain.conversation import ChatTurn, PromptMessage, Role, ToolDefinition
from gopher.errors import GopherError
from gopher.providers.chat import ChatModel
from gopher.providers.embeddings import EmbeddingModel
from gopher.settings import Settings

PART: Final = "model"
EMBEDDINGS: Final = "embeddings"
DEADLINE: Final = timedelta(seconds=60)
"""For one turn: a reasoning model thinks before it calls even a tiny tool."""
OUTPUT_TOKENS: Final = 1024
WORD: Final = "burrow"
TOOL: Final = ToolDefinition(
    name="doctor_check",
    description="Takes one word and says that it arrived.",
    parameters={
        "type": "object",
        "properties": {"word": {"type": "string", "description": "The word."}},
        "required": ["word"],
        "additionalProperties": False,
    },
)
QUESTION: Final = PromptMessage(
    role=Role.USER,
    content=f'Call the tool doctor_check with {{"word": "{WORD}"}}. Then tell me in one short sentence that it worked.',
)


async def examine(settings: Settings) -> list[Finding]:
    """Talk to the model of the settings, and embed two texts if an embedding model is set."""
    if settings.openai_api_key is None:
        remedy = "Set OPENAI_API_KEY, or start ./gopher up, which brings an offline demo model."
        return [Finding(part=PART, what="no key is set", remedy=remedy)]
    key = settings.openai_api_key.get_secret_value()
    findings = await _chat(settings, key)
    if settings.embedding_model is not None:
        findings.append(await _embed(settings, key, settings.embedding_model))
    return findings


async def _chat(settings: Settings, key: str) -> list[Finding]:
    try:
        async with AsyncExitStack() as stack:
            model = ChatModel(
                api_key=key,
                base_url=settings.openai_base_url,
                model=settings.chat_model,
                max_output_tokens=OUTPUT_TOKENS,
            )
            stack.push_async_callback(model.close)
            asked = await model.complete([QUESTION], [TOOL], deadline=DEADLINE)
            if not _called(asked):
                return [_no_call(settings)]
            called = f"{asked.model} calls tools with their arguments ({asked.duration_ms} ms)"
            return [Finding(part=PART, what=called), await _answer(model, asked)]
    except GopherError as error:
        return [Finding(part=PART, what=str(error).rstrip("."), remedy=_remedy(error))]


def _called(turn: ChatTurn) -> bool:
    if not turn.calls or turn.calls[0].name != TOOL.name:
        return False
    try:
        arguments: object = json.loads(turn.calls[0].arguments)
    except ValueError:
        return False
    return arguments == {"word": WORD}


def _no_call(settings: Settings) -> Finding:
    remedy = "Set CHAT_MODEL to a model that calls tools (a local server may need its chat template for tools)."
    return Finding(part=PART, what=f"{settings.chat_model} does not call a tool when told to", remedy=remedy)


async def _answer(model: ChatModel, asked: ChatTurn) -> Finding:
    """Give the tool's result back and hear the answer, which has to stream."""
    pieces: list[str] = []
    prompt = [
        QUESTION,
        PromptMessage(role=Role.ASSISTANT, content=asked.text, tool_calls=asked.calls[:1]),
        PromptMessage(role=Role.TOOL, content='{"ok":true,"result":"arrived"}', tool_call_id=asked.calls[0].id),
    ]
    turn = await model.complete(prompt, [TOOL], deadline=DEADLINE, on_text=pieces.append)
    if turn.first_token_ms is None:
        remedy = "Allow streaming at the provider, or in the proxy before it: answers arrive late and whole without."
        return Finding(part=PART, what="it does not stream", remedy=remedy)
    what = f"it streams: first token after {turn.first_token_ms} ms, {len(pieces)} pieces in {turn.duration_ms} ms"
    return Finding(part=PART, what=what)


async def _embed(settings: Settings, key: str, name: str) -> Finding:
    try:
        async with AsyncExitStack() as stack:
            model = EmbeddingModel(api_key=key, base_url=settings.openai_base_url, model=name)
            stack.push_async_callback(model.close)
            first, second = await model.embed(["a warm burrow", "a cold wind"], deadline=DEADLINE)
    except GopherError as error:
        remedy = "Correct EMBEDDING_MODEL, or unset it to do without embeddings."
        return Finding(part=EMBEDDINGS, what=str(error).rstrip("."), remedy=remedy)
    if first == second:
        remedy = "Set EMBEDDING_MODEL to an embedding model; this one is none."
        return Finding(part=EMBEDDINGS, what=f"{name} gives different texts the same vector", remedy=remedy)
    return Finding(part=EMBEDDINGS, what=f"{name}: vectors of {len(first)} numbers")


def _remedy(error: GopherError) -> str:
    return {
        "provider_timeout": "Use a faster model, or look whether the provider is overloaded.",
        "provider_rate_limited": "Wait, or raise the limit at the provider.",
        "provider_quota": "Top up the account at the provider.",
        "authentication": "Correct OPENAI_API_KEY.",
        "model_not_found": "Set CHAT_MODEL to a model that the provider offers.",
        "provider_not_openai": "Correct OPENAI_BASE_URL.",
        "answer_cut_off": "Use a model that needs fewer tokens to think.",
    }.get(error.code, "Check OPENAI_BASE_URL, OPENAI_API_KEY and CHAT_MODEL.")
