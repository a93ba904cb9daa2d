"""What a corpus has on the claims of a text, how large the risk of believing them is, and searches.

Verdicts are signals, not judgments: people decide where it matters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import overload

from groundwire._wire.fields import Share
from groundwire.claims import Claim
from groundwire.reports import RetrievedSource, Run
from groundwire.verdicts import Stance, VerifiedClaim


class EvidenceVerdict(StrEnum):
    """What the evidence of a corpus makes of a claim."""

    GROUNDED = "GROUNDED"
    """The evidence is strong, and nothing contradicts."""
    WEAK = "WEAK"
    """Between the thresholds, or above them with a contradiction."""
    HALLUCINATED = "HALLUCINATED"
    """The corpus contradicts the claim, or does not carry it; it may be true all the same."""
    NOT_VERIFIED = "NOT_VERIFIED"
    """Nothing is known; `ClaimAnalysis.reason` says why."""
    UNKNOWN = "UNKNOWN"


class EvidenceReason(StrEnum):
    """How such a verdict came about."""

    STRONG_EVIDENCE = "STRONG_EVIDENCE"
    """GROUNDED: strong evidence and no contradiction."""
    PARTIAL_EVIDENCE = "PARTIAL_EVIDENCE"
    """WEAK: the evidence carries the claim in part."""
    EVIDENCE_DIVIDED = "EVIDENCE_DIVIDED"
    """WEAK: some of it supports the claim, some contradicts it."""
    CONTRADICTED = "CONTRADICTED"
    """HALLUCINATED: evidence contradicts the claim."""
    NO_EVIDENCE = "NO_EVIDENCE"
    """HALLUCINATED: the corpus was read, and has nothing on the claim."""
    WEAK_EVIDENCE = "WEAK_EVIDENCE"
    """HALLUCINATED: what supports the claim does so too weakly."""
    RETRIEVAL_FAILED = "RETRIEVAL_FAILED"
    """NOT_VERIFIED: evidence could not be retrieved."""
    LABEL_MASS_BELOW_FLOOR = "LABEL_MASS_BELOW_FLOOR"
    """NOT_VERIFIED: the model put too little probability on its answers."""
    TOO_LONG = "TOO_LONG"
    """NOT_VERIFIED: the claim has more tokens than a claim may have."""
    NON_ASSERTIVE = "NON_ASSERTIVE"
    """NOT_VERIFIED: it asserts nothing."""
    TOO_SHORT = "TOO_SHORT"
    """NOT_VERIFIED: it has too few characters."""
    BEYOND_MAX_CLAIMS = "BEYOND_MAX_CLAIMS"
    """NOT_VERIFIED: `max_claims` others stand before it."""
    OUT_OF_TIME = "OUT_OF_TIME"
    """NOT_VERIFIED: not read before the call had to be answered."""
    BACKEND_FAILED = "BACKEND_FAILED"
    """NOT_VERIFIED: the server's engine died or hung."""
    INCOMPLETE = "INCOMPLETE"
    """NOT_VERIFIED: the text ends in the middle of it."""
    UNKNOWN = "UNKNOWN"


class Relation(StrEnum):
    """What a passage is to a claim."""

    SUPPORTS = "SUPPORTS"
    """It states it."""
    WEAK_SUPPORT = "WEAK_SUPPORT"
    """It states a part of it, or makes it likely."""
    CONTRADICTS = "CONTRADICTS"
    """It says otherwise."""
    UNRELATED = "UNRELATED"
    """It does not speak of it."""
    UNREAD = "UNREAD"
    """Nothing is known."""
    UNKNOWN = "UNKNOWN"


class Contradiction(StrEnum):
    """What differs between a claim and evidence against it."""

    DIRECT_NEGATION = "DIRECT_NEGATION"
    """One of the two denies what the other says."""
    NUMERIC = "NUMERIC"
    """Another number."""
    TEMPORAL = "TEMPORAL"
    """Another year or date."""
    ENTITY = "ENTITY"
    """Another name."""
    UNKNOWN = "UNKNOWN"


class RelationDecidedBy(StrEnum):
    """Who found a relation."""

    MODEL = "MODEL"
    """The model's choice among YES, NO and UNSURE."""
    RULE = "RULE"
    """A rule, over a reading that was not firm: a value, a name or a denial differs in a sentence
    that is otherwise like the claim."""
    UNKNOWN = "UNKNOWN"


class RawConfidenceSource(StrEnum):
    """Where a raw confidence is from."""

    TEXT = "TEXT"
    """The text states it: as a number, or in words such as "probably"."""
    PLAIN = "PLAIN"
    """The text states none: a plain sentence counts as 0.95."""
    MODEL = "MODEL"
    """The model's own probability without evidence."""
    UNKNOWN = "UNKNOWN"


