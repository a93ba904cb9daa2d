"""What a server makes of readings whose calibration weighs features of the texts.

The scripted model reads the same on every context, so that what differs comes from the texts.
"""

import math
from collections.abc import AsyncIterator

import pytest

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import hallucination_detection_pb2_grpc as detection_grpc
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_verifier.numbers.calibration import Calibration, Platt
from groundwire_verifier.numbers.features import Feature
from tests.scripted import Scripted, scripted_server

COVERED = Calibration(
    Platt(1.0, 0.0), 321, "claims of a test", weights={Feature.COVERAGE: math.log(9)}
)
CLAIM, TOWER, BRIDGE = "The tower stands.", "The tower stands here.", "The bridge is long."
EVEN, WITH_EVERY_WORD = 0.5, 0.9


@pytest.fixture
async def covered() -> AsyncIterator[Scripted]:
    async with scripted_server(calibration=COVERED, result_cache_entries=100) as served:
        served.engine.answers = {CLAIM: (0.5, 0.5)}
        yield served


async def test_a_probability_depends_on_the_texts_and_the_raw_one_does_not(
    covered: Scripted,
) -> None:
    for context, expected in ((TOWER, WITH_EVERY_WORD), (BRIDGE, EVEN)):
        (estimate,) = (await covered.batch(CLAIM, context=context)).estimates
        assert estimate.probability == pytest.approx(expected)
        assert estimate.raw_probability == pytest.approx(0.5)
        assert estimate.calibrated


async def test_a_reading_from_the_cache_gives_the_same_probability(covered: Scripted) -> None:
    first, second = [(await covered.batch(CLAIM, context=TOWER)).estimates[0] for _ in range(2)]
    assert second.source == pb.ESTIMATE_SOURCE_CACHE
    assert second.probability == first.probability == pytest.approx(WITH_EVERY_WORD)


async def test_a_prior_is_calibrated_by_the_evidence_that_is_left(covered: Scripted) -> None:
    evidence = detection_pb.Evidence(
        sources=[
            detection_pb.Source(id=name, document=detection_pb.Document(text=text))
            for name, text in (("S0", TOWER), ("S1", BRIDGE))
        ]
    )
    verdicts = {cited: await _verified(covered, cited, evidence) for cited in ("S0", "S1")}
    for verdict in verdicts.values():
        assert verdict.posterior.probability == pytest.approx(WITH_EVERY_WORD)
    assert verdicts["S0"].prior.probability == pytest.approx(EVEN)
    assert verdicts["S1"].prior.probability == pytest.approx(WITH_EVERY_WORD)
    # It is believed without what it cites, so it is read with the other source and without any.
    assert verdicts["S1"].closed_book.probability == pytest.approx(EVEN)
    (other,) = verdicts["S1"].other_sources
    assert other.probability == pytest.approx(WITH_EVERY_WORD)


async def test_the_server_names_the_features_and_their_weights(covered: Scripted) -> None:
    (weight,) = (await covered.info()).calibration.weights
    assert weight.feature == "coverage/1"
    assert weight.weight == pytest.approx(math.log(9))


async def _verified(
    served: Scripted, cited: str, evidence: detection_pb.Evidence
) -> detection_pb.ClaimVerdict:
    request = detection_pb.VerifyClaimsRequest(
        claims=[detection_pb.ClaimInput(text=CLAIM, cited_ids=[cited])], evidence=evidence
    )
    stub = detection_grpc.HallucinationDetectionStub(served.channel)
    (verdict,) = (await stub.VerifyClaims(request)).verdicts
    return verdict
