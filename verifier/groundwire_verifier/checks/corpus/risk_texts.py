"""How the verdicts of an analysis came about, in words. Does not decide anything."""

from collections import Counter
from collections.abc import Sequence

from groundwire_verifier.checks.corpus.findings import (
    EvidenceReason,
    RelatedPassage,
    Relation,
    RiskNumbers,
)
from groundwire_verifier.checks.corpus.risk import RiskRules
from groundwire_verifier.checks.corpus.words import words_in


def reason_text(
    reason: EvidenceReason,
    evidence: Sequence[RelatedPassage],
    numbers: RiskNumbers,
    rules: RiskRules,
    language: str,
) -> str:
    """How a verdict on evidence came about, with the numbers."""
    words = words_in(language)
    counts = Counter(each.relation for each in evidence)
    listed = ", ".join(
        f"{counts[relation]} {words.relations[relation]}"
        for relation in Relation
        if counts[relation]
    )
    strength = words.strength.format(
        strength=f"{numbers.evidence_strength:.2f}",
        low=f"{rules.hallucination_threshold:g}",
        high=f"{rules.grounded_threshold:g}",
    )
    found = words.passages.format(count=len(evidence), relations=listed)
    details = dict.fromkeys(each.detail for each in evidence if each.detail)
    return "; ".join(
        [words.reasons[reason], *details, strength, found if evidence else words.no_passage]
    )


def unverified_text(reason: EvidenceReason, detail: str, language: str) -> str:
    """Why nothing is known of a claim."""
    why = words_in(language).unverified[reason]
    return f"{why}: {detail}" if detail else why
