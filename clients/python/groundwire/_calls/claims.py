"""The call that splits a text into claims, and claims as they are read out of any response."""

from collections.abc import Iterable

from groundwire._calls.inputs import sent_extract_options
from groundwire._wire.calls import Call
from groundwire._wire.fields import checked_text, checked_texts
from groundwire._wire.reading import read, reads
from groundwire.claims import (
    Claim,
    Extraction,
    ExtractResult,
    Span,
)
from groundwire.errors import InvalidResponseError
from groundwire.inputs import ExtractOptions
from groundwire.v1 import hallucination_detection_pb2 as pb


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
    claims = tuple(read_claim(claim, characters) for claim in response.claims)
    return read(ExtractResult, response, claims=claims)


@reads(Extraction)
def _extraction(message: pb.Extraction) -> Extraction:
    """How claims were found; by rules, if a server says nothing of it that knows nothing else."""
    if message.extractor == pb.EXTRACTOR_UNSPECIFIED:
        return Extraction()
    if min(message.dropped_claims, message.restored_claims) < 0:
        raise InvalidResponseError("a negative number of dropped or restored claims")
    return read(Extraction, message)


def read_claim(claim: pb.Claim, characters: int) -> Claim:
    """Reads a claim of a text of so many characters."""
    if not claim.HasField("confidence"):
        raise InvalidResponseError("a claim without a confidence")
    found = read(Claim, claim)
    for span in (found.span, *(each.span for each in found.citations)):
        check_span(span, characters)
    return found


@reads(Span)
def _span(span: pb.Span) -> Span:
    """A span of a text that may be one that only the server was sent."""
    found = Span(span.start, span.end)
    check_span(found, span.end)
    return found


def check_span(span: Span, characters: int) -> None:
    """Raises InvalidResponseError for a span that is none of a text of so many characters."""
    if not 0 <= span.start < span.end <= characters:
        raise InvalidResponseError(
            f"a span from {span.start} to {span.end} in a text of {characters} characters"
        )
