"""Reads the decisions of the memory gate out of responses. Raises InvalidResponseError.

Nothing fails open: a decision to store that its own verdict does not allow is
refused, and one that this client does not know is never to be stored. Knows
nothing of channels.
"""

from functools import partial

from groundwire._wire.responses import by_number, require, share
from groundwire._wire.verification_responses import read_run, read_verified
from groundwire.errors import InvalidResponseError
from groundwire.facts import CheckedFact, GateDecision, GateReason, GateResult
from groundwire.v1 import memory_gate_pb2 as pb
from groundwire.verdicts import Verdict, VerifiedClaim

_DECISIONS = by_number(GateDecision, pb.GateDecision.items(), "GATE_DECISION_")
_REASONS = by_number(GateReason, pb.GateReason.items(), "GATE_REASON_")


def gate_result(response: pb.CheckFactsResponse, request: pb.CheckFactsRequest) -> GateResult:
    """Reads the decisions on the facts of a request."""
    require(response, "run")
    if len(response.facts) != len(request.facts):
        raise InvalidResponseError(
            f"{len(response.facts)} decisions came back for {len(request.facts)} facts"
        )
    facts = zip(request.facts, response.facts, strict=True)
    return GateResult(tuple(_checked(sent, found) for sent, found in facts), read_run(response.run))


def _checked(sent: pb.Fact, found: pb.CheckedFact) -> CheckedFact:
    require(found, "verdict")
    if found.id != sent.id:
        raise InvalidResponseError("a decision with the id of another fact")
    claim = read_verified(partial(VerifiedClaim, content=sent.text), found.verdict)
    fact = CheckedFact(
        id=sent.id,
        text=sent.text,
        decision=_DECISIONS.get(found.decision, GateDecision.UNKNOWN),
        reason=_REASONS.get(found.reason, GateReason.UNKNOWN),
        reason_text=found.reason_text,
        confidence=share("confidence", found.confidence),
        stated_confidence=claim.confidence,
        claim=claim,
    )
    _check(fact, claim)
    return fact


def _check(fact: CheckedFact, claim: VerifiedClaim) -> None:
    """Refuses a fact that is to be stored and may not be, or not so."""
    decision, verdict = fact.decision, claim.verdict
    if decision is GateDecision.ACCEPTED and not claim.grounded:
        raise InvalidResponseError(f"ACCEPTED, but {verdict}")
    if decision is GateDecision.ACCEPTED_UNVERIFIED and verdict is not Verdict.NOT_VERIFIED:
        raise InvalidResponseError(f"ACCEPTED_UNVERIFIED, but {verdict}")
    if decision is GateDecision.ACCEPTED_UNSUPPORTED and verdict is Verdict.CONTRADICTED:
        raise InvalidResponseError(f"ACCEPTED_UNSUPPORTED, but {verdict}")
    if fact.confidence > claim.confidence:
        raise InvalidResponseError(
            f"a confidence of {fact.confidence}, above the stated {claim.confidence}"
        )
