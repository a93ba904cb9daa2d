"""What a report says of its own, in each language that it speaks."""

from collections.abc import Mapping
from dataclasses import dataclass

from groundwire import (
    AnswerClaim,
    AnswerReport,
    ConfidenceSource,
    DecidingPassage,
    DerivedOperation,
    EditKind,
    Role,
    Run,
    SpanKind,
    Verdict,
)

FALLBACK_LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class ReportWords:
    """The words of one language."""

    language: str
    direction: str
    title: str
    grounded: str
    mostly_grounded_one: str
    mostly_grounded: str
    not_grounded: str
    abstained: str
    counts: str
    counts_skipping_one: str
    counts_skipping: str
    verified_share: str
    question: str
    answer: str
    claims: str
    claim: str
    review: str
    sources: str
    non_evidence_read: str
    non_evidence_skipped: str
    passages: str
    deciding: str
    reason: str
    numbers: str
    run: str
    hint: str
    cites: str
    cites_none: str
    all_count: str
    no_such_source: str
    unstated: str
    derived: str
    not_borne_out: str
    carried_by: str
    spoken_against: str
    disagrees: str
    newer: str
    conflicting_one: str
    conflicting: str
    cited_by: str
    cited_by_none: str
    chart: str
    corrected: str
    corrected_unchanged: str
    corrected_nothing: str
    corrected_untried: str
    replaced: str
    edits: Mapping[EditKind, str]
    verdicts: Mapping[Verdict, str]
    kinds: Mapping[SpanKind, str]
    operations: Mapping[DerivedOperation, str]
    roles: Mapping[Role, str]
    stated_by: Mapping[ConfidenceSource, str]
    labels: Mapping[str, str]
    """The names of the numbers, by key."""


