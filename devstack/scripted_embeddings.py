"""The embeddings of the scripted providers: deterministic, so that texts which share words and word parts are near."""

from __future__ import annotations

import base64
import hashlib
import math
import re
import struct
from typing import Final

from aiohttp import web
from pydantic import JsonValue

from devstack.scripted_wire import Ledger, as_list, obey, read_body, refusal

MODEL_NAME: Final = "offline-embedding"
DEFAULT_DIMENSIONS: Final = 1024
LARGEST_BATCH: Final = 2048
"""Inputs of one request: OpenAI's own limit."""

_WORD: Final = re.compile(r"\w+")
_PART_LENGTH: Final = 3
_PART_WEIGHT: Final = 0.3
"""Of a word's part against the word itself: related forms are near, and equal words nearer."""


class EmbeddingEndpoint:
    """`POST /v1/embeddings`."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Embed one text or a batch."""
        body = await read_body(request)
        noted = self._ledger.record(request, body)
        async with self._ledger.answering(noted):
            response = await self._scripted(request, _texts(body.get("input"))) or _embed(body)
            noted.status = response.status
            return response

    async def _scripted(self, request: web.Request, texts: list[str] | None) -> web.Response | None:
        script = self._ledger.script
        if script is None:
            return None
        asked = "\n".join(texts or ())
        taken = self._ledger.uses("embeddings").take(
            (position, step)
            for position, step in enumerate(script.embeddings)
            if step.match is None or step.match in asked
        )
        return await obey(request, script.embeddings[taken]) if taken is not None else None


def embed(text: str, dimensions: int) -> list[float]:
    """A unit vector: each word and each part of three letters adds to a few places that its hash chooses."""
    vector = [0.0] * dimensions
    for word in _WORD.findall(text.casefold()):
        _add(vector, word, 1.0)
        padded = f"^{word}$"
        for start in range(len(padded) - _PART_LENGTH + 1):
            _add(vector, padded[start : start + _PART_LENGTH], _PART_WEIGHT)
    if not any(vector):  # a text without words still needs a direction
        _add(vector, text or "empty", 1.0)
    length = math.hypot(*vector)
    return [value / length for value in vector]


def _add(vector: list[float], feature: str, weight: float) -> None:
    digest = hashlib.blake2b(feature.encode(), digest_size=12).digest()
    for place, sign in zip(struct.unpack(">2I", digest[:8]), digest[8:], strict=False):
        vector[place % len(vector)] += weight if sign & 1 else -weight


def _embed(body: dict[str, JsonValue]) -> web.Response:
    texts = _texts(body.get("input"))
    dimensions = body.get("dimensions", DEFAULT_DIMENSIONS)
    if texts is None:
        return _refuse("input must be a text or 1 to 2048 texts, none of them empty", "input")
    if not isinstance(dimensions, int) or dimensions < 1:
        return _refuse("dimensions must be a positive number", "dimensions")
    as_text = body.get("encoding_format") == "base64"
    data: list[JsonValue] = []
    for index, text in enumerate(texts):
        vector = embed(text, dimensions)
        packed: JsonValue = base64.b64encode(struct.pack(f"<{dimensions}f", *vector)).decode() if as_text else [*vector]
        data.append({"object": "embedding", "index": index, "embedding": packed})
    words = sum(len(text.split()) for text in texts)
    usage: dict[str, JsonValue] = {"prompt_tokens": words, "total_tokens": words}
    return web.json_response({"object": "list", "data": data, "model": body.get("model") or MODEL_NAME, "usage": usage})


def _texts(given: JsonValue) -> list[str] | None:
    texts = [given] if isinstance(given, str) else as_list(given)
    words = [text for text in texts if isinstance(text, str) and text]
    return words if words and len(words) == len(texts) <= LARGEST_BATCH else None


def _refuse(message: str, parameter: str) -> web.Response:
    return refusal(400, error={"message": message, "type": "invalid_request_error", "param": parameter, "code": None})
