"""What the client returns: frozen values without any protobuf in them.

Names that end in `_s` are seconds. A name ending in `_probability` with `log`
in it is a natural logarithm, in nats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import overload

from groundwire._wire.fields import Share


class Source(StrEnum):
    """Where a reading came from."""

    MODEL = "MODEL"
    """Read from the model's logits for this call."""
    CACHE = "CACHE"
    """Taken from a cache of earlier readings."""
    SAMPLING = "SAMPLING"
    """Counted over sampled answers, for models without log-probabilities."""
    UNKNOWN = "UNKNOWN"


class NoProbabilityReason(StrEnum):
    """Why an estimate has no probability."""

    LABEL_MASS_BELOW_FLOOR = "LABEL_MASS_BELOW_FLOOR"
    """The label mass is below `ServerInfo.label_mass_floor`."""
    TOO_FEW_SAMPLES = "TOO_FEW_SAMPLES"
    """Too few sampled answers came back from an endpoint."""
    UNKNOWN = "UNKNOWN"


class ServerState(StrEnum):
    """The state of the server's default backend."""

    LOADING = "LOADING"
    """The model is being loaded or warmed up; estimates fail with UnavailableError."""
    SERVING = "SERVING"
    """Calls are answered."""
    DRAINING = "DRAINING"
    """The server is stopping: new calls fail with UnavailableError."""
    FAILED = "FAILED"
    """The engine is dead or hangs; the server is about to exit."""
    UNKNOWN = "UNKNOWN"


class CalibrationMethod(StrEnum):
    """The form of a calibration."""

    PLATT = "PLATT"
    """A logistic function of the log-odds: Platt scaling."""
    ISOTONIC = "ISOTONIC"
    """Isotonic regression, interpolated."""
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a context that was too long to be read whole."""

    index: int
    """Its number, from 0."""
    count: int
    """How many chunks there were."""
    start: int
    """Its first character in the context, or in all documents as the server joined them."""
    end: int
    """The character behind its last one."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What was read for one claim."""

    probability: Share | None
    """P(YES) / (P(YES) + P(NO)), in [0, 1], calibrated if `calibrated` is true. None: the model
    could not answer; such a claim is neither supported nor unsupported."""
    label_mass: float
    """P(YES) + P(NO), in [0, 1], before renormalising. A low mass means that the model did not
    take the question as one to answer with YES or NO."""
    yes_log_probability: float | None
    """ln P(YES) in nats, at most 0; None for a source without log-probabilities."""
    no_log_probability: float | None
    """ln P(NO) in nats, at most 0; None for a source without log-probabilities."""
    source: Source
    """Where the reading came from."""
    no_probability_reason: NoProbabilityReason | None
    """Why there is no probability; None exactly when there is one."""
    raw_probability: float | None
    """P(YES) / (P(YES) + P(NO)) as it was read, in [0, 1], before calibration: `probability`
    unless `calibrated` is true. None exactly when `probability` is."""
    calibrated: bool
    """Whether `probability` went through `ServerInfo.calibration`."""
    chunk: Chunk | None = None
    """The chunk that this is the reading of; None: the context was read whole."""
    min_probability: Share | None = None
    """The least that `probability` can be, where an endpoint did not tell enough to read it
    exactly, or answers were sampled. None: it was read exactly, or there is none."""
    max_probability: Share | None = None
    """The most that it can be; None exactly when `min_probability` is."""
    max_label_mass: Share | None = None
    """The most that the label mass can be, of which `label_mass` is the least then. None: it was
    read exactly."""
    samples: int = 0
    """The sampled answers behind `probability`; 0: none were sampled."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of a call."""

    prompt_tokens: int
    """Tokens of all distinct prompts of the call, before any sharing."""
    cached_tokens: int
    """Of `prompt_tokens`, those that were already in the prefix cache."""
    context_tokens: int
    """Tokens of the context, counted once."""
    distinct_prompts: int
    """Distinct prompts that were read; equal claims share one."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Where the server's time for a call went, in seconds."""

    queue_s: float
    """From the call's admission until the engine first ran one of its prompts."""
    inference_s: float
    """From then until the last prompt of the call was read."""
    total_s: float
    """The whole time in the server."""


@dataclass(frozen=True, slots=True)
class EstimateResult:
    """The answer to `estimate`."""

    estimate: Estimate
    usage: Usage
    timing: Timing
    model: str
    """The name of the model that answered."""
    prompt_version: str
    """The version of the prompt that asked, such as `yes-no/1`."""
    backend: str
    """The name of the backend that answered."""

    @property
    def probability(self) -> float | None:
        """The probability that the claim is true, in [0, 1]; None where there is none."""
        return self.estimate.probability


