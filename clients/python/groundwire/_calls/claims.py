"""The call that splits a text into claims, and claims as they are read out of any response."""

from collections.abc import Iterable

from groundwire._calls.inputs import sent_extract_options
from groundwire._wire.calls import Call
from groundwire._wire.fields import by_number, checked_text, checked_texts, optional, share
from groundwire.claims import (
    Citation,
    Claim,
    ConfidenceSource,
    Extraction,
    Extractor,
    ExtractorFallback,
    ExtractResult,
    NonAssertiveReason,
    Span,
)
from groundwire.errors import InvalidResponseError
from groundwire.inputs import ExtractOptions
from groundwire.v1 import hallucination_detection_pb2 as pb

_CONFIDENCE_SOURCES = by_number(ConfidenceSource, pb.ConfidenceSource.items(), "CONFIDENCE_SOURCE_")
_NON_ASSERTIVE = by_number(
    NonAssertiveReason, pb.NonAssertiveReason.items(), "NON_ASSERTIVE_REASON_"
)
_EXTRACTORS = by_number(Extractor, pb.Extractor.items(), "EXTRACTOR_")
_FALLBACKS = by_number(ExtractorFallback, pb.ExtractorFallback.items(), "EXTRACTOR_FALLBACK_")


def extract_claims(
    text: str, source_ids: Iterable[str], options: ExtractOptions | None
) -> Call[pb.ExtractClaimsResponse, ExtractResult]:
    """The claims of a text. Raises InvalidRequestError; TypeError for one id."""
    request = pb.ExtractClaimsRequest(
        text=checked_text("text", text),
        source_ids=checked_texts("source_ids", source_ids),
        options=sent_extract_options("options", options),
    )
    return Call(
        "HallucinationDetection/ExtractClaims",
        request,
        pb.ExtractClaimsResponse,
        lambda response: read_extract_result(response, len(text)),
    )


def read_extract_result(response: pb.ExtractClaimsResponse, characters: int) -> ExtractResult:
    """Reads the claims of a text of so many characters."""
    return ExtractResult(
        claims=tuple(read_claim(claim, characters) for claim in response.claims),
        language=response.language,
        rules=response.rules,
        extraction=read_extraction(response.extraction),
    )


def read_extraction(message: pb.Extraction) -> Extraction:
    """How claims were found; by rules, if a server says nothing of it that knows nothing else."""
    if message.extractor == pb.EXTRACTOR_UNSPECIFIED:
        return Extraction()
    if min(message.dropped_claims, message.restored_claims) < 0:
        raise InvalidResponseError("a negative number of dropped or restored claims")
    fallback = None
    if message.fallback != pb.EXTRACTOR_FALLBACK_UNSPECIFIED:
        fallback = _FALLBACKS.get(message.fallback, ExtractorFallback.UNKNOWN)
    return Extraction(
        extractor=_EXTRACTORS.get(message.extractor, Extractor.UNKNOWN),
        fallback=fallback,
        dropped_claims=message.dropped_claims,
        restored_claims=message.restored_claims,
        backend=message.backend,
        model=message.model,
    )


def read_claim(claim: pb.Claim, characters: int) -> Claim:
    """Reads a claim of a text of so many characters."""
    confidence = optional(claim, "confidence", share)
    if confidence is None:
        raise InvalidResponseError("a claim without a confidence")
    return Claim(
        content=claim.content,
        span=read_span(claim.span, characters),
        citations=tuple(
            Citation(read_span(citation.span, characters), tuple(citation.ids))
            for citation in claim.citations
        ),
        confidence=confidence,
        confidence_source=read_confidence_source(claim.confidence_source),
        non_assertive_reason=read_non_assertive_reason(claim.non_assertive_reason),
        language=claim.language,
    )


def read_confidence_source(number: int) -> ConfidenceSource:
    """The source of a confidence, by its number in the contract."""
    return _CONFIDENCE_SOURCES.get(number, ConfidenceSource.UNKNOWN)


def read_non_assertive_reason(number: int) -> NonAssertiveReason | None:
    """Why a claim asserts nothing; None: it is an assertion."""
    if number == pb.NON_ASSERTIVE_REASON_UNSPECIFIED:
        return None
    return _NON_ASSERTIVE.get(number, NonAssertiveReason.UNKNOWN)


def read_span(span: pb.Span, characters: int) -> Span:
    """A span of a text of so many characters. Raises InvalidResponseError."""
    if not 0 <= span.start < span.end <= characters:
        raise InvalidResponseError(
            f"a span from {span.start} to {span.end} in a text of {characters} characters"
        )
    return Span(span.start, span.end)
