"""Which services there are, and what each is made of by the settings."""

import contextlib
import functools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

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
from groundwire_server.config.settings import ServerSettings
from groundwire_server.embedding.choice import make_embedder
from groundwire_server.features.corpus.corpus_verification import (
    CorpusVerificationService,
    chosen_provider,
)
from groundwire_server.features.detection.claim_finding import ClaimFinder, ModelClaims
from groundwire_server.features.detection.corpus_evidence import CorpusEvidence, RetrievalRules
from groundwire_server.features.detection.detection import HallucinationDetectionService
from groundwire_server.features.detection.evidence_marks import EvidenceMarks
from groundwire_server.features.detection.parts import Parts
from groundwire_server.features.feedback import FeedbackService
from groundwire_server.features.memory_gate import MemoryGateService
from groundwire_server.features.outputs.output_verification import (
    Background,
    OutputVerificationService,
    start_queue,
)
from groundwire_server.features.response_assessment import (
    ResponseAssessmentService,
    read_patterns,
)
from groundwire_server.features.similarity import (
    SimilarityService,
    TextEmbedding,
)
from groundwire_server.features.trace_audit import TraceAuditService
from groundwire_server.features.verifier_backend import VerifierBackendService
from groundwire_server.records.records import Records
from groundwire_server.rpc.calls import Calls
from groundwire_server.rpc.dispatch import Dispatch
from groundwire_server.rpc.status import NotEnabledError
from groundwire_server.rpc.telemetry import Telemetry
from groundwire_server.rpc.wire import (
    MAX_CITATION_STYLES,
    MAX_LAYERS,
    CountLimit,
    FieldLimits,
    MessageLimits,
)
from groundwire_server.text_work.pool import TextWorks
from groundwire_verifier.checks.answers import MAX_PREFIXES
from groundwire_verifier.checks.assessment.assess import ResponseAssessor
from groundwire_verifier.checks.assessment.requests import MAX_TOOL_CALLS
from groundwire_verifier.checks.corpus.analysis import CorpusAnalyzer
from groundwire_verifier.checks.corpus.passages import EvidenceProvider
from groundwire_verifier.checks.model_claims.extractor import ModelExtractor
from groundwire_verifier.checks.traces.audit import TraceAuditor
from groundwire_verifier.checks.traces.derivation import Deriver, ExecutorChoice
from groundwire_verifier.checks.traces.post_hoc import PostHocChecker
from groundwire_verifier.checks.traces.steps import MAX_STEPS
from groundwire_verifier.domain.errors import InvalidReason
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.estimation import Estimator
from groundwire_verifier.verdicts.options import MAX_CITED_IDS
from groundwire_verifier.verification import Verifier

MAX_CHARACTER_BYTES = 4
"""Of UTF-8."""


@dataclass(slots=True)
class Resources:
    """What the services of one server are made of.

    `parts` verify for calls, `later_parts` in the background. `corpora` can be named by requests.
    `ends` closes what a service opens, and `outputs` is the queue once it was opened.
    """

    parts: Parts
    later_parts: Parts
    version: str
    records: Records
    corpora: Mapping[str, EvidenceProvider]
    ends: contextlib.AsyncExitStack
    outputs: Background | None = None


Most = Callable[[Limits], CountLimit]
"""The most values of a repeated field under these limits."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A service of the contract, which `file` holds alone: how it is made and what it takes.

    `switch` is the group of settings that switches it on, with the block; None: it is always on,
    as are the methods of `always`. `most` bounds repeated fields (`Message.field`) before a request
    is parsed, `too_long` says why a text beyond the limit is refused, and `grows_with` which field
    of a method's request makes its response large.
    """

    file: FileDescriptor
    make: Callable[[Resources], Awaitable[object]]
    switch: str | None = None
    always: frozenset[str] = frozenset()
    most: Mapping[str, Most] = field(default_factory=dict)
    too_long: Mapping[str, InvalidReason] = field(default_factory=dict)
    grows_with: Mapping[str, str] = field(default_factory=dict)

    @property
    def service(self) -> str:
        """The full name of its service."""
        (service,) = self.file.services_by_name.values()
        return str(service.full_name)

    def field_name(self, short: str) -> str:
        """The full name of a field of it, `Message.field`."""
        message, name = short.split(".")
        return str(self.file.message_types_by_name[message].fields_by_name[name].full_name)


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


