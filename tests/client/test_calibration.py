"""What the clients make of calibrated probabilities and of a server's calibration."""

from groundwire.v1 import verifier_backend_pb2 as pb
from tests.client.plain_answers import NO_PROBABILITY, TIMING, USAGE, info_response
from tests.client.scripted import AnyClient, ScriptedServer, settle


def reading(
    probability: float | None, raw_probability: float | None, *, calibrated: bool = False
) -> pb.EstimateProbabilityResponse:
    """An answer with these; None is not sent."""
    estimate = pb.Estimate(
        probability=probability, raw_probability=raw_probability, calibrated=calibrated
    )
    return pb.EstimateProbabilityResponse(estimate=estimate, usage=USAGE, timing=TIMING)


async def test_without_a_calibration_the_probability_is_what_was_read(client: AnyClient) -> None:
    estimate = (await settle(client.estimate("0.25"))).estimate

    assert (estimate.probability, estimate.raw_probability) == (0.25, 0.25)
    assert not estimate.calibrated


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


async def test_without_a_probability_there_is_no_raw_one(client: AnyClient) -> None:
    estimate = (await settle(client.estimate(NO_PROBABILITY))).estimate

    assert estimate.raw_probability is None


async def test_a_server_without_calibration_and_identity_is_described_so(
    client: AnyClient, server: ScriptedServer
) -> None:
    response = info_response(pb.SERVER_STATE_LOADING)
    response.ClearField("identity")
    response.ClearField("calibration")
    server.script(response)

    info = await settle(client.server_info())

    assert info.identity == ""
    assert info.calibration is None
