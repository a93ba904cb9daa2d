"""How much a message may hold: values of each repeated field of a request, bytes of a response."""

from collections.abc import Mapping
from dataclasses import dataclass

from google.protobuf.message import Message

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as gate_pb
from groundwire.v1 import output_verification_pb2 as output_pb
from groundwire.v1 import response_assessment_pb2 as assessment_pb
from groundwire.v1 import similarity_pb2 as similarity_pb
from groundwire.v1 import trace_audit_pb2 as trace_pb
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_server.rpc.status import ResponseTooLargeError
from groundwire_server.rpc.wire import CountLimit, FieldLimits
from groundwire_verifier.answers import MAX_PREFIXES
from groundwire_verifier.assessment.requests import MAX_TOOL_CALLS
from groundwire_verifier.domain.errors import InvalidReason
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.traces.steps import MAX_STEPS
from groundwire_verifier.verdicts.options import MAX_CITED_IDS

MAX_CITATION_STYLES = 16
"""Most citation styles of one request; there are three."""

MAX_LAYERS = 16
"""Most layers that one request names; there are three."""

MAX_CHARACTER_BYTES = 4
"""Of UTF-8."""

_GROWS_WITH: Mapping[str, str] = {
    "/groundwire.v1.VerifierBackend/BatchEstimate": "claims",
    "/groundwire.v1.HallucinationDetection/ExtractClaims": "text",
    "/groundwire.v1.HallucinationDetection/VerifyClaims": "claims",
    "/groundwire.v1.HallucinationDetection/VerifyAnswer": "answer",
    "/groundwire.v1.HallucinationDetection/VerifyAnswerStream": "request.answer",
    "/groundwire.v1.HallucinationDetection/VerifyDraft": "text",
    "/groundwire.v1.MemoryGate/CheckFacts": "facts",
    "/groundwire.v1.TraceAudit/AuditTrace": "steps",
    "/groundwire.v1.Similarity/CheckSimilarity": "answer",
    "/groundwire.v1.ResponseAssessment/AssessResponse": "response",
    "/groundwire.v1.CorpusVerification/AnalyzeText": "text",
    "/groundwire.v1.CorpusVerification/SearchCorpus": "max_passages",
    "/groundwire.v1.OutputVerification/GetVerification": "id",
    "/groundwire.v1.OutputVerification/WatchVerification": "id",
}
"""The field of a method's request that makes its response large. Other responses stay small."""


@dataclass(frozen=True, slots=True)
class MessageLimits:
    """The limits on requests before they are parsed, and on responses once they are made."""

    fields: FieldLimits
    message_bytes: int

    def written(self, response: Message, method: str) -> bytes:
        """The bytes of a response of a method. Raises ResponseTooLargeError.

        The transport would end the call without a reason.
        """
        data = response.SerializeToString()
        if len(data) > self.message_bytes:
            raise ResponseTooLargeError(_GROWS_WITH.get(method, ""), len(data), self.message_bytes)
        return data


def field_limits(limits: Limits) -> FieldLimits:
    """The most values of each repeated field of every request, and the longest text."""
    claims = CountLimit(limits.claims, InvalidReason.TOO_MANY_CLAIMS, "claims", "split the batch")
    facts = CountLimit(limits.claims, InvalidReason.TOO_MANY_CLAIMS, "facts", "split the batch")
    pieces = CountLimit(limits.claims, InvalidReason.INVALID_SOURCE, "pieces", "send each once")
    ids = CountLimit(limits.sources, InvalidReason.INVALID_SOURCE, "ids", "send fewer")
    sources = CountLimit(limits.sources, InvalidReason.INVALID_SOURCE, "sources", "send fewer")
    cited = CountLimit(MAX_CITED_IDS, InvalidReason.INVALID_SOURCE, "ids", "cite fewer sources")
    styles = CountLimit(
        MAX_CITATION_STYLES, InvalidReason.INVALID_OPTION, "styles", "send each once"
    )
    prefixes = CountLimit(MAX_PREFIXES, InvalidReason.INVALID_OPTION, "prefixes", "send fewer")
    turns = CountLimit(limits.sources, InvalidReason.INVALID_SOURCE, "turns", "send the last ones")
    texts = CountLimit(limits.sources, InvalidReason.INVALID_SOURCE, "texts", "send fewer")
    steps = CountLimit(MAX_STEPS, InvalidReason.TOO_MANY_STEPS, "steps", "audit it in parts")
    calls = CountLimit(
        MAX_TOOL_CALLS, InvalidReason.INVALID_TOOL_CALL, "calls", "send the last ones"
    )
    layers = CountLimit(MAX_LAYERS, InvalidReason.INVALID_OPTION, "layers", "name each once")
    extract, evidence = detection_pb.ExtractOptions.DESCRIPTOR, detection_pb.Evidence.DESCRIPTOR
    by_field = (
        (pb.BatchEstimateRequest.DESCRIPTOR, "claims", claims),
        (detection_pb.VerifyClaimsRequest.DESCRIPTOR, "claims", claims),
        (detection_pb.ClaimInput.DESCRIPTOR, "cited_ids", cited),
        (evidence, "sources", sources),
        (detection_pb.VerifyAnswerRequest.DESCRIPTOR, "turns", turns),
        (detection_pb.ExtractClaimsRequest.DESCRIPTOR, "source_ids", ids),
        (extract, "citation_styles", styles),
        (extract, "citation_prefixes", prefixes),
        (gate_pb.CheckFactsRequest.DESCRIPTOR, "facts", facts),
        (gate_pb.CheckFactsRequest.DESCRIPTOR, "evidence", pieces),
        (gate_pb.Fact.DESCRIPTOR, "cited_ids", cited),
        (trace_pb.AuditTraceRequest.DESCRIPTOR, "steps", steps),
        (trace_pb.AuditTraceRequest.DESCRIPTOR, "messages", turns),
        (trace_pb.ChatMessage.DESCRIPTOR, "tool_calls", steps),
        (assessment_pb.AssessResponseRequest.DESCRIPTOR, "tool_calls", calls),
        (assessment_pb.AssessResponseRequest.DESCRIPTOR, "layers", layers),
        (output_pb.SubmitVerificationRequest.DESCRIPTOR, "turns", turns),
        (output_pb.SubmitVerificationRequest.DESCRIPTOR, "documents", sources),
        (similarity_pb.CheckSimilarityRequest.DESCRIPTOR, "contexts", texts),
    )
    claim, context = InvalidReason.CLAIM_TOO_LONG, InvalidReason.CONTEXT_TOO_LONG
    reasons = (
        (pb.EstimateProbabilityRequest.DESCRIPTOR, "claim", claim),
        (pb.EstimateProbabilityRequest.DESCRIPTOR, "context", context),
        (pb.BatchEstimateRequest.DESCRIPTOR, "claims", claim),
        (pb.BatchEstimateRequest.DESCRIPTOR, "context", context),
        (detection_pb.ClaimInput.DESCRIPTOR, "text", claim),
        (evidence, "context", context),
        (gate_pb.Fact.DESCRIPTOR, "text", claim),
    )
    return FieldLimits(
        {message.fields_by_name[name].full_name: limit for message, name, limit in by_field},
        limits.text_characters * MAX_CHARACTER_BYTES,
        {message.fields_by_name[name].full_name: reason for message, name, reason in reasons},
    )
