"""CheckSimilarity on a real server with the real MiniLM."""

import asyncio
import contextlib
import logging
import re
import threading
import urllib.request
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from grpc import StatusCode, aio

from groundwire.v1 import similarity_pb2 as pb
from groundwire.v1.similarity_pb2_grpc import SimilarityStub
from groundwire_server.features import similarity as module
from groundwire_server.features.similarity import TextEmbedding
from groundwire_server.rpc.admission import QueueFullError
from groundwire_verifier.checks.corpus.passages import Vectors
from tests.scripted import (
    WAIT_LIMIT_S,
    Scripted,
    reason_of,
    scripted_server,
    violations_of,
)
from tests.scripted_services.endpoint import Reply, Request, as_json, scripted_endpoint, settings_on
from tests.scripted_services.outputs import bearer
from tests.server.access.test_quotas import Guarded

NEAR = "A room at the Harbour Inn costs 60 dollars a night."
FAR = "Whales sing in the deep sea."
CONTEXTS = ("The clinic opens at nine.", NEAR)


@pytest.fixture
async def served(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scripted]:
    monkeypatch.setattr(module, "MAX_TEXTS", 6)
    async with scripted_server(similarity_enabled=True) as served:
        yield served


async def check(
    served: Scripted,
    answer: str = f"{NEAR} {FAR} Yes.",
    contexts: Sequence[str] = CONTEXTS,
    threshold: float | None = None,
    token: str = "",
) -> pb.CheckSimilarityResponse:
    request = pb.CheckSimilarityRequest(answer=answer, contexts=contexts, threshold=threshold)
    stub = SimilarityStub(served.channel)
    return await stub.CheckSimilarity(request, timeout=WAIT_LIMIT_S, metadata=bearer(token))


async def refused(served: Scripted, **changes: object) -> aio.AioRpcError:
    with pytest.raises(aio.AioRpcError) as caught:
        await check(served, **changes)  # type: ignore[arg-type]
    return caught.value


@pytest.mark.parametrize(
    ("setting", "block", "own"),
    [("hallucination_enabled", False, True), ("similarity_enabled", True, False)],
)
async def test_the_service_is_off_until_it_is_switched_on(
    setting: str, block: bool, own: bool
) -> None:
    async with scripted_server(hallucination_enabled=block, similarity_enabled=own) as served:
        error = await refused(served)
    assert error.code() is StatusCode.FAILED_PRECONDITION
    assert reason_of(error) == "NOT_ENABLED"
    assert f"set {setting} to true" in str(error.details())


async def test_each_sentence_has_its_place_its_cosine_and_its_context(served: Scripted) -> None:
    answer = f"{NEAR} {FAR} Yes."
    found = await check(served, answer)
    near, far = found.sentences
    assert (near.text, near.context_index, near.supported) == (NEAR, 1, True)
    assert near.similarity == pytest.approx(1.0, abs=0.02)
    assert answer[far.span.start : far.span.end] == far.text == FAR
    assert not far.supported
    assert (found.hallucination_score, found.short_sentences) == (0.5, 1)
    assert found.threshold == 0.6
    assert found.embedder
    assert served.engine.prompts == []


async def test_nothing_to_compare_has_no_score(served: Scripted) -> None:
    found = await check(served, "Yes. No.")
    assert not found.HasField("hallucination_score")
    assert (len(found.sentences), found.short_sentences) == (0, 2)


async def test_a_request_chooses_its_threshold(served: Scripted) -> None:
    found = await check(served, NEAR, (FAR,), 0.0)
    assert found.threshold == 0.0
    assert found.sentences[0].supported == (found.sentences[0].similarity >= 0.0)


async def test_the_setting_is_the_default_threshold() -> None:
    async with scripted_server(similarity_enabled=True, similarity_threshold=0.7) as served:
        assert (await check(served)).threshold == 0.7


async def test_it_needs_no_model_to_be_loaded() -> None:
    async with scripted_server(loaded=False, similarity_enabled=True) as served:
        assert len((await check(served)).sentences) == 2


@pytest.mark.parametrize(
    ("changes", "reason", "field"),
    [
        ({"answer": " "}, "EMPTY_TEXT", "answer"),
        ({"contexts": ()}, "INVALID_SOURCE", "contexts"),
        ({"contexts": ("a", "")}, "EMPTY_TEXT", "contexts[1]"),
        ({"threshold": 1.5}, "INVALID_OPTION", "threshold"),
        ({"threshold": float("nan")}, "INVALID_OPTION", "threshold"),
        ({"answer": "x" * 200_001}, "TEXT_TOO_LONG", "answer"),
        ({"answer": "It rained all day. " * 5}, "TEXT_TOO_LONG", "answer"),
    ],
)
async def test_what_cannot_be_compared_is_refused_with_its_field(
    served: Scripted, changes: dict[str, object], reason: str, field: str
) -> None:
    error = await refused(served, **changes)
    assert error.code() is StatusCode.INVALID_ARGUMENT
    assert reason_of(error) == reason
    assert list(violations_of(error)) == [field]


async def test_no_text_is_logged_or_counted_by(caplog: pytest.LogCaptureFixture) -> None:
    async with scripted_server(similarity_enabled=True, metrics_listen="127.0.0.1:0") as served:
        with caplog.at_level(logging.DEBUG, "groundwire"):
            await check(served)
        url = f"http://127.0.0.1:{served.running.metrics_port}/metrics"
        metrics = await asyncio.to_thread(lambda: urllib.request.urlopen(url).read().decode())
    for supported in ("true", "false"):
        line = rf'^groundwire_similarity_sentences_total{{.*supported="{supported}"}} 1\.0$'
        assert re.search(line, metrics, re.MULTILINE)
    for word in ("Harbour", "Whales"):
        assert word not in metrics
        assert word not in caplog.text


