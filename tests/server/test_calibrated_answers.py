"""What a server with a calibration answers: calibrated probabilities, the raw ones beside them."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import hallucination_detection_pb2_grpc as detection_grpc
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_verifier.numbers.calibration import Calibration, Platt
from tests.scripted import Scripted, scripted_server

LOWERED = Calibration(Platt(1.0, -1.0), 321, "claims of a test", operating_point=0.75)
VERIFIED = detection_pb.VerifyClaimsRequest(
    claims=[detection_pb.ClaimInput(text="a", cited_ids=["S0"])],
    evidence=detection_pb.Evidence(context="The text."),
)
RAW = 0.75
CALIBRATED = 1.0 / (1.0 + 1.0 / 3.0 * 2.718281828459045)


@pytest.fixture
async def calibrated() -> AsyncIterator[Scripted]:
    async with scripted_server(calibration=LOWERED) as served:
        served.engine.answers = {"a": (0.6, 0.2), "b": (0.001, 0.001)}
        yield served


async def test_an_estimate_has_both_probabilities(calibrated: Scripted) -> None:
    (estimate,) = (await calibrated.batch("a")).estimates
    assert estimate.probability == pytest.approx(CALIBRATED)
    assert estimate.raw_probability == pytest.approx(RAW)
    assert estimate.calibrated


async def test_an_estimate_without_a_probability_has_neither(calibrated: Scripted) -> None:
    (estimate,) = (await calibrated.batch("b")).estimates
    assert not estimate.HasField("probability")
    assert not estimate.HasField("raw_probability")
    assert not estimate.calibrated


async def test_a_verdict_is_made_of_calibrated_probabilities(calibrated: Scripted) -> None:
    (verdict,) = (await _verify(calibrated, VERIFIED)).verdicts
    assert verdict.posterior.calibrated
    assert verdict.prior.calibrated
    assert verdict.posterior.probability == pytest.approx(CALIBRATED)


async def test_the_server_describes_its_calibration(calibrated: Scripted) -> None:
    info = await calibrated.info()
    assert info.calibration == pb.Calibration(
        method=pb.CALIBRATION_METHOD_PLATT, rows=321, data="claims of a test", operating_point=0.75
    )
    assert len(info.identity) == 64


async def test_a_claim_is_asked_for_the_operating_point(calibrated: Scripted) -> None:
    response = await _verify(calibrated, VERIFIED)
    assert response.verdicts[0].confidence == 0.75
    assert response.run.thresholds.default_confidence == 0.75


async def test_the_request_chooses_before_the_operating_point(calibrated: Scripted) -> None:
    request = detection_pb.VerifyClaimsRequest()
    request.CopyFrom(VERIFIED)
    request.options.thresholds.default_confidence = 0.5
    assert (await _verify(calibrated, request)).verdicts[0].confidence == 0.5


async def test_the_setting_chooses_before_the_operating_point() -> None:
    async with scripted_server(calibration=LOWERED, verify_default_confidence=0.9) as served:
        assert (await _verify(served, VERIFIED)).verdicts[0].confidence == 0.9


async def test_a_calibration_without_operating_point_leaves_the_default() -> None:
    bare = replace(LOWERED, operating_point=None)
    async with scripted_server(calibration=bare) as served:
        info = await served.info()
        assert (await _verify(served, VERIFIED)).verdicts[0].confidence == 0.95
    assert not info.calibration.HasField("operating_point")


async def test_without_a_calibration_both_are_the_same() -> None:
    async with scripted_server() as served:
        (estimate,) = (await served.batch("a")).estimates
        info = await served.info()
    assert estimate.probability == estimate.raw_probability
    assert not estimate.calibrated
    assert not info.HasField("calibration")


async def _verify(
    served: Scripted, request: detection_pb.VerifyClaimsRequest
) -> detection_pb.VerifyClaimsResponse:
    return await detection_grpc.HallucinationDetectionStub(served.channel).VerifyClaims(request)
