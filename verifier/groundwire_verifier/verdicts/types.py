"""What is said of a claim: the verdict, its reason, and every number behind it."""

from dataclasses import dataclass, field
from enum import Enum

from groundwire_verifier.domain.claims import Claim, ConfidenceSource, NonAssertive, Span
from groundwire_verifier.domain.evidence import ReadPassage
from groundwire_verifier.domain.types import Estimate
from groundwire_verifier.text.quantities.derived import Derived


class Verdict(Enum):
    """What is known of a claim."""

    SUPPORTED = "supported"
    UNCERTAIN = "uncertain"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"
    MISCITED = "miscited"
    PRIOR_KNOWLEDGE = "prior knowledge"
    NOT_VERIFIED = "not verified"


class Reason(Enum):
    """How a verdict came about."""

    BUDGET_COVERED = "budget covered"
    SCORE_REACHED = "score reached"
    BUDGET_EXCEEDED = "budget exceeded"
    LOW_POSTERIOR = "low posterior"
    SCORE_MISSED = "score missed"
    EVIDENCE_AGAINST = "evidence against"
    EVIDENCE_UNUSED = "evidence unused"
    MODEL_SAYS_NO = "model says no"
    OTHER_SOURCE = "other source"
    HIGH_PRIOR = "high prior"
    UNKNOWN_CITATION = "unknown citation"
    LABEL_MASS_BELOW_FLOOR = "label mass below the floor"
    NON_ASSERTIVE = "non-assertive"
    TOO_SHORT = "too short"
    BEYOND_MAX_CLAIMS = "beyond max claims"
    TOO_LONG = "too long"
    OUT_OF_TIME = "out of time"
    BACKEND_FAILED = "backend failed"
    INTERVAL_TOO_WIDE = "interval too wide"
    TOO_FEW_SAMPLES = "too few samples"
    INCOMPLETE = "incomplete"
    CORROBORATED = "corroborated"
    FALSE_ABSENCE = "false absence"
    UNSTATED_CODE = "unstated code"
    CELL_SAYS_OTHERWISE = "cell says otherwise"


UNREAD = frozenset({Reason.BEYOND_MAX_CLAIMS, Reason.OUT_OF_TIME, Reason.BACKEND_FAILED})
"""Reasons of claims that nothing is known of yet: they keep an answer from being grounded."""

SKIPPED = UNREAD | {Reason.NON_ASSERTIVE, Reason.TOO_SHORT}
"""Reasons of claims that are left out: they do not count in a report, which names them."""


class CitationStatus(Enum):
    """What a claim cites."""

    NONE = "none"
    KNOWN = "known"
    UNKNOWN = "unknown"


class Role(Enum):
    """What a cited source is to a claim."""

    CARRIES = "carries"
    REDUNDANT = "redundant"
    DECORATION = "decoration"


@dataclass(frozen=True, slots=True)
class BudgetNumbers:
    """The budget of one claim.

    `gap_range_bits` is (low, high) over the intervals of p1 and p0; None where both were read
    exactly.
    """

    required_nats: float
    observed_nats: float
    gap_nats: float
    required_bits: float
    observed_bits: float
    gap_bits: float
    required_exceeds_observed: bool
    gap_range_bits: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Stance:
    """The model's choice among YES, NO and UNSURE: shares that add to 1, and their mass before."""

    yes: float
    no: float
    unsure: float
    label_mass: float


@dataclass(frozen=True, slots=True)
class CitationRole:
    """What one source is to a claim; all None if a probability is missing.

    `drop` is p1 less the probability without this source, `alone` the probability with this
    source only less p0; both in [-1, 1].
    """

    id: str
    role: Role | None
    drop: float | None
    alone: float | None


@dataclass(frozen=True, slots=True)
class OtherSource:
    """A source that a claim does not cite, read alone: P(true), and whether it carries the claim.

    `probability` is None where the label mass is below the floor.
    """

    id: str
    probability: float | None
    carries: bool


