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
from groundwire_verifier.assessment.assessment import AssessmentRules
from groundwire_verifier.corpus.relations import RelationRules
from groundwire_verifier.corpus.risk import RiskRules
from groundwire_verifier.domain.types import MAX_CLAIMS
from groundwire_verifier.similarity.support import DEFAULT_THRESHOLD
from groundwire_verifier.verdicts.options import (
    DEFAULT_PASSAGE_TOKENS,
    MAX_VERIFIED_CLAIMS,
    MIN_CLAIM_CHARACTERS,
    ExplainLimits,
)
from groundwire_verifier.verdicts.policy import Thresholds

_THRESHOLDS = Thresholds()
_EXPLAIN = ExplainLimits()
_ASSESSMENT = AssessmentRules()
_RISK_RULES = RiskRules()
_RELATION_RULES = RelationRules()


class VerdictSettings(Strict):
    """Verdicts"""

    verify_policy: Literal["budget", "grounding_score"] = "budget"
    """When a claim is grounded."""
    verify_max_claims: Positive = MAX_VERIFIED_CLAIMS
    """Most claims of an answer that are verified; the rest is listed, and the answer is then not
    grounded. Never above max_claims."""
    verify_max_contradicted: Annotated[int, Field(ge=0)] | None = None
    """Most contradicted claims with which an answer is still grounded. Unset: any number, so that
    verify_min_grounded_ratio alone decides."""
    verify_min_claim_characters: Annotated[int, Field(ge=0)] = MIN_CLAIM_CHARACTERS
    """Claims of an answer with fewer characters are not verified."""
    verify_instructions: bool = True
    """Verify instructions and code of an answer that hold something to check: a figure, a flag, a
    path, a name. false leaves them out, as the letter of SPEC-08.09."""
    verify_strictness: Literal["balanced", "strict", "lenient"] = "balanced"
    """The operating point of the calibration that claims which state no confidence are asked for:
    balanced, strict or lenient."""
    verify_skip_non_evidence: bool = False
    """Leave out what evidence asks or instructs; the response lists those sentences anyway."""
    verify_read: Literal["auto", "passages", "whole"] = "auto"
    """How much of its evidence a claim is read with, where a request does not choose: passages
    that can matter for it, the whole, or auto (passages of evidence that has more tokens than
    verify_passage_tokens)."""
    verify_passage_tokens: Annotated[int, Field(ge=100, le=8192)] = DEFAULT_PASSAGE_TOKENS
    """Most tokens of the passages that a claim is read with, but for one of each cited source."""
    verify_prior_reading: Literal["related", "whole"] = "whole"
    """What of the evidence that stays a claim's prior is read with: passages that share words with
    the claim (related), or all of it."""
    verify_default_confidence: Share | None = None
    """A confidence of your own for claims that state none. Unset: the operating point, 0.95 where
    the calibration has none, 0.5 without a calibration."""


class ExplainSettings(Strict):
    """Explanations"""

    explain_passages: Annotated[int, Field(ge=1, le=32)] = _EXPLAIN.passages
    """Most sentences of the sources that one claim is read with alone, to find what decides it."""
    explain_reads: Annotated[int, Field(ge=0, le=4096)] = _EXPLAIN.reads
    """Most readings of one answer's claims with a part left out, to find what is wrong in them: the
    worst claims first."""
    explain_conflicts: Annotated[int, Field(ge=0, le=32)] = _EXPLAIN.conflicts
    """Most other sources of which a supported claim is read with a sentence, to find those that say
    otherwise."""


class HallucinationSettings(Strict):
    """The block hallucination as a whole"""

    section: ClassVar[str | None] = ""

    hallucination_enabled: bool = False
    """Let the features of the block hallucination run that are on by their own settings. A feature
    that a flag or a variable switches on switches this on, too; a file has to say it."""
    hallucination_timeout: OperationDuration = timedelta(seconds=30)
    """Most time that one operation of the block may take once it has begun; claims that nobody has
    read by then are not verified. A caller's deadline that is earlier holds."""
    hallucination_batch_size: Annotated[int, Field(ge=1, le=MAX_CLAIMS)] = 32
    """Most claims that one operation of the block has in one batch; more are read batch after
    batch. Never above max_claims."""
    cache_ttl: CacheDuration = timedelta(hours=1)
    """Time that a reading is remembered, here and in Redis, whichever call it was made for."""


class ClaimExtractionSettings(Strict):
    """Claims of a text"""

    section: ClassVar[str | None] = ""

    claim_extractor: Literal["rules", "model"] = "rules"
    """Who splits texts into claims where a request does not choose: rules, or model (the model of
    claim_extractor_backend, with the rules where it fails)."""
    claim_extractor_backend: str | None = None
    """The backend whose model splits texts, for requests that choose the model, too. Unset: the
    default one where claim_extractor is model; else requests cannot choose it."""
    claim_extractor_timeout: OperationDuration = timedelta(seconds=20)
    """Most time that the model has for one text, and never more than half of what the call has
    left; then the rules take over."""


