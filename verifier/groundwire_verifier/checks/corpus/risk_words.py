"""What is said of claims and of a corpus, one table a language."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groundwire_verifier.checks.corpus.findings import (
    EvidenceReason,
    RelatedPassage,
    Relation,
    RiskNumbers,
)
from groundwire_verifier.checks.corpus.risk import RiskRules


@dataclass(frozen=True, slots=True)
class RiskWords:
    """The words of one language. `notice` stands beside every verdict."""

    notice: str
    reasons: Mapping[EvidenceReason, str]
    unverified: Mapping[EvidenceReason, str]
    relations: Mapping[Relation, str]
    strength: str
    passages: str
    no_passage: str
    other_value: str
    other_date: str
    denied: str


WORDS: Mapping[str, RiskWords] = {
    "en": RiskWords(
        notice=(
            "Verdicts are signals, not judgments. They say what this corpus has on a claim, not "
            "whether it is true; people decide where it matters."
        ),
        reasons={
            EvidenceReason.STRONG_EVIDENCE: (
                "the evidence carries it, and none of it speaks against it"
            ),
            EvidenceReason.PARTIAL_EVIDENCE: "the evidence carries it in part",
            EvidenceReason.EVIDENCE_DIVIDED: (
                "some of the evidence supports it, some contradicts it"
            ),
            EvidenceReason.CONTRADICTED: "the evidence contradicts it",
            EvidenceReason.NO_EVIDENCE: "the corpus has nothing on it",
            EvidenceReason.WEAK_EVIDENCE: "what supports it does so too weakly",
        },
        unverified={
            EvidenceReason.RETRIEVAL_FAILED: "no evidence could be retrieved",
            EvidenceReason.LABEL_MASS_BELOW_FLOOR: (
                "the model gave too little probability to its answers"
            ),
            EvidenceReason.TOO_LONG: "it has more tokens than a claim may have",
            EvidenceReason.NON_ASSERTIVE: "it asserts nothing",
            EvidenceReason.TOO_SHORT: "it is too short to say something",
            EvidenceReason.BEYOND_MAX_CLAIMS: "the text has more claims than are read",
            EvidenceReason.OUT_OF_TIME: "it was not read in time",
            EvidenceReason.BACKEND_FAILED: "the engine failed before it was read",
            EvidenceReason.INCOMPLETE: "the text ends in the middle of it",
        },
        relations={relation: relation.value for relation in Relation},
        strength="strength {strength} (hallucinated below {low}, grounded above {high})",
        passages="passages found: {count} ({relations})",
        no_passage="no passage was found",
        other_value="{claim} in the claim, {evidence} in the evidence",
        other_date="another date in the claim than in the evidence",
        denied="one of the two denies it",
    ),
    "he": RiskWords(
        notice=(
            "הפסיקות הן איתותים ולא הכרעות. הן אומרות מה יש במאגר הזה על טענה, ולא אם היא נכונה; "
            "היכן שהדבר חשוב, בני אדם מחליטים."
        ),
        reasons={
            EvidenceReason.STRONG_EVIDENCE: "הראיות נושאות את הטענה, ואף אחת אינה נגדה",
            EvidenceReason.PARTIAL_EVIDENCE: "הראיות נושאות את הטענה בחלקה",
            EvidenceReason.EVIDENCE_DIVIDED: "חלק מהראיות תומכות בטענה, וחלק סותרות אותה",
            EvidenceReason.CONTRADICTED: "הראיות סותרות את הטענה",
            EvidenceReason.NO_EVIDENCE: "במאגר אין דבר על הטענה",
            EvidenceReason.WEAK_EVIDENCE: "מה שתומך בטענה תומך בה חלש מדי",
        },
        unverified={
            EvidenceReason.RETRIEVAL_FAILED: "לא ניתן היה לאחזר ראיות",
            EvidenceReason.LABEL_MASS_BELOW_FLOOR: "המודל נתן לתשובותיו הסתברות קטנה מדי",
            EvidenceReason.TOO_LONG: "בטענה יותר אסימונים מן המותר",
            EvidenceReason.NON_ASSERTIVE: "אין כאן קביעה",
            EvidenceReason.TOO_SHORT: "קצרה מכדי לומר דבר",
            EvidenceReason.BEYOND_MAX_CLAIMS: "בטקסט יותר טענות ממה שנקרא",
            EvidenceReason.OUT_OF_TIME: "לא נקראה בזמן",
            EvidenceReason.BACKEND_FAILED: "המנוע נכשל לפני שנקראה",
            EvidenceReason.INCOMPLETE: "הטקסט נקטע באמצע הטענה",
        },
        relations={
            Relation.SUPPORTS: "תומכים",
            Relation.WEAK_SUPPORT: "תומכים במעט",
            Relation.CONTRADICTS: "סותרים",
            Relation.UNRELATED: "לא קשורים",
            Relation.UNREAD: "לא נקראו",
        },
        strength="חוזק {strength} (מתחת ל־{low} הזיה, מעל {high} מבוססת)",
        passages="מספר הקטעים {count}: {relations}",
        no_passage="לא נמצא קטע",
        other_value="{claim} בטענה, {evidence} בראיות",
        other_date="בטענה תאריך אחר מאשר בראיות",
        denied="אחת מהשתיים שוללת זאת",
    ),
}


def words_in(language: str) -> RiskWords:
    """The words in a language; in English for one that has none."""
    return WORDS.get(language, WORDS["en"])


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
