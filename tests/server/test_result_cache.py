"""The result cache of a server: what is answered from it, what is not, and what is counted."""

import asyncio
import re
import urllib.request
from collections.abc import AsyncIterator

import pytest

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import hallucination_detection_pb2_grpc as detection_grpc
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub
from server.config import ConfigError
from tests.scripted import Scripted, scripted_server


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server(result_cache_entries=100, metrics_listen="127.0.0.1:0") as served:
        yield served


async def test_an_equal_claim_on_an_equal_context_is_answered_from_it(served: Scripted) -> None:
    first = await served.batch("a", "b", context="x")
    second = await served.batch("b", "c", context="x")
    assert served.engine.claims == ["a", "b", "c"]
    sources = [estimate.source for estimate in second.estimates]
    assert sources == [pb.ESTIMATE_SOURCE_CACHE, pb.ESTIMATE_SOURCE_MODEL]
    assert second.estimates[0].probability == first.estimates[1].probability


async def test_a_call_that_skips_it_is_computed(served: Scripted) -> None:
    stub = VerifierBackendStub(served.channel)
    for _ in range(2):
        answer = await stub.EstimateProbability(
            pb.EstimateProbabilityRequest(claim="a", skip_result_cache=True)
        )
        assert answer.estimate.source == pb.ESTIMATE_SOURCE_MODEL
    assert served.engine.claims == ["a", "a"]


async def test_a_verification_uses_it_unless_it_skips_it(served: Scripted) -> None:
    stub = detection_grpc.HallucinationDetectionStub(served.channel)
    asked = []
    for skip in (False, False, True):
        await stub.VerifyClaims(
            detection_pb.VerifyClaimsRequest(
                claims=[detection_pb.ClaimInput(text="It rained.")],
                evidence=detection_pb.Evidence(context="Rain fell."),
                options=detection_pb.VerifyOptions(skip_result_cache=skip),
            )
        )
        asked.append(len(served.engine.prompts))
    assert asked[0] == asked[1] < asked[2]


async def test_what_it_knew_is_on_the_metrics_page(served: Scripted) -> None:
    await served.batch("a", "b")
    await served.batch("a")
    url = f"http://127.0.0.1:{served.running.metrics_port}/metrics"
    text = await asyncio.to_thread(_page, url)
    counted = dict(re.findall(r'result_cache_prompts\w*{.*?result="(\w+)".*?} ([\d.]+)', text))
    assert counted == {"hits": "1.0", "joined": "0.0", "misses": "2.0"}


async def test_an_address_that_is_none_is_refused_at_the_start() -> None:
    with pytest.raises(ConfigError, match="result_cache_url is no URL"):
        async with scripted_server(result_cache_entries=1, result_cache_url="nonsense"):
            pass


def _page(url: str) -> str:
    with urllib.request.urlopen(url) as page:  # noqa: S310 - our own page
        return str(page.read().decode())
