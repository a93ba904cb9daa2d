"""Which verdicts the clients refuse."""

import math

import pytest

from groundwire import InvalidResponseError
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from tests.client.scripted import AnyClient, settle
from tests.client.scripted_detection import (
    BUDGET,
    Change,
    DetectionServer,
    changed,
    claims_response,
    clearing,
    setting,
    verdict,
)


async def test_a_wrong_number_of_verdicts_is_refused(
    client: AnyClient, server: DetectionServer
) -> None:
    server.script(claims_response("0.5"))

    with pytest.raises(InvalidResponseError, match="1 verdicts came back for 2 claims"):
        await settle(client.verify_claims(["0.5", "0.5"], "context"))


async def test_an_answer_that_does_not_say_what_was_done_is_refused(
    client: AnyClient, server: DetectionServer
) -> None:
    server.script(pb.VerifyClaimsResponse(verdicts=[verdict("0.5")]))

    with pytest.raises(InvalidResponseError, match="without run"):
        await settle(client.verify_claims(["0.5"], "context"))


async def test_a_threshold_that_is_missing_is_refused(
    client: AnyClient, server: DetectionServer
) -> None:
    response = claims_response("0.5")
    response.run.thresholds.ClearField("min_evidence_use")
    server.script(response)

    with pytest.raises(InvalidResponseError, match="without min_evidence_use"):
        await settle(client.verify_claims(["0.5"], "context"))


NUMBERS = ("budget", "grounding_score", "evidence_use")
REFUSED: dict[str, tuple[Change, str]] = {
    "supported without p1": (clearing("posterior", *NUMBERS), "SUPPORTED without p1 and p0"),
    "supported without p0": (clearing("prior", *NUMBERS), "SUPPORTED without p1 and p0"),
    "contradicted without p1": (
        lambda message: (
            clearing("posterior", "grounded", *NUMBERS)(message),
            setting(verdict=pb.VERDICT_CONTRADICTED)(message),
        ),
        "CONTRADICTED without p1",
    ),
    "a posterior above one": (
        setting(posterior=backend_pb.Estimate(probability=1.5)),
        "a probability of 1.5",
    ),
    "a prior that is no number": (
        setting(prior=backend_pb.Estimate(probability=math.nan)),
        "a probability of nan",
    ),
    "a confidence above one": (setting(confidence=1.5), "a confidence of 1.5"),
    "no budget for p1 and p0": (clearing("budget"), "p1 and p0 without budget"),
    "no score for p1 and p0": (clearing("grounding_score"), "p1 and p0 without grounding_score"),
    "a budget without p1": (
        lambda message: message.CopyFrom(
            pb.ClaimVerdict(verdict=pb.VERDICT_NOT_VERIFIED, budget=BUDGET)
        ),
        "budget without p1 and p0",
    ),
    "a budget that is no number": (setting(budget=pb.Budget(gap_bits=math.nan)), "gap_bits of nan"),
    "a score above one": (setting(grounding_score=1.5), "a grounding_score of 1.5"),
    "a use below minus one": (setting(evidence_use=-1.5), "a evidence_use of -1.5"),
    "a stance above one": (setting(stance=pb.Stance(no=1.5)), "a no of 1.5"),
    "a drop above one": (
        setting(citation_roles=[pb.CitationRole(id="S0", drop=1.5)]),
        "a drop of 1.5",
    ),
    "grounded, but not verified": (
        setting(verdict=pb.VERDICT_NOT_VERIFIED),
        "grounded, but NOT_VERIFIED",
    ),
    "grounded by a verdict of a newer server": (setting(verdict=99), "grounded, but UNKNOWN"),
    "supported by a source that is not there": (
        setting(cited_ids=["S9"], unknown_ids=["S9"]),
        "a source that is not there",
    ),
    "supported with an unknown citation": (
        setting(citation_status=pb.CITATION_STATUS_UNKNOWN),
        "a source that is not there",
    ),
}


@pytest.mark.parametrize(("change", "message"), REFUSED.values(), ids=REFUSED)
async def test_a_verdict_that_breaks_the_contract_is_refused(
    client: AnyClient, server: DetectionServer, change: Change, message: str
) -> None:
    server.script(changed(change))

    with pytest.raises(InvalidResponseError, match=message):
        await settle(client.verify_claims(["0.5"], "context"))
