"""Builds the requests of HallucinationDetection.

What cannot be written into a message is refused here with the path of its
field, such as `evidence.sources[2].document.text`; ranges and lengths are the
server's to check. This module knows nothing of responses or channels.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields

import grpc

from groundwire._enums import Member, names_of
from groundwire._messages import checked_text
from groundwire.claims import CitationStyle, ExtractOptions
from groundwire.errors import ErrorReason, FieldViolation, InvalidRequestError
from groundwire.evidence import Document, Evidence, SourceRange
from groundwire.policies import ClaimInput, Policy, Removal, Thresholds, VerifyOptions
from groundwire.v1 import hallucination_detection_pb2 as pb

_MIN_INT32, _MAX_INT32 = -(2**31), 2**31 - 1

_STYLES = names_of(CitationStyle, pb.CitationStyle.items(), "CITATION_STYLE_")
_POLICIES = names_of(Policy, pb.Policy.items(), "POLICY_")
_REMOVALS = names_of(Removal, pb.Removal.items(), "REMOVAL_")


def extract_request(
    text: str, source_ids: Iterable[str], options: ExtractOptions | None
) -> pb.ExtractClaimsRequest:
    """The request for the claims of a text. Raises InvalidRequestError; TypeError for one id."""
    return pb.ExtractClaimsRequest(
        text=checked_text("text", text),
        source_ids=_texts("source_ids", source_ids),
        options=_extract_options("options", options),
    )


def claims_request(
    claims: Iterable[str | ClaimInput], evidence: Evidence | str, options: VerifyOptions | None
) -> pb.VerifyClaimsRequest:
    """The request for the verdicts of claims. Raises as `extract_request`."""
    if isinstance(claims, str):
        raise TypeError("claims must be many claims, not one: pass a list with one claim")
    return pb.VerifyClaimsRequest(
        claims=[_claim(f"claims[{index}]", claim) for index, claim in enumerate(claims)],
        evidence=_evidence("evidence", evidence),
        options=_verify_options("options", options),
    )


def answer_request(
    answer: str,
    evidence: Evidence | str,
    question: str,
    extract: ExtractOptions | None,
    options: VerifyOptions | None,
    *,
    path: str = "",
) -> pb.VerifyAnswerRequest:
    """The request for the report on an answer. Raises as `extract_request`."""
    return pb.VerifyAnswerRequest(
        answer=checked_text(f"{path}answer", answer),
        evidence=_evidence(f"{path}evidence", evidence),
        question=checked_text(f"{path}question", question),
        extract=_extract_options(f"{path}extract", extract),
        options=_verify_options(f"{path}options", options),
    )


def answer_stream_request(
    answer: str,
    evidence: Evidence | str,
    question: str,
    extract: ExtractOptions | None,
    options: VerifyOptions | None,
) -> pb.VerifyAnswerStreamRequest:
    """The request for the same report, piece by piece. Raises as `extract_request`."""
    request = answer_request(answer, evidence, question, extract, options, path="request.")
    return pb.VerifyAnswerStreamRequest(request=request)


def _claim(path: str, claim: str | ClaimInput) -> pb.ClaimInput:
    given = ClaimInput(claim) if isinstance(claim, str) else claim
    return pb.ClaimInput(
        text=checked_text(f"{path}.text", given.text),
        cited_ids=_texts(f"{path}.cited_ids", given.cited_ids),
        confidence=given.confidence,
    )


def _evidence(path: str, evidence: Evidence | str) -> pb.Evidence:
    given = Evidence.context(evidence) if isinstance(evidence, str) else evidence
    if not isinstance(given, Evidence):
        raise TypeError("evidence must be Evidence or one text: use Evidence.documents() for more")
    sources: Sequence[Document | SourceRange] = given.sources
    return pb.Evidence(
        sources=[
            _source(f"{path}.sources[{index}]", source) for index, source in enumerate(sources)
        ],
        context=checked_text(f"{path}.context", given.context_text),
    )


def _source(path: str, source: Document | SourceRange) -> pb.Source:
    name = checked_text(f"{path}.id", source.id)
    if isinstance(source, Document):
        document = pb.Document(
            text=checked_text(f"{path}.document.text", source.text),
            title=checked_text(f"{path}.document.title", source.title),
        )
        return pb.Source(id=name, document=document)
    reason = ErrorReason.INVALID_SOURCE
    span = pb.Span(
        start=_int32(f"{path}.range.start", source.start, reason),
        end=_int32(f"{path}.range.end", source.end, reason),
    )
    return pb.Source(id=name, range=span)


def _extract_options(path: str, options: ExtractOptions | None) -> pb.ExtractOptions | None:
    if options is None:
        return None
    return pb.ExtractOptions(
        citation_styles=[_STYLES[style] for style in options.citation_styles],
        citation_prefixes=_texts(f"{path}.citation_prefixes", options.citation_prefixes),
        min_assertion_confidence=options.min_assertion_confidence,
        keep_compounds=options.keep_compounds,
    )


def _verify_options(path: str, options: VerifyOptions | None) -> pb.VerifyOptions | None:
    if options is None:
        return None
    fewest = options.min_claim_characters
    return pb.VerifyOptions(
        policy=_name(f"{path}.policy", options.policy, _POLICIES),
        thresholds=_thresholds(options.thresholds),
        removal=_name(f"{path}.removal", options.removal, _REMOVALS),
        marker=None if options.marker is None else checked_text(f"{path}.marker", options.marker),
        envelope=options.envelope,
        attribute_citations=options.attribute_citations,
        max_claims=_option(f"{path}.max_claims", options.max_claims),
        min_claim_characters=_option(f"{path}.min_claim_characters", fewest),
        include_non_assertive=options.include_non_assertive,
        backend=checked_text(f"{path}.backend", options.backend),
        skip_result_cache=options.skip_result_cache,
        split_long_context=options.split_long_context,
    )


def _thresholds(thresholds: Thresholds | None) -> pb.Thresholds | None:
    if thresholds is None:
        return None
    return pb.Thresholds(
        **{each.name: getattr(thresholds, each.name) for each in fields(Thresholds)}
    )


def _texts(path: str, texts: Iterable[str]) -> list[str]:
    if isinstance(texts, str):
        raise TypeError(f"{path} must be many texts, not one: pass a list with one text")
    return [checked_text(f"{path}[{index}]", text) for index, text in enumerate(texts)]


def _name(path: str, member: Member | None, names: Mapping[Member, str]) -> str | None:
    if member is None:
        return None
    if member not in names:
        raise _refused(path, f"{member} cannot be asked for", ErrorReason.INVALID_OPTION)
    return names[member]


def _option(path: str, value: int | None) -> int | None:
    return None if value is None else _int32(path, value, ErrorReason.INVALID_OPTION)


def _int32(path: str, value: int, reason: ErrorReason) -> int:
    if not _MIN_INT32 <= value <= _MAX_INT32:
        raise _refused(path, f"{value} is beyond 32 bits", reason)
    return value


def _refused(path: str, description: str, reason: ErrorReason) -> InvalidRequestError:
    return InvalidRequestError(
        "the request cannot be written",
        grpc.StatusCode.INVALID_ARGUMENT,
        reason,
        (FieldViolation(path, description),),
    )
