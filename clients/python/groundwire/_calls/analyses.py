"""The call that says what a corpus has on a text."""

from datetime import date
from functools import partial

from groundwire._calls.answers import read_source
from groundwire._calls.claims import read_claim
from groundwire._calls.inputs import sent_extract_options, sent_verify_options
from groundwire._calls.verdicts import read_run, read_stance, read_verified
from groundwire._wire.calls import Call
from groundwire._wire.fields import (
    by_number,
    checked_option,
    checked_text,
    finite,
    optional,
    require,
    share,
)
from groundwire.analyses import (
    ClaimAnalysis,
    Contradiction,
    CorpusAnalysis,
    CorpusSearch,
    EvidenceReason,
    EvidenceVerdict,
    Penalty,
    RawConfidenceSource,
    RelatedPassage,
    Relation,
    RelationDecidedBy,
    RiskNumbers,
    RiskRules,
)
from groundwire.errors import InvalidResponseError
from groundwire.inputs import ExtractOptions, VerifyOptions
from groundwire.v1 import corpus_verification_pb2 as pb
from groundwire.verdicts import VerifiedClaim

_VERDICTS = by_number(EvidenceVerdict, pb.EvidenceVerdict.items(), "EVIDENCE_VERDICT_")
_REASONS = by_number(EvidenceReason, pb.EvidenceReason.items(), "EVIDENCE_REASON_")
_RELATIONS = by_number(Relation, pb.Relation.items(), "RELATION_")
_TYPES = by_number(Contradiction, pb.Contradiction.items(), "CONTRADICTION_")
_DECIDED_BY = by_number(RelationDecidedBy, pb.RelationDecidedBy.items(), "RELATION_DECIDED_BY_")
_SOURCES = by_number(RawConfidenceSource, pb.RawConfidenceSource.items(), "RAW_CONFIDENCE_SOURCE_")
_PENALTIES = by_number(Penalty, pb.Penalty.items(), "PENALTY_")
_ROUNDING = 1e-6


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
    passages = tuple(read_source(each) for each in response.passages)
    return CorpusSearch(passages, response.corpus)


def read_analysis(response: pb.AnalyzeTextResponse, text: str) -> CorpusAnalysis:
    """Reads what a corpus has on a text."""
    require(response, "run", "rules")
    if not response.notice:
        raise InvalidResponseError("verdicts without their notice")
    analysis = CorpusAnalysis(
        claims=tuple(_claim(each, len(text)) for each in response.claims),
        notice=response.notice,
        language=response.language,
        corpus=response.corpus,
        run=read_run(response.run),
        rules=_rules(response.rules),
    )
    for each in analysis:
        _check(each, analysis.rules)
    return analysis


def _claim(message: pb.ClaimAnalysis, characters: int) -> ClaimAnalysis:
    require(message, "claim")
    claim = read_claim(message.claim, characters)
    make = partial(VerifiedClaim, content=claim.content)
    return ClaimAnalysis(
        claim=claim,
        verdict=_VERDICTS.get(message.verdict, EvidenceVerdict.UNKNOWN),
        reason=_REASONS.get(message.reason, EvidenceReason.UNKNOWN),
        reason_text=message.reason_text,
        is_uncertain=message.is_uncertain,
        evidence=tuple(_passage(each) for each in message.evidence),
        numbers=_numbers(message.numbers) if message.HasField("numbers") else None,
        budget=read_verified(make, message.budget) if message.HasField("budget") else None,
        contradictions=tuple(
            _TYPES.get(number, Contradiction.UNKNOWN) for number in message.contradictions
        ),
        explanation=message.explanation,
    )


def _passage(message: pb.RelatedPassage) -> RelatedPassage:
    type_ = message.contradiction
    return RelatedPassage(
        document=message.document,
        title=message.title,
        text=message.text,
        start=message.start,
        end=message.end,
        similarity=optional(message, "similarity", finite),
        dated=_day(message.dated),
        dated_by=message.dated_by,
        is_old=message.is_old,
        relation=_RELATIONS.get(message.relation, Relation.UNKNOWN),
        sentence=message.sentence,
        decided_by=_DECIDED_BY.get(message.decided_by, RelationDecidedBy.UNKNOWN),
        contradiction=_TYPES.get(type_, Contradiction.UNKNOWN) if type_ else None,
        detail=message.detail,
        stance=read_stance(message.stance) if message.HasField("stance") else None,
    )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise InvalidResponseError("a document's day that is no date") from None


def _numbers(message: pb.RiskNumbers) -> RiskNumbers:
    return RiskNumbers(
        evidence_strength=share("evidence_strength", message.evidence_strength),
        strength_low=share("strength_low", message.strength_low),
        strength_high=share("strength_high", message.strength_high),
        raw_confidence=share("raw_confidence", message.raw_confidence),
        raw_source=_SOURCES.get(message.raw_source, RawConfidenceSource.UNKNOWN),
        penalties=tuple(
            (_PENALTIES.get(each.penalty, Penalty.UNKNOWN), share("points", each.points))
            for each in message.penalties
        ),
        calibrated_confidence=share("calibrated_confidence", message.calibrated_confidence),
        risk=share("risk", message.risk),
    )


def _rules(message: pb.RiskRules) -> RiskRules:
    return RiskRules(
        no_evidence_penalty=share("no_evidence_penalty", message.no_evidence_penalty),
        contradiction_penalty=share("contradiction_penalty", message.contradiction_penalty),
        weak_evidence_penalty=share("weak_evidence_penalty", message.weak_evidence_penalty),
        vague_language_penalty=share("vague_language_penalty", message.vague_language_penalty),
        hallucination_threshold=share("hallucination_threshold", message.hallucination_threshold),
        grounded_threshold=share("grounded_threshold", message.grounded_threshold),
        raw_weight=share("raw_weight", message.raw_weight),
    )


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
