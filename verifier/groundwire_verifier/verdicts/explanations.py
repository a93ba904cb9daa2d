"""Verdicts in words: reasons for those who run the server, warnings for those who read answers.

Warnings are one table a language: another language is another entry.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groundwire_verifier.domain.claims import NonAssertive
from groundwire_verifier.verdicts.policy import Decision, Observation, Policy, Thresholds
from groundwire_verifier.verdicts.types import (
    UNREAD,
    AnswerSummary,
    OtherSource,
    Reason,
    Stance,
    Verdict,
)

FALLBACK_LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class Counted:
    """A number of things in words: `one` for a single one, else `many` with its {count}."""

    one: str
    many: str

    def of(self, count: int) -> str:
        """The words for `count` of these things."""
        return self.one if count == 1 else self.many.format(count=count)


@dataclass(frozen=True, slots=True)
class Warnings:
    """What a reader is told, in one language."""

    uncertain: str
    unsupported: str
    contradicted: str
    miscited: str
    prior_knowledge: str
    not_verified: str
    unknown_citation: str
    not_checked: str
    answer_without_claims: str
    answer_of_thoughts: str
    answer_abstains: str
    answer_not_grounded: str
    answer_partly_grounded: str
    answer_unread: str
    only_bad: str
    one_bad: str
    many_bad: str
    of_which_uncertain: str
    skipped: Counted
    left_out: str
    verified_share: str
    unverified: Mapping[Reason | NonAssertive, Counted]
    unclaimed_lines: Counted
    language_not_covered: str


WARNINGS: Mapping[str, Warnings] = {
    "en": Warnings(
        uncertain="The sources do not confirm this, probability {p1:.2f}.",
        unsupported="The sources do not support this.",
        contradicted="The sources say otherwise.",
        miscited="This rests on another source than the one it cites",
        prior_knowledge="This may be right, but it does not rest on the sources.",
        not_verified="This could not be verified.",
        unknown_citation="This cites a source that does not exist.",
        not_checked="This was not checked.",
        answer_of_thoughts="This is what the model thought: there is no answer in it.",
        answer_abstains="This answer says that the sources do not answer the question.",
        answer_without_claims="Nothing in this answer could be checked against the sources.",
        answer_not_grounded="Much of this answer needs a check: {bad}.",
        answer_partly_grounded="Parts of this answer need a check: {bad}.",
        answer_unread="This answer was not checked in full.",
        only_bad="the one statement that counts is not grounded in the sources",
        one_bad="1 of {total} statements is not grounded in the sources",
        many_bad="{bad} of {total} statements are not grounded in the sources",
        of_which_uncertain="(uncertain: {count})",
        skipped=Counted("1 more was not verified", "{count} more were not verified"),
        left_out="Not checked: {kinds}.",
        verified_share="{percent}% of the text was verified.",
        unverified={
            Reason.UNKNOWN_CITATION: Counted(
                "1 statement that cites a source that does not exist",
                "{count} statements that cite a source that does not exist",
            ),
            Reason.LABEL_MASS_BELOW_FLOOR: Counted(
                "1 statement that the model could not judge",
                "{count} statements that the model could not judge",
            ),
            Reason.NO_DONOR: Counted(
                "1 statement whose sources have no substitute",
                "{count} statements whose sources have no substitute",
            ),
            NonAssertive.QUESTION: Counted("1 question", "{count} questions"),
            NonAssertive.INSTRUCTION: Counted("1 instruction", "{count} instructions"),
            NonAssertive.HEDGED: Counted("1 hedged statement", "{count} hedged statements"),
            NonAssertive.CODE: Counted("1 piece of code", "{count} pieces of code"),
            NonAssertive.HEADING: Counted("1 heading", "{count} headings"),
            NonAssertive.LEAD_IN: Counted(
                "1 remark about the answer", "{count} remarks about the answer"
            ),
            Reason.TOO_SHORT: Counted("1 short statement", "{count} short statements"),
            Reason.BEYOND_MAX_CLAIMS: Counted(
                "1 statement beyond the maximum", "{count} statements beyond the maximum"
            ),
            Reason.TOO_LONG: Counted(
                "1 statement that is too long", "{count} statements that are too long"
            ),
            Reason.OUT_OF_TIME: Counted(
                "1 statement for which there was no time",
                "{count} statements for which there was no time",
            ),
            Reason.BACKEND_FAILED: Counted(
                "1 statement that the model failed on",
                "{count} statements that the model failed on",
            ),
            Reason.INTERVAL_TOO_WIDE: Counted(
                "1 statement that was measured too roughly",
                "{count} statements that were measured too roughly",
            ),
            Reason.TOO_FEW_SAMPLES: Counted(
                "1 statement that the model answered too rarely",
                "{count} statements that the model answered too rarely",
            ),
            Reason.INCOMPLETE: Counted(
                "1 statement that is cut off", "{count} statements that are cut off"
            ),
        },
        unclaimed_lines=Counted("1 line without a statement", "{count} lines without a statement"),
        language_not_covered=(
            "The model's card does not cover the language of this answer ({language}): its "
            "verdicts are less sure."
        ),
    ),
    "he": Warnings(
        uncertain="המקורות אינם מאשרים טענה זו, הסתברות {p1:.2f}.",
        unsupported="המקורות אינם תומכים בטענה זו.",
        contradicted="המקורות אומרים אחרת.",
        miscited="טענה זו נשענת על מקור אחר מזה שהיא מפנה אליו",
        prior_knowledge="ייתכן שזה נכון, אך זה אינו נשען על המקורות.",
        not_verified="לא ניתן היה לאמת טענה זו.",
        unknown_citation="טענה זו מפנה למקור שאינו קיים.",
        not_checked="טענה זו לא נבדקה.",
        answer_of_thoughts="אלה מחשבות של המודל בלבד: אין כאן תשובה.",
        answer_abstains="תשובה זו אומרת שהמקורות אינם עונים על השאלה.",
        answer_without_claims="לא ניתן היה לבדוק אף טענה בתשובה זו מול המקורות.",
        answer_not_grounded="חלקים רבים בתשובה דורשים בדיקה: {bad}.",
        answer_partly_grounded="חלק מהתשובה דורש בדיקה: {bad}.",
        answer_unread="התשובה לא נבדקה במלואה.",
        only_bad="הטענה היחידה שנספרה אינה מבוססת על המקורות",
        one_bad="טענה אחת מתוך {total} אינה מבוססת על המקורות",
        many_bad="{bad} מתוך {total} טענות אינן מבוססות על המקורות",
        of_which_uncertain="(לא ודאיות: {count})",
        skipped=Counted("ועוד אחת לא אומתה", "ועוד {count} לא אומתו"),
        # Without a verb, which would have to agree with the first of the kinds.
        left_out="ללא בדיקה: {kinds}.",
        verified_share="היקף האימות: {percent}% מהטקסט.",
        unverified={
            Reason.UNKNOWN_CITATION: Counted(
                "טענה אחת המפנה למקור שאינו קיים", "{count} טענות המפנות למקור שאינו קיים"
            ),
            Reason.LABEL_MASS_BELOW_FLOOR: Counted(
                "טענה אחת שהמודל לא הצליח להעריך", "{count} טענות שהמודל לא הצליח להעריך"
            ),
            Reason.NO_DONOR: Counted(
                "טענה אחת שאין תחליף למקורותיה", "{count} טענות שאין תחליף למקורותיהן"
            ),
            NonAssertive.QUESTION: Counted("שאלה אחת", "{count} שאלות"),
            NonAssertive.INSTRUCTION: Counted("הוראה אחת", "{count} הוראות"),
            NonAssertive.HEDGED: Counted("טענה מסויגת אחת", "{count} טענות מסויגות"),
            NonAssertive.CODE: Counted("קטע קוד אחד", "{count} קטעי קוד"),
            NonAssertive.HEADING: Counted("כותרת אחת", "{count} כותרות"),
            NonAssertive.LEAD_IN: Counted("הערה אחת על התשובה", "{count} הערות על התשובה"),
            Reason.TOO_SHORT: Counted("טענה קצרה אחת", "{count} טענות קצרות"),
            Reason.BEYOND_MAX_CLAIMS: Counted(
                "טענה אחת מעבר למספר המרבי", "{count} טענות מעבר למספר המרבי"
            ),
            Reason.TOO_LONG: Counted("טענה אחת ארוכה מדי", "{count} טענות ארוכות מדי"),
            Reason.OUT_OF_TIME: Counted(
                "טענה אחת שלא נותר לה זמן", "{count} טענות שלא נותר להן זמן"
            ),
            Reason.BACKEND_FAILED: Counted(
                "טענה אחת שנותרה בגלל תקלה במודל", "{count} טענות שנותרו בגלל תקלה במודל"
            ),
            Reason.INTERVAL_TOO_WIDE: Counted(
                "טענה אחת שנמדדה בדיוק נמוך מדי", "{count} טענות שנמדדו בדיוק נמוך מדי"
            ),
            Reason.TOO_FEW_SAMPLES: Counted(
                "טענה אחת שהמודל השיב עליה מעט מדי פעמים",
                "{count} טענות שהמודל השיב עליהן מעט מדי פעמים",
            ),
            Reason.INCOMPLETE: Counted("טענה אחת קטועה", "{count} טענות קטועות"),
        },
        unclaimed_lines=Counted("שורה אחת ללא טענה", "{count} שורות ללא טענה"),
        language_not_covered=(
            "כרטיס המודל אינו כולל את שפת התשובה ({language}): הפסיקות ודאיות פחות."
        ),
    ),
}

LANGUAGES = tuple(WARNINGS)
"""What a request may choose as the language of its warnings."""


def claim_warning(
    verdict: Verdict,
    reason: Reason,
    language: str,
    p1: float = 0.0,
    carried_by: Sequence[str] = (),
) -> str:
    """What the reader is told of a claim; empty if there is nothing to warn of.

    `p1` is that of an uncertain claim; `carried_by` are the ids of the sources that a miscited
    claim rests on.
    """
    words = warnings_in(language)
    if reason in (Reason.NON_ASSERTIVE, Reason.TOO_SHORT):
        return ""
    if reason in UNREAD:
        return words.not_checked
    if reason is Reason.UNKNOWN_CITATION:
        return words.unknown_citation
    return {
        Verdict.SUPPORTED: "",
        Verdict.UNCERTAIN: words.uncertain.format(p1=p1),
        Verdict.UNSUPPORTED: words.unsupported,
        Verdict.CONTRADICTED: words.contradicted,
        Verdict.MISCITED: f"{': '.join(filter(None, (words.miscited, ', '.join(carried_by))))}.",
        Verdict.PRIOR_KNOWLEDGE: words.prior_knowledge,
        Verdict.NOT_VERIFIED: words.not_verified,
    }[verdict]


def answer_warning(summary: AnswerSummary, min_grounded_ratio: float) -> str:
    """What the reader is told of an answer; empty if all of it was checked and is grounded, in a
    language that the model's card covers.

    Of one that abstains no more is told than that: nothing in it can be made up.
    """
    words = warnings_in(summary.language)
    if summary.abstained:
        return words.answer_abstains
    bad = summary.total_claims - summary.grounded_claims
    kinds = [
        words.unverified[each.non_assertive or each.reason].of(each.claims)
        for each in summary.unverified
        # What it says is missing was asked for.
        if each.non_assertive is not NonAssertive.ABSENCE
    ]
    if summary.unclaimed_lines:
        kinds.append(words.unclaimed_lines.of(summary.unclaimed_lines))
    parts = []
    if summary.thoughts and not (summary.total_claims or kinds):
        parts.append(words.answer_of_thoughts)
    elif not summary.total_claims:
        parts.append(words.answer_without_claims)
    if not summary.complete:
        parts.append(words.answer_unread)
    if bad:
        is_enough = 0.0 < summary.grounding_ratio >= min_grounded_ratio
        text = words.answer_partly_grounded if is_enough else words.answer_not_grounded
        parts.append(text.format(bad=_bad_text(words, bad, summary)))
    if kinds:
        parts.append(words.left_out.format(kinds=", ".join(kinds)))
        # Rounded down, so that 100 % is all.
        parts.append(words.verified_share.format(percent=int(summary.verified_share * 100)))
    if summary.language_covered is False:
        parts.append(words.language_not_covered.format(language=summary.text_language))
    return " ".join(parts)


def _bad_text(words: Warnings, bad: int, summary: AnswerSummary) -> str:
    """How many of the claims that count are not grounded, and how many more do not count."""
    total = summary.total_claims
    if bad > 1:
        text = words.many_bad.format(bad=bad, total=total)
    else:
        text = words.one_bad.format(total=total) if total > 1 else words.only_bad
    if uncertain := summary.uncertain_claims:
        text = f"{text} {words.of_which_uncertain.format(count=uncertain)}"
    skipped = summary.skipped_claims
    return f"{text}, {words.skipped.of(skipped)}" if skipped else text


def reason_text(
    observed: Observation,
    decision: Decision,
    policy: Policy,
    thresholds: Thresholds,
    others: Sequence[OtherSource] = (),
    *,
    unstated_code: Sequence[str] = (),
) -> str:
    """The reason of a verdict that was read, in English, with the probabilities that decided.

    The bits are no part of it: they stand in the verdict's numbers.
    """
    needed = max(observed.confidence, thresholds.min_posterior)
    # Two digits would hide which of two is the larger one.
    digits = 3 if observed.p1 < needed and f"{observed.p1:.2f}" == f"{needed:.2f}" else 2
    read = f"probability {observed.p1:.{digits}f} with the sources, {observed.p0:.2f} without"
    if decision.reason is Reason.INTERVAL_TOO_WIDE:
        return (
            f"{read}, but it was not read exactly: {_ranges_text(observed)}; more samples, or a "
            "backend that tells more log-probabilities, would decide"
        )
    asked = f"{needed:.{digits}f} is needed"
    if policy is Policy.GROUNDING_SCORE:
        asked = (
            f"a grounding score above {thresholds.min_grounding_score:.2f} is needed, and it is "
            f"{decision.score:.2f}"
        )
    elif thresholds.max_gap_bits:
        asked = f"{asked}, of which {thresholds.max_gap_bits:g} bits may be missing"
    stance = _stance_text(observed.stance)
    closed_book = _closed_book_text(observed.closed_book)
    texts = {
        Reason.INCOMPLETE: (
            f"{read}{stance}; but the answer ends with it, and without the mark that its other "
            "sentences end with"
        ),
        Reason.BUDGET_COVERED: f"{read}; {asked}",
        Reason.BUDGET_EXCEEDED: f"{read}; {asked}",
        Reason.SCORE_REACHED: f"{read}; {asked}",
        Reason.SCORE_MISSED: f"{read}; {asked}",
        Reason.LOW_POSTERIOR: f"{read}; {asked}{stance}",
        Reason.MODEL_SAYS_NO: f"{read}{stance}",
        Reason.FALSE_ABSENCE: (
            f"asked whether they say what it says is missing, P(true) is {1 - observed.p1:.2f} "
            f"with the sources and {1 - observed.p0:.2f} without: they say it"
        ),
        Reason.UNSTATED_CODE: f"{read}; but no source has {', '.join(unstated_code)}",
        Reason.EVIDENCE_AGAINST: f"{read}: the sources speak against it",
        Reason.EVIDENCE_UNUSED: (
            f"{read}: the sources have to add more than {thresholds.min_evidence_use:.2f}"
        ),
        Reason.HIGH_PRIOR: (
            f"{read}{closed_book}; {asked}: true or not, it does not rest on the sources"
        ),
        Reason.OTHER_SOURCE: f"{read} those it cites{closed_book}: {_carriers_text(others)}",
        Reason.CORROBORATED: (
            f"probability {observed.cited_alone or 0.0:.2f} with the cited sources alone"
            f"{closed_book}; {asked}; others say the same{_named_text(others)}"
        ),
    }
    text = texts[decision.reason]
    return f"not confirmed: {text}" if decision.verdict is Verdict.UNCERTAIN else text


def unread_text(reason: Reason, detail: str) -> str:
    """The reason of a claim without a verdict on its evidence, in English."""
    return {
        Reason.UNKNOWN_CITATION: f"no source has the cited id: {detail}",
        Reason.LABEL_MASS_BELOW_FLOOR: f"the model did not answer YES or NO {detail}",
        Reason.NO_DONOR: "every source is cited or removed, so none can stand in for them",
        Reason.NON_ASSERTIVE: f"not an assertion: {detail}",
        Reason.TOO_SHORT: f"shorter than {detail} characters",
        Reason.TOO_LONG: f"longer than {detail} tokens",
        Reason.BEYOND_MAX_CLAIMS: f"beyond the first {detail} claims",
        Reason.OUT_OF_TIME: "not read before the call had to be answered",
        Reason.BACKEND_FAILED: "not read before the engine failed",
        Reason.TOO_FEW_SAMPLES: f"only {detail} answers came back, too few to tell a probability",
        Reason.INCOMPLETE: "the answer ends in the middle of it",
    }[reason]


def _closed_book_text(probability: float | None) -> str:
    return "" if probability is None else f", and without any source {probability:.2f}"


def _carriers_text(others: Sequence[OtherSource]) -> str:
    named = _named_text(others)
    if not named:
        return "other sources carry the claim, none of them alone"
    return f"another source carries the claim{named}"


def _named_text(others: Sequence[OtherSource]) -> str:
    """The sources that carry a claim alone; empty if there is none."""
    alone = [
        f"{other.id} alone gives {other.probability:.2f}"
        for other in others
        if other.carries and other.probability is not None
    ]
    return f": {', '.join(alone)}" if alone else ""


def _ranges_text(observed: Observation) -> str:
    """The ranges of p1 and p0, in words."""
    p1, p0 = observed.ranges
    return (
        f"with the sources it lies in [{p1.low:.2f}, {p1.high:.2f}], without in "
        f"[{p0.low:.2f}, {p0.high:.2f}]"
    )


def _stance_text(stance: Stance | None) -> str:
    if stance is None:
        return ""
    named: Sequence[tuple[str, float]] = (
        ("YES", stance.yes),
        ("NO", stance.no),
        ("UNSURE", stance.unsure),
    )
    shares = ", ".join(f"{name} {share:.2f}" for name, share in named)
    return f"; asked whether the sources say so, the model answers {shares}"


def warnings_in(language: str) -> Warnings:
    """The warnings in a language; in English for one that has none."""
    return WARNINGS.get(language, WARNINGS[FALLBACK_LANGUAGE])
