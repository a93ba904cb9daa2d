"""What a server with a calibration answers: calibrated probabilities, the raw ones beside them."""

from collections.abc import AsyncIterator

import pytest

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import hallucination_detection_pb2_grpc as detection_grpc
from groundwire.v1 import verifier_backend_pb2 as pb
from tests.scripted import Scripted, scripted_server
from verifier.calibration import Calibration, Platt

LOWERED = Calibration(Platt(1.0, -1.0), 321, "claims of a test")
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
    request = detection_pb.VerifyClaimsRequest(
        claims=[detection_pb.ClaimInput(text="a", cited_ids=["S0"])],
        evidence=detection_pb.Evidence(context="The text."),
    )
    stub = detection_grpc.HallucinationDetectionStub(calibrated.channel)
    (verdict,) = (await stub.VerifyClaims(request)).verdicts
    assert verdict.posterior.calibrated
    assert verdict.prior.calibrated
    assert verdict.posterior.probability == pytest.approx(CALIBRATED)


async def test_the_server_describes_its_calibration(calibrated: Scripted) -> None:
    info = await calibrated.info()
    assert info.calibration == pb.Calibration(
        method=pb.CALIBRATION_METHOD_PLATT, rows=321, data="claims of a test"
    )
    assert len(info.identity) == 64


async def test_without_a_calibration_both_are_the_same() -> None:
    async with scripted_server() as served:
        (estimate,) = (await served.batch("a")).estimates
        info = await served.info()
    assert estimate.probability == estimate.raw_probability
    assert not estimate.calibrated
    assert not info.HasField("calibration")
