"""The header that keeps calls on one context together, where several servers stand behind a proxy.

A server remembers the contexts that it has read. A proxy that sends calls with the same
`x-groundwire-context` to the same server lets it use that. The value is a hash, which does not show
the text; docs/replicas.md says what it is made of.
"""

import hashlib
from collections.abc import Sequence

from google.protobuf.message import Message

from groundwire.v1 import (
    hallucination_detection_pb2,
    memory_gate_pb2,
    similarity_pb2,
    trace_audit_pb2,
    verifier_backend_pb2,
)

HEADER = "x-groundwire-context"
HEX_DIGITS = 8
"""32 bits are plenty to spread contexts by, and few to recognise a text by."""


def context_metadata(request: Message) -> tuple[tuple[str, str], ...]:
    """The header of a call with this request; empty for one that brings no context."""
    texts = _context_of(request)
    if not any(texts):
        return ()
    joined = "\n".join(texts).encode()
    return ((HEADER, hashlib.sha256(joined).hexdigest()[:HEX_DIGITS]),)


def _context_of(request: Message) -> Sequence[str]:
    """The texts that claims of a request are read against."""
    texts: Sequence[str] = ()
    match request:
        case (
            verifier_backend_pb2.EstimateProbabilityRequest()
            | verifier_backend_pb2.BatchEstimateRequest()
        ):
            texts = (request.context,)
        case (
            hallucination_detection_pb2.VerifyClaimsRequest()
            | hallucination_detection_pb2.VerifyAnswerRequest()
            | trace_audit_pb2.AuditTraceRequest()
        ):
            texts = _texts_of(request.evidence)
        case hallucination_detection_pb2.VerifyAnswerStreamRequest():
            texts = _texts_of(request.request.evidence)
        case hallucination_detection_pb2.VerifyDraftRequest():
            texts = _texts_of(request.start.request.evidence)
        case memory_gate_pb2.CheckFactsRequest():
            texts = [text for each in request.evidence for text in _texts_of(each)]
        case similarity_pb2.CheckSimilarityRequest():
            texts = request.contexts
    return texts


def _texts_of(evidence: hallucination_detection_pb2.Evidence) -> Sequence[str]:
    if evidence.context:
        return (evidence.context,)
    return [source.document.text for source in evidence.sources]
