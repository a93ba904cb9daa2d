"""A claim with its verdict and every number behind it, as one flat object.

p1 is the probability of a claim with its evidence, p0 the one with its cited evidence removed, both
in [0, 1]. Names that end in `_bits` and `_nats` are information.
"""

from dataclasses import asdict, dataclass
from enum import StrEnum

from groundwire._wire.fields import Difference, Share
from groundwire.claims import Citation, ConfidenceSource, NonAssertiveReason, Span
from groundwire.results import Estimate


class Verdict(StrEnum):
    """What is known of a claim."""

    SUPPORTED = "SUPPORTED"
    """The evidence speaks for the claim, and pays for its confidence. Or the sources that it cites
    do so by themselves, while others say the same."""
    UNCERTAIN = "UNCERTAIN"
    """The evidence neither confirms the claim nor leaves it without support. Not grounded: every
    policy and gate takes it as UNSUPPORTED, and its reasons are those of UNSUPPORTED."""
    UNSUPPORTED = "UNSUPPORTED"
    """The evidence does not carry the claim, or not with this confidence, and p1 is at most
    `Thresholds.max_unsupported_posterior`, or the evidence speaks against it."""
    CONTRADICTED = "CONTRADICTED"
    """The evidence speaks against the claim."""
    MISCITED = "MISCITED"
    """The claim rests on another source than those it cites, which do not carry it by themselves;
    `carried_by` names it."""
    PRIOR_KNOWLEDGE = "PRIOR_KNOWLEDGE"
    """The model believes the claim as much without the evidence, and without any source, if there
    are others: true or not, the evidence was not what it stands on."""
    NOT_VERIFIED = "NOT_VERIFIED"
    """Nothing is known: neither supported nor unsupported, and never grounded."""
    UNKNOWN = "UNKNOWN"
    """A verdict that this client does not know; never grounded."""


class VerdictReason(StrEnum):
    """How a verdict came about."""

    BUDGET_COVERED = "BUDGET_COVERED"
    """SUPPORTED: the observed bits cover the required ones."""
    SCORE_REACHED = "SCORE_REACHED"
    """SUPPORTED: the grounding score is high enough and the evidence is used."""
    BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
    """UNSUPPORTED or UNCERTAIN: the evidence speaks for the claim, but the required bits exceed the
    observed ones."""
    LOW_POSTERIOR = "LOW_POSTERIOR"
    """UNSUPPORTED or UNCERTAIN: p1 is below `Thresholds.min_posterior`."""
    SCORE_MISSED = "SCORE_MISSED"
    """UNSUPPORTED or UNCERTAIN: the grounding score is too low."""
    EVIDENCE_AGAINST = "EVIDENCE_AGAINST"
    """UNSUPPORTED: the evidence makes the claim less likely than it was without."""
    EVIDENCE_UNUSED = "EVIDENCE_UNUSED"
    """UNSUPPORTED or UNCERTAIN: the evidence changes too little to count as used."""
    MODEL_SAYS_NO = "MODEL_SAYS_NO"
    """CONTRADICTED: asked for YES, NO or UNSURE, the model says NO."""
    HIGH_PRIOR = "HIGH_PRIOR"
    """PRIOR_KNOWLEDGE: p0 is near or above the confidence."""
    OTHER_SOURCE = "OTHER_SOURCE"
    """MISCITED: p0 is near or above the confidence, the cited sources alone do not carry the claim,
    and without any source the probability is low, and lower by more than
    `Thresholds.min_miscitation`."""
    UNKNOWN_CITATION = "UNKNOWN_CITATION"
    """NOT_VERIFIED: the claim cites an id that no source has."""
    LABEL_MASS_BELOW_FLOOR = "LABEL_MASS_BELOW_FLOOR"
    """NOT_VERIFIED: the model put too little probability on YES and NO."""
    NON_ASSERTIVE = "NON_ASSERTIVE"
    """NOT_VERIFIED: the claim asserts nothing."""
    TOO_SHORT = "TOO_SHORT"
    """NOT_VERIFIED: fewer characters than `VerifyOptions.min_claim_characters`."""
    BEYOND_MAX_CLAIMS = "BEYOND_MAX_CLAIMS"
    """NOT_VERIFIED: beyond `VerifyOptions.max_claims`."""
    TOO_LONG = "TOO_LONG"
    """NOT_VERIFIED: more tokens than `Limits.max_claim_tokens`; `verify_claims` refuses such a
    claim instead."""
    OUT_OF_TIME = "OUT_OF_TIME"
    """NOT_VERIFIED: not read before the call had to be answered, so that what was known came in
    time. More time, or fewer claims, would have read it."""
    BACKEND_FAILED = "BACKEND_FAILED"
    """NOT_VERIFIED: not read before the server's engine died or hung."""
    INTERVAL_TOO_WIDE = "INTERVAL_TOO_WIDE"
    """NOT_VERIFIED: p1 and p0 were not read exactly, and somewhere in their ranges the claim would
    not be SUPPORTED. More samples would tell."""
    TOO_FEW_SAMPLES = "TOO_FEW_SAMPLES"
    """NOT_VERIFIED: too few sampled answers came back from an endpoint."""
    INCOMPLETE = "INCOMPLETE"
    """NOT_VERIFIED: the answer ends in the middle of the claim, or seems to and the model says
    NO."""
    CORROBORATED = "CORROBORATED"
    """SUPPORTED: p0 is near or above the confidence, since other sources say the same
    (`carried_by`), and the cited sources alone carry the claim (`cited_alone`)."""
    FALSE_ABSENCE = "FALSE_ABSENCE"
    """CONTRADICTED: it says that the sources do not say something, and they do."""
    UNSTATED_CODE = "UNSTATED_CODE"
    """UNSUPPORTED: it has a flag, a parameter, a path or a version of code that no source has:
    between back-ticks, or anywhere in an instruction or in code."""
    CELL_SAYS_OTHERWISE = "CELL_SAYS_OTHERWISE"
    """CONTRADICTED: it says yes where the cell of that row and column in a table says no, or no
    where it says yes."""
    UNKNOWN = "UNKNOWN"


