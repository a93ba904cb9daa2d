"""The call that decides which facts may be stored."""

from collections.abc import Iterable

from groundwire._calls.inputs import as_evidence, sent_evidence
from groundwire._calls.verdicts import read_verified
from groundwire._wire.calls import Call
from groundwire._wire.fields import checked_text, checked_texts, refused, require
from groundwire._wire.reading import read
from groundwire.errors import ErrorReason, InvalidResponseError
from groundwire.facts import CheckedFact, FactInput, GateDecision, GateResult
from groundwire.inputs import Evidence
from groundwire.v1 import memory_gate_pb2 as pb
from groundwire.verdicts import Verdict, VerifiedClaim


def check_facts(
    facts: Iterable[str | FactInput],
    evidence: Evidence | str | None,
    backend: str,
    *,
    skip_result_cache: bool,
    split_long_context: bool,
) -> Call[pb.CheckFactsResponse, GateResult]:
    """The decisions on facts. Raises as `extract_claims`."""
    if isinstance(facts, str):
        raise TypeError("facts must be many facts, not one: pass a list with one fact")
    # Equal evidence is sent once, and its facts are read together.
    pieces: dict[Evidence, int] = {}
    sent: list[pb.Fact] = []
    for index, fact in enumerate(facts):
        given = FactInput(fact) if isinstance(fact, str) else fact
        own = evidence if given.evidence is None else given.evidence
        if own is None:
            text = "there is none: give the fact its own, or the call one for all"
            raise refused(f"facts[{index}].evidence", text, ErrorReason.INVALID_SOURCE)
        piece = pieces.setdefault(as_evidence(own), len(pieces))
        sent.append(_fact(f"facts[{index}]", given, piece))
    request = pb.CheckFactsRequest(
        facts=sent,
        evidence=[sent_evidence(f"evidence[{index}]", piece) for piece, index in pieces.items()],
        backend=checked_text("backend", backend),
        skip_result_cache=skip_result_cache,
        split_long_context=split_long_context,
    )
    return Call(
        "MemoryGate/CheckFacts",
        request,
        pb.CheckFactsResponse,
        lambda response: _gate_result(response, request),
    )


def _fact(path: str, fact: FactInput, evidence_index: int) -> pb.Fact:
    return pb.Fact(
        text=checked_text(f"{path}.text", fact.text),
        id=checked_text(f"{path}.id", fact.id),
        confidence=fact.confidence,
        cited_ids=checked_texts(f"{path}.cited_ids", fact.cited_ids),
        evidence_index=evidence_index,
    )


def _gate_result(response: pb.CheckFactsResponse, request: pb.CheckFactsRequest) -> GateResult:
    """Reads the decisions on the facts of a request."""
    require(response, "run")
    if len(response.facts) != len(request.facts):
        raise InvalidResponseError(
            f"{len(response.facts)} decisions came back for {len(request.facts)} facts"
        )
    pairs = zip(request.facts, response.facts, strict=True)
    facts = tuple(_checked(sent, found) for sent, found in pairs)
    return read(GateResult, response, facts=facts)


def _checked(sent: pb.Fact, found: pb.CheckedFact) -> CheckedFact:
    require(found, "verdict")
    if found.id != sent.id:
        raise InvalidResponseError("a decision with the id of another fact")
    claim = read_verified(VerifiedClaim, found.verdict, content=sent.text)
    fact = read(CheckedFact, found, text=sent.text, stated_confidence=claim.confidence, claim=claim)
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