async def add_services(dispatch: Dispatch, resources: Resources) -> None:
    """Let the services answer the calls of a dispatch. Raises ConfigError."""
    settings = resources.parts.settings
    for feature in FEATURES:
        off_switch = None if feature.switch is None else settings.off_switch(feature.switch)
        servicer = None
        if off_switch is None or feature.always:
            servicer = await feature.make(resources)
        off = None
        if feature.switch is not None and off_switch is not None:
            off = functools.partial(NotEnabledError, feature.switch.replace("_", " "), off_switch)
        dispatch.add(feature.file, servicer, off, feature.always)


def message_limits(settings: ServerSettings) -> MessageLimits:
    grows_with = {
        f"/{feature.service}/{method}": name
        for feature in FEATURES
        for method, name in feature.grows_with.items()
    }
    return MessageLimits(field_limits(settings.limits), settings.max_message_bytes, grows_with)


def field_limits(limits: Limits) -> FieldLimits:
    """The most values of each repeated field of every request, and the longest text."""
    return FieldLimits(
        {f.field_name(name): most(limits) for f in FEATURES for name, most in f.most.items()},
        limits.text_characters * MAX_CHARACTER_BYTES,
        {f.field_name(name): why for f in FEATURES for name, why in f.too_long.items()},
    )


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


async def _backend(of: Resources) -> VerifierBackendService:
    return VerifierBackendService(of.parts, of.version)


async def _detection(of: Resources) -> HallucinationDetectionService:
    rules = RetrievalRules(of.parts.settings.retrieval_top_k)
    return HallucinationDetectionService(of.parts, CorpusEvidence(of.corpora, rules))


async def _gate(of: Resources) -> MemoryGateService:
    return MemoryGateService(of.parts)


async def _outputs(of: Resources) -> OutputVerificationService:
    of.outputs = await start_queue(of.later_parts)
    of.ends.push_async_callback(of.outputs.queue.close)
    return OutputVerificationService(of.parts, of.outputs)


async def _audit(of: Resources) -> TraceAuditService:
    estimator, settings = of.parts.estimator, of.parts.settings
    deriver = Deriver(estimator.backends, ExecutorChoice(settings.trace_auditing_executor))
    return TraceAuditService(of.parts, TraceAuditor(PostHocChecker(deriver, estimator.default)))


async def _assessment(of: Resources) -> ResponseAssessmentService:
    settings = of.parts.settings
    assessor = ResponseAssessor(read_patterns(settings), settings.assessment_rules)
    return ResponseAssessmentService(of.parts, assessor)


async def _corpora(of: Resources) -> CorpusVerificationService:
    settings = of.parts.settings
    analyzer = CorpusAnalyzer(settings.corpus_rules)
    return CorpusVerificationService(of.parts, analyzer, of.corpora, chosen_provider(settings))


async def _feedback(of: Resources) -> FeedbackService:
    # It has outputs deleted, too.
    erase = None if of.outputs is None else of.outputs.erase
    return FeedbackService(of.parts, of.records, erase)


async def _similarity(of: Resources) -> SimilarityService:
    settings = of.parts.settings
    embedding = TextEmbedding(make_embedder(settings))
    of.ends.push_async_callback(embedding.close)
    return SimilarityService(of.parts, embedding)


def _claims(what: str) -> Most:
    return lambda of: CountLimit(of.claims, InvalidReason.TOO_MANY_CLAIMS, what, "split the batch")


def _sources(what: str, advice: str = "send fewer") -> Most:
    return lambda of: CountLimit(of.sources, InvalidReason.INVALID_SOURCE, what, advice)


def _fixed(most: int, reason: InvalidReason, what: str, advice: str) -> Most:
    return lambda _: CountLimit(most, reason, what, advice)


