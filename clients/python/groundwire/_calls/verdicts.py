"""The call that verifies claims, and verdicts and runs as they are read out of any response."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import TypeVar

from groundwire._calls import estimates  # noqa: F401 - has the readers of estimates and times
from groundwire._calls.claims import check_span
from groundwire._calls.inputs import sent_evidence, sent_verify_options
from groundwire._wire.calls import Call
from groundwire._wire.fields import checked_text, checked_texts, require
from groundwire._wire.reading import read, reads
from groundwire.errors import InvalidResponseError
from groundwire.inputs import ClaimInput, Evidence, Thresholds, VerifyOptions
from groundwire.reports import Run, VerifyResult
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.verdicts import CitationStatus, Verdict, VerdictReason, VerifiedClaim

_NOT_ALWAYS = ("max_unsupported_posterior", "min_miscitation", "max_contradicted")
"""The thresholds that a server may leave out."""

Verified = TypeVar("Verified", bound=VerifiedClaim)

_NOT_CONFIRMED = {
    VerdictReason.BUDGET_EXCEEDED,
    VerdictReason.LOW_POSTERIOR,
    VerdictReason.SCORE_MISSED,
    VerdictReason.EVIDENCE_UNUSED,
}
_REASONS = {
    Verdict.SUPPORTED: {
        VerdictReason.BUDGET_COVERED,
        VerdictReason.SCORE_REACHED,
        VerdictReason.CORROBORATED,
    },
    Verdict.UNCERTAIN: _NOT_CONFIRMED,
    Verdict.UNSUPPORTED: {
        *_NOT_CONFIRMED,
        VerdictReason.EVIDENCE_AGAINST,
        VerdictReason.UNSTATED_CODE,
    },
    Verdict.CONTRADICTED: {
        VerdictReason.MODEL_SAYS_NO,
        VerdictReason.FALSE_ABSENCE,
        VerdictReason.CELL_SAYS_OTHERWISE,
    },
    Verdict.MISCITED: {VerdictReason.OTHER_SOURCE},
    Verdict.PRIOR_KNOWLEDGE: {VerdictReason.HIGH_PRIOR},
}
_REASONS[Verdict.NOT_VERIFIED] = set(VerdictReason).difference(*_REASONS.values())
"""How each verdict can come about."""

# What the verdicts on a claim itself say of p1, and these two of p0 as well.
_FROM_POSTERIOR = {Verdict.UNCERTAIN, Verdict.UNSUPPORTED, Verdict.CONTRADICTED}
_FROM_BOTH = {Verdict.SUPPORTED, Verdict.MISCITED, Verdict.PRIOR_KNOWLEDGE}


def verify_claims(
    claims: Iterable[str | ClaimInput], evidence: Evidence | str, options: VerifyOptions | None
) -> Call[pb.VerifyClaimsResponse, VerifyResult]:
    """The verdicts of claims. Raises as `extract_claims`."""
    if isinstance(claims, str):
        raise TypeError("claims must be many claims, not one: pass a list with one claim")
    request = pb.VerifyClaimsRequest(
        claims=[_claim(f"claims[{index}]", claim) for index, claim in enumerate(claims)],
        evidence=sent_evidence("evidence", evidence),
        options=sent_verify_options("options", options),
    )
    return Call(
        "HallucinationDetection/VerifyClaims",
        request,
        pb.VerifyClaimsResponse,
        lambda response: _verify_result(response, [claim.text for claim in request.claims]),
    )


def _claim(path: str, claim: str | ClaimInput) -> pb.ClaimInput:
    given = ClaimInput(claim) if isinstance(claim, str) else claim
    return pb.ClaimInput(
        text=checked_text(f"{path}.text", given.text),
        cited_ids=checked_texts(f"{path}.cited_ids", given.cited_ids),
        confidence=given.confidence,
    )


def _verify_result(response: pb.VerifyClaimsResponse, claims: Sequence[str]) -> VerifyResult:
    """Reads the verdicts of these claims."""
    require(response, "run")
    if len(response.verdicts) != len(claims):
        raise InvalidResponseError(
            f"{len(response.verdicts)} verdicts came back for {len(claims)} claims"
        )
    verified = tuple(
        read_verified(VerifiedClaim, verdict, len(claim), content=claim)
        for claim, verdict in zip(claims, response.verdicts, strict=True)
    )
    return read(VerifyResult, response, claims=verified)


def read_verified(
    kind: type[Verified], message: pb.ClaimVerdict, characters: int = 0, **given: object
) -> Verified:
    """Reads a claim with its verdict, and checks that its numbers can carry it.

    `given` is all of the claim but what the message says of it. `characters` is the length of the
    text that its unsupported spans point into; where none is explained there is none.
    """
    claim = read(kind, message, **given)
    for each in claim.unsupported_spans:
        check_span(each.span, characters)
    _check_readings(claim)
    _check_grounded(claim)
    return claim


def _check_readings(claim: VerifiedClaim) -> None:
    """Refuses a verdict whose numbers are not there, and numbers without their readings."""
    name, p1, both = claim.verdict, claim.p1, None not in (claim.p1, claim.p0)
    if name in _FROM_POSTERIOR and p1 is None:
        raise InvalidResponseError(f"{name} without p1")
    if name in _FROM_BOTH and not both:
        raise InvalidResponseError(f"{name} without p1 and p0")
    if claim.reason is VerdictReason.MODEL_SAYS_NO and claim.stance is None:
        raise InvalidResponseError(f"{claim.reason} without a stance")
    if name is Verdict.MISCITED and claim.closed_book is None:
        raise InvalidResponseError(f"{name} without closed_book")
    if claim.reason is VerdictReason.CORROBORATED and None in (
        claim.closed_book,
        claim.cited_alone,
    ):
        raise InvalidResponseError(f"{claim.reason} without closed_book and cited_alone")
    from_both = {
        "budget": claim.budget,
        "grounding_score": claim.grounding_score,
        "evidence_use": claim.evidence_use,
    }
    for field, value in from_both.items():
        if both and value is None:
            raise InvalidResponseError(f"p1 and p0 without {field}")
        if not both and value is not None:
            raise InvalidResponseError(f"{field} without p1 and p0")


def _check_grounded(claim: VerifiedClaim) -> None:
    """Refuses a claim that counts as grounded and may not."""
    name = claim.verdict
    # A status that is newer than this client is not known to be harmless.
    known = claim.citation_status in (CitationStatus.NONE, CitationStatus.KNOWN)
    if name is Verdict.SUPPORTED and (claim.unknown_ids or not known):
        raise InvalidResponseError("SUPPORTED with a citation of a source that is not there")
    if claim.grounded != (name is Verdict.SUPPORTED):
        raise InvalidResponseError(f"{'' if claim.grounded else 'not '}grounded, but {name}")
    reasons = _REASONS.get(name)
    if reasons and claim.reason is not VerdictReason.UNKNOWN and claim.reason not in reasons:
        raise InvalidResponseError(f"{name} by the reason {claim.reason}")
    if claim.conflicts and name is Verdict.NOT_VERIFIED:
        raise InvalidResponseError(f"conflicts of a claim that is {name}")


@reads(Run)
def _run(run: pb.Run) -> Run:
    require(run, "thresholds")
    return read(Run, run)


@reads(Thresholds)
def _thresholds(thresholds: pb.Thresholds) -> Thresholds:
    names = (each.name for each in fields(Thresholds))
    require(thresholds, *(name for name in names if name not in _NOT_ALWAYS))
    return read(Thresholds, thresholds)
