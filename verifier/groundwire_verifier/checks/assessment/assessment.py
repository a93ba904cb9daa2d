"""What is said of a response: what each layer found, how sure all are, and what to do about it."""

from dataclasses import dataclass, field
from enum import Enum

from groundwire_verifier.checks.assessment.common_sense import CommonSense
from groundwire_verifier.checks.assessment.exchange import Exchange
from groundwire_verifier.verdicts.types import AnswerClaim, Stance
from groundwire_verifier.verification import Verification


class AssessmentLayer(Enum):
    """The three looks at a response; the value is how reasons name it."""

    HEURISTIC = "Heuristic"
    COMMON_SENSE = "Common Sense"
    DETAILED = "Detailed"


class LayerState(Enum):
    """Whether a layer ran."""

    RAN = "ran"
    SKIPPED = "skipped"
    FAILED = "failed"


class LayerReason(Enum):
    """Why a layer has no score."""

    NOT_ASKED = "not asked"
    NOT_FLAGGED = "not flagged"
    NO_CLAIM = "no claim"
    BACKEND_UNAVAILABLE = "backend unavailable"
    OUT_OF_TIME = "out of time"
    NOT_ANSWERED = "not answered"
    TOO_LONG = "too long"
    BUSY = "busy"


class ReasonKind(Enum):
    """What a layer found."""

    LIVE_DATA = "live data"
    CURRENCY = "currency"
    NUMBER = "number"
    VALUE_DIFFERS = "value differs"
    OVER_PRECISE = "over-precise"
    UNCERTAIN = "uncertain"
    MAKES_NO_SENSE = "makes no sense"
    CONTRADICTS_ITSELF = "contradicts itself"
    LIVE_DATA_WITHOUT_CALL = "live data without call"
    VAGUE_AS_FACT = "vague as fact"
    FABRICATED = "fabricated"
    NOT_ANSWERED = "not answered"
    CLAIM_CONTRADICTED = "claim contradicted"
    CLAIM_UNSUPPORTED = "claim unsupported"
    CLAIM_UNREAD = "claim unread"
    CLAIM_AGAINST_THE_REST = "claim against the rest"


class SuggestedAction(Enum):
    """What to do with a response, the mildest first."""

    NONE = "none"
    VERIFY = "verify"
    WARN = "warn"
    BLOCK = "block"


class CommonSenseVerdict(Enum):
    """What the five answers come to."""

    OK = "ok"
    QUESTIONABLE = "questionable"
    LIKELY_FABRICATED = "likely fabricated"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a layer found, and the words of the response that it is about; empty for all of it."""

    kind: ReasonKind
    words: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class CommonSenseAnswer:
    """A question with its reading.

    `concern`, in [0, 1], is the share of the answer that is one and half of that of UNSURE, through
    the curve of the model's calibration where it has one for the question; 0.5 where the label mass
    is below the floor, so that nobody `answered`.
    """

    question: CommonSense
    shares: Stance
    answered: bool
    concern: float


@dataclass(frozen=True, slots=True)
class CommonSenseReport:
    """What the model answered. The first two are None where it did not."""

    makes_logical_sense: bool | None
    has_contradictions: bool | None
    verdict: CommonSenseVerdict
    answers: tuple[CommonSenseAnswer, ...]


@dataclass(frozen=True, slots=True)
class LayerReport:
    """One layer: its score in [0, 1] if it ran, else the reason.

    `cut_characters` are those of the tools' results that it left out.
    """

    layer: AssessmentLayer
    state: LayerState
    reason: LayerReason | None = None
    score: float | None = None
    findings: tuple[Finding, ...] = ()
    duration_s: float = 0.0
    cut_characters: int = 0


@dataclass(frozen=True, slots=True)
class AssessmentInput:
    """An exchange to assess. An empty `language` is that of the response, an empty `backend` the
    default one."""

    exchange: Exchange
    layers: tuple[AssessmentLayer, ...] = tuple(AssessmentLayer)
    language: str = ""
    backend: str = ""
    skip_result_cache: bool = False


@dataclass(frozen=True, slots=True)
class Assessment:
    """What is known of a response.

    `layers` has all three in their order. `confidence` is None where none ran. `claims` are those
    that layer 3 found, and those at `indexes` it verified. `verification` is what all reading cost.
    """

    confidence: float | None
    action: SuggestedAction
    is_likely_hallucination: bool
    layers: tuple[LayerReport, ...]
    common_sense: CommonSenseReport | None
    claims: tuple[AnswerClaim, ...]
    indexes: tuple[int, ...]
    language: str
    verification: Verification
