"""The settings of what the server checks: verdicts, the memory gate, traces, outputs, feedback."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, SecretStr

from groundwire_server.config.setting_types import (
    CacheDuration,
    OperationDuration,
    Positive,
    RetentionDuration,
    Share,
    Strict,
)
from groundwire_verifier.checks.assessment.scores import AssessmentRules
from groundwire_verifier.checks.corpus.risk import RiskRules
from groundwire_verifier.checks.similarity.texts import DEFAULT_THRESHOLD
from groundwire_verifier.domain.types import MAX_CLAIMS
from groundwire_verifier.verdicts.options import (
    MAX_VERIFIED_CLAIMS,
)
from groundwire_verifier.verdicts.policy import Thresholds

_THRESHOLDS = Thresholds()
_ASSESSMENT = AssessmentRules()
_RISK_RULES = RiskRules()


class VerdictSettings(Strict):
    """Verdicts"""

    verify_policy: Literal["budget", "grounding_score"] = "budget"
    """When a claim is grounded: budget or grounding_score."""
    verify_max_claims: Positive = MAX_VERIFIED_CLAIMS
    """Most claims of an answer that are verified; with more it is not grounded. Never above
    max_claims."""
    verify_max_contradicted: Annotated[int, Field(ge=0)] | None = None
    """Most contradicted claims of a grounded answer. Unset: any number."""
    verify_instructions: bool = True
    """Verify instructions and code with something to check: a figure, a flag, a path, a name. false
    leaves them out, as SPEC-08.09 says."""
    verify_strictness: Literal["balanced", "strict", "lenient"] = "balanced"
    """The operating point for claims that state no confidence."""
    verify_skip_non_evidence: bool = False
    """Leave out questions and instructions of the evidence; the response lists them."""
    verify_read: Literal["auto", "passages", "whole"] = "auto"
    """What a claim is read with: passages (those that can matter for it), whole (all evidence), or
    auto (passages if the evidence has more than 1,500 tokens; else all, or all but the rows of a
    table beside the one whose values the claim says)."""
    verify_prior_reading: Literal["related", "whole"] = "whole"
    """What p0 is read with: whole (all evidence that stays), or related (its passages that share
    words with the claim)."""
    verify_default_confidence: Share | None = None
    """A confidence for claims that state none. Unset: the operating point, 0.95 where the
    calibration has none, 0.5 without one."""


class HallucinationSettings(Strict):
    """The block hallucination"""

    section: ClassVar[str | None] = ""

    hallucination_enabled: bool = False
    """Master switch of the features below. A flag or a variable that switches a feature on implies
    it; a file has to say it."""
    hallucination_timeout: OperationDuration = timedelta(seconds=30)
    """Most time of one operation of these features; claims that are unread by then are not
    verified."""
    hallucination_batch_size: Annotated[int, Field(ge=1, le=MAX_CLAIMS)] = 32
    """Most claims that such an operation has in one batch. Never above max_claims."""
    cache_ttl: CacheDuration = timedelta(hours=1)
    """Time that a reading is remembered, here and in Redis."""


class ClaimExtractionSettings(Strict):
    """Claims of a text"""

    section: ClassVar[str | None] = ""

    claim_extractor: Literal["rules", "model"] = "rules"
    """What splits texts if a request does not choose: rules, or model, with the rules if it
    fails."""
    claim_extractor_backend: str | None = None
    """The backend whose model splits texts. Unset: the default where claim_extractor is model; else
    none."""
    claim_extractor_timeout: OperationDuration = timedelta(seconds=20)
    """Most time of the model for one text; never more than half of the call's remaining time."""


class ThresholdSettings(Strict):
    """Thresholds of verdicts"""

    rare: ClassVar[bool] = True

    verify_min_posterior: Share | None = None
    """The probability from which the evidence speaks for a claim. Unset: 0.5, or the operating
    point where that is lower."""
    verify_max_gap_bits: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = (
        _THRESHOLDS.max_gap_bits
    )
    """The largest gap in bits of a supported claim."""
    verify_min_evidence_use: Share = _THRESHOLDS.min_evidence_use
    """The rise of the probability above which evidence counts as used."""
    verify_min_grounding_score: Share = _THRESHOLDS.min_grounding_score
    """Grounding score: the score above which a claim is grounded."""
    verify_min_grounded_ratio: Share = _THRESHOLDS.min_grounded_ratio
    """The share of grounded claims from which an answer is grounded."""


