"""A backend on vLLM's own HTTP server agrees with the local backend, on the same weights.

Not in the gate: a second engine takes more than a minute to start beside the first one on two
cores, and vLLM's server needs packages that requirements/ leaves out (watchfiles,
prometheus-fastapi-instrumentator, model-hosting-container-standards and what they need).
GROUNDWIRE_TEST_VLLM_SERVER=1 runs it.
"""

import contextlib
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from groundwire import Client
from groundwire_server.config.settings import ServerSettings
from groundwire_server.endpoints import openai_api
from groundwire_server.endpoints.registry import endpoint_backends
from groundwire_verifier.domain.types import Question, Reading, Source
from groundwire_verifier.domain.urgency import WHENEVER
from groundwire_verifier.endpoints.backend import EndpointBackend
from groundwire_verifier.numbers.intervals import Interval
from tests.serving import START_TIMEOUT_S, free_port

VARIABLE = "GROUNDWIRE_TEST_VLLM_SERVER"
MODEL = "verifier-behind-http"
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

pytestmark = pytest.mark.skipif(
    os.environ.get(VARIABLE) != "1", reason=f"starts a second engine: set {VARIABLE}=1"
)


@pytest.fixture(scope="module")
def vllm_server(model_folder: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of vLLM's own server on the embedded model."""
    port = free_port()
    log_file = tmp_path_factory.mktemp("vllm") / "log"
    environment = os.environ | {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1"}
    command = [
        sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", model_folder,
        "--served-model-name", MODEL, "--host", "127.0.0.1", "--port", str(port),
        "--max-model-len", "2048", "--dtype", "bfloat16", "--enforce-eager",
    ]  # fmt: skip
    with (
        log_file.open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=log, env=environment) as process,
    ):
        try:
            wait_until_healthy(f"http://127.0.0.1:{port}/health", process, log_file)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(60)


def wait_until_healthy(url: str, process: "subprocess.Popen[bytes]", log_file: Path) -> None:
    for _ in range(int(START_TIMEOUT_S)):
        assert process.poll() is None, log_file.read_text()[-4000:]
        with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
            urllib.request.urlopen(url, timeout=1)  # noqa: S310 - loopback
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)
    raise AssertionError(log_file.read_text()[-4000:])


@contextlib.asynccontextmanager
async def started(url: str, **changes: object) -> AsyncIterator[EndpointBackend]:
    settings: dict[str, object] = {
        "backend_type": "external",
        "external_url": url,
        "external_model": MODEL,
        "external_window_tokens": 2000,
    }
    made = endpoint_backends(ServerSettings.model_validate(settings | changes), lambda _: None)
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
        assert reading.source is Source.MODEL
        assert reading.bounds is not None
        assert differs_from(reading.bounds.probability, expected) <= TOLERANCE, claim
        # Its twenty tokens leave next to nothing open.
        assert reading.bounds.probability.high - reading.bounds.probability.low < 0.001


async def test_without_its_template_it_believes_the_same(
    vllm_server: str, local: list[float]
) -> None:
    async with started(vllm_server, external_api="completions") as backend:
        readings = await read(backend)
    for claim, expected, reading in zip(CLAIMS, local, readings, strict=True):
        assert reading.bounds is not None
        assert (reading.bounds.probability.center > 0.5) == (expected > 0.5), claim


async def test_samples_of_it_have_intervals_around_the_local_reading(
    vllm_server: str, local: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    # It tells log-probabilities when it is asked for them; so it is not.
    monkeypatch.setattr(openai_api, "TOP_TOKENS", ())
    few = {"endpoint_samples": SAMPLES, "endpoint_parallel": 1, "endpoint_timeout_s": 120}
    async with started(vllm_server, **few) as backend:
        readings = await read(backend)
    inside = 0
    for expected, reading in zip(local, readings, strict=True):
        assert reading.source is Source.SAMPLING
        assert reading.bounds is not None
        assert reading.bounds.samples == SAMPLES
        inside += differs_from(reading.bounds.probability, expected) <= TOLERANCE
    # Of eight intervals of 95 % two outside would be a chance of 1 in 20.
    assert inside >= len(CLAIMS) - 2