class CitationStatus(StrEnum):
    """What a claim cites."""

    NONE = "NONE"
    """No citation: the prior has every source removed."""
    KNOWN = "KNOWN"
    """Every cited id is a source."""
    UNKNOWN = "UNKNOWN"
    """At least one cited id is no source."""
    UNRECOGNISED = "UNRECOGNISED"
    """A status that this client does not know."""


class DerivedOperation(StrEnum):
    """How a value follows from stated ones."""

    COUNT = "COUNT"
    """The number of sources, or of the items of a list or an enumeration."""
    SUM = "SUM"
    """A sum of two, or of all that belong together."""
    DIFFERENCE = "DIFFERENCE"
    """A difference, or the time between two years, dates or times."""
    PRODUCT = "PRODUCT"
    """An amount times a factor, or a percentage of it."""
    SHARE = "SHARE"
    """One as a percentage of another, or shared by a number, rounded."""
    DATE = "DATE"
    """A date, year or time so many days, years or minutes from another one."""
    UNKNOWN = "UNKNOWN"


class Role(StrEnum):
    """What a cited source is to a claim."""

    CARRIES = "CARRIES"
    """Without it the claim loses more than `Thresholds.min_evidence_use`."""
    REDUNDANT = "REDUNDANT"
    """The claim does not need it, but it alone would carry the claim."""
    DECORATION = "DECORATION"
    """It adds nothing."""
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Budget:
    """The information that a claim needs and gets, in bits and in nats.

    KL is the divergence of two Bernoulli distributions; probabilities are
    clipped to [1e-12, 1 - 1e-12].
    """

    required_bits: float
    """KL(confidence || p0): what the confidence asks the evidence for."""
    observed_bits: float
    """KL(p1 || p0): what the evidence gave."""
    gap_bits: float
    """required_bits - observed_bits."""
    required_exceeds_observed: bool
    """Whether required_bits exceeds observed_bits. It says nothing of the direction: evidence
    against a claim is observed, too."""
    required_nats: float
    """required_bits x ln 2."""
    observed_nats: float
    """observed_bits x ln 2."""
    gap_nats: float
    """gap_bits x ln 2."""
    min_gap_bits: float | None = None
    """The smallest gap over the ranges of p1 and p0; None: both were read exactly."""
    max_gap_bits: float | None = None
    """The largest one."""


@dataclass(frozen=True, slots=True)
class Stance:
    """The model's choice among YES, NO and UNSURE."""

    yes: Share
    """P(YES), renormalised over the three, in [0, 1]."""
    no: Share
    """P(NO), likewise."""
    unsure: Share
    """P(UNSURE), likewise."""
    label_mass: Share
    """The probability of all forms of the three before renormalising, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class CitationRole:
    """Whether a claim stands on one of its sources."""

    id: str
    """The source's id."""
    role: Role | None
    """What it is to the claim; None: it could not be read."""
    drop: Difference | None
    """p1 less the probability with only this source removed, in [-1, 1]; None if a probability
    is missing."""
    alone: Difference | None
    """The probability with all other cited sources removed, less p0, in [-1, 1]; None if a
    probability is missing."""