class ThresholdSettings(Strict):
    """Thresholds of verdicts"""

    rare: ClassVar[bool] = True

    verify_min_posterior: Share | None = None
    """The probability from which the evidence speaks for a claim. Unset: 0.5, or the confidence
    that a plain claim is asked for where that is lower."""
    verify_max_gap_bits: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = (
        _THRESHOLDS.max_gap_bits
    )
    """The gap in bits that is still supported."""
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
    """Decide on facts before they are stored, where a client asks for it."""
    memory_gate_min_confidence: Share = 0.0
    """Confidence below which a verified fact is rejected; 0 turns the check off. No fact is stored
    with more confidence than it states."""
    memory_gate_reject_unsupported: bool = True
    """Reject facts that their evidence does not carry, or not with the least confidence. false
    lets them through, marked; what the evidence contradicts is rejected all the same."""
    memory_gate_log_text: bool = False
    """Log the texts of rejected facts; their numbers are logged anyway."""
    memory_gate_backend: str | None = None
    """The backend that reads facts where a request names none. Unset: the default one."""


class TraceAuditSettings(Strict):
    """Trace auditing"""

    section: ClassVar[str | None] = "trace_auditing"

    trace_auditing_enabled: bool = False
    """Answer AuditTrace, which says where a chain of reasoning leaves its evidence."""
    trace_auditing_check_post_hoc: bool = True
    """Check that the answer of a trace follows from its steps alone, where a request does not
    choose."""
    trace_auditing_executor: Literal["auto", "generation", "read"] = "auto"
    """Who derives the answer from the steps: generation (the model writes it), read (the model is
    asked whether the answer is true), or auto (generation, if the model derives answers that are
    known when it is first needed; else read)."""
    trace_auditing_backend: str | None = None
    """The backend that audits traces where a request names none. Unset: the default one."""


class ResponseAssessmentSettings(Strict):
    """Response assessment"""

    section: ClassVar[str | None] = "response_assessment"

    response_assessment_enabled: bool = False
    """Answer AssessResponse, which says how likely a response is made up, given its tool calls."""
    response_assessment_backend: str | None = None
    """The backend that reads where a request names none. Unset: the default one."""
    response_assessment_patterns_file: Path | None = None
    """JSON with more words for the first layer, by language and category. Unset: those that ship
    alone."""
    response_assessment_verify_threshold: Share = _ASSESSMENT.verify
    """The confidence from which a response is to be verified."""
    response_assessment_warn_threshold: Share = _ASSESSMENT.warn
    """The confidence from which a response is likely made up, and shown with a warning."""
    response_assessment_block_threshold: Share = _ASSESSMENT.block
    """The confidence from which a response is hidden, if the scores of two layers reach it, too."""
    response_assessment_weight_heuristic: Share = 0.3
    """The weight of the first layer in the confidence."""
    response_assessment_weight_common_sense: Share = 0.5
    """The weight of the second layer in the confidence."""
    response_assessment_weight_detailed: Share = 0.2
    """The weight of the third layer in the confidence."""


class OutputVerificationSettings(Strict):
    """Output verification"""

    section: ClassVar[str | None] = "output_verification"

    output_verification_enabled: bool = False
    """Verify what agents have said in the background, where a client submits it. Needs the extra
    queue."""
    output_verification_flag_threshold_bits: Annotated[float, Field(ge=0.0)] = 0.5
    """The risk in bits above which an output is flagged. None is ever rejected."""
    output_verification_store: SecretStr | None = None
    """Where submitted texts and results are kept: a file, or a database of PostgreSQL such as
    postgresql://user@host/database. Unset: ~/.local/share/groundwire/outputs.sqlite."""
    output_verification_store_file: Path | None = None
    """A file that holds output_verification_store, as it may have a password. Unset: no file."""
    output_verification_retention: RetentionDuration = timedelta(days=1)
    """Time that results are kept. What could not be verified for as long fails."""
    output_verification_max_queued: Positive = 1000
    """Most outputs that wait or run; beyond it new ones are skipped."""
    output_verification_max_queued_bytes: Positive = 64 << 20
    """Most bytes of outputs that wait or run, as they are stored; beyond it new ones are
    skipped."""
    output_verification_backend: str | None = None
    """The backend that verifies outputs where a request names none. Unset: the default one."""


