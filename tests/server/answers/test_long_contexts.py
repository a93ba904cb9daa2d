"""Contexts beyond the window: refused, or read in chunks where that is asked for."""

from collections.abc import AsyncIterator

import pytest
from grpc import aio

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import hallucination_detection_pb2_grpc as detection_grpc
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub
from groundwire_verifier.engine import chunking
from tests.scripted import Scripted, reason_of, scripted_server

FACT = "The bridge opened in 1932."
FILLER = [f"Nothing of note was said on day {i}." for i in range(120)]
LONG = " ".join([*FILLER[:60], FACT, *FILLER[60:]])


@pytest.fixture
async def served(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scripted]:
    """One token a character. The model believes what stands in its context."""
    monkeypatch.setattr(chunking, "CHUNK_TOKENS", 1500)
    async with scripted_server() as served:
        served.engine.answer = lambda prompt: (0.9, 0.1) if FACT in prompt else (0.1, 0.9)
        yield served


async def estimates(served: Scripted, *claims: str, split: bool = True) -> pb.BatchEstimateResponse:
    request = pb.BatchEstimateRequest(claims=claims, context=LONG, split_long_context=split)
    return await VerifierBackendStub(served.channel).BatchEstimate(request)


async def test_a_long_context_is_refused_with_the_limit_and_the_way_out(served: Scripted) -> None:
    with pytest.raises(aio.AioRpcError) as refused:
        await estimates(served, "a", split=False)
    assert reason_of(refused.value) == "CONTEXT_TOO_LONG"
    assert "split_long_context" in str(refused.value.details())


async def test_the_chunk_that_supports_the_claim_is_named(served: Scripted) -> None:
    (estimate,) = (await estimates(served, "a")).estimates
    assert estimate.probability == pytest.approx(0.9)
    assert estimate.chunk.count > 2
    assert FACT in LONG[estimate.chunk.start : estimate.chunk.end]


async def test_every_claim_is_read_on_every_chunk(served: Scripted) -> None:
    response = await estimates(served, "a", "b")
    count = response.estimates[0].chunk.count
    assert len(served.engine.prompts) == 2 * count
    assert response.usage.prompt_tokens == sum(map(len, served.engine.prompts))
    # Claims on one chunk follow each other, so that it is computed once.
    assert served.engine.claims == ["a", "b"] * count


async def test_chunks_are_whole_sentences_that_leave_nothing_out(served: Scripted) -> None:
    await estimates(served, "a")
    shown = [
        prompt.split("context:\n")[1].split("\n\nIs the")[0] for prompt in served.engine.prompts
    ]
    assert all(len(chunk) <= 1500 for chunk in shown)
    assert all(chunk.strip().startswith(("Nothing", "The")) for chunk in shown)
    assert all(chunk.strip().endswith(".") for chunk in shown)
    assert sum(map(len, shown)) >= len(LONG)


async def test_more_prompts_than_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunking, "CHUNK_TOKENS", 200)
    async with scripted_server(limits={"prompts": 30}) as served:
        with pytest.raises(aio.AioRpcError) as refused:
            await estimates(served, "a", "b")
    assert "the limit is 30" in str(refused.value.details())


async def test_a_verification_treats_the_prior_alike(served: Scripted) -> None:
    start = LONG.index(FACT)
    cited = detection_pb.Span(start=start, end=start + len(FACT))
    request = detection_pb.VerifyClaimsRequest(
        claims=[detection_pb.ClaimInput(text="It opened in 1932.", cited_ids=["S0"])],
        evidence=detection_pb.Evidence(
            context=LONG, sources=[detection_pb.Source(id="S0", range=cited)]
        ),
        options=detection_pb.VerifyOptions(split_long_context=True),
    )
    stub = detection_grpc.HallucinationDetectionStub(served.channel)
    (verdict,) = (await stub.VerifyClaims(request)).verdicts
    assert verdict.posterior.probability == pytest.approx(0.9)
    assert verdict.prior.probability == pytest.approx(0.1)
    assert verdict.posterior.HasField("chunk")
    assert verdict.prior.HasField("chunk")
