"""What one request may need of the server: what is beyond the limits is never made."""

import asyncio
import tracemalloc
from collections.abc import Awaitable, Callable

import pytest
from google.protobuf.message import Message
from grpc import StatusCode, aio

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub
from groundwire_verifier.domain.types import Question
from groundwire_verifier.engine import chunking
from tests.scripted import (
    Scripted,
    ScriptedEngine,
    reason_of,
    scripted_server,
    violations_of,
)
from tests.scripted_services.detection import documents, stub_of

CLAIMS = 1000
CONTEXT = ("facts " * 32 + "end. ") * (200_000 // 197)
WIDE_TOKENS = 300_000
"""A window that the whole context fits in; one token is a character."""

Call = Callable[[Scripted], Awaitable[Message]]


def ranges(context: str, count: int, gap: int = 0) -> pb.Evidence:
    """A context of so many ranges, with `gap` characters behind each that are in none."""
    width = len(context) // count
    return pb.Evidence(
        context=context,
        sources=[
            pb.Source(id=f"S{i}", range=pb.Span(start=i * width, end=(i + 1) * width - gap))
            for i in range(count)
        ],
    )


def each_citing_another(
    context: str, count: int, options: pb.VerifyOptions | None = None
) -> pb.VerifyClaimsRequest:
    return pb.VerifyClaimsRequest(
        claims=[pb.ClaimInput(text=f"Claim {i}.", cited_ids=[f"S{i}"]) for i in range(count)],
        evidence=ranges(context, count),
        options=options,
    )


def verify(request: pb.VerifyClaimsRequest) -> Call:
    return lambda served: stub_of(served).VerifyClaims(request)


def estimate(context: str, *, split: bool) -> Call:
    request = backend_pb.BatchEstimateRequest(
        claims=[f"Claim {i}." for i in range(CLAIMS)], context=context, split_long_context=split
    )
    return lambda served: VerifierBackendStub(served.channel).BatchEstimate(request)


WHOLE = pb.VerifyOptions(read=pb.READ_WHOLE)
SPLIT = pb.VerifyOptions(split_long_context=True)
HOSTILE = {
    "another range a claim, window too small": (
        4096,
        verify(each_citing_another(CONTEXT, CLAIMS, WHOLE)),
        ("evidence", "CONTEXT_TOO_LONG"),
    ),
    "another range a claim, all fits": (
        WIDE_TOKENS,
        verify(each_citing_another(CONTEXT, CLAIMS, WHOLE)),
        ("claims", "TOO_MANY_CLAIMS"),
    ),
    "another range a claim, in chunks": (
        4096,
        verify(each_citing_another(CONTEXT, CLAIMS, SPLIT)),
        ("claims", "TOO_MANY_CLAIMS"),
    ),
    "many claims on a context that is too long": (
        4096,
        estimate(CONTEXT, split=False),
        ("context", "CONTEXT_TOO_LONG"),
    ),
    "many claims on many chunks": (
        4096,
        estimate(CONTEXT, split=True),
        ("claims", "TOO_MANY_CLAIMS"),
    ),
    "many claims on a marker for each letter": (
        4096,
        verify(
            pb.VerifyClaimsRequest(
                claims=[pb.ClaimInput(text=f"Claim {i}.") for i in range(CLAIMS)],
                evidence=ranges("a " * 1000, 1000, gap=1),
                options=pb.VerifyOptions(marker="m" * 200, read=pb.READ_WHOLE),
            )
        ),
        ("evidence", "CONTEXT_TOO_LONG"),
    ),
}


def peak_bytes_of(work: Awaitable[object]) -> "asyncio.Future[int]":
    """The most memory that Python holds at one time while this is done, the server included."""

    async def measure() -> int:
        tracemalloc.start()
        try:
            await work
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    return asyncio.ensure_future(measure())


@pytest.mark.parametrize("case", HOSTILE.values(), ids=HOSTILE)
async def test_what_a_request_would_need_is_refused_before_it_is_made(
    case: tuple[int, Call, tuple[str, str]],
) -> None:
    window_tokens, call, expected = case
    async with scripted_server(engine=ScriptedEngine(window_tokens)) as served:
        caught: list[aio.AioRpcError] = []

        async def refused() -> None:
            with pytest.raises(aio.AioRpcError) as error:
                await call(served)
            caught.append(error.value)

        once = await peak_bytes_of(served.backend.encode([Question("a", CONTEXT)]))
        peak = await peak_bytes_of(refused())
        assert served.engine.prompts == []
    (error,) = caught
    assert error.code() is StatusCode.INVALID_ARGUMENT
    assert (next(iter(violations_of(error))), reason_of(error)) == expected
    # Before, each of a thousand claims had the context's tokens in its prompt.
    assert peak < 20 * once


async def test_the_limit_on_evidence_is_named_with_the_way_out() -> None:
    request = each_citing_another("It rained. " * 100, 10, WHOLE)
    async with scripted_server(limits={"evidence_characters": 10_999}) as served:
        with pytest.raises(aio.AioRpcError) as caught:
            await stub_of(served).VerifyClaims(request)
    (text,) = violations_of(caught.value).values()
    assert "characters of evidence" in text
    assert "the limit is 10,999" in text
    assert "send fewer claims" in text


async def test_an_attribution_counts() -> None:
    context = "It rained. " * 20
    sizes = []
    for options in (pb.VerifyOptions(), pb.VerifyOptions(attribute_citations=True)):
        request = pb.VerifyClaimsRequest(
            claims=[pb.ClaimInput(text="It was wet.", cited_ids=["S0", "S1"])],
            evidence=ranges(context, 3),
            options=options,
        )
        request.options.marker = ""
        async with scripted_server(limits={"evidence_characters": 1}) as served:
            with pytest.raises(aio.AioRpcError) as caught:
                await stub_of(served).VerifyClaims(request)
        (text,) = violations_of(caught.value).values()
        sizes.append(int(text.split("up to ")[1].split(" ")[0].replace(",", "")))
    # Whole and without both; without the one and without the other.
    assert [size // len(context) for size in sizes] == [2, 4]


async def test_ordinary_requests_on_the_longest_context_are_within_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chunking, "CHUNK_TOKENS", 20_000)
    # Ten claims on the most characters, each without its own sources: eleven contexts.
    request = each_citing_another(CONTEXT, 10, SPLIT)
    async with scripted_server(engine=ScriptedEngine(WIDE_TOKENS)) as served:
        response = await stub_of(served).VerifyClaims(request)
    assert len(response.verdicts) == 10


async def test_all_claims_together_are_limited_before_they_are_tokenised() -> None:
    async with scripted_server(max_claims=2) as served:
        request = pb.VerifyClaimsRequest(
            claims=[pb.ClaimInput(text="a" * 2001)] * 2, evidence=documents("It rained.")
        )
        with pytest.raises(aio.AioRpcError) as caught:
            await stub_of(served).VerifyClaims(request)
        assert reason_of(caught.value) == "TOO_MANY_CLAIMS"
        assert violations_of(caught.value) == {
            "claims": "needs claims of 4,002 characters together; the limit is 4,000: send fewer "
            "or shorter ones"
        }
        with pytest.raises(aio.AioRpcError) as caught:
            await served.batch("a" * 2001, "b" * 2001)
        assert list(violations_of(caught.value)) == ["claims"]
