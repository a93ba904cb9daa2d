"""Reads the claims of a text out of responses. Raises InvalidResponseError.

Knows where the text ends, so that no span reaches beyond it. This module knows
nothing of verdicts or channels.
"""

import math
from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from groundwire._enums import by_number
from groundwire._messages import share
from groundwire.claims import (
    Citation,
    Claim,
    ConfidenceSource,
    ExtractResult,
    NonAssertiveReason,
    Span,
)
from groundwire.errors import InvalidResponseError
from groundwire.v1 import hallucination_detection_pb2 as pb

CONFIDENCE_SOURCES = by_number(ConfidenceSource, pb.ConfidenceSource.items(), "CONFIDENCE_SOURCE_")
_NON_ASSERTIVE = by_number(
    NonAssertiveReason, pb.NonAssertiveReason.items(), "NON_ASSERTIVE_REASON_"
)


def extract_result(response: pb.ExtractClaimsResponse, characters: int) -> ExtractResult:
    """Reads the claims of a text of so many characters."""
    return ExtractResult(
        claims=tuple(read_claim(claim, characters) for claim in response.claims),
        language=response.language,
    )


def read_claim(claim: pb.Claim, characters: int) -> Claim:
    """Reads a claim of a text of so many characters."""
    confidence = optional(claim, "confidence", share)
    source = claim.confidence_source
    if confidence is None and source != pb.CONFIDENCE_SOURCE_UNSPECIFIED:
        raise InvalidResponseError(f"no confidence, but a source of it, number {source}")
    return Claim(
        content=claim.content,
        span=_span(claim.span, characters),
        citations=tuple(
            Citation(_span(citation.span, characters), tuple(citation.ids))
            for citation in claim.citations
        ),
        confidence=confidence,
        confidence_source=None if confidence is None else confidence_source(source),
        non_assertive_reason=non_assertive_reason(claim.non_assertive_reason),
        language=claim.language,
    )


def confidence_source(number: int) -> ConfidenceSource:
    """The source of a confidence that is there."""
    return CONFIDENCE_SOURCES.get(number, ConfidenceSource.UNKNOWN)


def non_assertive_reason(number: int) -> NonAssertiveReason | None:
    """Why a claim asserts nothing; None: it is an assertion."""
    if number == pb.NON_ASSERTIVE_REASON_UNSPECIFIED:
        return None
    return _NON_ASSERTIVE.get(number, NonAssertiveReason.UNKNOWN)


def difference(name: str, value: float) -> float:
    """The same value. Raises InvalidResponseError if it is outside [-1, 1]."""
    # Written so that NaN is refused too.
    if not -1 <= value <= 1:
        raise InvalidResponseError(f"a {name} of {value}, outside [-1, 1]")
    return value


def finite(name: str, value: float) -> float:
    """The same value. Raises InvalidResponseError if it is no finite number."""
    if not math.isfinite(value):
        raise InvalidResponseError(f"a {name} of {value}")
    return value


def optional(message: Message, name: str, check: Callable[[str, float], float]) -> float | None:
    """The checked value of a field; None if it is not set."""
    value: Any = getattr(message, name)
    return check(name, value) if message.HasField(name) else None


def _span(span: pb.Span, characters: int) -> Span:
    if not 0 <= span.start < span.end <= characters:
        raise InvalidResponseError(
            f"a span from {span.start} to {span.end} in a text of {characters} characters"
        )
    return Span(span.start, span.end)
