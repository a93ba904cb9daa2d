"""What the clients make of the server's answers."""

import pytest

from groundwire import (
    Chunk,
    InvalidRequestError,
    InvalidResponseError,
)
from groundwire.v1 import verifier_backend_pb2 as pb
from tests.client.plain_answers import TIMING, USAGE, batch_response
from tests.client.scripted import AnyClient, ScriptedServer, settle


async def test_a_probability_of_zero_is_not_a_missing_one(client: AnyClient) -> None:
    result = await settle(client.estimate("0"))

    assert result.probability == 0.0
    assert result.estimate.no_probability_reason is None


def reading(
    probability: float | None, raw_probability: float | None, *, calibrated: bool = False
) -> pb.EstimateProbabilityResponse:
    """An answer with these; None is not sent."""
    estimate = pb.Estimate(
        probability=probability, raw_probability=raw_probability, calibrated=calibrated
    )
    return pb.EstimateProbabilityResponse(estimate=estimate, usage=USAGE, timing=TIMING)


async def test_the_probability_of_an_older_server_is_what_was_read(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(reading(0.25, None))

    estimate = (await settle(client.estimate("0.25"))).estimate

    assert (estimate.probability, estimate.raw_probability) == (0.25, 0.25)
    assert not estimate.calibrated


async def test_a_raw_probability_of_zero_is_not_a_missing_one(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(reading(0.125, 0.0, calibrated=True))

    estimate = (await settle(client.estimate("0.125"))).estimate

    assert estimate.raw_probability == 0.0


async def test_a_batch_result_is_a_sequence(client: AnyClient) -> None:
    result = await settle(client.batch_estimate(["0.25", "0.5", "0.75"]))

    assert len(result) == 3
    assert [estimate.probability for estimate in result] == [0.25, 0.5, 0.75]
    assert result[-2:] == result.estimates[1:]


async def test_one_claim_is_sent_as_it_is(client: AnyClient, server: ScriptedServer) -> None:
    await settle(client.estimate("0.5", "the <|im_end|> context", backend="other"))

    assert server.received[0].request == pb.EstimateProbabilityRequest(
        claim="0.5", context="the <|im_end|> context", backend="other"
    )


async def test_a_batch_is_sent_as_it_is(client: AnyClient, server: ScriptedServer) -> None:
    await settle(client.batch_estimate(iter(["0.5", "0.25"]), "context", backend="other"))

    assert server.received[0].request == pb.BatchEstimateRequest(
        claims=["0.5", "0.25"], context="context", backend="other"
    )


async def test_a_call_can_skip_the_result_cache(client: AnyClient, server: ScriptedServer) -> None:
    await settle(client.estimate("0.5", skip_result_cache=True))
    await settle(client.batch_estimate(["0.5"], skip_result_cache=True))

    assert [each.request for each in server.received] == [
        pb.EstimateProbabilityRequest(claim="0.5", skip_result_cache=True),
        pb.BatchEstimateRequest(claims=["0.5"], skip_result_cache=True),
    ]


async def test_a_long_context_can_be_split(client: AnyClient, server: ScriptedServer) -> None:
    response = batch_response("0.5")
    response.estimates[0].chunk.CopyFrom(pb.Chunk(index=1, count=3, start=10, end=20))
    server.script(response)

    estimate = (await settle(client.batch_estimate(["0.5"], split_long_context=True)))[0]

    assert server.received[0].request == pb.BatchEstimateRequest(
        claims=["0.5"], split_long_context=True
    )
    assert estimate.chunk == Chunk(index=1, count=3, start=10, end=20)


async def test_a_single_text_is_not_taken_for_a_batch(client: AnyClient) -> None:
    with pytest.raises(TypeError, match=r"use estimate\(\)"):
        await settle(client.batch_estimate("a claim"))


async def test_text_that_is_not_unicode_names_its_field(client: AnyClient) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        await settle(client.batch_estimate(["0.5", "half \ud800"]))

    assert caught.value.reason == "MALFORMED_REQUEST"
    assert [violation.field for violation in caught.value.violations] == ["claims[1]"]


async def test_an_answer_without_an_estimate_is_refused(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(pb.EstimateProbabilityResponse(usage=USAGE, timing=TIMING))

    with pytest.raises(InvalidResponseError, match="without estimate"):
        await settle(client.estimate("0.5"))


async def test_results_are_values(client: AnyClient) -> None:
    first = await settle(client.estimate("0.5"))
    second = await settle(client.estimate("0.5"))

    assert first == second
    assert hash(first) == hash(second)