@dataclass(frozen=True, slots=True)
class BatchResult(Sequence[Estimate]):
    """The answer to `batch_estimate`: a sequence of estimates in the order of the claims."""

    estimates: tuple[Estimate, ...]
    """One estimate for each claim, in the order of the claims."""
    usage: Usage
    """The tokens of the whole batch."""
    timing: Timing
    """The time of the whole batch."""
    model: str
    """The name of the model that answered."""
    prompt_version: str
    """The version of the prompt that asked, such as `yes-no/1`."""
    backend: str
    """The name of the backend that answered."""

    @property
    def probabilities(self) -> tuple[float | None, ...]:
        """The probability of each claim, in [0, 1]; None for a claim that has none."""
        return tuple(estimate.probability for estimate in self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    @overload
    def __getitem__(self, index: int) -> Estimate: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Estimate, ...]: ...

    def __getitem__(self, index: int | slice) -> Estimate | tuple[Estimate, ...]:
        return self.estimates[index]


@dataclass(frozen=True, slots=True)
class LabelForm:
    """One surface form of a label and the token that starts it."""

    label: str
    """The label that it counts for: `YES`, `NO` or `UNSURE`."""
    text: str
    """The form as text, such as ` Yes`."""
    token_id: int
    """The token whose probability is read: the form's first."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The server's limits. A request beyond one is refused whole."""

    max_claims: int
    """Claims in one batch."""
    max_claim_tokens: int
    """Tokens of one claim."""
    max_context_tokens: int
    """Tokens of the context; 0 while the server loads, when it is not known yet."""
    max_text_characters: int
    """Unicode code points of any one text."""
    max_message_bytes: int
    """Bytes of one message, in either direction."""
    max_pending_claims: int
    """Claims that may wait or run in the server at one time."""
    max_sources: int
    """Sources of one request about an answer or its claims."""
    max_prompts: int
    """Prompts that one request about an answer or its claims may need."""
    max_evidence_characters: int
    """Characters of all distinct contexts that one request about an answer or its claims may need:
    its evidence, and once more each way in which sources are removed from it."""
    max_claims_characters: int
    """Characters of all claims of one request."""
    max_extracted_claims: int
    """Claims of one text or answer, whatever becomes of them."""
    max_question_characters: int
    """Characters of the question of an answer."""
    max_title_characters: int
    """Characters of a document's title."""
    max_id_characters: int
    """Characters of an id, whether of a source or cited."""
    max_cited_ids: int
    """Ids that one claim of a request may cite."""
    max_citation_styles: int
    """Citation styles of one request."""
    max_citation_prefixes: int
    """Citation prefixes of one request."""
    max_citation_prefix_characters: int
    """Characters of a citation prefix, all of them letters."""
    max_message_fields: int
    """Fields of one request, those of all messages in it and values of repeated ones included."""
    max_pending_calls: int
    """Calls that may wait or run in the server at one time; 0 from an older server."""
    max_pending_bytes: int
    """Bytes of the requests of these calls; 0 from an older server."""
    max_text_ids: int
    """Ids that the citations of one text or answer may name; 0 from an older server."""
    max_marker_characters: int
    """Characters of the marker that stands for removed evidence; 0 from an older server."""


class Strictness(StrEnum):
    """A confidence that claims are asked for, by what it does to SUPPORTED."""

    BALANCED = "BALANCED"
    """At most .15 of the unsupported claims are SUPPORTED."""
    STRICT = "STRICT"
    """At most .05 of the unsupported claims are SUPPORTED, unless it was calibrated for another
    rate."""
    LENIENT = "LENIENT"
    """At most .30 of the unsupported claims are SUPPORTED."""
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Calibration:
    """How raw probabilities become calibrated ones: by a function that never falls."""

    method: CalibrationMethod
    """The form of the function."""
    rows: int
    """Labelled claims that it was fitted on."""
    data: str
    """What these claims were, in words."""
    operating_points: Mapping[Strictness, float]
    """The confidences, in [0, 1], that claims can be asked for by name. Empty: none was chosen."""


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """Which model answers, how it is asked, and the limits in force."""

    server_version: str
    """The version of the server, as `major.minor.patch`."""
    state: ServerState
    """The state of the default backend."""
    backends: tuple[str, ...]
    """The backends that a call may name, the default first."""
    model: str
    """The default backend's model, by name."""
    window_tokens: int
    """The model's window: prompt and answer together; 0 while the server loads."""
    dtype: str
    """The data type of the model's weights; empty while the server loads."""
    prompt_version: str
    """The version of the prompt that asks, such as `yes-no/1`."""
    label_forms: tuple[LabelForm, ...]
    """The forms of the labels that are read; empty while the server loads."""
    label_mass_floor: float
    """An estimate whose label mass is below this value, in [0, 1], has no probability."""
    limits: Limits
    """The limits in force."""
    identity: str
    """What tells this model, asked with this prompt, from all others: a SHA-256 in hex; empty
    while the server loads, and from an older server."""
    calibration: Calibration | None
    """The calibration of its probabilities; None: there is none, or the server loads."""
    uncalibrated: bool = False
    """Whether it serves without a calibration."""
