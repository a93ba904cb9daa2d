"""Verdicts and reports as messages of the contract."""

from collections.abc import Iterable

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.features.detection.messages import message, timing, writes
from groundwire_verifier.checks.corrections.correction import Correction, Edit
from groundwire_verifier.domain.claims import Claim
from groundwire_verifier.verdicts import types as verdicts
from groundwire_verifier.verification import Verification, prompt_versions

MAX_NON_EVIDENCE = 10_000
"""The most sentences that a response lists, so that it has a size; all of them are left out."""
_UNEXPLAINED = verdicts.Explanation()


@writes(Claim)
def claim(value: Claim) -> pb.Claim:
    """A claim with its place in the text."""
    stated = value.confidence
    return message(
        pb.Claim,
        value,
        confidence=None if stated is None else stated.value,
        confidence_source=None if stated is None else stated.source,
        non_assertive_reason=value.non_assertive,
    )


def answer_claim(value: verdicts.AnswerClaim) -> pb.AnswerClaim:
    """A claim of an answer, with its verdict if there is one."""
    return message(pb.AnswerClaim, value)


def claims_found(values: Iterable[verdicts.AnswerClaim]) -> pb.ClaimsFound:
    """The first piece of a stream."""
    return pb.ClaimsFound(claims=[answer_claim(value) for value in values])


def claim_known(index: int, verdict: verdicts.ClaimVerdict) -> pb.ClaimKnown:
    """A piece of a stream: the verdict of the claim at this index."""
    return pb.ClaimKnown(index=index, verdict=claim_verdict(verdict))


@writes(verdicts.ClaimVerdict)
def claim_verdict(value: verdicts.ClaimVerdict) -> pb.ClaimVerdict:
    """A verdict with every number behind it."""
    why = value.explanation or _UNEXPLAINED
    return message(
        pb.ClaimVerdict,
        value,
        deciding_passages=why.passages,
        unsupported_spans=why.spans,
        explained=why.complete,
    )


@writes(verdicts.BudgetNumbers)
def _budget(value: verdicts.BudgetNumbers) -> pb.Budget:
    """A budget, with the range of its gap where that is not exact."""
    low, high = value.gap_range_bits or (None, None)
    return message(pb.Budget, value, min_gap_bits=low, max_gap_bits=high)


def summary(value: verdicts.AnswerSummary) -> pb.AnswerSummary:
    return message(pb.AnswerSummary, value)


@writes(verdicts.UnverifiedClaims)
def _unverified(value: verdicts.UnverifiedClaims) -> pb.UnverifiedClaims:
    return message(pb.UnverifiedClaims, value, non_assertive_reason=value.non_assertive)


def correction(value: Correction) -> pb.Correction:
    """An answer put right."""
    return message(pb.Correction, value, corrected_answer=value.text, untried_claims=value.untried)


@writes(Edit)
def _edit(value: Edit) -> pb.Edit:
    return message(pb.Edit, value, claim_index=value.claim)


def run(detection_id: str, detection: Verification, total_s: float) -> pb.Run:
    """What was done and what it cost."""
    options = detection.options
    return message(
        pb.Run,
        detection,
        policy=options.policy,
        thresholds=options.thresholds,
        strictness=options.strictness,
        prompt_version=prompt_versions(detection),
        timing=timing(detection.queue_s, detection.inference_s, total_s),
        non_evidence=detection.non_evidence[:MAX_NON_EVIDENCE],
        skip_non_evidence=options.skip_non_evidence,
        detection_id=detection_id,
        uncalibrated=detection.info is not None and detection.info.calibration is None,
    )
