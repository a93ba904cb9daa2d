"""Which services there are, and what each is made of by the settings."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from google.protobuf.descriptor import FileDescriptor

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


@dataclass(frozen=True, slots=True)
class Resources:
    """What the services of one server are made of.

    `corpora` can be named by requests. `embedding` and `outputs` are None where they are off.
    """

    parts: Parts
    version: str
    records: Records
    corpora: Mapping[str, EvidenceProvider]
    embedding: TextEmbedding | None
    outputs: Background | None


@dataclass(frozen=True, slots=True)
class Feature:
    """A service of the contract, which `file` holds alone, and how it is made."""

    file: FileDescriptor
    make: Callable[[Resources], object]


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


def add_services(dispatch: Dispatch, resources: Resources) -> None:
    """Let the services answer the calls of a dispatch."""
    for feature in FEATURES:
        dispatch.add(feature.file, feature.make(resources))


def make_embedding(settings: ServerSettings) -> TextEmbedding | None:
    """What makes vectors for calls, loaded; None where nothing asks for any. Raises ConfigError."""
    if settings.off_switch("similarity") is not None:
        return None
    return TextEmbedding(make_embedder(settings), settings.similarity_max_texts)


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


def _detection(of: Resources) -> HallucinationDetectionService:
    rules = RetrievalRules(of.parts.settings.retrieval_top_k)
    return HallucinationDetectionService(of.parts, CorpusEvidence(of.corpora, rules))


def _audit(of: Resources) -> TraceAuditService:
    estimator, settings = of.parts.estimator, of.parts.settings
    deriver = Deriver(estimator.backends, ExecutorChoice(settings.trace_auditing_executor))
    return TraceAuditService(of.parts, TraceAuditor(PostHocChecker(deriver, estimator.default)))


def _assessment(of: Resources) -> ResponseAssessmentService:
    settings = of.parts.settings
    assessor = ResponseAssessor(read_patterns(settings), settings.assessment_rules)
    return ResponseAssessmentService(of.parts, assessor)


def _corpora(of: Resources) -> CorpusVerificationService:
    settings = of.parts.settings
    analyzer = CorpusAnalyzer(settings.corpus_rules)
    return CorpusVerificationService(of.parts, analyzer, of.corpora, chosen_provider(settings))


def _feedback(of: Resources) -> FeedbackService:
    # It has outputs deleted, too.
    erase = None if of.outputs is None else of.outputs.erase
    return FeedbackService(of.parts, of.records, erase)


FEATURES = (
    Feature(pb.DESCRIPTOR, lambda of: VerifierBackendService(of.parts, of.version)),
    Feature(detection_pb.DESCRIPTOR, _detection),
    Feature(gate_pb.DESCRIPTOR, lambda of: MemoryGateService(of.parts)),
    Feature(output_pb.DESCRIPTOR, lambda of: OutputVerificationService(of.parts, of.outputs)),
    Feature(trace_pb.DESCRIPTOR, _audit),
    Feature(assessment_pb.DESCRIPTOR, _assessment),
    Feature(corpus_pb.DESCRIPTOR, _corpora),
    Feature(feedback_pb.DESCRIPTOR, _feedback),
    Feature(similarity_pb.DESCRIPTOR, lambda of: SimilarityService(of.parts, of.embedding)),
)
SERVICES = tuple(
    service.full_name for feature in FEATURES for service in feature.file.services_by_name.values()
)
"""The full names of all services of ours."""
