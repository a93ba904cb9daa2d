"""The words of an analysis: the notice that stands beside every verdict, and how each came about.

Does not decide anything.
"""

from collections import Counter
from collections.abc import Sequence

from groundwire_verifier.corpus.findings import (
    EvidenceReason,
    RelatedPassage,
    Relation,
    RiskNumbers,
)
from groundwire_verifier.corpus.risk import RiskRules

_NOTICES = {
    "en": (
        "Verdicts are signals, not judgments. They say what this corpus has on a claim, not "
        "whether it is true; people decide where it matters."
    ),
    "he": (
        "הפסיקות הן איתותים ולא הכרעות. הן אומרות מה יש במאגר הזה על טענה, ולא אם היא נכונה; "
        "היכן שהדבר חשוב, בני אדם מחליטים."
    ),
}

_REASONS = {
    EvidenceReason.STRONG_EVIDENCE: "the evidence carries it, and none of it speaks against it",
    EvidenceReason.PARTIAL_EVIDENCE: "the evidence carries it in part",
    EvidenceReason.EVIDENCE_DIVIDED: "some of the evidence supports it, some contradicts it",
    EvidenceReason.CONTRADICTED: "the evidence contradicts it",
    EvidenceReason.NO_EVIDENCE: "the corpus has nothing on it",
    EvidenceReason.WEAK_EVIDENCE: "what supports it does so too weakly",
}

_UNVERIFIED = {
    EvidenceReason.RETRIEVAL_FAILED: "no evidence could be retrieved",
    EvidenceReason.LABEL_MASS_BELOW_FLOOR: "the model gave too little probability to its answers",
    EvidenceReason.TOO_LONG: "it has more tokens than a claim may have",
    EvidenceReason.NON_ASSERTIVE: "it asserts nothing",
    EvidenceReason.TOO_SHORT: "it is too short to say something",
    EvidenceReason.BEYOND_MAX_CLAIMS: "the text has more claims than are read",
    EvidenceReason.OUT_OF_TIME: "it was not read in time",
    EvidenceReason.BACKEND_FAILED: "the engine failed before it was read",
    EvidenceReason.INCOMPLETE: "the text ends in the middle of it",
}


def notice(language: str) -> str:
    """What every output says of its verdicts, in English where a language has no words."""
    return _NOTICES.get(language, _NOTICES["en"])


def reason_text(
    reason: EvidenceReason,
    evidence: Sequence[RelatedPassage],
    numbers: RiskNumbers,
    rules: RiskRules,
) -> str:
    """How a verdict on evidence came about, with the numbers."""
    counts = Counter(each.relation for each in evidence)
    listed = ", ".join(
        f"{counts[relation]} {relation.value}" for relation in Relation if counts[relation]
    )
    strength = (
        f"strength {numbers.evidence_strength:.2f} (hallucinated below "
        f"{rules.hallucination_threshold:g}, grounded above {rules.grounded_threshold:g})"
    )
    found = f"{len(evidence)} passages: {listed}" if evidence else "no passage was found"
    details = dict.fromkeys(each.detail for each in evidence if each.detail)
    return "; ".join([_REASONS[reason], *details, strength, found])


def unverified_text(reason: EvidenceReason, detail: str) -> str:
    """Why nothing is known of a claim."""
    return f"{_UNVERIFIED[reason]}: {detail}" if detail else _UNVERIFIED[reason]
