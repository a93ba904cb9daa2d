"""A backend on vLLM's own HTTP server agrees with the local backend, on the same weights."""

import contextlib
from collections.abc import AsyncIterator

import pytest

from groundwire import Client
from groundwire_server.config.settings import ServerSettings
from groundwire_server.endpoints import openai_api
from groundwire_server.endpoints.registry import endpoint_backends
from groundwire_verifier.domain.types import Question, Reading, ReadingOrigin
from groundwire_verifier.domain.urgency import WHENEVER
from groundwire_verifier.engine.endpoints.backend import EndpointBackend
from groundwire_verifier.numbers.intervals import Interval
from tests.real.engine.vllm_server import MODEL, needs_vllm_server
from tests.scripted_services.endpoint import settings_on

SAMPLES = 32
TOLERANCE = 0.03
"""Of a probability. Both compute in bfloat16, but batch differently, and only the local backend has
its head in float32; the endpoint also tokenises context and claim as one text."""

CONTEXT = "The Eiffel Tower in Paris is 330 m high. It opened in 1889 and has three floors."
CLAIMS = [
    "The Eiffel Tower is 330 m high.",
    "The Eiffel Tower is 120 m high.",
    "The tower opened in 1889.",
    "The tower opened in 1950.",
    "The tower is in Paris.",
    "The tower is in Rome.",
    "The tower has nine floors.",
    "Bananas are yellow.",
]

pytestmark = needs_vllm_server


@contextlib.asynccontextmanager
async def started(url: str, **changes: object) -> AsyncIterator[EndpointBackend]:
    settings = settings_on(url, model=MODEL, window_tokens=2000, **changes)
    made = endpoint_backends(ServerSettings.model_validate(settings), lambda _: None)
    backend = made["external"]
    try:
        await backend.start()
        yield backend
    finally:
        await backend.stop()


async def read(backend: EndpointBackend) -> list[Reading]:
    prompts = await backend.encode([Question(claim, CONTEXT) for claim in CLAIMS])
    return list((await backend.read(prompts, {}, WHENEVER)).readings)


@pytest.fixture
def local(client: Client) -> list[float]:
    """P(YES) of each claim by the local backend, not calibrated."""
    raw = [each.raw_probability for each in client.batch_estimate(CLAIMS, CONTEXT)]
    return [probability for probability in raw if probability is not None]


def differs_from(interval: Interval, probability: float) -> float:
    """By how much a probability is outside of an interval."""
    return max(interval.low - probability, probability - interval.high, 0.0)


async def test_it_lists_tokens_that_agree_with_the_local_reading(
    vllm_server: str, local: list[float]
) -> None:
    async with started(vllm_server) as backend:
        readings = await read(backend)
    assert len(local) == len(CLAIMS)
    for claim, expected, reading in zip(CLAIMS, local, readings, strict=True):
        assert reading.source is ReadingOrigin.MODEL
        assert reading.bounds is not None
        assert differs_from(reading.bounds.probability, expected) <= TOLERANCE, claim
        # Its twenty tokens leave next to nothing open.
        assert reading.bounds.probability.high - reading.bounds.probability.low < 0.001


async def test_without_its_template_it_believes_the_same(
    vllm_server: str, local: list[float]
) -> None:
    async with started(vllm_server, api="completions") as backend:
        readings = await read(backend)
    for claim, expected, reading in zip(CLAIMS, local, readings, strict=True):
        assert reading.bounds is not None
        assert (reading.bounds.probability.center > 0.5) == (expected > 0.5), claim


async def test_samples_of_it_have_intervals_around_the_local_reading(
    vllm_server: str, local: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    # It tells log-probabilities when it is asked for them; so it is not.
    monkeypatch.setattr(openai_api, "TOP_TOKENS", ())
    few = {"samples": SAMPLES, "parallel": 1, "timeout_s": 120}
    async with started(vllm_server, **few) as backend:
        readings = await read(backend)
    inside = 0
    for expected, reading in zip(local, readings, strict=True):
        assert reading.source is ReadingOrigin.SAMPLING
        assert reading.bounds is not None
        assert reading.bounds.samples == SAMPLES
        inside += differs_from(reading.bounds.probability, expected) <= TOLERANCE
    # Of eight intervals of 95 % two outside would be a chance of 1 in 20.
    assert inside >= len(CLAIMS) - 2
