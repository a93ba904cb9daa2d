"""A response with its tool calls, how likely it is made up, what each layer found, what to do."""

from dataclasses import dataclass
from enum import StrEnum

from groundwire._wire.fields import Share
from groundwire.reports import Run
from groundwire.verdicts import AnswerClaim, Stance


class AssessmentLayer(StrEnum):
    """One of the three looks at a response."""

    HEURISTIC = "HEURISTIC"
    """Patterns of words, and values compared with the tools' results; needs no model."""
    COMMON_SENSE = "COMMON_SENSE"
    """Five questions about the exchange, read on the model."""
    DETAILED = "DETAILED"
    """The claims of the response, verified with the tools' results as their evidence."""
    UNKNOWN = "UNKNOWN"


class LayerState(StrEnum):
    """Whether a layer ran."""

    RAN = "RAN"
    """It ran, and has a score."""
    SKIPPED = "SKIPPED"
    """It was not needed or not asked for."""
    FAILED = "FAILED"
    """It could not tell."""
    UNKNOWN = "UNKNOWN"


class LayerReason(StrEnum):
    """Why a layer has no score."""

    NOT_ASKED = "NOT_ASKED"
    """SKIPPED: the call asked for other layers."""
    NOT_FLAGGED = "NOT_FLAGGED"
    """SKIPPED: the other layers found too little."""
    NO_TOOL_RESULT = "NO_TOOL_RESULT"
    """SKIPPED: no tool returned anything. Older servers only."""
    NO_CLAIM = "NO_CLAIM"
    """SKIPPED: the response makes no claim that could be verified."""
    BACKEND_UNAVAILABLE = "BACKEND_UNAVAILABLE"
    """FAILED: the backend loads its model, is dead, or cannot be reached."""
    OUT_OF_TIME = "OUT_OF_TIME"
    """FAILED: nothing was read before the call had to be answered."""
    NOT_ANSWERED = "NOT_ANSWERED"
    """FAILED: the model answered none of its questions."""
    TOO_LONG = "TOO_LONG"
    """FAILED: the text is too long for the model, or to be split."""
    BUSY = "BUSY"
    """FAILED: the server had no place left."""
    UNKNOWN = "UNKNOWN"


class SuggestedAction(StrEnum):
    """What to do with a response."""

    NONE = "NONE"
    """Show it."""
    VERIFY = "VERIFY"
    """Have it checked."""
    WARN = "WARN"
    """Show it with a warning."""
    BLOCK = "BLOCK"
    """Hide it."""
    UNKNOWN = "UNKNOWN"


class AssessmentReasonKind(StrEnum):
    """What a layer found."""

    LIVE_DATA = "LIVE_DATA"
    """Live data, such as weather or a rate, and no tool gave it."""
    CURRENCY = "CURRENCY"
    """An amount of money that no tool gave."""
    NUMBER = "NUMBER"
    """Another number that no tool gave."""
    VALUE_DIFFERS = "VALUE_DIFFERS"
    """A value that a tool gave otherwise."""
    OVER_PRECISE = "OVER_PRECISE"
    """More digits than a tool gave, or than anybody could know."""
    UNCERTAIN = "UNCERTAIN"
    """Words such as "I think"."""
    MAKES_NO_SENSE = "MAKES_NO_SENSE"
    """It does not make sense."""
    CONTRADICTS_ITSELF = "CONTRADICTS_ITSELF"
    """It contradicts itself."""
    LIVE_DATA_WITHOUT_CALL = "LIVE_DATA_WITHOUT_CALL"
    """It states live data that no tool call gave."""
    VAGUE_AS_FACT = "VAGUE_AS_FACT"
    """It states something vague as if it were a fact."""
    FABRICATED = "FABRICATED"
    """Something in it is made up."""
    NOT_ANSWERED = "NOT_ANSWERED"
    """The model did not answer one of the questions."""
    CLAIM_CONTRADICTED = "CLAIM_CONTRADICTED"
    """The tools' results say otherwise than a claim."""
    CLAIM_UNSUPPORTED = "CLAIM_UNSUPPORTED"
    """No tool result supports a claim."""
    CLAIM_UNREAD = "CLAIM_UNREAD"
    """A claim could not be read."""
    CLAIM_AGAINST_THE_REST = "CLAIM_AGAINST_THE_REST"
    """The question or another claim of the response speaks against a claim."""
    UNKNOWN = "UNKNOWN"