class MemoryGateSettings(Strict):
    """Memory gate"""

    section: ClassVar[str | None] = "memory_gate"

    memory_gate_enabled: bool = False
    """Decide on facts before they are stored (CheckFacts)."""
    memory_gate_min_confidence: Share = 0.0
    """Confidence below which a verified fact is rejected; 0 turns the check off. Never above the
    default confidence."""
    memory_gate_reject_unsupported: bool = True
    """Reject facts that their evidence does not support. false lets them through, marked, unless
    the evidence contradicts them."""
    memory_gate_log_text: bool = False
    """Log the texts of rejected facts; their numbers are logged anyway."""
    memory_gate_backend: str | None = None
    """The backend for requests that name none. Unset: the default."""


class TraceAuditSettings(Strict):
    """Trace auditing"""

    section: ClassVar[str | None] = "trace_auditing"

    trace_auditing_enabled: bool = False
    """Answer AuditTrace."""
    trace_auditing_check_post_hoc: bool = True
    """Check that the answer of a trace follows from its steps alone, if a request does not
    choose."""
    trace_auditing_executor: Literal["auto", "generation", "read"] = "auto"
    """How the answer of a trace is checked: generation (the model derives it from the steps), read
    (the model judges whether it is true), or auto (generation, if the model derives known answers
    right)."""
    trace_auditing_backend: str | None = None
    """The backend for requests that name none. Unset: the default."""


class ResponseAssessmentSettings(Strict):
    """Response assessment"""

    section: ClassVar[str | None] = "response_assessment"

    response_assessment_enabled: bool = False
    """Answer AssessResponse."""
    response_assessment_backend: str | None = None
    """The backend for requests that name none. Unset: the default."""
    response_assessment_patterns_file: Path | None = None
    """JSON with more words for the first layer, by language and category."""
    response_assessment_verify_threshold: Share = _ASSESSMENT.verify_threshold
    """The confidence from which the action is VERIFY."""
    response_assessment_warn_threshold: Share = _ASSESSMENT.warn_threshold
    """The confidence from which it is WARN. Never below the one before."""
    response_assessment_block_threshold: Share = _ASSESSMENT.block_threshold
    """The confidence from which it is BLOCK, if the scores of two layers reach it, too. Never below
    the one before."""
    response_assessment_weight_heuristic: Share = _ASSESSMENT.weight_heuristic
    """The weight of the first layer. Not all three may be 0."""
    response_assessment_weight_common_sense: Share = _ASSESSMENT.weight_common_sense
    """The weight of the second layer."""
    response_assessment_weight_detailed: Share = _ASSESSMENT.weight_detailed
    """The weight of the third layer."""


class OutputVerificationSettings(Strict):
    """Output verification"""

    section: ClassVar[str | None] = "output_verification"

    output_verification_enabled: bool = False
    """Verify submitted outputs in the background (SubmitVerification). Needs the extra queue."""
    output_verification_flag_threshold_bits: Annotated[float, Field(ge=0.0)] = 0.5
    """The risk in bits above which an output is flagged."""
    output_verification_store: SecretStr | None = None
    """Where texts and results are kept: a file (unset: ~/.local/share/groundwire/outputs.sqlite), a
    PostgreSQL (postgresql://user@host/database), or file:PATH with such an address."""
    output_verification_retention: RetentionDuration = timedelta(days=1)
    """Time that results are kept. An output that could not be verified for as long fails."""
    output_verification_max_queued: Positive = 1000
    """Most outputs that wait or run; beyond it new ones are skipped."""
    output_verification_backend: str | None = None
    """The backend for requests that name none. Unset: the default."""