_PIECES: Most = lambda of: CountLimit(  # noqa: E731
    of.claims, InvalidReason.INVALID_SOURCE, "pieces", "send each once"
)
_CITED = _fixed(MAX_CITED_IDS, InvalidReason.INVALID_SOURCE, "ids", "cite fewer sources")
_TURNS = _sources("turns", "send the last ones")
_STEPS = _fixed(MAX_STEPS, InvalidReason.TOO_MANY_STEPS, "steps", "audit it in parts")
_OPTION = functools.partial(_fixed, reason=InvalidReason.INVALID_OPTION)
_CLAIM, _CONTEXT = InvalidReason.CLAIM_TOO_LONG, InvalidReason.CONTEXT_TOO_LONG

FEATURES = (
    Feature(
        pb.DESCRIPTOR,
        _backend,
        most={"BatchEstimateRequest.claims": _claims("claims")},
        too_long={
            "EstimateProbabilityRequest.claim": _CLAIM,
            "EstimateProbabilityRequest.context": _CONTEXT,
            "BatchEstimateRequest.claims": _CLAIM,
            "BatchEstimateRequest.context": _CONTEXT,
        },
        grows_with={"BatchEstimate": "claims"},
    ),
    Feature(
        detection_pb.DESCRIPTOR,
        _detection,
        most={
            "VerifyClaimsRequest.claims": _claims("claims"),
            "ClaimInput.cited_ids": _CITED,
            "Evidence.sources": _sources("sources"),
            "VerifyAnswerRequest.turns": _TURNS,
            "ExtractClaimsRequest.source_ids": _sources("ids"),
            "ExtractOptions.known_ids": _sources("ids"),
            "ExtractOptions.citation_styles": _OPTION(
                MAX_CITATION_STYLES, what="styles", advice="send each once"
            ),
            "ExtractOptions.citation_prefixes": _OPTION(
                MAX_PREFIXES, what="prefixes", advice="send fewer"
            ),
        },
        too_long={"ClaimInput.text": _CLAIM, "Evidence.context": _CONTEXT},
        grows_with={
            "ExtractClaims": "text",
            "VerifyClaims": "claims",
            "VerifyAnswer": "answer",
            "VerifyAnswerStream": "request.answer",
            "VerifyDraft": "text",
        },
    ),
    Feature(
        gate_pb.DESCRIPTOR,
        _gate,
        "memory_gate",
        most={
            "CheckFactsRequest.facts": _claims("facts"),
            "CheckFactsRequest.evidence": _PIECES,
            "Fact.cited_ids": _CITED,
        },
        too_long={"Fact.text": _CLAIM},
        grows_with={"CheckFacts": "facts"},
    ),
    Feature(
        output_pb.DESCRIPTOR,
        _outputs,
        "output_verification",
        most={
            "SubmitVerificationRequest.turns": _TURNS,
            "SubmitVerificationRequest.documents": _sources("sources"),
        },
        grows_with={"GetVerification": "id", "WatchVerification": "id"},
    ),
    Feature(
        trace_pb.DESCRIPTOR,
        _audit,
        "trace_auditing",
        most={
            "AuditTraceRequest.steps": _STEPS,
            "AuditTraceRequest.messages": _TURNS,
            "ChatMessage.tool_calls": _STEPS,
        },
        grows_with={"AuditTrace": "steps"},
    ),
    Feature(
        assessment_pb.DESCRIPTOR,
        _assessment,
        "response_assessment",
        most={
            "AssessResponseRequest.tool_calls": _fixed(
                MAX_TOOL_CALLS, InvalidReason.INVALID_TOOL_CALL, "calls", "send the last ones"
            ),
            "AssessResponseRequest.layers": _OPTION(
                MAX_LAYERS, what="layers", advice="name each once"
            ),
        },
        grows_with={"AssessResponse": "response"},
    ),
    Feature(
        corpus_pb.DESCRIPTOR,
        _corpora,
        "epistemic_risk",
        always=frozenset({"SearchCorpus"}),
        grows_with={"AnalyzeText": "text", "SearchCorpus": "max_passages"},
    ),
    Feature(feedback_pb.DESCRIPTOR, _feedback),
    Feature(
        similarity_pb.DESCRIPTOR,
        _similarity,
        "similarity",
        most={"CheckSimilarityRequest.contexts": _sources("texts")},
        grows_with={"CheckSimilarity": "answer"},
    ),
)
SERVICES = tuple(feature.service for feature in FEATURES)
"""The full names of all services of ours."""
