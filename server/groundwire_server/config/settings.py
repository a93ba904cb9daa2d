"""Every setting with its unit, its default and its range.

Knows what settings mean. Does not know where their values come from.
"""

from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from groundwire_server.config.duration import DurationRange
from groundwire_verifier.domain.claims import ConfidenceSource
from groundwire_verifier.domain.evidence import DEFAULT_MARKER
from groundwire_verifier.domain.types import MAX_CLAIMS, Limits
from groundwire_verifier.numbers.calibration import Calibration, Strictness
from groundwire_verifier.traces.types import TraceLimits
from groundwire_verifier.verdicts.facts import GateRules
from groundwire_verifier.verdicts.options import (
    MAX_MARKER_CHARACTERS,
    MIN_CLAIM_CHARACTERS,
    VerifyOptions,
)
from groundwire_verifier.verdicts.policy import Policy, Thresholds

Positive = Annotated[int, Field(gt=0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Seconds = Annotated[float, Field(gt=0.0)]
CacheDuration = Annotated[timedelta, DurationRange(timedelta(milliseconds=1), timedelta(days=365))]
OperationDuration = Annotated[
    timedelta, DurationRange(timedelta(milliseconds=100), timedelta(minutes=10))
]
RetentionDuration = Annotated[timedelta, DurationRange(timedelta(seconds=1), timedelta(days=3650))]

CALIBRATION_AUTO, CALIBRATION_OFF = "auto", "off"

_THRESHOLDS = Thresholds()
_GATE_RULES = GateRules()


class _Strict(BaseModel):
    rare: ClassVar[bool] = False
    """Whether these settings are rarely changed."""
    section: ClassVar[str | None] = None
    """Where editors propose these settings in the block `hallucination`: under the key that their
    names begin with. Empty: in the block itself. None: nowhere, though it takes them."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False
    )


class AddressSettings(_Strict):
    """Address and security"""

    listen: str = "127.0.0.1:50051"
    """Address and port of the gRPC server; port 0 takes a free one."""
    allow_plaintext: bool = False
    """Serve without TLS on an address that is not loopback."""
    tls_cert_file: Path | None = None
    """PEM certificate chain of the server; turns TLS on, with tls_key_file. Unset: no TLS."""
    tls_key_file: Path | None = None
    """PEM private key of the server. Unset: no TLS."""
    tls_client_ca_file: Path | None = None
    """PEM certificates that clients' certificates must be signed by; turns mutual TLS on.
    Unset: clients need no certificate."""
    auth_token: SecretStr | None = None
    """A bearer token that every call but the health check must carry. Unset: none is asked for,
    unless auth_token_file holds some."""
    auth_token_file: Path | None = None
    """A file of bearer tokens, one a line, any of which is accepted; a line that begins with # is a
    comment. Unset: no file."""


class ModelSettings(_Strict):
    """Model"""

    model: str = "smollm2-135m-verifier"
    """The embedded model's name, a local folder, or a hub name such as org/name."""
    revision: str | None = Field(default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$")
    """Commit, tag or branch of a hub model. Unset: the newest on its main branch.

    A full commit hash (40 hexadecimal digits) names the same weights for ever; what a branch or a
    tag names can change between two starts.
    """
    backend_name: str = Field(default="local", pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    """The name under which requests can ask for this model."""
    cache_dir: Path = Path("~/.cache/groundwire")
    """Where the embedded model is kept once it is prepared."""
    dtype: Literal["auto", "bfloat16", "float16", "float32"] = "auto"
    """Data type of the weights.

    auto is the model's own, but float32 on an x86 CPU without AVX-512, which emulates the others.
    """
    quantization: str | None = None
    """One of vLLM's quantisation methods. Unset: none."""
    window_tokens: Positive | None = None
    """Window of the model in tokens. Unset: the model's own."""
    tensor_parallel_size: Positive = 1
    """GPUs that one model is spread over."""
    gpu_memory_share: Share = 0.85
    """Share of a GPU's memory that the engine may take."""
    calibration: str = CALIBRATION_AUTO
    """auto (the one that fits model and prompt, if there is one), off, or a file."""
    label_mass_floor: Share = 0.05
    """Label mass below which an estimate has no probability."""


class BackendSettings(_Strict):
    """Backends"""

    backend_type: Literal["local", "external", "self", "haiku", "configurable"] = "local"
    """What answers: local (the model on this machine), external (external_url), self (the model
    that a call names, of self_models), haiku (Claude Haiku), or configurable (the local model and
    every one of the others that is set up, chosen by operation and by call)."""
    backend_default: str | None = None
    """The backend of calls that name none. Unset: the only one, the first of self_models, or the
    local one beside others."""
    external_url: str | None = None
    """Address of an OpenAI-compatible server, up to /v1, such as http://127.0.0.1:8000/v1.
    Unset: none."""
    external_model: str | None = None
    """The model's name on that server. Unset: none."""
    external_api: Literal["auto", "chat", "completions"] = "auto"
    """How it is asked: auto (what it was found able to do), chat or completions."""
    external_window_tokens: Positive = 8192
    """Its window, counted in pieces of three bytes."""
    external_key: SecretStr | None = None
    """Its key. Unset: external_key_file has it, or none is sent."""
    external_key_file: Path | None = None
    """A file that holds external_key. Unset: no file."""
    self_url: str | None = None
    """Address of an OpenAI-compatible server whose models calls may name, up to /v1. Unset:
    none."""
    self_models: str | None = None
    """The models that calls may name there, as self:MODEL; with commas between them. Unset:
    none."""
    self_api: Literal["auto", "chat", "completions"] = "auto"
    """How they are asked: auto, chat or completions."""
    self_window_tokens: Positive = 8192
    """Their window, counted in pieces of three bytes."""
    self_key: SecretStr | None = None
    """Its key. Unset: self_key_file has it, or none is sent."""
    self_key_file: Path | None = None
    """A file that holds self_key. Unset: no file."""
    haiku_url: str = "https://api.anthropic.com"
    """Address of Anthropic's API."""
    haiku_model: str = "claude-haiku-5-5"
    """The name of the model there."""
    haiku_window_tokens: Positive = 150_000
    """Its window, counted in pieces of three bytes."""
    haiku_key: SecretStr | None = None
    """Its key. Unset: haiku_key_file has it."""
    haiku_key_file: Path | None = None
    """A file that holds haiku_key. Unset: no file."""


class EndpointSettings(_Strict):
    """Endpoints of backends"""

    rare: ClassVar[bool] = True

    endpoint_timeout_s: Seconds = 30.0
    """Seconds that one try of a call to an endpoint may take."""
    endpoint_retries: Annotated[int, Field(ge=0)] = 2
    """How often a call is tried again that failed or was told to come again."""
    endpoint_longest_pause_s: Annotated[float, Field(ge=0.0)] = 10.0
    """Most seconds to wait before a retry; an endpoint that asks for more is not tried again."""
    endpoint_parallel: Positive = 8
    """Calls to one endpoint at one time; the most urgent of the others goes next. What nobody waits
    for has half of them at most."""
    endpoint_breaker_failures: Positive = 5
    """Failures in a row after which an endpoint is left alone."""
    endpoint_breaker_s: Seconds = 30.0
    """Seconds for which it is left alone; then one call shows whether it is back."""
    endpoint_samples: Positive = 16
    """Answers that are sampled for one prompt where an endpoint tells no log-probabilities."""
    endpoint_min_samples: Positive = 8
    """How many of them have to come for a probability."""
    endpoint_calls_a_day: Positive | None = None
    """Most calls to one endpoint in a day of UTC, retries included. Unset: any number."""
    endpoint_tokens_a_day: Positive | None = None
    """Most tokens of one endpoint in a day of UTC. Unset: any number."""
    endpoint_ca_file: Path | None = None
    """PEM certificates that the endpoints' are checked with. Unset: those of the machine."""


class EngineSettings(_Strict):
    """Engine"""

    rare: ClassVar[bool] = True

    head_dtype: Literal["bfloat16", "float16", "float32"] = "float32"
    """Data type of the output head; below float32 probabilities move in coarse steps."""
    load_format: Literal["auto", "dummy"] = "auto"
    """auto reads the weights; dummy makes random ones, to measure speed without any."""
    batch_tokens: Positive = 2048
    """Most tokens that the engine computes in one step."""
    batch_prompts: Positive = 64
    """Most prompts that the engine computes in one step."""
    kv_block_tokens: Positive = 32
    """Tokens of one block of the prefix cache; on the CPU a multiple of 32."""
    kv_memory_gib: Annotated[float, Field(gt=0.0)] | None = None
    """GiB for the prefix cache. Unset: 2 on the CPU, and what is left on a GPU."""
    eager: bool | None = None
    """Run without compiling. Unset: on the CPU only, where compiling takes minutes."""
    cpu_threads: Positive | None = None
    """Threads that the model computes with on the CPU. Unset: all cores."""
    hang_timeout_s: Seconds = 15.0
    """Seconds without an answer after which the engine counts as hung; longer where four of its
    longest steps, by its warm-up, take longer."""


class ChunkSettings(_Strict):
    """Long contexts"""

    rare: ClassVar[bool] = True

    chunk_tokens: Annotated[int, Field(ge=64)] = 1200
    """Tokens of a chunk, where a request asks for a context that is too long to be split."""
    chunk_overlap_tokens: Annotated[int, Field(ge=0)] = 150
    """Tokens of a chunk that it repeats of the one before."""


class CacheSettings(_Strict):
    """Cache of readings"""

    rare: ClassVar[bool] = True

    result_cache_entries: Annotated[int, Field(ge=0)] = 100_000
    """Readings that are remembered in this process, some 200 bytes each; 0 remembers none."""
    result_cache_url: SecretStr | None = None
    """Redis or Valkey that shares readings between servers, such as redis://127.0.0.1:6379/0;
    beyond loopback rediss://, or allow_plaintext. Unset: readings stay in this process."""
    result_cache_key: SecretStr | None = None
    """What readings in Redis are signed with, 32 bytes or more; the same on all its servers.
    Unset: result_cache_key_file has it."""
    result_cache_key_file: Path | None = None
    """A file that holds result_cache_key. Unset: no file."""
    cache_scope: Literal["token", "server"] = "token"
    """Who shares cached prefixes and readings: token (callers with one bearer token; all, where
    none is asked for) or server (all, who then see by time and counts what others asked)."""


class LimitSettings(_Strict):
    """Limits"""

    rare: ClassVar[bool] = True

    max_claims: Annotated[int, Field(ge=1, le=MAX_CLAIMS)] = MAX_CLAIMS
    """Most claims in one batch."""
    max_claim_tokens: Positive = 512
    """Most tokens in one claim."""
    max_text_characters: Positive = 200_000
    """Most characters in any one text, checked before it is tokenised."""
    max_message_bytes: Annotated[int, Field(ge=1024, le=1 << 30)] = 16 << 20
    """Most bytes in one message, in either direction."""
    max_sources: Positive = 1000
    """Most sources in one request."""
    max_prompts: Positive = 8000
    """Most prompts that one request may need: three a claim, more with its options; what is left
    may be used to say which source carries a miscited claim."""
    max_claims_characters: Positive = 2_000_000
    """Most characters in all claims of one request."""
    max_evidence_characters: Positive = 10_000_000
    """Most characters in all distinct contexts that one request may need: its evidence, and once
    more each way in which sources are removed from it."""
    max_pending_claims: Positive = 4000
    """Most claims that wait or run at one time; beyond it calls are refused."""
    max_pending_calls: Positive = 4000
    """Most calls that wait or run at one time; beyond it calls are refused."""
    max_pending_bytes: Positive = 256 << 20
    """Most bytes of the requests that wait or run at one time, each of which takes some times its
    bytes of memory; beyond it calls are refused."""
    extract_timeout_s: Seconds = 10.0
    """Seconds of a processor within which a text is split into claims, or evidence into sentences;
    else it is refused."""
    max_call_s: Seconds = 300.0
    """Most seconds that a call may take, whatever its own deadline."""
    shutdown_grace_s: Annotated[float, Field(ge=0.0)] = 30.0
    """Seconds that calls in flight get to finish when the server stops."""


class VerdictSettings(_Strict):
    """Verdicts"""

    verify_policy: Literal["budget", "grounding_score"] = "budget"
    """When a claim is grounded."""
    verify_max_claims: Positive = 10
    """Most claims of an answer that are verified; the rest is listed. Never above max_claims."""
    verify_min_claim_characters: Annotated[int, Field(ge=0)] = MIN_CLAIM_CHARACTERS
    """Claims of an answer with fewer characters are not verified."""
    verify_marker: str = Field(default=DEFAULT_MARKER, max_length=MAX_MARKER_CHARACTERS)
    """What stands for evidence that was removed."""
    verify_strictness: Literal["balanced", "strict", "lenient"] = "balanced"
    """The operating point of the calibration that claims which state no confidence are asked for:
    balanced, strict or lenient."""
    verify_skip_non_evidence: bool = False
    """Leave out what evidence asks or instructs; the response lists those sentences anyway."""
    verify_default_confidence: Share | None = None
    """A confidence of your own for claims that state none. Unset: the operating point, 0.95 where
    the calibration has none."""


class HallucinationSettings(_Strict):
    """The block hallucination as a whole"""

    section: ClassVar[str | None] = ""

    hallucination_enabled: bool = True
    """Let the features of the block hallucination run that are on by their own settings; false
    switches all of them off."""
    hallucination_timeout: OperationDuration = timedelta(seconds=30)
    """Most time that one operation of the block may take once it has begun; claims that nobody has
    read by then are not verified. A caller's deadline that is earlier holds."""
    hallucination_batch_size: Annotated[int, Field(ge=1, le=MAX_CLAIMS)] = 32
    """Most claims that one operation of the block has in one batch; more are read batch after
    batch. Never above max_claims."""
    cache_ttl: CacheDuration = timedelta(hours=1)
    """Time that a reading is remembered, here and in Redis, whichever call it was made for."""


class ClaimExtractionSettings(_Strict):
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
    claim_extractor_max_tokens: Annotated[int, Field(ge=64, le=8192)] = 1024
    """Most tokens that the model writes for one passage of about 1,200 characters."""


class ThresholdSettings(_Strict):
    """Thresholds of verdicts"""

    rare: ClassVar[bool] = True

    verify_min_posterior: Share | None = None
    """The probability from which the evidence speaks for a claim. Unset: 0.5, or the confidence
    that a plain claim is asked for where that is lower."""
    verify_prior_margin: Share = _THRESHOLDS.prior_margin
    """How far below its confidence a claim's prior already makes it prior knowledge."""
    verify_max_gap_bits: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = (
        _THRESHOLDS.max_gap_bits
    )
    """The gap in bits that is still supported."""
    verify_min_contradiction: Share = _THRESHOLDS.min_contradiction
    """The share of NO among YES, NO and UNSURE from which a claim is contradicted."""
    verify_min_evidence_use: Share = _THRESHOLDS.min_evidence_use
    """The rise of the probability above which evidence counts as used."""
    verify_score_bonus_posterior: Share = _THRESHOLDS.score_bonus_posterior
    """Grounding score: the posterior above which a claim gets its bonus."""
    verify_min_grounding_score: Share = _THRESHOLDS.min_grounding_score
    """Grounding score: the score above which a claim is grounded."""
    verify_min_grounded_ratio: Share = _THRESHOLDS.min_grounded_ratio
    """The share of grounded claims from which an answer is grounded."""


class MemoryGateSettings(_Strict):
    """Memory gate"""

    section: ClassVar[str | None] = "memory_gate"

    memory_gate_enabled: bool = False
    """Decide on facts before they are stored, where a client asks for it."""
    memory_gate_min_confidence: Share = 0.0
    """Confidence below which a verified fact is rejected; 0 rejects none for it. No fact is stored
    with more confidence than it states."""
    memory_gate_reject_unsupported: bool = True
    """Reject facts that their evidence does not carry, or not with the least confidence. false
    lets them through, marked; what the evidence contradicts is rejected all the same."""
    memory_gate_unverified_factor: Annotated[float, Field(ge=0.0, lt=1.0)] = (
        _GATE_RULES.unverified_factor
    )
    """What the confidence of a fact is multiplied with that nobody could read in time."""
    memory_gate_log_text: bool = False
    """Log the texts of rejected facts; their numbers are logged anyway."""
    memory_gate_backend: str | None = None
    """The backend that reads facts where a request names none. Unset: the default one."""


class TraceAuditSettings(_Strict):
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
    trace_auditing_max_derivation_tokens: Annotated[int, Field(gt=0, le=1024)] = 48
    """Most tokens that the model writes for an answer of its own."""
    trace_auditing_max_steps: Positive = 100
    """Most steps of one trace."""
    trace_auditing_max_step_characters: Positive = 4000
    """Most characters of one step, and of the answer."""
    trace_auditing_backend: str | None = None
    """The backend that audits traces where a request names none. Unset: the default one."""


class OutputVerificationSettings(_Strict):
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
    output_verification_retention: RetentionDuration = timedelta(days=1)
    """Time that results are kept. What could not be verified for as long fails."""
    output_verification_max_results: Positive = 10_000
    """Most results that are kept; the oldest go first."""
    output_verification_max_queued: Positive = 1000
    """Most outputs that wait or run; beyond it new ones are skipped."""
    output_verification_max_queued_bytes: Positive = 64 << 20
    """Most bytes of outputs that wait or run, as they are stored; beyond it new ones are
    skipped."""
    output_verification_parallel: Positive = 2
    """Most outputs that one backend verifies at one time."""
    output_verification_yield_claims: Positive = 32
    """Claims of other calls that wait or run from which no output is begun."""
    output_verification_backend: str | None = None
    """The backend that verifies outputs where a request names none. Unset: the default one."""


class FeedbackSettings(_Strict):
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


class AuditRecordSettings(_Strict):
    """Audit record"""

    audit_record_file: Path | None = None
    """A file that gets a line of JSON for each detection, with hashes in place of texts. Unset:
    none is written."""
    audit_record_max_bytes: Annotated[int, Field(ge=1 << 16)] = 100 << 20
    """Bytes of the file from which the next line goes into a new one."""
    audit_record_max_files: Positive = 10
    """How many such files are kept, the one that is written included; then the oldest goes."""
    audit_record_otlp: bool = False
    """Send the same lines to otlp_endpoint, as logs."""
    audit_record_key_file: Path | None = None
    """A file that holds the key of the hashes, 32 bytes or more. Unset: one is made beside
    audit_record_file, with .key behind its name."""
    audit_record_text: bool = False
    """Write the requests themselves beside their hashes, so that the record can be replayed
    without anything else."""


class TelemetrySettings(_Strict):
    """Metrics, traces and logs"""

    metrics_listen: str = "127.0.0.1:9464"
    """Address and port of the Prometheus page, which is plain text and asks for no token; empty
    turns it off."""
    allow_plaintext_metrics: bool = False
    """Show the Prometheus page on an address that is not loopback."""
    otlp_endpoint: str | None = None
    """gRPC address of an OpenTelemetry collector, such as http://127.0.0.1:4317; https:// speaks
    TLS. Unset: no traces."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Least severe lines that are logged; only debug lines can repeat the text of a request."""
    log_format: Literal["text", "json"] = "text"
    """How lines are logged: text, or json, an object a line."""


GROUPS: tuple[type[_Strict], ...] = (
    AddressSettings,
    ModelSettings,
    BackendSettings,
    VerdictSettings,
    HallucinationSettings,
    ClaimExtractionSettings,
    MemoryGateSettings,
    TraceAuditSettings,
    OutputVerificationSettings,
    FeedbackSettings,
    AuditRecordSettings,
    TelemetrySettings,
    EngineSettings,
    EndpointSettings,
    ChunkSettings,
    CacheSettings,
    LimitSettings,
    ThresholdSettings,
)
"""The settings by subject, what is rarely changed last. The docstring of each is its title."""

FORMER_NAMES = {"result_cache_ttl_s": "cache_ttl"}
"""Names that went, with those that mean the same now and that errors propose instead."""


class ServerSettings(  # in the reverse order of GROUPS, since the last base's fields come first
    ThresholdSettings,
    LimitSettings,
    CacheSettings,
    ChunkSettings,
    EndpointSettings,
    EngineSettings,
    TelemetrySettings,
    AuditRecordSettings,
    FeedbackSettings,
    OutputVerificationSettings,
    TraceAuditSettings,
    MemoryGateSettings,
    ClaimExtractionSettings,
    HallucinationSettings,
    VerdictSettings,
    BackendSettings,
    ModelSettings,
    AddressSettings,
):
    """The settings of `groundwire serve`."""

    @property
    def limits(self) -> Limits:
        """The limits on one batch, for the domain."""
        return Limits(
            self.max_claims,
            self.max_claim_tokens,
            self.max_text_characters,
            self.max_sources,
            self.max_prompts,
            self.max_claims_characters,
            self.max_evidence_characters,
        )

    def off_switch(self, feature: str) -> str | None:
        """The setting that keeps a feature of the block `hallucination` off; None where it is on.

        A feature is what its own switch begins with: `memory_gate` has `memory_gate_enabled`.
        """
        switches = ("hallucination_enabled", f"{feature}_enabled")
        values = self.model_dump(include=set(switches))
        return next((switch for switch in switches if not values[switch]), None)

    @property
    def model_extraction_off(self) -> str | None:
        """The setting that keeps a model from splitting texts; None where one may."""
        if not self.hallucination_enabled:
            return "hallucination_enabled"
        is_named = self.claim_extractor == "model" or self.claim_extractor_backend is not None
        return None if is_named else "claim_extractor_backend"

    @property
    def has_local_extractor(self) -> bool:
        """Whether it is the model on this machine that may split texts."""
        wanted = self.claim_extractor_backend or self.backend_default or self.backend_name
        return self.model_extraction_off is None and wanted == self.backend_name

    @property
    def gate_rules(self) -> GateRules:
        """What the memory gate asks of a fact, for the domain."""
        return GateRules(
            self.memory_gate_min_confidence,
            self.memory_gate_reject_unsupported,
            self.memory_gate_unverified_factor,
        )

    @property
    def trace_limits(self) -> TraceLimits:
        """The limits on one trace, for the domain."""
        return TraceLimits(self.trace_auditing_max_steps, self.trace_auditing_max_step_characters)

    def verification(
        self, calibration: Calibration | None, wanted: Strictness | None = None
    ) -> VerifyOptions:
        """What a request gets from a model that is calibrated so.

        `wanted` is the strictness that the request chooses, if it does; it chooses nothing else.
        """
        strictness = wanted or Strictness(self.verify_strictness)
        own = self.verify_default_confidence if wanted is None else None
        point = None
        if own is None and calibration is not None:
            point = calibration.operating_points.get(strictness)
        names = [threshold.name for threshold in fields(Thresholds)]
        given = self.model_dump(include={f"verify_{name}" for name in names}, exclude_none=True)
        thresholds = {name: given[f"verify_{name}"] for name in names if f"verify_{name}" in given}
        if own is None:
            thresholds["default_confidence"] = _THRESHOLDS.default_confidence
        if point is not None:
            thresholds["default_confidence"] = point
        # Asked for less, a claim needs no more.
        asked = thresholds["default_confidence"]
        thresholds.setdefault("min_posterior", min(asked, _THRESHOLDS.min_posterior))
        return VerifyOptions(
            policy=Policy[self.verify_policy.upper()],
            thresholds=Thresholds(**thresholds),
            strictness=None if point is None else strictness,
            confidence_source=(
                ConfidenceSource.DEFAULT if wanted is None else ConfidenceSource.REQUEST
            ),
            marker=self.verify_marker,
            skip_non_evidence=self.verify_skip_non_evidence,
            max_claims=min(self.verify_max_claims, self.max_claims),
            min_claim_characters=self.verify_min_claim_characters,
        )

    @model_validator(mode="after")
    def _check_together(self) -> "ServerSettings":
        if (self.tls_cert_file is None) != (self.tls_key_file is None):
            raise ValueError("tls_cert_file and tls_key_file need each other: set both or none")
        if self.tls_client_ca_file is not None and self.tls_cert_file is None:
            raise ValueError("tls_client_ca_file needs tls_cert_file and tls_key_file")
        if self.result_cache_key is not None and self.result_cache_key_file is not None:
            raise ValueError("result_cache_key and result_cache_key_file are both set: set one")
        for name, key, file in (
            ("external", self.external_key, self.external_key_file),
            ("self", self.self_key, self.self_key_file),
            ("haiku", self.haiku_key, self.haiku_key_file),
        ):
            if key is not None and file is not None:
                raise ValueError(f"{name}_key and {name}_key_file are both set: set one")
        if self.endpoint_min_samples > self.endpoint_samples:
            raise ValueError(
                f"endpoint_min_samples ({self.endpoint_min_samples}) is above endpoint_samples "
                f"({self.endpoint_samples}), so there would never be a probability: lower it"
            )
        if self.audit_record_otlp and self.otlp_endpoint is None:
            raise ValueError("audit_record_otlp needs otlp_endpoint: set where the lines go")
        if self.audit_record_otlp and not (self.audit_record_file or self.audit_record_key_file):
            raise ValueError(
                "audit_record_otlp needs audit_record_key_file where audit_record_file is unset: "
                "name the file that holds the key of the hashes"
            )
        if self.max_pending_claims < self.max_claims:
            raise ValueError(
                f"max_pending_claims ({self.max_pending_claims}) is below max_claims "
                f"({self.max_claims}), so a full batch could never run: raise it"
            )
        if self.max_pending_bytes < self.max_message_bytes:
            raise ValueError(
                f"max_pending_bytes ({self.max_pending_bytes}) is below max_message_bytes "
                f"({self.max_message_bytes}), so a full message could never run: raise it"
            )
        if 2 * self.chunk_overlap_tokens > self.chunk_tokens:
            raise ValueError(
                f"chunk_overlap_tokens ({self.chunk_overlap_tokens}) is more than half of "
                f"chunk_tokens ({self.chunk_tokens}): lower it"
            )
        return self


class ClientSettings(_Strict):
    """How commands reach a running server."""

    target: str = "127.0.0.1:50051"
    """Address and port of the server."""
    token: SecretStr | None = None
    """The bearer token to send. Unset: none."""
    ca_file: Path | None = None
    """PEM certificates to check the server's with; turns TLS on. Unset: no TLS."""
    cert_file: Path | None = None
    """PEM certificate of this client, for mutual TLS. Unset: none."""
    key_file: Path | None = None
    """PEM private key of this client. Unset: none."""
    allow_plaintext: bool = False
    """Speak without TLS to an address that is not loopback."""
    timeout_s: Seconds = 60.0
    """Seconds that one call may take."""