class EpistemicRiskSettings(Strict):
    """Epistemic risk"""

    section: ClassVar[str | None] = "epistemic_risk"

    epistemic_risk_enabled: bool = False
    """Answer AnalyzeText. Needs a corpus in retrieval_corpora."""
    epistemic_risk_calibration_no_evidence_penalty: Share = _RISK_RULES.no_evidence_penalty
    """Taken off the raw confidence if no passage supports the claim."""
    epistemic_risk_calibration_contradiction_penalty: Share = _RISK_RULES.contradiction_penalty
    """Taken off if a passage contradicts it."""
    epistemic_risk_calibration_vague_language_penalty: Share = _RISK_RULES.vague_language_penalty
    """Taken off, too, if the text hedges the claim."""
    epistemic_risk_calibration_raw_confidence: Literal["text", "model"] = "text"
    """The raw confidence of a claim that states none: text (0.95), or model (its probability
    without evidence)."""
    epistemic_risk_verdict_hallucination_threshold: Share = _RISK_RULES.hallucination_threshold
    """The strength of the evidence below which a claim is HALLUCINATED."""
    epistemic_risk_verdict_grounded_threshold: Share = _RISK_RULES.grounded_threshold
    """The strength above which it is GROUNDED, if nothing contradicts it; not below the other
    threshold."""
    epistemic_risk_llm_provider: str | None = None
    """An LLM provider of a package that explains verdicts. It gets claims and passages."""
    epistemic_risk_llm_model: str = ""
    """The provider's model. Empty: its own choice."""
    epistemic_risk_llm_temperature: Annotated[float, Field(ge=0.0, le=2.0)] = 0.0
    """The provider's temperature."""
    epistemic_risk_backend: str | None = None
    """The backend for requests that name none. Unset: the default."""


class FeedbackSettings(Strict):
    """Feedback"""

    section: ClassVar[str | None] = "feedback"

    feedback_enabled: bool = False
    """Keep each verified claim with its evidence on this server's disk, and accept feedback on it
    (RecordFeedback)."""
    feedback_file: Path = Path("~/.local/share/groundwire/feedback.sqlite")
    """The file of these claims, for this server's user alone. Each server needs its own."""
    feedback_retention: RetentionDuration = timedelta(hours=720)
    """How long they are kept."""
    feedback_max_bytes: Annotated[int, Field(ge=1 << 20)] = 1 << 30
    """About how many bytes of text are kept, at least 1 MiB; beyond it the oldest goes."""


class SimilaritySettings(Strict):
    """Similarity"""

    section: ClassVar[str | None] = "similarity"

    similarity_enabled: bool = False
    """Answer CheckSimilarity. Needs the extra corpus."""
    similarity_threshold: Share = DEFAULT_THRESHOLD
    """The cosine from which a sentence counts as supported; sensible from 0.55 to 0.7."""


class EmbeddingSettings(Strict):
    """Embeddings"""

    embedding_model: str = "minilm"
    """minilm, a folder of sentence-transformers, or a model of embedding_backend. Needs the extra
    corpus. A change asks for new indexes."""
    embedding_backend: str | None = None
    """The entry of backends that makes the vectors. Unset: this machine."""


class RetrievalSettings(Strict):
    """Retrieval"""

    section: ClassVar[str | None] = "retrieval"

    retrieval_corpora: str | None = None
    """The corpora that requests may name, as NAME=PLACE with commas between. A place is the folder
    of an index, or provider:NAME."""
    retrieval_chunk_size: Annotated[int, Field(ge=32, le=8192)] = 512
    """Most tokens of a chunk."""
    retrieval_chunk_overlap: Annotated[int, Field(ge=0)] = 64
    """Most tokens that it shares with the one before; at most half of a chunk."""
    retrieval_top_k: Annotated[int, Field(ge=1, le=100)] = 5
    """Most passages that are found for a claim."""
    retrieval_similarity_threshold: Annotated[float, Field(ge=-1.0, le=1.0)] = 0.3
    """Cosine that a passage needs to be found by its meaning."""
    retrieval_qdrant_url: str | None = None
    """A Qdrant server that holds the vectors. Unset: each folder holds its own."""
    retrieval_qdrant_key: SecretStr | None = None
    """Its key, or file:PATH. Unset: none."""