@dataclass(frozen=True, slots=True)
class DerivedValue:
    """A value of a claim that follows from stated ones by one operation."""

    value: str
    """As the claim writes it."""
    operation: DerivedOperation
    """How it follows."""
    operands: tuple[str, ...]
    """Stated values, counted items, or the ids of counted sources; at most 16."""


@dataclass(frozen=True, slots=True)
class OtherSource:
    """A source that a claim does not cite, read alone."""

    id: str
    """The source's id."""
    probability: Share | None
    """The probability of the claim with this source alone, in [0, 1]; None: the label mass is
    below the floor."""
    carries: bool
    """Whether it carries the claim: its probability is at least `Thresholds.min_posterior`, and
    above the closed-book one by more than `Thresholds.min_evidence_use`."""


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A passage of the evidence that a claim was read with."""

    source_id: str
    """The source that it is of; of a context with ranges the first one that has a part of it, or
    empty."""
    span: Span
    """Where it stands: in the document's text, or in the context."""


class PassageRelation(StrEnum):
    """What a passage of a source is to a claim."""

    SUPPORTS = "SUPPORTS"
    """It carries the claim by itself."""
    CONTRADICTS = "CONTRADICTS"
    """It speaks against the claim."""
    UNKNOWN = "UNKNOWN"


class SpanKind(StrEnum):
    """What words are that the evidence does not bear out."""

    NUMBER = "NUMBER"
    """A number, an amount or a measure."""
    DATE = "DATE"
    """A date or a time."""
    NAME = "NAME"
    """The name of a person, a place or a thing."""
    RELATION = "RELATION"
    """How two things stand to each other: before, more, including."""
    QUANTIFIER = "QUANTIFIER"
    """How many or how often: all, only, always."""
    NEGATION = "NEGATION"
    """That something is so, or is not."""
    MODALITY = "MODALITY"
    """That something must, may or will be so."""
    CAUSE = "CAUSE"
    """Why something is so, or what for."""
    DETAIL = "DETAIL"
    """Something else that is said besides."""
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class DecidingPassage:
    """A sentence, or a line, of a source that decides a claim."""

    source_id: str
    """The source that it is of; of a context with ranges the first one that has a part of it, or
    empty."""
    span: Span
    """Where it stands: in the document's text, or in the context."""
    text: str
    """The sentence."""
    relation: PassageRelation
    """What it is to the claim."""
    probability: Share | None
    """The probability of the claim with this passage alone, in [0, 1]; None: the label mass is
    below the floor."""


@dataclass(frozen=True, slots=True)
class UnsupportedSpan:
    """Words that the evidence does not bear out."""

    span: Span
    """Where they stand: in the answer, or, of `verify_claims`, in the claim."""
    kind: SpanKind | None
    """What they are; None: it is the claim as a whole, of which nothing could be singled out."""


@dataclass(frozen=True, slots=True)
class SourceConflict:
    """A source that says otherwise than a claim which is SUPPORTED."""

    passage: DecidingPassage
    """The sentence that speaks against the claim."""
    newer_id: str
    """The id of the newer source, this one or that of the first deciding passage; empty: not
    known."""