class Penalty(StrEnum):
    """What is taken off a raw confidence. Of the first three one applies at most."""

    NO_EVIDENCE = "NO_EVIDENCE"
    """No passage speaks of the claim."""
    CONTRADICTION = "CONTRADICTION"
    """A passage contradicts it."""
    WEAK_EVIDENCE = "WEAK_EVIDENCE"
    """Passages support it, all of them weakly."""
    VAGUE_LANGUAGE = "VAGUE_LANGUAGE"
    """The text hedges it."""
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class RelatedPassage:
    """A passage of the corpus, and what it is to a claim."""

    document: str
    """The document's path in the corpus."""
    title: str
    """Its title; empty: none is known."""
    text: str
    """The passage."""
    start: int
    """Its first character in the document's text."""
    end: int
    """The end of it, exclusive."""
    similarity: float | None
    """The cosine of it and the claim, in [-1, 1]; None: it was found by its words."""
    dated: date | None
    """The day that the document speaks of; None: not known."""
    dated_by: str
    """What told the day, such as `front matter` or `file time`; empty: not known."""
    is_old: bool
    """Whether that day is longer ago than the server's operator lets go unmarked."""
    relation: Relation
    """What it is to the claim."""
    sentence: str
    """The sentence of it that speaks of the claim most."""
    decided_by: RelationDecidedBy
    """Who found the relation."""
    contradiction: Contradiction | None
    """What differs, with CONTRADICTS."""
    detail: str
    """The same in words, of the claim's language; empty: no rule found what differs."""
    stance: Stance | None
    """The model's choice on the passage; None: not read."""


@dataclass(frozen=True, slots=True)
class RiskNumbers:
    """The numbers behind a verdict, all in [0, 1]. They are heuristics."""

    evidence_strength: Share
    """How far the evidence carries the claim."""
    strength_low: Share
    """The same with all that the model leaves open counted against the claim."""
    strength_high: Share
    """The same with all of it counted for the claim."""
    raw_confidence: Share
    """How sure the claim is without any evidence."""
    raw_source: RawConfidenceSource
    """Whose number that is."""
    penalties: tuple[tuple[Penalty, float], ...]
    """What is taken off the raw confidence."""
    calibrated_confidence: Share
    """The raw confidence less all penalties."""
    risk: Share
    """The risk of believing the claim."""


@dataclass(frozen=True, slots=True)
class RiskRules:
    """The operator's numbers, all in [0, 1]."""

    no_evidence_penalty: Share
    """Taken off where no passage speaks of a claim."""
    contradiction_penalty: Share
    """Taken off where one contradicts it."""
    weak_evidence_penalty: Share
    """Taken off where all support is weak."""
    vague_language_penalty: Share
    """Taken off where the text hedges."""
    hallucination_threshold: Share
    """The strength below which a claim is HALLUCINATED."""
    grounded_threshold: Share
    """The strength above which it is GROUNDED, if nothing contradicts."""
    raw_weight: Share
    """The weight of raw confidence in the risk."""


@dataclass(frozen=True, slots=True)
class ClaimAnalysis:
    """A claim with its evidence, and what that makes of it. Prints as one line."""

    claim: Claim
    """The claim."""
    verdict: EvidenceVerdict
    """The verdict: a signal, no judgment."""
    reason: EvidenceReason
    """How it came about."""
    reason_text: str
    """The same in words, with the numbers: Hebrew for a Hebrew claim, else English."""
    is_uncertain: bool
    """Whether a person should look at it."""
    evidence: tuple[RelatedPassage, ...]
    """The evidence, best first."""
    numbers: RiskNumbers | None
    """The numbers; None exactly where the verdict is NOT_VERIFIED."""
    budget: VerifiedClaim | None
    """The verdict of the budget on the same evidence; None: it was not read."""
    contradictions: tuple[Contradiction, ...]
    """The types of contradiction in the evidence, each once."""
    explanation: str
    """What the operator's LLM provider wrote on it; empty: nothing."""

    def __str__(self) -> str:
        return f"{self.verdict} {self.claim.content!r}: {self.reason_text}"


@dataclass(frozen=True, slots=True)
class CorpusAnalysis(Sequence[ClaimAnalysis]):
    """The answer to `analyze_text`: a sequence of claims, and the rules behind their numbers."""

    claims: tuple[ClaimAnalysis, ...]
    """All claims of the text, in its order."""
    notice: str
    """What the verdicts are and who decides; to be shown with them."""
    language: str
    """The language that most of the claims are in."""
    corpus: str
    """The name of the corpus."""
    run: Run
    """How it was done, and what it cost."""
    rules: RiskRules
    """The operator's numbers."""

    @property
    def detection_id(self) -> str:
        """The id of what this call found: `Run.detection_id`."""
        return self.run.detection_id

    @property
    def uncertain(self) -> tuple[int, ...]:
        """The indexes of the claims that a person should look at."""
        return tuple(i for i, each in enumerate(self.claims) if each.is_uncertain)

    def __len__(self) -> int:
        return len(self.claims)

    @overload
    def __getitem__(self, index: int) -> ClaimAnalysis: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[ClaimAnalysis, ...]: ...

    def __getitem__(self, index: int | slice) -> ClaimAnalysis | tuple[ClaimAnalysis, ...]:
        return self.claims[index]


@dataclass(frozen=True, slots=True)
class CorpusSearch(Sequence[RetrievedSource]):
    """The answer to `search_corpus`: a sequence of passages. Nobody has read them."""

    passages: tuple[RetrievedSource, ...]
    """The passages, best first; empty: none is near enough."""
    corpus: str
    """The name of the corpus."""

    def __len__(self) -> int:
        return len(self.passages)

    @overload
    def __getitem__(self, index: int) -> RetrievedSource: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[RetrievedSource, ...]: ...

    def __getitem__(self, index: int | slice) -> RetrievedSource | tuple[RetrievedSource, ...]:
        return self.passages[index]