class HeldEmbedder:
    """Waits in each batch until a test lets it go on, and keeps what it was given."""

    name = "held"
    size = 2

    def __init__(self) -> None:
        self.batches: list[Sequence[str]] = []
        self.entered = threading.Semaphore(0)
        self.go = threading.Semaphore(0)

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.batches.append(texts)
        self.entered.release()
        assert self.go.acquire(timeout=WAIT_LIMIT_S)
        return np.full((len(texts), 2), len(texts[0]), np.float32)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> HeldEmbedder:
    monkeypatch.setattr(module, "BATCH_TEXTS", 2)
    monkeypatch.setattr(module, "MAX_TEXTS", 10)
    return HeldEmbedder()


async def test_calls_take_turns_batch_by_batch(held: HeldEmbedder) -> None:
    embedding = TextEmbedding(held)
    long = asyncio.create_task(embedding.vectors(["a"] * 6))
    assert await asyncio.to_thread(held.entered.acquire, timeout=WAIT_LIMIT_S)
    short = asyncio.create_task(embedding.vectors(["bb"]))
    await asyncio.sleep(0)
    held.go.release(4)
    assert (await short).tolist() == [[2.0, 2.0]]
    assert (await long).shape == (6, 2)
    assert [batch[0] for batch in held.batches] == ["a", "bb", "a", "a"]


async def test_a_cancelled_call_embeds_no_further_batch(held: HeldEmbedder) -> None:
    embedding = TextEmbedding(held)
    call = asyncio.create_task(embedding.vectors(["a"] * 6))
    assert await asyncio.to_thread(held.entered.acquire, timeout=WAIT_LIMIT_S)
    call.cancel()
    held.go.release()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert len(held.batches) == 1


async def test_more_than_may_wait_is_refused_and_places_come_back(held: HeldEmbedder) -> None:
    embedding = TextEmbedding(held)
    with embedding.hold(10), embedding.hold(10), embedding.hold(10), embedding.hold(5):
        with pytest.raises(QueueFullError, match="sentences and passages"), embedding.hold(6):
            pytest.fail("there was no room")
        with embedding.hold(5):
            pass
    with embedding.hold(10):
        pass


async def test_a_tenant_holds_its_share_of_what_is_compared_and_others_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = Guarded(tmp_path, "tenants: {acme: {queue_share: 0.2}}")
    entered, go = asyncio.Event(), asyncio.Event()

    async def waits(_: TextEmbedding, texts: Sequence[str]) -> Vectors:
        entered.set()
        await go.wait()
        return np.ones((len(texts), 2), np.float32)

    monkeypatch.setattr(TextEmbedding, "vectors", waits)
    # Of the 24 sentences and passages of all calls a fifth is 4; this call has 3.
    monkeypatch.setattr(module, "MAX_TEXTS", 6)
    async with scripted_server(similarity_enabled=True, **given.settings) as served:  # type: ignore[arg-type]
        held = asyncio.create_task(check(served, token=given.acme))
        await entered.wait()
        beyond = await refused(served, token=given.acme)
        others = [asyncio.create_task(check(served, token=given.zeta)) for _ in range(2)]
        go.set()
        await asyncio.gather(held, *others)
        await check(served, token=given.acme)
    assert reason_of(beyond) == "QUOTA_EXCEEDED"


async def test_a_server_that_stops_takes_none(served: Scripted) -> None:
    served.running.calls.admission.draining = True
    error = await refused(served)
    assert error.code() is StatusCode.UNAVAILABLE
    assert reason_of(error) == "DRAINING"


def vectors_of(request: Request) -> Reply:
    """A vector that points one way for texts on rooms, and another for all others."""
    texts = request.body["input"]
    assert isinstance(texts, list)
    data = [
        {"index": i, "embedding": [1.0, 0.0] if "room" in text else [0.0, 1.0]}
        for i, text in enumerate(texts)
    ]
    return as_json({"data": data, "usage": {"total_tokens": 5}})


@contextlib.asynccontextmanager
async def served_by(script: Callable[[Request], Reply], folder: Path) -> AsyncIterator[Scripted]:
    """A server whose embedder is an endpoint that answers so."""
    async with scripted_endpoint() as endpoint:
        endpoint.script = script
        async with scripted_server(
            similarity_enabled=True,
            **settings_on(endpoint.url, model=None),
            embedding_backend="external",
            embedding_model="tiny",
            cache_dir=folder,
        ) as served:
            yield served


async def test_an_endpoint_may_make_the_vectors(tmp_path: Path) -> None:
    async with served_by(vectors_of, tmp_path) as served:
        found = await check(served, f"{NEAR} {FAR}", (NEAR,))
    assert [each.similarity for each in found.sentences] == [1.0, 0.0]
    assert found.embedder == "endpoint:tiny"


async def test_an_endpoint_that_fails_supports_nothing_and_is_an_error(tmp_path: Path) -> None:
    async with served_by(lambda _: Reply(status=500), tmp_path) as served:
        error = await refused(served)
    assert error.code() is StatusCode.UNAVAILABLE
    assert reason_of(error) == "BACKEND_UNREACHABLE"