class EpistemicRiskSettings(Strict):
    """Epistemic risk: a text against a corpus"""

    section: ClassVar[str | None] = "epistemic_risk"

    epistemic_risk_enabled: bool = False
    """Answer AnalyzeText, which says what a corpus has on the claims of a text. Needs a corpus in
    retrieval_corpora."""
    epistemic_risk_calibration_no_evidence_penalty: Share = _RISK_RULES.no_evidence_penalty
    """Taken off the raw confidence of a claim that the corpus has nothing on."""
    epistemic_risk_calibration_contradiction_penalty: Share = _RISK_RULES.contradiction_penalty
    """Taken off where a passage contradicts a claim."""
    epistemic_risk_calibration_weak_evidence_penalty: Share = _RISK_RULES.weak_evidence_penalty
    """Taken off where passages support a claim, all of them weakly."""
    epistemic_risk_calibration_vague_language_penalty: Share = _RISK_RULES.vague_language_penalty
    """Taken off, beside one of the others, where the text hedges a claim."""
    epistemic_risk_calibration_raw_confidence: Literal["text", "model"] = "text"
    """The raw confidence of a claim that states none: text (a plain sentence states 0.95), or model
    (the model's own probability without evidence)."""
    epistemic_risk_verdict_hallucination_threshold: Share = _RISK_RULES.hallucination_threshold
    """The strength of the evidence below which a claim is HALLUCINATED."""
    epistemic_risk_verdict_grounded_threshold: Share = _RISK_RULES.grounded_threshold
    """The strength above which a claim is GROUNDED, if nothing contradicts it; not below the other
    threshold."""
    epistemic_risk_evidence_min_shared_words: Share = _RELATION_RULES.min_shared_words
    """The share of a claim's words that a passage needs for a NO to count; 0 for a model that
    knows what is beside the point."""
    epistemic_risk_evidence_old_after: RetentionDuration | None = timedelta(days=730)
    """How long ago the day of a document may be before its passages are marked as old. null marks
    none."""
    epistemic_risk_llm_provider: str | None = None
    """Who explains verdicts to people: the name under which a package registers an LLM provider.
    Unset: nobody. No verdict depends on it. It is sent claims and passages."""
    epistemic_risk_llm_model: str = ""
    """The model that the provider is asked for. Empty: the provider's own choice."""
    epistemic_risk_llm_temperature: Annotated[float, Field(ge=0.0, le=2.0)] = 0.0
    """The temperature that the provider is asked for."""
    epistemic_risk_backend: str | None = None
    """The backend that reads claims where a request names none. Unset: the default one."""


class FeedbackSettings(Strict):
    """Feedback"""

    section: ClassVar[str | None] = "feedback"

    feedback_enabled: bool = False
    """Keep each claim that is verified, with its evidence, and take what people say of it
    (RecordFeedback). The texts lie on the disk of this server."""
    feedback_file: Path = Path("~/.local/share/groundwire/feedback.sqlite")
    """Where they lie, in a SQLite file that only this server's user can read."""
    feedback_retention: RetentionDuration = timedelta(hours=720)
    """How long a claim, its evidence and the feedback on it are kept."""
    feedback_max_bytes: Annotated[int, Field(ge=1 << 20)] = 1 << 30
    """About how many bytes of text are kept; beyond it the oldest goes, what has no feedback
    first."""


class SimilaritySettings(Strict):
    """Similarity"""

    section: ClassVar[str | None] = "similarity"

    similarity_enabled: bool = False
    """Answer CheckSimilarity, which compares the sentences of an answer with texts by their
    embeddings. Needs the extra corpus."""
    similarity_threshold: Share = DEFAULT_THRESHOLD
    """The cosine from which a sentence counts as supported, where a request names none; sensible
    from 0.55 to 0.7."""
    similarity_max_texts: Positive = 12_000
    """Most sentences of an answer and passages of its contexts together that one call may have
    compared."""


class EmbeddingSettings(Strict):
    """Embeddings"""

    embedding_model: str = "minilm"
    """Who makes vectors of texts: minilm, a folder of sentence-transformers, or the name of a model
    behind embedding_url. Needs the extra corpus. A change asks for new indexes."""
    embedding_threads: Positive = 2
    """Threads that make vectors on this machine."""
    embedding_url: str | None = None
    """Address of an OpenAI-compatible server for embeddings, up to /v1. Unset: this machine."""
    embedding_key: SecretStr | None = None
    """Its key. Unset: none. Better in a file."""
    embedding_key_file: Path | None = None
    """The file that holds it. Unset: none."""


class RetrievalSettings(Strict):
    """Retrieval"""

    section: ClassVar[str | None] = "retrieval"

    retrieval_corpora: str | None = None
    """The corpora that requests may name, as NAME=PLACE with commas between. A place is the folder
    of an index, or provider:NAME for one that a package registers. Unset: none."""
    retrieval_chunk_size: Annotated[int, Field(ge=32, le=8192)] = 512
    """Most tokens of a chunk, by the tokenizer of the embedding model."""
    retrieval_chunk_overlap: Annotated[int, Field(ge=0)] = 64
    """Most tokens that a chunk has in common with the one before it; at most half of a chunk."""
    retrieval_top_k: Annotated[int, Field(ge=1, le=100)] = 5
    """Most passages that are found for a claim."""
    retrieval_similarity_threshold: Annotated[float, Field(ge=-1.0, le=1.0)] = 0.3
    """Cosine of claim and passage below which a passage is not found by its meaning."""
    retrieval_qdrant_url: str | None = None
    """Address of a Qdrant server that holds the indexes' vectors. Unset: each folder holds its
    own."""
    retrieval_qdrant_key: SecretStr | None = None
    """Its key. Unset: none. Better in a file."""
    retrieval_qdrant_key_file: Path | None = None
    """The file that holds it. Unset: none."""
