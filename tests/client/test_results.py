"""What the clients make of the server's answers."""

import pytest

from groundwire import (
    Chunk,
    InvalidRequestError,
    InvalidResponseError,
    NoProbabilityReason,
)
from groundwire.v1 import verifier_backend_pb2 as pb
from tests.client.plain_answers import NO_PROBABILITY, TIMING, USAGE, batch_response
from tests.client.scripted import AnyClient, ScriptedServer, settle


async def test_estimates_keep_the_order_of_the_claims(client: AnyClient) -> None:
    claims = ["0.75", "0.125", "0.5", "0.125"]

    result = await settle(client.batch_estimate(claims, "context"))

    assert result.probabilities == (0.75, 0.125, 0.5, 0.125)


async def test_a_probability_of_zero_is_not_a_missing_one(client: AnyClient) -> None:
    result = await settle(client.estimate("0"))

    assert result.probability == 0.0
    assert result.estimate.no_probability_reason is None


async def test_missing_log_probabilities_are_none(client: AnyClient) -> None:
    result = await settle(client.estimate(NO_PROBABILITY))

    assert result.estimate.yes_log_probability is None
    assert result.estimate.no_log_probability is None


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


async def test_an_estimate_that_was_read_exactly_has_none(client: AnyClient) -> None:
    estimate = (await settle(client.batch_estimate(["0.5"])))[0]

    assert (estimate.min_probability, estimate.max_probability) == (None, None)
    assert (estimate.max_label_mass, estimate.samples) == (None, 0)


async def test_too_few_samples_are_a_reason_of_their_own(
    client: AnyClient, server: ScriptedServer
) -> None:
    response = batch_response(NO_PROBABILITY)
    response.estimates[0].no_probability_reason = pb.NO_PROBABILITY_REASON_TOO_FEW_SAMPLES
    server.script(response)

    estimate = (await settle(client.batch_estimate(["0.5"])))[0]

    assert estimate.no_probability_reason is NoProbabilityReason.TOO_FEW_SAMPLES
