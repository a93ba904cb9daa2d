"""The words of a report on an analysis, in English and in Hebrew."""

from dataclasses import dataclass

from groundwire import (
    Contradiction,
    EvidenceVerdict,
    Penalty,
    RawConfidenceSource,
    Relation,
    RelationDecidedBy,
)


@dataclass(frozen=True, slots=True)
class AnalysisWords:
    """The words of one language; `direction` is that of its script."""

    language: str
    direction: str
    title: str
    claim: str
    verdict: str
    risk: str
    confidence: str
    steps: str
    strength: str
    interval: str
    contradiction: str
    evidence: str
    no_evidence: str
    budget: str
    explanation: str
    corpus: str
    text: str
    old: str
    uncertain: str
    penalties: str
    names: dict[str, str]

    def name(self, member: str) -> str:
        """The word for a member of an enum; the member's own name where there is none."""
        return self.names.get(member, member)


ENGLISH = AnalysisWords(
    language="en", direction="ltr", title="Epistemic risk", claim="Claim", verdict="Verdict",
    risk="Risk score", confidence="Confidence", steps="{raw} ({source}) → {calibrated}",
    strength="Evidence strength", interval="interval",
    contradiction="Contradiction type", evidence="Evidence found", no_evidence="none",
    budget="Budget", explanation="Explanation", corpus="Corpus", text="Text", old="old",
    uncertain="uncertain: please review", penalties="penalties",
    names={
        RawConfidenceSource.TEXT: "stated by the text",
        RawConfidenceSource.PLAIN: "for a plain sentence",
        RawConfidenceSource.MODEL: "the model's own",
        RelationDecidedBy.RULE: "by rule",
    },
)  # fmt: skip

HEBREW = AnalysisWords(
    language="he", direction="rtl", title="סיכון אפיסטמי", claim="טענה", verdict="פסיקה",
    risk="ציון סיכון", confidence="ביטחון", steps="{raw} ({source}) ← {calibrated}",
    strength="חוזק הראיות", interval="טווח",
    contradiction="סוג הסתירה", evidence="ראיות שנמצאו", no_evidence="אין", budget="תקציב",
    explanation="הסבר", corpus="מאגר", text="טקסט", old="ישן", uncertain="לא ודאי: נא לבדוק",
    penalties="קנסות",
    names={
        EvidenceVerdict.GROUNDED: "מבוסס",
        EvidenceVerdict.WEAK: "חלש",
        EvidenceVerdict.HALLUCINATED: "הזיה",
        EvidenceVerdict.NOT_VERIFIED: "לא נבדק",
        EvidenceVerdict.UNKNOWN: "לא ידוע",
        Relation.SUPPORTS: "תומך",
        Relation.WEAK_SUPPORT: "תמיכה חלשה",
        Relation.CONTRADICTS: "סותר",
        Relation.UNRELATED: "לא קשור",
        Relation.UNREAD: "לא נקרא",
        Contradiction.DIRECT_NEGATION: "שלילה ישירה",
        Contradiction.NUMERIC: "מספר אחר",
        Contradiction.TEMPORAL: "זמן אחר",
        Contradiction.ENTITY: "שם אחר",
        RawConfidenceSource.TEXT: "לפי הטקסט",
        RawConfidenceSource.PLAIN: "של משפט פשוט",
        RawConfidenceSource.MODEL: "של המודל עצמו",
        RelationDecidedBy.RULE: "לפי כלל",
        Penalty.NO_EVIDENCE: "אין ראיות",
        Penalty.CONTRADICTION: "סתירה",
        Penalty.WEAK_EVIDENCE: "ראיות חלשות",
        Penalty.VAGUE_LANGUAGE: "לשון מעורפלת",
    },
)  # fmt: skip


def analysis_words(language: str) -> AnalysisWords:
    """The words of a language; English where it has none."""
    return HEBREW if language == HEBREW.language else ENGLISH
