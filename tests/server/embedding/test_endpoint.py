"""An OpenAI-compatible endpoint for embeddings, over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from groundwire_server.config.settings import ServerSettings
from groundwire_server.embedding.choice import SpanEmbedder, make_embedder
from groundwire_server.endpoints.embeddings_api import TEXTS_A_CALL, EndpointEmbedder
from groundwire_verifier.domain.errors import BackendRefusedError, ImplausibleAnswerError
from tests.scripted_services.endpoint import (
    Reply,
    Request,
    ScriptedEndpoint,
    as_json,
    scripted_endpoint,
    settings_on,
)


def lengths(request: Request) -> Reply:
    """A vector that tells how long the text was, in the wrong order and not of length 1."""
    texts = request.body["input"]
    assert isinstance(texts, list)
    data = [{"index": i, "embedding": [3.0 * len(t), 4.0 * len(t)]} for i, t in enumerate(texts)]
    return as_json({"data": data[::-1], "usage": {"total_tokens": 5}})


@pytest.fixture
async def endpoint() -> AsyncIterator[ScriptedEndpoint]:
    async with scripted_endpoint() as running:
        running.script = lengths
        yield running


@pytest.fixture
async def embedder(endpoint: ScriptedEndpoint, tmp_path: Path) -> AsyncIterator[SpanEmbedder]:
    made = make_embedder(
        ServerSettings.model_validate(
            settings_on(
                endpoint.url,
                model=None,
                key="secret",
                embedding_model="tiny",
                embedding_backend="external",
                cache_dir=tmp_path,
            )
        )
    )
    assert isinstance(made, EndpointEmbedder)
    yield made
    await asyncio.to_thread(made.close)


async def test_vectors_come_in_the_order_of_their_texts_at_length_one(
    endpoint: ScriptedEndpoint, embedder: SpanEmbedder
) -> None:
    vectors = await asyncio.to_thread(embedder.embed, ["a", ""] * TEXTS_A_CALL)
    assert vectors.shape == (2 * TEXTS_A_CALL, 2)
    assert vectors == pytest.approx(np.tile([0.6, 0.8], (2 * TEXTS_A_CALL, 1)))
    assert [request.path for request in endpoint.requests] == ["/v1/embeddings"] * 2
    assert endpoint.requests[0].headers["authorization"] == "Bearer secret"
    assert embedder.name == "endpoint:tiny"


async def test_the_size_is_asked_for_once(
    endpoint: ScriptedEndpoint, embedder: SpanEmbedder
) -> None:
    assert await asyncio.to_thread(lambda: (embedder.size, embedder.size)) == (2, 2)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    "vectors", [[], [[0.0, 0.0]], [[1e308, 1e308]], [[]], [[1.0], [1.0]]], ids=str
)
async def test_vectors_that_cannot_be_are_refused(
    endpoint: ScriptedEndpoint, embedder: SpanEmbedder, vectors: list[list[float]]
) -> None:
    data = [{"index": i, "embedding": each} for i, each in enumerate(vectors)]
    endpoint.script = lambda _: as_json({"data": data})
    with pytest.raises(ImplausibleAnswerError, match="the endpoint external gave"):
        await asyncio.to_thread(embedder.embed, ["a"])


async def test_a_refusal_names_the_setting(
    endpoint: ScriptedEndpoint, embedder: SpanEmbedder
) -> None:
    endpoint.script = lambda _: Reply(status=401)
    with pytest.raises(BackendRefusedError, match="check the key of external"):
        await asyncio.to_thread(embedder.embed, ["a"])
