"""What the clients make of estimates that were not read exactly."""

from groundwire import NoProbabilityReason
from groundwire.v1 import verifier_backend_pb2 as pb
from tests.client.plain_answers import NO_PROBABILITY, batch_response
from tests.client.scripted import AnyClient, ScriptedServer, settle


async def test_a_sampled_estimate_has_its_range_and_its_samples(
    client: AnyClient, server: ScriptedServer
) -> None:
    response = batch_response("0.5")
    response.estimates[0].MergeFrom(
        pb.Estimate(min_probability=0.25, max_probability=0.75, max_label_mass=0.875, samples=16)
    )
    server.script(response)

    estimate = (await settle(client.batch_estimate(["0.5"])))[0]

    assert (estimate.min_probability, estimate.max_probability) == (0.25, 0.75)
    assert (estimate.max_label_mass, estimate.samples) == (0.875, 16)


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
