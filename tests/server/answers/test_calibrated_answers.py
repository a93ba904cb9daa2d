"""What a server with a calibration answers: calibrated probabilities, the raw ones beside them."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import hallucination_detection_pb2_grpc as detection_grpc
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_verifier.numbers.calibration import Bar, Calibration, Platt, Strictness
from tests.scripted import Scripted, scripted_server

POINTS = {Strictness.BALANCED: 0.75, Strictness.STRICT: 0.9, Strictness.LENIENT: 0.3}
LOWERED = Calibration(Platt(1.0, -1.0), 321, "claims of a test", POINTS)
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


async def test_a_verdict_is_made_of_calibrated_probabilities(calibrated: Scripted) -> None:
    (verdict,) = (await _verify(calibrated, VERIFIED)).verdicts
    assert verdict.posterior.calibrated
    assert verdict.prior.calibrated
    assert verdict.posterior.probability == pytest.approx(CALIBRATED)


async def test_the_server_describes_its_calibration(calibrated: Scripted) -> None:
    info = await calibrated.info()
    assert info.calibration == pb.Calibration(
        method=pb.CALIBRATION_METHOD_PLATT,
        rows=321,
        data="claims of a test",
        operating_points=[
            pb.OperatingPoint(strictness=pb.STRICTNESS_BALANCED, confidence=0.75),
            pb.OperatingPoint(strictness=pb.STRICTNESS_STRICT, confidence=0.9),
            pb.OperatingPoint(strictness=pb.STRICTNESS_LENIENT, confidence=0.3),
        ],
    )
    assert len(info.identity) == 64


async def test_a_claim_is_asked_for_the_operating_point(calibrated: Scripted) -> None:
    response = await _verify(calibrated, VERIFIED)
    (verdict,) = response.verdicts
    assert verdict.confidence == 0.75
    assert verdict.confidence_source == detection_pb.CONFIDENCE_SOURCE_DEFAULT
    assert response.run.thresholds.default_confidence == 0.75
    assert response.run.strictness == pb.STRICTNESS_BALANCED


async def test_a_request_chooses_an_operating_point_by_its_name(calibrated: Scripted) -> None:
    response = await _verify(calibrated, _with(strictness=pb.STRICTNESS_STRICT))
    (verdict,) = response.verdicts
    assert verdict.confidence == 0.9
    assert verdict.confidence_source == detection_pb.CONFIDENCE_SOURCE_REQUEST
    assert response.run.strictness == pb.STRICTNESS_STRICT
    assert response.run.thresholds.min_posterior == 0.5


async def test_a_lenient_point_lowers_the_posterior_that_is_asked_for(
    calibrated: Scripted,
) -> None:
    run = (await _verify(calibrated, _with(strictness=pb.STRICTNESS_LENIENT))).run
    assert run.thresholds.default_confidence == run.thresholds.min_posterior == 0.3


async def test_a_posterior_that_somebody_chose_is_not_lowered() -> None:
    options = _with(strictness=pb.STRICTNESS_LENIENT)
    async with scripted_server(calibration=LOWERED, verify_min_posterior=0.6) as served:
        assert (await _verify(served, options)).run.thresholds.min_posterior == 0.6
    options.options.thresholds.min_posterior = 0.7
    async with scripted_server(calibration=LOWERED) as served:
        assert (await _verify(served, options)).run.thresholds.min_posterior == 0.7


async def test_the_setting_names_the_operating_point() -> None:
    async with scripted_server(calibration=LOWERED, verify_strictness="strict") as served:
        response = await _verify(served, VERIFIED)
        asked = await _verify(served, _with(strictness=pb.STRICTNESS_BALANCED))
    assert response.verdicts[0].confidence == 0.9
    assert response.run.strictness == pb.STRICTNESS_STRICT
    assert asked.verdicts[0].confidence == 0.75


async def test_the_claims_of_a_text_carry_the_default_that_they_will_be_asked_for(
    calibrated: Scripted,
) -> None:
    stub = detection_grpc.HallucinationDetectionStub(calibrated.channel)
    text = "The tower is tall. The tower is probably old."
    plain, hedged = (await stub.ExtractClaims(detection_pb.ExtractClaimsRequest(text=text))).claims
    assert plain.confidence == 0.75
    assert plain.confidence_source == detection_pb.CONFIDENCE_SOURCE_DEFAULT
    assert hedged.confidence_source == detection_pb.CONFIDENCE_SOURCE_INFERRED


async def test_every_claim_of_an_answer_carries_a_confidence_and_its_source(
    calibrated: Scripted,
) -> None:
    stub = detection_grpc.HallucinationDetectionStub(calibrated.channel)
    request = detection_pb.VerifyAnswerRequest(
        answer="# Towers\n\nThe tower is tall. I am 80% sure that the tower is old. Is it?",
        evidence=VERIFIED.evidence,
        options=detection_pb.VerifyOptions(
            thresholds=detection_pb.Thresholds(default_confidence=0.6)
        ),
    )
    report = await stub.VerifyAnswer(request)
    stream = stub.VerifyAnswerStream(detection_pb.VerifyAnswerStreamRequest(request=request))
    (found,) = [piece.found async for piece in stream if piece.HasField("found")]
    for claims in (report.claims, found.claims):
        sources = [each.claim.confidence_source for each in claims]
        assert sources.count(detection_pb.CONFIDENCE_SOURCE_STATED) == 1
        assert sources.count(detection_pb.CONFIDENCE_SOURCE_REQUEST) == len(sources) - 1 > 1
        assert all(each.claim.HasField("confidence") for each in claims)
    assert report.run.strictness == pb.STRICTNESS_UNSPECIFIED


async def test_the_request_chooses_before_the_operating_point(calibrated: Scripted) -> None:
    request = _with(strictness=pb.STRICTNESS_STRICT)
    request.options.thresholds.default_confidence = 0.5
    response = await _verify(calibrated, request)
    assert response.verdicts[0].confidence == 0.5
    assert response.run.strictness == pb.STRICTNESS_UNSPECIFIED


async def test_the_setting_chooses_before_the_operating_point() -> None:
    async with scripted_server(calibration=LOWERED, verify_default_confidence=0.9) as served:
        (verdict,) = (await _verify(served, VERIFIED)).verdicts
    assert verdict.confidence == 0.9
    assert verdict.confidence_source == detection_pb.CONFIDENCE_SOURCE_DEFAULT


async def test_the_bars_are_the_calibrations_unless_the_request_chooses() -> None:
    bars = {Bar.UNSUPPORTED: 0.125, Bar.CONTRADICTION: 0.875, Bar.MISCITATION: 0.375}
    calibration = replace(LOWERED, bars=bars)
    request = detection_pb.VerifyClaimsRequest()
    request.CopyFrom(VERIFIED)
    request.options.thresholds.min_miscitation = 0.25
    async with scripted_server(calibration=calibration) as served:
        (plain, chosen) = [
            (await _verify(served, each)).run.thresholds for each in (VERIFIED, request)
        ]
    assert (plain.max_unsupported_posterior, plain.min_contradiction) == (0.125, 0.875)
    assert (plain.min_miscitation, chosen.min_miscitation) == (0.375, 0.25)


def _with(strictness: pb.Strictness) -> detection_pb.VerifyClaimsRequest:
    request = detection_pb.VerifyClaimsRequest(
        options=detection_pb.VerifyOptions(strictness=strictness)
    )
    request.MergeFrom(VERIFIED)
    return request


async def _verify(
    served: Scripted, request: detection_pb.VerifyClaimsRequest
) -> detection_pb.VerifyClaimsResponse:
    return await detection_grpc.HallucinationDetectionStub(served.channel).VerifyClaims(request)


@pytest.fixture
async def uncalibrated() -> AsyncIterator[Scripted]:
    async with scripted_server(verify_default_confidence=None) as served:
        served.engine.answer = lambda prompt: (
            (0.1, 0.8) if "[EVIDENCE REMOVED]" in prompt else (0.68, 0.22)
        )
        yield served


async def test_a_model_without_a_calibration_supports_what_it_believes_more_than_not(
    uncalibrated: Scripted,
) -> None:
    response = await _verify(uncalibrated, VERIFIED)
    (verdict,) = response.verdicts
    assert verdict.posterior.probability == pytest.approx(0.68 / 0.9)
    assert verdict.verdict == detection_pb.VERDICT_SUPPORTED
    assert response.run.thresholds.default_confidence == 0.5
    assert response.run.uncalibrated


async def test_what_it_believes_less_than_not_it_does_not_support(uncalibrated: Scripted) -> None:
    uncalibrated.engine.answer = lambda _: (0.2, 0.7)
    (verdict,) = (await _verify(uncalibrated, VERIFIED)).verdicts
    assert verdict.verdict != detection_pb.VERDICT_SUPPORTED


async def test_a_server_says_whether_its_model_is_calibrated(
    uncalibrated: Scripted, calibrated: Scripted
) -> None:
    assert (await uncalibrated.info()).uncalibrated
    assert not (await calibrated.info()).uncalibrated
    assert not (await _verify(calibrated, VERIFIED)).run.uncalibrated


async def test_a_confidence_that_somebody_sets_holds_without_a_calibration_too() -> None:
    async with scripted_server(verify_default_confidence=0.8) as served:
        served.engine.answer = lambda _: (0.68, 0.22)
        response = await _verify(served, VERIFIED)
    assert response.run.thresholds.default_confidence == 0.8
    assert response.verdicts[0].verdict != detection_pb.VERDICT_SUPPORTED
