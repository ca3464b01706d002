"""The embedding model: one vector a text, checked for shape."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated

import httpx2
import openai
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gopher.errors import ProviderRejected
from gopher.providers.client import create_client
from gopher.providers.endpoint import OPENAI_URL, check_url, host_of
from gopher.providers.failures import failure, not_openai, reply_of_body, timed_out, translate


class _Entry(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    index: int
    embedding: Annotated[tuple[float, ...], Field(min_length=1)]


class _Embeddings(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    data: tuple[_Entry, ...]


class EmbeddingModel:
    """A model behind the embeddings protocol. Safe to use from many tasks at once; close it in the end.

    It retries nothing: whoever calls has the one retry policy.
    """

    def __init__(self, *, api_key: str, base_url: str | None, model: str, dimensions: int | None = None) -> None:
        """Check the settings; nothing is sent.

        Args:
            api_key: As the provider gave it.
            base_url: None means OpenAI's own.
            model: Asked for in every request.
            dimensions: Of the vectors, asked for and insisted on; None takes the model's own.

        Raises:
            ConfigurationError: the URL or the key cannot be used.
        """
        url = check_url(base_url or OPENAI_URL, variable="OPENAI_BASE_URL")
        self._host = host_of(url)
        self._model = model
        self._dimensions = dimensions
        self._client = create_client(url, api_key)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def embed(self, texts: Sequence[str], *, deadline: timedelta) -> tuple[tuple[float, ...], ...]:
        """Embed texts that are not empty; return a vector for each, in their order, all of one length.

        Raises:
            ProviderUnavailable: as `ChatModel.complete` does.
            ProviderRejected: as `ChatModel.complete` does, and `embedding_shape` when what came is not a vector a text.
        """
        if not texts:
            return ()
        try:
            async with asyncio.timeout(deadline.total_seconds()):
                # As raw JSON: the SDK builds its records without looking, and fails on odd answers in odd ways.
                body = await self._client.post(
                    "/embeddings",
                    body={
                        "model": self._model,
                        "input": list(texts),
                        "encoding_format": "float",
                        **({} if self._dimensions is None else {"dimensions": self._dimensions}),
                    },
                    cast_to=object,
                )
        except TimeoutError:
            raise timed_out(self._host) from None
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            raise translate(error, host=self._host, now=datetime.now(UTC)) from None
        except ValueError:
            raise not_openai(self._host, "something that is not JSON") from None
        return self._vectors(body, len(texts))

    def _vectors(self, body: object, count: int) -> tuple[tuple[float, ...], ...]:
        reply = reply_of_body(body)
        if reply:
            raise failure(reply, host=self._host)
        if isinstance(body, str):
            raise not_openai(self._host, "a page")
        try:
            entries = sorted(_Embeddings.model_validate(body).data, key=lambda entry: entry.index)
        except ValidationError:
            raise self._misshapen() from None
        vectors = tuple(entry.embedding for entry in entries)
        lengths = {len(vector) for vector in vectors}
        finite = all(math.isfinite(number) for vector in vectors for number in vector)
        if len(vectors) != count or len(lengths) != 1 or not finite:
            raise self._misshapen()
        if self._dimensions is not None and lengths != {self._dimensions}:
            raise self._misshapen()
        return vectors

    def _misshapen(self) -> ProviderRejected:
        asked = f" of {self._dimensions} numbers" if self._dimensions is not None else ""
        return ProviderRejected(
            f"The embedding model at {self._host} did not give one vector{asked} a text: check EMBEDDING_MODEL.",
            code="embedding_shape",
        )
