"""Builds the requests of the contract.

What cannot be written into a message is refused here with the path of its
field, such as `evidence.sources[2].document.text`; ranges and lengths are the
server's to check. Knows nothing of responses or channels.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from typing import TypeVar

import grpc

from groundwire.assessments import AssessmentLayer, ToolCall
from groundwire.claims import Extractor
from groundwire.errors import ErrorReason, FieldViolation, InvalidRequestError
from groundwire.facts import FactInput
from groundwire.feedback import FeedbackVerdict
from groundwire.inputs import (
    CitationStyle,
    ClaimInput,
    Document,
    Evidence,
    ExtractOptions,
    Policy,
    Removal,
    SourceRange,
    Thresholds,
    VerifyOptions,
)
from groundwire.outputs import JsonFormat, ListFormat, StatedFormat, Turn, TurnRole
from groundwire.results import Strictness
from groundwire.v1 import corpus_verification_pb2 as corpus_pb
from groundwire.v1 import feedback_pb2 as feedback_pb
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import memory_gate_pb2 as gate_pb
from groundwire.v1 import output_verification_pb2 as output_pb
from groundwire.v1 import response_assessment_pb2 as assessment_pb
from groundwire.v1 import similarity_pb2 as similarity_pb
from groundwire.v1 import trace_audit_pb2 as trace_pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb

Member = TypeVar("Member", bound=StrEnum)


def _names_of(enum: type[Member], contract: Iterable[str], prefix: str) -> dict[Member, str]:
    """The name in the contract of each member that can be sent."""
    names = set(contract)
    return {member: prefix + member.name for member in enum if prefix + member.name in names}


_MIN_INT32, _MAX_INT32 = -(2**31), 2**31 - 1

_LAYERS = _names_of(AssessmentLayer, assessment_pb.AssessmentLayer.keys(), "ASSESSMENT_LAYER_")
_STYLES = _names_of(CitationStyle, pb.CitationStyle.keys(), "CITATION_STYLE_")
_EXTRACTORS = _names_of(Extractor, pb.Extractor.keys(), "EXTRACTOR_")
_POLICIES = _names_of(Policy, pb.Policy.keys(), "POLICY_")
_REMOVALS = _names_of(Removal, pb.Removal.keys(), "REMOVAL_")
_ROLES = _names_of(TurnRole, output_pb.TurnRole.keys(), "TURN_ROLE_")
_STRICTNESSES = _names_of(Strictness, backend_pb.Strictness.keys(), "STRICTNESS_")


def estimate_request(
    claim: str, context: str, backend: str, *, skip_result_cache: bool, split_long_context: bool
) -> backend_pb.EstimateProbabilityRequest:
    """The request for one claim. Raises InvalidRequestError for text that is not Unicode."""
    _check_texts({"claim": claim, "context": context, "backend": backend})
    return backend_pb.EstimateProbabilityRequest(
        claim=claim,
        context=context,
        backend=backend,
        skip_result_cache=skip_result_cache,
        split_long_context=split_long_context,
    )


def batch_request(
    claims: Iterable[str],
    context: str,
    backend: str,
    *,
    skip_result_cache: bool,
    split_long_context: bool,
) -> backend_pb.BatchEstimateRequest:
    """The request for many claims. Raises as `estimate_request`; TypeError for a single str."""
    if isinstance(claims, str):
        raise TypeError("claims must be many texts, not one: use estimate() for one claim")
    texts = tuple(claims)
    named = {f"claims[{index}]": claim for index, claim in enumerate(texts)}
    _check_texts(named | {"context": context, "backend": backend})
    return backend_pb.BatchEstimateRequest(
        claims=texts,
        context=context,
        backend=backend,
        skip_result_cache=skip_result_cache,
        split_long_context=split_long_context,
    )


def extract_request(
    text: str, source_ids: Iterable[str], options: ExtractOptions | None
) -> pb.ExtractClaimsRequest:
    """The request for the claims of a text. Raises InvalidRequestError; TypeError for one id."""
    return pb.ExtractClaimsRequest(
        text=_checked_text("text", text),
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
    corpus: str = "",
    language: str = "",
    path: str = "",
) -> pb.VerifyAnswerRequest:
    """The request for the report on an answer. Raises as `extract_request`."""
    return pb.VerifyAnswerRequest(
        answer=_checked_text(f"{path}answer", answer),
        evidence=_evidence(f"{path}evidence", evidence),
        question=_checked_text(f"{path}question", question),
        extract=_extract_options(f"{path}extract", extract),
        options=_verify_options(f"{path}options", options),
        corpus=_checked_text(f"{path}corpus", corpus),
        language=_checked_text(f"{path}language", language),
    )


def answer_stream_request(
    answer: str,
    evidence: Evidence | str,
    question: str,
    extract: ExtractOptions | None,
    options: VerifyOptions | None,
    *,
    corpus: str = "",
    language: str = "",
) -> pb.VerifyAnswerStreamRequest:
    """The request for the same report, piece by piece. Raises as `extract_request`."""
    request = answer_request(
        answer,
        evidence,
        question,
        extract,
        options,
        corpus=corpus,
        language=language,
        path="request.",
    )
    return pb.VerifyAnswerStreamRequest(request=request)


def facts_request(
    facts: Iterable[str | FactInput],
    evidence: Evidence | str | None,
    backend: str,
    *,
    skip_result_cache: bool,
    split_long_context: bool,
) -> gate_pb.CheckFactsRequest:
    """The request for the decisions on facts. Raises as `extract_request`."""
    if isinstance(facts, str):
        raise TypeError("facts must be many facts, not one: pass a list with one fact")
    # Equal evidence is sent once, and its facts are read together.
    pieces: dict[Evidence, int] = {}
    sent: list[gate_pb.Fact] = []
    for index, fact in enumerate(facts):
        given = FactInput(fact) if isinstance(fact, str) else fact
        own = evidence if given.evidence is None else given.evidence
        if own is None:
            text = "there is none: give the fact its own, or the call one for all"
            raise _refused(f"facts[{index}].evidence", text, ErrorReason.INVALID_SOURCE)
        piece = pieces.setdefault(_as_evidence(own), len(pieces))
        sent.append(_fact(f"facts[{index}]", given, piece))
    return gate_pb.CheckFactsRequest(
        facts=sent,
        evidence=[_evidence(f"evidence[{index}]", piece) for piece, index in pieces.items()],
        backend=_checked_text("backend", backend),
        skip_result_cache=skip_result_cache,
        split_long_context=split_long_context,
    )


def _fact(path: str, fact: FactInput, evidence_index: int) -> gate_pb.Fact:
    return gate_pb.Fact(
        text=_checked_text(f"{path}.text", fact.text),
        id=_checked_text(f"{path}.id", fact.id),
        confidence=fact.confidence,
        cited_ids=_texts(f"{path}.cited_ids", fact.cited_ids),
        evidence_index=evidence_index,
    )


def audit_request(
    steps: Iterable[str],
    context: Evidence | str,
    answer: str,
    question: str,
    options: VerifyOptions | None,
    *,
    check_post_hoc: bool | None,
) -> trace_pb.AuditTraceRequest:
    """The request for the audit of a trace. An empty context is none.

    Raises as `extract_request`.
    """
    request = trace_pb.AuditTraceRequest(
        steps=_texts("steps", steps),
        evidence=_evidence("evidence", context) if context else None,
        question=_checked_text("question", question),
        answer=_checked_text("answer", answer),
        options=_verify_options("options", options),
    )
    if check_post_hoc is not None:
        request.check_post_hoc = check_post_hoc
    return request


def similarity_request(
    answer: str, contexts: Iterable[str], threshold: float | None
) -> similarity_pb.CheckSimilarityRequest:
    """The request to compare an answer with texts. Raises as `extract_request`."""
    request = similarity_pb.CheckSimilarityRequest(
        answer=_checked_text("answer", answer), contexts=_texts("contexts", contexts)
    )
    if threshold is not None:
        request.threshold = threshold
    return request


def assess_request(
    response: str,
    tool_calls: Iterable[ToolCall],
    *,
    question: str,
    layers: Iterable[AssessmentLayer],
    language: str,
    backend: str,
    skip_result_cache: bool,
) -> assessment_pb.AssessResponseRequest:
    """The request for the assessment of a response. Raises as `extract_request`."""
    return assessment_pb.AssessResponseRequest(
        question=_checked_text("question", question),
        response=_checked_text("response", response),
        tool_calls=[_tool_call(f"tool_calls[{i}]", call) for i, call in enumerate(tool_calls)],
        layers=[_layer(f"layers[{i}]", each) for i, each in enumerate(layers)],
        language=_checked_text("language", language),
        backend=_checked_text("backend", backend),
        skip_result_cache=skip_result_cache,
    )


def _layer(path: str, layer: AssessmentLayer) -> str:
    if layer not in _LAYERS:
        raise _refused(path, f"{layer} cannot be asked for", ErrorReason.INVALID_OPTION)
    return _LAYERS[layer]


def _tool_call(path: str, call: ToolCall) -> assessment_pb.ToolCall:
    message = assessment_pb.ToolCall(
        name=_checked_text(f"{path}.name", call.name),
        arguments=_checked_text(f"{path}.arguments", call.arguments),
    )
    if call.result is not None:
        message.result = _checked_text(f"{path}.result", call.result)
    if call.error is not None:
        if call.result is not None:
            text = "has a result and an error; give the one that the call ended with"
            raise _refused(path, text, ErrorReason.INVALID_TOOL_CALL)
        message.error = _checked_text(f"{path}.error", call.error)
    if call.duration_s is not None:
        message.duration.FromNanoseconds(round(call.duration_s * 1e9))
    return message


def analyze_request(
    text: str, corpus: str, extract: ExtractOptions | None, options: VerifyOptions | None
) -> corpus_pb.AnalyzeTextRequest:
    """The request for what a corpus has on a text. Raises as `extract_request`."""
    return corpus_pb.AnalyzeTextRequest(
        text=_checked_text("text", text),
        corpus=_checked_text("corpus", corpus),
        extract=_extract_options("extract", extract),
        options=_verify_options("options", options),
    )


def output_request(
    response: str,
    turns: Iterable[Turn],
    documents: Mapping[str, str] | Iterable[Document],
    *,
    stated: StatedFormat | None,
    question: str,
    extract: ExtractOptions | None,
    options: VerifyOptions | None,
) -> output_pb.SubmitVerificationRequest:
    """The request to verify an output in the background. Raises as `extract_request`."""
    given = (
        [Document(key, text) for key, text in documents.items()]
        if isinstance(documents, Mapping)
        else documents
    )
    return output_pb.SubmitVerificationRequest(
        response=_checked_text("response", response),
        turns=[_turn(f"turns[{index}]", turn) for index, turn in enumerate(turns)],
        documents=[
            output_pb.ConversationDocument(
                id=_checked_text(f"documents[{index}].id", document.id),
                text=_checked_text(f"documents[{index}].text", document.text),
                title=_checked_text(f"documents[{index}].title", document.title),
            )
            for index, document in enumerate(given)
        ],
        format=None if stated is None else _format("format", stated),
        question=_checked_text("question", question),
        extract=_extract_options("extract", extract),
        options=_verify_options("options", options),
    )


def _turn(path: str, turn: Turn) -> output_pb.Turn:
    return output_pb.Turn(
        role=_name(f"{path}.role", turn.role, _ROLES),
        text=_checked_text(f"{path}.text", turn.text),
        id=_checked_text(f"{path}.id", turn.id),
        name=_checked_text(f"{path}.name", turn.name),
    )


def _format(path: str, stated: StatedFormat) -> output_pb.StatedFormat:
    most = _option(f"{path}.max_characters", stated.max_characters)
    match stated.kind:
        case JsonFormat(schema):
            json = output_pb.JsonFormat(schema=_checked_text(f"{path}.json.schema", schema))
            return output_pb.StatedFormat(json=json, max_characters=most)
        case ListFormat(fewest, largest):
            items = output_pb.ListFormat(
                min_items=_option(f"{path}.list.min_items", fewest),
                max_items=_option(f"{path}.list.max_items", largest),
            )
            return output_pb.StatedFormat(list=items, max_characters=most)
    return output_pb.StatedFormat(max_characters=most)


def own_id(value: str) -> str:
    """The id of a verification. Raises InvalidRequestError for text that is not Unicode."""
    return _checked_text("id", value)


def _claim(path: str, claim: str | ClaimInput) -> pb.ClaimInput:
    given = ClaimInput(claim) if isinstance(claim, str) else claim
    return pb.ClaimInput(
        text=_checked_text(f"{path}.text", given.text),
        cited_ids=_texts(f"{path}.cited_ids", given.cited_ids),
        confidence=given.confidence,
    )


def _evidence(path: str, evidence: Evidence | str) -> pb.Evidence:
    given = _as_evidence(evidence)
    sources: Sequence[Document | SourceRange] = given.sources
    return pb.Evidence(
        sources=[
            _source(f"{path}.sources[{index}]", source) for index, source in enumerate(sources)
        ],
        context=_checked_text(f"{path}.context", given.context_text),
    )


def _as_evidence(evidence: Evidence | str) -> Evidence:
    """Evidence, of which a text alone is one source. Raises TypeError for anything else."""
    given = Evidence.context(evidence) if isinstance(evidence, str) else evidence
    if not isinstance(given, Evidence):
        raise TypeError("evidence must be Evidence or one text: use Evidence.documents() for more")
    return given


def _source(path: str, source: Document | SourceRange) -> pb.Source:
    name = _checked_text(f"{path}.id", source.id)
    if isinstance(source, Document):
        document = pb.Document(
            text=_checked_text(f"{path}.document.text", source.text),
            title=_checked_text(f"{path}.document.title", source.title),
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
        extractor=_name(f"{path}.extractor", options.extractor, _EXTRACTORS),
    )


def _verify_options(path: str, options: VerifyOptions | None) -> pb.VerifyOptions | None:
    if options is None:
        return None
    fewest = options.min_claim_characters
    message = pb.VerifyOptions(
        policy=_name(f"{path}.policy", options.policy, _POLICIES),
        thresholds=_thresholds(options.thresholds),
        strictness=_name(f"{path}.strictness", options.strictness, _STRICTNESSES),
        removal=_name(f"{path}.removal", options.removal, _REMOVALS),
        marker=None if options.marker is None else _checked_text(f"{path}.marker", options.marker),
        envelope=options.envelope,
        attribute_citations=options.attribute_citations,
        max_claims=_option(f"{path}.max_claims", options.max_claims),
        min_claim_characters=_option(f"{path}.min_claim_characters", fewest),
        include_non_assertive=options.include_non_assertive,
        backend=_checked_text(f"{path}.backend", options.backend),
        skip_result_cache=options.skip_result_cache,
        split_long_context=options.split_long_context,
    )
    if options.skip_non_evidence is not None:
        message.skip_non_evidence = options.skip_non_evidence
    return message


def _thresholds(thresholds: Thresholds | None) -> pb.Thresholds | None:
    if thresholds is None:
        return None
    return pb.Thresholds(
        **{each.name: getattr(thresholds, each.name) for each in fields(Thresholds)}
    )


def _texts(path: str, texts: Iterable[str]) -> list[str]:
    if isinstance(texts, str):
        raise TypeError(f"{path} must be many texts, not one: pass a list with one text")
    return [_checked_text(f"{path}[{index}]", text) for index, text in enumerate(texts)]


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


def _check_texts(texts: Mapping[str, str]) -> None:
    """Checks texts by the names of their fields. Raises InvalidRequestError."""
    for field, text in texts.items():
        _checked_text(field, text)


def _checked_text(field: str, text: str) -> str:
    """The same text. Raises InvalidRequestError, which names the field, if it is not Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        # The server could not say which field it was: it would never see the request.
        violation = FieldViolation(field, f"half a surrogate pair at character {error.start}")
        raise InvalidRequestError(
            "a text cannot be written as UTF-8",
            grpc.StatusCode.INVALID_ARGUMENT,
            ErrorReason.MALFORMED_REQUEST,
            (violation,),
        ) from error
    return text


def feedback_request(
    detection_id: str, index: int, verdict: FeedbackVerdict, note: str
) -> feedback_pb.RecordFeedbackRequest:
    """The request for feedback. Raises InvalidRequestError for what cannot be sent."""
    return feedback_pb.RecordFeedbackRequest(
        detection_id=_checked_text("detection_id", detection_id),
        index=_int32("index", index, ErrorReason.INVALID_OPTION),
        verdict=f"FEEDBACK_VERDICT_{FeedbackVerdict(verdict)}",
        note=_checked_text("note", note),
    )