_EN = ReportWords(
    language="en",
    direction="ltr",
    title="Grounding report",
    grounded="Grounded",
    mostly_grounded_one="Mostly grounded, 1 claim contradicted",
    mostly_grounded="Mostly grounded, {count} claims contradicted",
    not_grounded="Not grounded",
    abstained="Says that the sources do not answer",
    counts="{grounded} of {total} claims are grounded in the sources.",
    counts_skipping_one=(
        "{grounded} of {total} claims are grounded in the sources, 1 more was not verified."
    ),
    counts_skipping=(
        "{grounded} of {total} claims are grounded in the sources, "
        "{skipped} more were not verified."
    ),
    verified_share="{percent}% of the text was verified.",
    question="Question",
    answer="Answer",
    claims="Claims",
    claim="Claim",
    review="Check in this order, likeliest wrong first",
    sources="Sources",
    non_evidence_read="Struck through: questions and instructions, which are no evidence. "
    "The model read them anyway.",
    non_evidence_skipped="Struck through: questions and instructions, which are no evidence. "
    "The model did not read them.",
    passages="Underlined: passages that claims were read with, since the sources are long. "
    "Choose a claim to see its own.",
    deciding="Shaded: sentences that decide a claim. Choose a claim to see its own: green for it, "
    "red against it.",
    reason="Reason",
    numbers="Numbers",
    run="How this was measured",
    hint="Choose a claim to see its sources; its number leads to the details.",
    cites="Cites",
    cites_none="Cites no source.",
    all_count="It was judged by all of them.",
    no_such_source="no such source",
    unstated="Stated nowhere in the evidence",
    derived="Computed from the evidence",
    not_borne_out="Unsupported words",
    carried_by="Carried by",
    spoken_against="Against it",
    disagrees="Another source says otherwise",
    newer="{name} is newer",
    conflicting_one="Of 1 grounded claim another source says otherwise.",
    conflicting="Of {count} grounded claims another source says otherwise.",
    cited_by="Cited by",
    cited_by_none="Cited by no claim.",
    chart="P(true) from 0 to 1: without the evidence (○), with it (●), and the confidence (|)",
    corrected="Corrected answer",
    corrected_unchanged="Nothing had to be changed.",
    corrected_nothing="No sentence could stay.",
    corrected_untried="Not all was tried for these claims: {numbers}.",
    replaced="\u201c{old}\u201d \u2192 \u201c{new}\u201d",
    edits={
        EditKind.VALUE_REPLACED: "value replaced",
        EditKind.NAME_REPLACED: "name replaced",
        EditKind.WORD_REPLACED: "word replaced",
        EditKind.CLAUSE_LEFT_OUT: "clause left out",
        EditKind.CITATION_CHANGED: "citation changed",
        EditKind.SENTENCE_LEFT_OUT: "sentence left out",
        EditKind.UNKNOWN: "changed",
    },
    verdicts={
        Verdict.SUPPORTED: "supported",
        Verdict.UNCERTAIN: "uncertain",
        Verdict.UNSUPPORTED: "unsupported",
        Verdict.CONTRADICTED: "contradicted",
        Verdict.MISCITED: "miscited",
        Verdict.PRIOR_KNOWLEDGE: "prior knowledge",
        Verdict.NOT_VERIFIED: "not verified",
        Verdict.UNKNOWN: "unknown verdict",
    },
    kinds={
        SpanKind.NUMBER: "number",
        SpanKind.DATE: "date",
        SpanKind.NAME: "name",
        SpanKind.RELATION: "relation",
        SpanKind.QUANTIFIER: "quantity",
        SpanKind.NEGATION: "denial",
        SpanKind.MODALITY: "must or may",
        SpanKind.CAUSE: "cause",
        SpanKind.DETAIL: "detail",
        SpanKind.UNKNOWN: "words",
    },
    operations={
        DerivedOperation.COUNT: "count",
        DerivedOperation.SUM: "sum",
        DerivedOperation.DIFFERENCE: "difference",
        DerivedOperation.PRODUCT: "product",
        DerivedOperation.SHARE: "share",
        DerivedOperation.DATE: "date",
        DerivedOperation.UNKNOWN: "computed",
    },
    roles={
        Role.CARRIES: "carries the claim",
        Role.REDUNDANT: "would carry it alone",
        Role.DECORATION: "adds nothing",
        Role.UNKNOWN: "unknown role",
    },
    stated_by={
        ConfidenceSource.STATED: "a number in the text",
        ConfidenceSource.INFERRED: "the wording",
        ConfidenceSource.REQUEST: "the request",
        ConfidenceSource.DEFAULT: "the default",
        ConfidenceSource.UNKNOWN: "unknown",
    },
    labels={
        "p1": "p1, with the evidence",
        "p0": "p0, without the cited evidence",
        "p1_mass": "Label mass of p1",
        "p0_mass": "Label mass of p0",
        "p1_raw": "p1 before calibration",
        "p0_raw": "p0 before calibration",
        "confidence": "Confidence",
        "required": "Required bits",
        "observed": "Observed bits",
        "gap": "Gap in bits",
        "use": "Evidence use, p1 - p0",
        "score": "Grounding score",
        "stance": "YES / NO / UNSURE",
        "stance_mass": "Label mass of the three",
        "role": "Citation {name}",
        "drop": "drop",
        "alone": "alone",
        "closed_book": "P(true) without any source",
        "cited_alone": "With the cited sources alone",
        "other_source": "With {name} alone",
        "carries": "carries the claim",
        "policy": "Policy",
        "strictness": "Strictness",
        "model": "Model",
        "backend": "Backend",
        "calibration": "Calibration",
        "uncalibrated": "uncalibrated",
        "seconds": "{seconds} s",
        "prompt": "Prompts",
        "tokens": "Tokens",
        "tokens_value": "{prompt} in {prompts} prompts, {computed} computed, "
        "{minimal} at the least",
        "time": "Time",
    },
)