class PassageRelation(Enum):
    """What a passage of a source is to a claim."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"


class SpanKind(Enum):
    """What the words are that the evidence does not bear out."""

    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    RELATION = "relation"
    QUANTIFIER = "quantifier"
    NEGATION = "negation"
    MODALITY = "modality"
    CAUSE = "cause"
    DETAIL = "detail"


@dataclass(frozen=True, slots=True)
class DecidingPassage:
    """A passage that carries a claim by itself, or speaks against it.

    `span` is where it stands in the document's text, or in the context, as sent. `probability` is
    P(true) on this passage alone; None where the label mass is below the floor.
    """

    source_id: str
    span: Span
    text: str
    relation: PassageRelation
    probability: float | None


@dataclass(frozen=True, slots=True)
class SourceConflict:
    """A passage of another source that speaks against a claim which is SUPPORTED.

    `newer_id` is the newer of the two sources where both carry a date; else it is empty.
    """

    passage: DecidingPassage
    newer_id: str


@dataclass(frozen=True, slots=True)
class UnsupportedSpan:
    """Words that the evidence does not bear out, where they stand in the answer, or in the claim.

    `kind` is None where nothing could be singled out: then it is the claim as a whole.
    """

    span: Span
    kind: SpanKind | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a claim has its verdict. It changes none.

    It is not `complete` where reads or time ended first.
    """

    passages: tuple[DecidingPassage, ...] = ()
    spans: tuple[UnsupportedSpan, ...] = ()
    complete: bool = False


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """A verdict with every number behind it; what was not read is None.

    `closed_book` is read without any source, `cited_alone` with the cited ones only, and with them
    each of `other_sources` alone, where p0 is high for a claim that cites.
    """

    verdict: Verdict
    reason: Reason
    reason_text: str
    grounded: bool
    warning: str
    citation_status: CitationStatus
    cited_ids: tuple[str, ...]
    unknown_ids: tuple[str, ...]
    confidence: float
    confidence_source: ConfidenceSource
    posterior: Estimate | None = None
    prior: Estimate | None = None
    budget: BudgetNumbers | None = None
    grounding_score: float | None = None
    evidence_use: float | None = None
    stance: Stance | None = None
    citation_roles: tuple[CitationRole, ...] = ()
    closed_book: Estimate | None = None
    cited_alone: Estimate | None = None
    prior_title_ids: tuple[str, ...] = ()
    """The sources whose titles were removed for the prior, too, since they state the claim."""
    other_sources: tuple[OtherSource, ...] = ()
    unstated_values: tuple[str, ...] = ()
    """Numbers, amounts, dates and times of the claim that its evidence does not state; flags,
    parameters, paths and versions of code, too."""
    read_passages: tuple[ReadPassage, ...] = ()
    """The passages that it was read with; empty where it was read with all of its evidence."""
    derived_values: tuple[Derived, ...] = ()
    """Those of them that follow from stated ones; they are not among `unstated_values`."""
    explanation: Explanation | None = None
    """None: it was not asked for, or the claim was not read."""
    conflicts: tuple[SourceConflict, ...] = ()
    """Sources that say otherwise than a claim which is SUPPORTED. They change no verdict."""
    claim: str = field(default="", repr=False, compare=False)
    """The text that was asked about."""
    context: str = field(default="", repr=False, compare=False)
    """The evidence that it was read with; empty if it was not read."""


@dataclass(frozen=True, slots=True)
class AnswerClaim:
    """A claim of an answer; `verdict` is None as long as it is being read."""

    claim: Claim
    verdict: ClaimVerdict | None


@dataclass(frozen=True, slots=True)
class UnverifiedClaims:
    """How many claims of an answer are not verified for one reason.

    `non_assertive` says of what kind those with the reason NON_ASSERTIVE are; else it is None.
    """

    reason: Reason
    non_assertive: NonAssertive | None
    claims: int


@dataclass(frozen=True, slots=True)
class AnswerSummary:
    """An answer as a whole; skipped claims do not count in the total.

    It is `complete` if no claim was left unread.
    `unverified` has every claim without a verdict of the model, `verified_share` is the share of
    the text, in [0, 1], that those with one cover, and `unclaimed_lines` its lines without any.
    `review_order` has the indexes of the claims that assert something, the likeliest wrong one
    first.
    `thoughts` are those of a reasoning model in the text, which are no part of the answer.
    `abstained` says that the answer states nothing but that the sources do not say something.
    `plain_instructions` are those that hold nothing to check.
    `text_language` is that of most of the text, as a BCP 47 tag, whatever the warnings are in;
    `rules` names those that its claims were found by, and `language_covered` says whether the
    model's card names it: None where the card names no languages. `conflicting_claims` are
    SUPPORTED while another source says otherwise, `unexplained_claims` those whose explanation is
    not complete: 0 where none was asked for.
    """

    overall_grounded: bool
    grounded_claims: int
    total_claims: int
    skipped_claims: int
    grounding_ratio: float
    warning: str
    language: str
    unverified: tuple[UnverifiedClaims, ...]
    verified_share: float
    unclaimed_lines: int
    uncertain_claims: int
    review_order: tuple[int, ...]
    complete: bool
    thoughts: int = 0
    abstained: bool = False
    plain_instructions: int = 0
    text_language: str = ""
    rules: str = ""
    language_covered: bool | None = None
    conflicting_claims: int = 0
    unexplained_claims: int = 0