class CommonSenseVerdict(StrEnum):
    """What the five answers come to."""

    OK = "OK"
    """All were answered, and none is a concern."""
    QUESTIONABLE = "QUESTIONABLE"
    """One is a concern, or was not answered."""
    LIKELY_FABRICATED = "LIKELY_FABRICATED"
    """The model takes something for made up."""
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool for a response. It ended with a result or with an error, and not both."""

    name: str
    """The tool's name."""
    arguments: str = ""
    """Its arguments as JSON text; empty: none."""
    result: str | None = None
    """What it returned: text, or JSON as text. Empty: it returned nothing."""
    error: str | None = None
    """What it failed with."""
    duration_s: float | None = None
    """How long it took, in seconds; None: not known."""


@dataclass(frozen=True, slots=True)
class AssessmentReason:
    """One thing that a layer found."""

    layer: AssessmentLayer
    """The layer."""
    kind: AssessmentReasonKind
    """What it found."""
    text: str
    """The same in words, behind the layer in brackets, such as `[Heuristic]`."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class LayerReport:
    """One layer: whether it ran, its score, and how long it took."""

    layer: AssessmentLayer
    """The layer."""
    state: LayerState
    """Whether it ran."""
    reason: LayerReason | None
    """Why not; None: it ran."""
    score: Share | None
    """How sure it is that the response is made up, in [0, 1]; None: it did not run."""
    duration_s: float
    """How long it took, in seconds."""
    cut_characters: int
    """Characters of the tools' results that it left out of what it read."""


@dataclass(frozen=True, slots=True)
class CommonSenseAnswer:
    """One question of common sense with its reading."""

    question: str
    """The question, in English."""
    kind: AssessmentReasonKind
    """What it is a concern of."""
    answered: bool
    """Whether the model answered it."""
    shares: Stance | None
    """The model's choice among YES, NO and UNSURE; None: no mass at all."""
    concern: Share
    """How much of a concern the answer is, in [0, 1], by the model's calibration where that has a
    curve for the question; 0.5 where there is no answer."""


@dataclass(frozen=True, slots=True)
class CommonSenseReport:
    """What the model answered about an exchange."""

    makes_logical_sense: bool | None
    """Whether the response makes sense; None: not answered."""
    has_contradictions: bool | None
    """Whether it contradicts itself; None: not answered."""
    verdict: CommonSenseVerdict
    """The sum."""
    concerns: tuple[AssessmentReasonKind, ...]
    """The questions that are a concern, or were not answered."""
    answers: tuple[CommonSenseAnswer, ...]
    """All five."""


@dataclass(frozen=True, slots=True)
class UserText:
    """What a user can be shown beside a response, or in place of it."""

    badge: str
    """A few words; empty with NONE."""
    text: str
    """A sentence, and with WARN the reasons; empty with NONE."""
    hides_response: bool
    """Whether the response is to be hidden, and the text shown in its place."""


@dataclass(frozen=True, slots=True)
class ResponseAssessment:
    """The answer to `assess_response`."""

    is_likely_hallucination: bool
    """Whether the confidence is at least the server's threshold for a warning."""
    confidence: Share | None
    """The weighted mean of the layers' scores, in [0, 1]; None: no layer ran."""
    suggested_action: SuggestedAction
    """What to do with the response."""
    reasons: tuple[AssessmentReason, ...]
    """Why, in the order of the layers."""
    layers: tuple[LayerReport, ...]
    """All three layers, whether they ran or not."""
    common_sense: CommonSenseReport | None
    """What the second layer found; None: it did not run."""
    claims: tuple[AnswerClaim, ...]
    """The claims that the third layer verified."""
    user_text: UserText
    """What a user can be shown."""
    language: str
    """The language of reasons and user text."""
    run: Run
    """How it was done, and what it cost."""

    @property
    def detection_id(self) -> str:
        """The id of what this call found: `Run.detection_id`."""
        return self.run.detection_id

    def layer(self, wanted: AssessmentLayer) -> LayerReport:
        """The report of one layer."""
        return next(report for report in self.layers if report.layer is wanted)

    def __str__(self) -> str:
        sure = "unknown" if self.confidence is None else f"{self.confidence:.2f}"
        return f"{self.suggested_action} (confidence {sure})"