_HE = ReportWords(
    language="he",
    direction="rtl",
    title="דוח ביסוס",
    grounded="מבוססת",
    mostly_grounded_one="מבוססת ברובה, טענה אחת נסתרת",
    mostly_grounded="מבוססת ברובה, {count} טענות נסתרות",
    not_grounded="אינה מבוססת",
    abstained="אומרת שהמקורות אינם עונים",
    counts="{grounded} מתוך {total} טענות מבוססות על המקורות.",
    counts_skipping_one="{grounded} מתוך {total} טענות מבוססות על המקורות, ועוד אחת לא אומתה.",
    counts_skipping="{grounded} מתוך {total} טענות מבוססות על המקורות, ועוד {skipped} לא אומתו.",
    verified_share="היקף האימות: {percent}% מהטקסט.",
    question="שאלה",
    answer="תשובה",
    claims="טענות",
    claim="טענה",
    review="מה לבדוק תחילה, לפי הסיכוי לטעות",
    sources="מקורות",
    non_evidence_read="בקו חוצה: שאלות והוראות, שאינן ראיות. המודל קרא גם אותן.",
    non_evidence_skipped="בקו חוצה: שאלות והוראות, שאינן ראיות. הן לא הוצגו למודל.",
    passages="בקו תחתון: הקטעים שמולם נבדקו הטענות, משום שהמקורות ארוכים. "
    "בחירה בטענה מדגישה את הקטעים שלה.",
    deciding="ברקע מודגש: משפטים שמכריעים טענה. בחירה בטענה מדגישה את שלה: ירוק תומך, אדום סותר.",
    reason="נימוק",
    numbers="מספרים",
    run="איך זה נמדד",
    hint="בחירה בטענה מדגישה את מקורותיה; המספר שלה מוביל לנתוניה.",
    cites="מפנה אל",
    cites_none="אינה מפנה למקור.",
    all_count="היא נבדקה מול כולם.",
    no_such_source="אין מקור כזה",
    unstated="לא מופיע במקורות",
    derived="מחושב מן המקורות",
    not_borne_out="אינו נתמך",
    carried_by="נתמך על ידי",
    spoken_against="נגדה",
    disagrees="מקור אחר אומר אחרת",
    newer="{name} חדש יותר",
    conflicting_one="על טענה מבוססת אחת מקור אחר אומר אחרת.",
    conflicting="על {count} טענות מבוססות מקור אחר אומר אחרת.",
    cited_by="מפנות לכאן",
    cited_by_none="אף טענה אינה מפנה לכאן.",
    chart="ההסתברות שהטענה נכונה, מ־0 עד 1: בלי הראיות (○), איתן (●), ורמת הביטחון (|)",
    corrected="התשובה המתוקנת",
    corrected_unchanged="לא נדרש שום תיקון.",
    corrected_nothing="שום חלק ממנה לא יכול היה להישאר.",
    corrected_untried="לא הכול נוסה לטענות אלה: {numbers}.",
    # A word, since an arrow would point from the new to the old, or not, by the letters beside it.
    replaced="\u201c{old}\u201d, וכעת \u201c{new}\u201d",
    edits={
        EditKind.VALUE_REPLACED: "ערך הוחלף",
        EditKind.NAME_REPLACED: "שם הוחלף",
        EditKind.WORD_REPLACED: "מילה הוחלפה",
        EditKind.CLAUSE_LEFT_OUT: "חלק הושמט",
        EditKind.CITATION_CHANGED: "הפניה שונתה",
        EditKind.SENTENCE_LEFT_OUT: "משפט הושמט",
        EditKind.UNKNOWN: "שונה",
    },
    verdicts={
        Verdict.SUPPORTED: "נתמכת",
        Verdict.UNCERTAIN: "לא ודאית",
        Verdict.UNSUPPORTED: "אינה נתמכת",
        Verdict.CONTRADICTED: "נסתרת",
        Verdict.MISCITED: "מקור שגוי",
        Verdict.PRIOR_KNOWLEDGE: "ידע קודם",
        Verdict.NOT_VERIFIED: "לא אומתה",
        Verdict.UNKNOWN: "קביעה לא מוכרת",
    },
    kinds={
        SpanKind.NUMBER: "מספר",
        SpanKind.DATE: "תאריך",
        SpanKind.NAME: "שם",
        SpanKind.RELATION: "יחס",
        SpanKind.QUANTIFIER: "היקף",
        SpanKind.NEGATION: "שלילה",
        SpanKind.MODALITY: "חובה או רשות",
        SpanKind.CAUSE: "סיבה",
        SpanKind.DETAIL: "פרט",
        SpanKind.UNKNOWN: "מילים",
    },
    operations={
        DerivedOperation.COUNT: "ספירה",
        DerivedOperation.SUM: "סכום",
        DerivedOperation.DIFFERENCE: "הפרש",
        DerivedOperation.PRODUCT: "מכפלה",
        DerivedOperation.SHARE: "שיעור",
        DerivedOperation.DATE: "תאריך",
        DerivedOperation.UNKNOWN: "חישוב",
    },
    roles={
        Role.CARRIES: "נושאת את הטענה",
        Role.REDUNDANT: "די בה לבדה",
        Role.DECORATION: "אינה מוסיפה דבר",
        Role.UNKNOWN: "תפקיד לא מוכר",
    },
    stated_by={
        ConfidenceSource.STATED: "מספר בטקסט",
        ConfidenceSource.INFERRED: "לפי הניסוח",
        ConfidenceSource.REQUEST: "לפי הבקשה",
        ConfidenceSource.DEFAULT: "ברירת המחדל",
        ConfidenceSource.UNKNOWN: "לא ידוע",
    },
    labels={
        "p1": "p1, עם הראיות",
        "p0": "p0, בלי הראיות המצוטטות",
        "p1_mass": "מסת התוויות של p1",
        "p0_mass": "מסת התוויות של p0",
        "p1_raw": "p1 לפני כיול",
        "p0_raw": "p0 לפני כיול",
        "confidence": "רמת ביטחון",
        "required": "ביטים נדרשים",
        "observed": "ביטים שנמדדו",
        "gap": "פער בביטים",
        "use": "שימוש בראיות, p1 - p0",
        "score": "ציון ביסוס",
        "stance": "YES / NO / UNSURE",
        "stance_mass": "מסת התוויות של השלוש",
        "role": "הפניה {name}",
        "drop": "ירידה",
        "alone": "לבדה",
        "closed_book": "ההסתברות בלי שום מקור",
        "cited_alone": "עם המקורות המצוטטים לבדם",
        "other_source": "עם {name} לבדו",
        "carries": "נושא את הטענה",
        "policy": "מדיניות",
        "strictness": "רמת הקפדה",
        "model": "מודל",
        "backend": "מנוע",
        "calibration": "כיול",
        "uncalibrated": "לא מכויל",
        "seconds": "{seconds} שניות",
        "prompt": "הנחיות",
        "tokens": "אסימונים",
        "tokens_value": "{prompt} ב־{prompts} הנחיות, {computed} חושבו, {minimal} לכל הפחות",
        "time": "זמן",
    },
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What heads a report: its words, and the verdict in whose colours they stand."""

    text: str
    verdict: Verdict


def outcome(report: AnswerReport, words: ReportWords) -> Outcome:
    """What an answer comes to. None is plainly grounded that the sources contradict somewhere."""
    contradicted = report.contradicted_claims
    if report.summary.abstained:
        return Outcome(words.abstained, Verdict.UNCERTAIN)
    if not report.overall_grounded:
        return Outcome(words.not_grounded, Verdict.CONTRADICTED)
    if not contradicted:
        return Outcome(words.grounded, Verdict.SUPPORTED)
    text = words.mostly_grounded_one if contradicted == 1 else words.mostly_grounded
    return Outcome(text.format(count=contradicted), Verdict.UNSUPPORTED)


def source_legends(report: AnswerReport, words: ReportWords) -> tuple[str, ...]:
    """What the marks in the sources say."""
    struck = non_evidence_legend(report.run, words)
    read = words.passages if any(each.read_passages for each in report.claims) else ""
    decides = words.deciding if any(map(deciding, report.claims)) else ""
    return tuple(legend for legend in (struck, read, decides) if legend)


def deciding(claim: AnswerClaim) -> tuple[DecidingPassage, ...]:
    """The passages that decide a claim, and those of other sources that say otherwise."""
    return (*claim.deciding_passages, *(each.passage for each in claim.conflicts))


def non_evidence_legend(run: Run, words: ReportWords) -> str:
    """What is struck through in the sources, and what became of it; empty if nothing is."""
    if not run.non_evidence:
        return ""
    return words.non_evidence_skipped if run.skip_non_evidence else words.non_evidence_read


WORDS: Mapping[str, ReportWords] = {words.language: words for words in (_EN, _HE)}


def words_for(language: str) -> ReportWords:
    """The words for a BCP 47 tag; English for one that has none."""
    return WORDS.get(language.partition("-")[0].lower(), WORDS[FALLBACK_LANGUAGE])
