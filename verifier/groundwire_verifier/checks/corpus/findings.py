"""What is said of a claim and what a corpus has on it: evidence, its relation, the risk."""

from dataclasses import dataclass, field
from enum import Enum

from groundwire_verifier.checks.corpus.passages import Passage
from groundwire_verifier.domain.claims import Claim
from groundwire_verifier.numbers.intervals import Interval
from groundwire_verifier.verdicts.types import ClaimVerdict, Stance
from groundwire_verifier.verification import Verification


class Relation(Enum):
    """What a piece of evidence is to a claim."""

    SUPPORTS = "supports"
    WEAK_SUPPORT = "weak support"
    CONTRADICTS = "contradicts"
    UNRELATED = "unrelated"
    UNREAD = "unread"


class Contradiction(Enum):
    """What differs between a claim and evidence that contradicts it."""

    DIRECT_NEGATION = "direct negation"
    NUMERIC = "numeric"
    TEMPORAL = "temporal"
    ENTITY = "entity"


class DecidedBy(Enum):
    """Who found a relation."""

    MODEL = "the model's reading"
    RULE = "a rule on what differs in an otherwise alike sentence"


class EvidenceVerdict(Enum):
    """What the evidence of a corpus makes of a claim. A signal: people decide where it matters."""

    GROUNDED = "grounded"
    WEAK = "weak"
    HALLUCINATED = "hallucinated"
    NOT_VERIFIED = "not verified"


class EvidenceReason(Enum):
    """How such a verdict came about."""

    STRONG_EVIDENCE = "strong evidence"
    PARTIAL_EVIDENCE = "partial evidence"
    EVIDENCE_DIVIDED = "evidence divided"
    CONTRADICTED = "contradicted"
    NO_EVIDENCE = "no evidence"
    WEAK_EVIDENCE = "weak evidence"
    RETRIEVAL_FAILED = "retrieval failed"
    LABEL_MASS_BELOW_FLOOR = "label mass below the floor"
    TOO_LONG = "too long"
    NON_ASSERTIVE = "non-assertive"
    TOO_SHORT = "too short"
    BEYOND_MAX_CLAIMS = "beyond max claims"
    OUT_OF_TIME = "out of time"
    BACKEND_FAILED = "backend failed"
    INCOMPLETE = "incomplete"


class RawConfidenceSource(Enum):
    """Where a raw confidence is from."""

    TEXT = "what the text states"
    PLAIN = "a plain sentence, which states none"
    MODEL = "the model's own probability without evidence"


class Penalty(Enum):
    """What is taken off a raw confidence."""

    NO_EVIDENCE = "no evidence"
    CONTRADICTION = "contradiction"
    WEAK_EVIDENCE = "weak evidence only"
    VAGUE_LANGUAGE = "vague language"


@dataclass(frozen=True, slots=True)
class RelatedPassage:
    """A passage, and what it is to a claim.

    `sentence` is that of its sentences which speaks of the claim most. `contradiction` is None
    unless the relation is CONTRADICTS; `detail` then says in words what differs. `stance` is the
    model's choice; None where it was not read. `is_old` marks a document before the operator's age.
    """

    passage: Passage
    relation: Relation
    sentence: str
    decided_by: DecidedBy = DecidedBy.MODEL
    contradiction: Contradiction | None = None
    detail: str = ""
    stance: Stance | None = None
    is_old: bool = False


@dataclass(frozen=True, slots=True)
class AppliedPenalty:
    """A penalty that applies to a claim. `points` are taken off its raw confidence, in [0, 1]."""

    penalty: Penalty
    points: float


@dataclass(frozen=True, slots=True)
class RiskNumbers:
    """The numbers behind a verdict, all in [0, 1]; see `risk` for how each comes about."""

    evidence_strength: float
    strength_interval: Interval
    raw_confidence: float
    raw_source: RawConfidenceSource
    penalties: tuple[AppliedPenalty, ...]
    calibrated_confidence: float
    risk: float


@dataclass(frozen=True, slots=True)
class ClaimAnalysis:
    """A claim with its evidence, best first, and what that makes of it.

    `numbers` is None exactly where the verdict is NOT_VERIFIED. `budget` is the verdict of the
    budget on the same evidence; None where there was none to read. `is_uncertain` marks what a
    person should look at: see `risk.is_uncertain`. `explanation` is a text of an LLMProvider.
    """

    claim: Claim
    verdict: EvidenceVerdict
    reason: EvidenceReason
    reason_text: str
    is_uncertain: bool
    evidence: tuple[RelatedPassage, ...] = ()
    numbers: RiskNumbers | None = None
    budget: ClaimVerdict | None = None
    explanation: str = field(default="", repr=False)

    @property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """The types of contradiction in the evidence, in its order, each once."""
        found = (each.contradiction for each in self.evidence)
        return tuple(dict.fromkeys(type_ for type_ in found if type_ is not None))


@dataclass(frozen=True, slots=True)
class CorpusAnalysis:
    """All claims of a text, in its order, and what reading them cost.

    `verification` has the budget's verdicts, in the order of the claims that have one.
    """

    claims: tuple[ClaimAnalysis, ...]
    verification: Verification
    language: str
