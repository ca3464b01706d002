from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from devstack.providers import ScriptedProviders
from devstack.scripted_embeddings import embed
from devstack.scripted_turns import Step
from gopher.errors import ProviderError, ProviderRejected, ProviderUnavailable
from gopher.providers.embeddings import EmbeddingModel

DEADLINE = timedelta(seconds=5)


@pytest.fixture
async def model(providers: ScriptedProviders) -> AsyncIterator[EmbeddingModel]:
    embeddings = EmbeddingModel(api_key="k", base_url=providers.openai_base_url, model="e", dimensions=8)
    yield embeddings
    await embeddings.close()


async def test_every_text_gets_its_vector_in_order(providers: ScriptedProviders, model: EmbeddingModel) -> None:
    vectors = await model.embed(["burrow", "wind"], deadline=DEADLINE)
    assert vectors == (pytest.approx(tuple(embed("burrow", 8))), pytest.approx(tuple(embed("wind", 8))))
    (request,) = providers.requests
    assert request.body == {"model": "e", "input": ["burrow", "wind"], "encoding_format": "float", "dimensions": 8}


async def test_vectors_that_come_in_another_order_are_put_right(
    providers: ScriptedProviders, model: EmbeddingModel
) -> None:
    entries = ", ".join(f'{{"index": {index}, "embedding": [{index}, 1, 2, 3, 4, 5, 6, 7]}}' for index in (1, 0))
    providers.script(embeddings=[Step(body=f'{{"data": [{entries}]}}')])
    first, second = await model.embed(["a", "b"], deadline=DEADLINE)
    assert (first[0], second[0]) == (0, 1)


async def test_nothing_is_asked_for_no_texts(providers: ScriptedProviders, model: EmbeddingModel) -> None:
    assert await model.embed([], deadline=DEADLINE) == ()
    assert providers.requests == ()


@pytest.mark.parametrize(
    ("step", "kind", "code"),
    [
        (Step(body='{"data": []}'), ProviderRejected, "embedding_shape"),
        (Step(body='{"data": [{"index": 0, "embedding": [1, 2]}]}'), ProviderRejected, "embedding_shape"),
        (Step(body='{"data": [{"index": 0, "embedding": "AACAPw=="}]}'), ProviderRejected, "embedding_shape"),
        (
            Step(body='{"data": [{"index": 0, "embedding": [1, 2, 3, 4, 5, 6, 7, NaN]}]}'),
            ProviderRejected,
            "embedding_shape",
        ),
        (Step(body='{"hello": 1}'), ProviderRejected, "embedding_shape"),
        (Step(body="no json"), ProviderRejected, "provider_not_openai"),
        (Step(body="<p>", content_type="text/html"), ProviderRejected, "provider_not_openai"),
        (Step(body='{"error": {"code": 429, "message": "x"}}'), ProviderUnavailable, "provider_rate_limited"),
        (Step(status=401), ProviderRejected, "authentication"),
        (Step(status=503), ProviderUnavailable, "provider_unavailable"),
        (Step(drop=True), ProviderUnavailable, "provider_unavailable"),
        (Step(delay_seconds=30), ProviderUnavailable, "provider_timeout"),
    ],
)
async def test_every_failure_has_its_code_and_is_asked_once(
    providers: ScriptedProviders, model: EmbeddingModel, step: Step, kind: type[ProviderError], code: str
) -> None:
    providers.script(embeddings=[step.model_copy(update={"times": None})])
    with pytest.raises(kind) as caught:
        await model.embed(["a"], deadline=timedelta(seconds=1))
    assert caught.value.code == code
    assert len(providers.requests) == 1
