"""Which services there are, and what each is made of by the settings."""

import functools
from collections.abc import Mapping

from groundwire.v1 import corpus_verification_pb2 as corpus_pb
from groundwire.v1 import feedback_pb2 as feedback_pb
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as gate_pb
from groundwire.v1 import output_verification_pb2 as output_pb
from groundwire.v1 import response_assessment_pb2 as assessment_pb
from groundwire.v1 import similarity_pb2 as similarity_pb
from groundwire.v1 import trace_audit_pb2 as trace_pb
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_server.config.assessment_patterns import read_patterns
from groundwire_server.config.settings import ServerSettings
from groundwire_server.embedding.choice import make_embedder
from groundwire_server.llm_providers import chosen_provider
from groundwire_server.records.records import Records
from groundwire_server.rpc.calls import Calls
from groundwire_server.rpc.dispatch import Dispatch
from groundwire_server.rpc.services.assessment.response_assessment import (
    ResponseAssessmentService,
)
from groundwire_server.rpc.services.claim_finding import ClaimFinder
from groundwire_server.rpc.services.corpus.corpus_verification import (
    CorpusVerificationService,
)
from groundwire_server.rpc.services.corpus_evidence import CorpusEvidence, RetrievalRules
from groundwire_server.rpc.services.detection import HallucinationDetectionService
from groundwire_server.rpc.services.evidence_marks import EvidenceMarks
from groundwire_server.rpc.services.feedback import FeedbackService
from groundwire_server.rpc.services.memory_gate import MemoryGateService
from groundwire_server.rpc.services.model_claims import ModelClaims
from groundwire_server.rpc.services.outputs.output_verification import (
    Background,
    OutputVerificationService,
)
from groundwire_server.rpc.services.parts import Parts
from groundwire_server.rpc.services.similarity.embedding import TextEmbedding
from groundwire_server.rpc.services.similarity.similarity import (
    SimilarityService,
)
from groundwire_server.rpc.services.trace_audit import TraceAuditService
from groundwire_server.rpc.services.verifier_backend import VerifierBackendService
from groundwire_server.rpc.telemetry import Telemetry
from groundwire_server.text_work.pool import TextWorks
from groundwire_verifier.assessment.assess import ResponseAssessor
from groundwire_verifier.corpus.analysis import CorpusAnalyzer
from groundwire_verifier.corpus.passages import EvidenceProvider
from groundwire_verifier.estimation import Estimator
from groundwire_verifier.model_claims.extractor import ModelExtractor
from groundwire_verifier.traces.audit import TraceAuditor
from groundwire_verifier.traces.derivation import Deriver, ExecutorChoice
from groundwire_verifier.traces.post_hoc import PostHocChecker
from groundwire_verifier.verification import Verifier

SERVICES = tuple(
    service.full_name
    for file in (
        pb.DESCRIPTOR,
        detection_pb.DESCRIPTOR,
        gate_pb.DESCRIPTOR,
        output_pb.DESCRIPTOR,
        trace_pb.DESCRIPTOR,
        assessment_pb.DESCRIPTOR,
        corpus_pb.DESCRIPTOR,
        feedback_pb.DESCRIPTOR,
        similarity_pb.DESCRIPTOR,
    )
    for service in file.services_by_name.values()
)
"""The full names of all services of ours."""


def make_parts(
    settings: ServerSettings, estimator: Estimator, calls: Calls, texts: TextWorks
) -> Parts:
    """What services verify with; `texts` says whether anybody waits for them."""
    verifier = Verifier(estimator)
    by_model = _model_claims(settings, estimator, calls.telemetry)
    finder = ClaimFinder(verifier, calls, texts, by_model)
    defaults = functools.cache(settings.verification)
    return Parts(
        settings, estimator, verifier, calls, texts, EvidenceMarks(texts), defaults, finder
    )


def add_services(
    dispatch: Dispatch,
    parts: Parts,
    version: str,
    *,
    corpora: Mapping[str, EvidenceProvider],
    embedding: TextEmbedding | None,
) -> None:
    """Add all services that someone waits for. `corpora` can be named by requests."""
    settings = parts.settings
    dispatch.add(pb.DESCRIPTOR, VerifierBackendService(parts, version))
    corpus = CorpusEvidence(corpora, RetrievalRules(settings.retrieval_top_k))
    dispatch.add(detection_pb.DESCRIPTOR, HallucinationDetectionService(parts, corpus))
    dispatch.add(gate_pb.DESCRIPTOR, MemoryGateService(parts))
    auditor = _auditor(parts)
    dispatch.add(trace_pb.DESCRIPTOR, TraceAuditService(parts, auditor))
    assessor = ResponseAssessor(read_patterns(settings), settings.assessment_rules)
    dispatch.add(assessment_pb.DESCRIPTOR, ResponseAssessmentService(parts, assessor))
    dispatch.add(
        corpus_pb.DESCRIPTOR,
        CorpusVerificationService(
            parts,
            CorpusAnalyzer(settings.corpus_rules),
            corpora,
            chosen_provider(settings),
        ),
    )
    dispatch.add(similarity_pb.DESCRIPTOR, SimilarityService(parts, embedding))


def make_embedding(settings: ServerSettings) -> TextEmbedding | None:
    """What makes vectors for calls, loaded; None where nothing asks for any. Raises ConfigError."""
    if settings.off_switch("similarity") is not None:
        return None
    return TextEmbedding(make_embedder(settings), settings.similarity_max_texts)


def add_outputs(
    dispatch: Dispatch,
    parts: Parts,
    records: Records,
    outputs: Background | None,
) -> None:
    """Add the service of outputs, whose queue is None where it is switched off, and that of
    feedback, by which they are deleted, too."""
    service = OutputVerificationService(parts, outputs)
    dispatch.add(output_pb.DESCRIPTOR, service)
    erase = None if outputs is None else outputs.erase
    dispatch.add(feedback_pb.DESCRIPTOR, FeedbackService(parts, records, erase))


def _model_claims(
    settings: ServerSettings, estimator: Estimator, telemetry: Telemetry
) -> ModelClaims:
    extractor = ModelExtractor(
        estimator.backends,
        settings.claim_extractor_backend or estimator.default,
        settings.claim_extractor_timeout.total_seconds(),
    )
    return ModelClaims(
        extractor,
        telemetry,
        settings.model_extraction_off,
        is_default=settings.claim_extractor == "model",
    )


def _auditor(parts: Parts) -> TraceAuditor:
    deriver = Deriver(
        parts.estimator.backends,
        ExecutorChoice(parts.settings.trace_auditing_executor),
    )
    return TraceAuditor(PostHocChecker(deriver, parts.estimator.default))