@dataclass(frozen=True, slots=True, repr=False)
class VerifiedClaim:
    """A claim, what is known of it, and every number behind that. Prints as one line."""

    content: str
    """The statement that was judged."""
    verdict: Verdict
    """What is known of it."""
    reason: VerdictReason
    """How it came about."""
    reason_text: str
    """The same in words, with the numbers, in the language of the warning."""
    grounded: bool
    """Whether the claim is grounded under `Run.policy`."""
    warning: str
    """A warning for the reader, in the claim's language. Empty when grounded, and for claims
    that were skipped because they assert nothing or are too short."""
    citation_status: CitationStatus
    """Whether the sources that it cites are there."""
    cited_ids: tuple[str, ...]
    """The cited ids, distinct, in order."""
    unknown_ids: tuple[str, ...]
    """Of `cited_ids`, those that no source has."""
    posterior: Estimate | None
    """With the evidence; None: not read."""
    prior: Estimate | None
    """With the cited evidence removed; None: not read."""
    confidence: Share
    """The confidence that the evidence has to pay for, in [0, 1]."""
    confidence_source: ConfidenceSource
    """Where `confidence` is from."""
    budget: Budget | None
    """What the claim needs and gets, in bits; None without p1 and p0."""
    grounding_score: Share | None
    """The grounding score, in [0, 1], whatever the policy: of p1 and p0, and of a corroborated
    claim of `cited_alone` and `closed_book`. None without p1 and p0."""
    evidence_use: Difference | None
    """p1 - p0, in [-1, 1]; None without p1 and p0."""
    stance: Stance | None
    """What the model said when asked for YES, NO or UNSURE; None: not asked, since p1 speaks
    for the claim or is not known."""
    citation_roles: tuple[CitationRole, ...]
    """The cited sources one by one; empty unless `VerifyOptions.attribute_citations` asks."""
    closed_book: Estimate | None
    """Without any source; None unless p0 is high, the claim cites, and there are other sources."""
    cited_alone: Estimate | None
    """With the cited sources alone; None without `closed_book`, or from an older server."""
    prior_title_ids: tuple[str, ...]
    """The sources whose titles were removed for the prior, too, since they state the claim."""
    unstated_values: tuple[str, ...]
    """Numbers, amounts, dates and times of the claim that its evidence does not state, behind the
    flags, parameters, paths and versions of code that it does not have."""
    derived_values: tuple[DerivedValue, ...]
    """Values that its evidence does not state, and that follow from those that it states."""
    other_sources: tuple[OtherSource, ...]
    """Sources that the claim does not cite, each alone; empty without `closed_book`."""
    read_passages: tuple[ReadPassage, ...]
    """The passages of the evidence that it was read with; empty: all of it, or not read."""
    deciding_passages: tuple[DecidingPassage, ...]
    """Sentences of the sources that decide it, each read alone, the surest first; empty unless
    `VerifyOptions.explain` asks."""
    unsupported_spans: tuple[UnsupportedSpan, ...]
    """The words that the evidence does not bear out, in the order of the text; empty unless
    `VerifyOptions.explain` asks."""
    conflicts: tuple[SourceConflict, ...]
    """Sources that say otherwise though it is SUPPORTED, or stated by another source. They change
    no verdict. What takes a reading to see is there only if `VerifyOptions.explain` asks."""
    explained: bool
    """Whether all that explains it was read. False: not asked for, the claim was not read, or the
    time or the 64 readings of an answer ended first."""

    @property
    def carried_by(self) -> tuple[str, ...]:
        """The ids of the sources that a claim rests on without citing them."""
        return tuple(other.id for other in self.other_sources if other.carries)

    @property
    def p1(self) -> float | None:
        """The probability with the evidence, in [0, 1]; None where there is none."""
        return None if self.posterior is None else self.posterior.probability

    @property
    def p0(self) -> float | None:
        """The probability without the cited evidence, in [0, 1]; None where there is none."""
        return None if self.prior is None else self.prior.probability

    @property
    def required_bits(self) -> float | None:
        """`Budget.required_bits`: what the confidence asks the evidence for; None without one."""
        return None if self.budget is None else self.budget.required_bits

    @property
    def observed_bits(self) -> float | None:
        """`Budget.observed_bits`: what the evidence gave; None without a budget."""
        return None if self.budget is None else self.budget.observed_bits

    @property
    def gap_bits(self) -> float | None:
        """`Budget.gap_bits`: the bits that the evidence falls short by, below 0 where it gives more
        than is asked for; None without a budget."""
        return None if self.budget is None else self.budget.gap_bits

    @property
    def budget_gap(self) -> float | None:
        """`gap_bits`, by the name that SPEC-08.32 has for it."""
        return self.gap_bits

    @property
    def status(self) -> Verdict:
        """`verdict`, by the name that SPEC-08.32 has for it."""
        return self.verdict

    def to_dict(self) -> dict[str, object]:
        """The claim as JSON holds it: every field under its name, and what a reader looks for first
        at the beginning."""
        first = {
            "content": self.content,
            "verdict": self.verdict,
            "p1": self.p1,
            "p0": self.p0,
            "gap_bits": self.gap_bits,
        }
        return first | asdict(self)

    def __str__(self) -> str:
        if self.p0 is None or self.p1 is None:
            return f"{self.verdict} {self.content!r}: not read"
        numbers = f"p0 {self.p0:.3f}, p1 {self.p1:.3f}"
        if self.budget is not None:
            needs = f"{self.budget.observed_bits:.2f} of {self.budget.required_bits:.2f}"
            numbers += f", bits {needs}, gap {self.budget.gap_bits:+.2f}"
        return f"{self.verdict} {self.content!r}: {numbers}"

    def __repr__(self) -> str:
        return f"<{self}>"


@dataclass(frozen=True, slots=True, repr=False)
class AnswerClaim(VerifiedClaim):
    """A verified claim of an answer, with its place there."""

    span: Span
    """Where the claim's own characters are in the answer."""
    citations: tuple[Citation, ...]
    """Its citations with their places, in order."""
    text_confidence: float | None
    """How sure the answer is of it, in [0, 1], as `Claim.confidence`; None: it does not say, and
    `confidence` is that of a plain claim."""
    non_assertive_reason: NonAssertiveReason | None
    """Why it asserts nothing that evidence could support; None: it is an assertion."""
    language: str
    """The language as a BCP 47 tag."""
