"""The call that says what a corpus has on a text."""

from dataclasses import dataclass

from groundwire._calls.claims import read_claim
from groundwire._calls.inputs import sent_extract_options, sent_verify_options
from groundwire._calls.verdicts import read_verified
from groundwire._wire.calls import Call
from groundwire._wire.fields import Share, checked_option, checked_text, require
from groundwire._wire.reading import read, reads
from groundwire.analyses import (
    ClaimAnalysis,
    CorpusAnalysis,
    CorpusSearch,
    EvidenceVerdict,
    Penalty,
    Relation,
    RiskNumbers,
    RiskRules,
)
from groundwire.errors import InvalidResponseError
from groundwire.inputs import ExtractOptions, VerifyOptions
from groundwire.v1 import corpus_verification_pb2 as pb
from groundwire.verdicts import VerifiedClaim

_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class _Penalty:
    penalty: Penalty
    points: Share


def analyze_text(
    text: str, corpus: str, extract: ExtractOptions | None, options: VerifyOptions | None
) -> Call[pb.AnalyzeTextResponse, CorpusAnalysis]:
    """What a corpus has on a text. Raises as `extract_claims`."""
    request = pb.AnalyzeTextRequest(
        text=checked_text("text", text),
        corpus=checked_text("corpus", corpus),
        extract=sent_extract_options("extract", extract),
        options=sent_verify_options("options", options),
    )
    return Call(
        "CorpusVerification/AnalyzeText",
        request,
        pb.AnalyzeTextResponse,
        lambda response: read_analysis(response, text),
    )


def search_corpus(
    query: str, corpus: str, max_passages: int | None
) -> Call[pb.SearchCorpusResponse, CorpusSearch]:
    """The passages of a corpus that are nearest to a text. Raises as `extract_claims`."""
    request = pb.SearchCorpusRequest(
        query=checked_text("query", query),
        corpus=checked_text("corpus", corpus),
        max_passages=checked_option("max_passages", max_passages),
    )
    return Call("CorpusVerification/SearchCorpus", request, pb.SearchCorpusResponse, read_search)


def read_search(response: pb.SearchCorpusResponse) -> CorpusSearch:
    """Reads what a search has found."""
    return read(CorpusSearch, response)


def read_analysis(response: pb.AnalyzeTextResponse, text: str) -> CorpusAnalysis:
    """Reads what a corpus has on a text."""
    require(response, "run", "rules")
    if not response.notice:
        raise InvalidResponseError("verdicts without their notice")
    claims = tuple(_claim(each, len(text)) for each in response.claims)
    analysis = read(CorpusAnalysis, response, claims=claims)
    for each in analysis:
        _check(each, analysis.rules)
    return analysis


def _claim(message: pb.ClaimAnalysis, characters: int) -> ClaimAnalysis:
    require(message, "claim")
    claim = read_claim(message.claim, characters)
    budget = None
    if message.HasField("budget"):
        budget = read_verified(VerifiedClaim, message.budget, content=claim.content)
    return read(ClaimAnalysis, message, claim=claim, budget=budget)


@reads(RiskNumbers)
def _numbers(message: pb.RiskNumbers) -> RiskNumbers:
    penalties = tuple(
        (each.penalty, each.points) for each in (read(_Penalty, p) for p in message.penalties)
    )
    return read(RiskNumbers, message, penalties=penalties)


def _check(each: ClaimAnalysis, rules: RiskRules) -> None:
    """Refuses a verdict that its numbers and its evidence do not carry."""
    verdict, numbers = each.verdict, each.numbers
    if verdict is EvidenceVerdict.UNKNOWN:
        return
    if (verdict is EvidenceVerdict.NOT_VERIFIED) != (numbers is None):
        raise InvalidResponseError(f"{verdict} with the numbers {numbers}")
    if numbers is None:
        return
    against = any(p.relation is Relation.CONTRADICTS for p in each.evidence)
    low, strength, high = numbers.strength_low, numbers.evidence_strength, numbers.strength_high
    if not low - _ROUNDING <= strength <= high + _ROUNDING:
        raise InvalidResponseError(f"a strength of {strength} outside [{low}, {high}]")
    if verdict is EvidenceVerdict.GROUNDED and (against or strength <= rules.grounded_threshold):
        raise InvalidResponseError(f"GROUNDED with a strength of {strength}, or contradicted")
    if verdict is EvidenceVerdict.HALLUCINATED and strength >= rules.hallucination_threshold:
        raise InvalidResponseError(f"HALLUCINATED with a strength of {strength}")
