"""Verdicts in words: reasons for those who run the server, warnings for those who read answers.

Warnings are one table a language: another language is another entry. Knows no numbers' origin.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verifier.policy import Numbers, Thresholds, budget_of, grounding_score
from verifier.verdicts import Reason, Stance, Verdict

FALLBACK_LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class Warnings:
    """What a reader is told, in one language."""

    unsupported: str
    contradicted: str
    prior_knowledge: str
    not_verified: str
    unknown_citation: str
    not_checked: str
    answer_not_grounded: str
    answer_partly_grounded: str
    answer_unchecked: str
    answer_without_claims: str


WARNINGS: Mapping[str, Warnings] = {
    "en": Warnings(
        unsupported="The sources do not support this.",
        contradicted="The sources say otherwise.",
        prior_knowledge="This may be right, but it does not rest on the sources.",
        not_verified="This could not be verified.",
        unknown_citation="This cites a source that does not exist.",
        not_checked="This was not checked.",
        answer_not_grounded=(
            "Much of this answer needs a check: {bad} of {total} statements are not "
            "grounded in the sources."
        ),
        answer_partly_grounded=(
            "Parts of this answer need a check: {bad} of {total} statements are "
            "not grounded in the sources."
        ),
        answer_unchecked="{count} more statements were not checked.",
        answer_without_claims="Nothing in this answer could be checked against the sources.",
    ),
    "he": Warnings(
        unsupported="המקורות אינם תומכים בטענה זו.",
        contradicted="המקורות אומרים אחרת.",
        prior_knowledge="ייתכן שזה נכון, אך זה אינו נשען על המקורות.",
        not_verified="לא ניתן היה לאמת טענה זו.",
        unknown_citation="טענה זו מפנה למקור שאינו קיים.",
        not_checked="טענה זו לא נבדקה.",
        answer_not_grounded=(
            "חלקים רבים בתשובה דורשים בדיקה: {bad} מתוך {total} טענות אינן מבוססות על המקורות."
        ),
        answer_partly_grounded=(
            "חלק מהתשובה דורש בדיקה: {bad} מתוך {total} טענות אינן מבוססות על המקורות."
        ),
        answer_unchecked="טענות נוספות שלא נבדקו: {count}.",
        answer_without_claims="לא ניתן היה לבדוק אף טענה בתשובה זו מול המקורות.",
    ),
}


def claim_warning(verdict: Verdict, reason: Reason, language: str) -> str:
    """What the reader is told of a claim; empty if there is nothing to warn of."""
    words = _words(language)
    if reason in (Reason.NON_ASSERTIVE, Reason.TOO_SHORT):
        return ""
    if reason is Reason.BEYOND_MAX_CLAIMS:
        return words.not_checked
    if reason is Reason.UNKNOWN_CITATION:
        return words.unknown_citation
    return {
        Verdict.SUPPORTED: "",
        Verdict.UNSUPPORTED: words.unsupported,
        Verdict.CONTRADICTED: words.contradicted,
        Verdict.PRIOR_KNOWLEDGE: words.prior_knowledge,
        Verdict.NOT_VERIFIED: words.not_verified,
    }[verdict]


def answer_warning(
    *, overall_grounded: bool, grounded: int, total: int, unchecked: int, language: str
) -> str:
    """What the reader is told of an answer; empty if all of it was checked and is grounded."""
    words = _words(language)
    if not total:
        return words.answer_without_claims
    text = words.answer_partly_grounded if overall_grounded else words.answer_not_grounded
    parts = []
    if grounded < total:
        parts.append(text.format(bad=total - grounded, total=total))
    if unchecked:
        parts.append(words.answer_unchecked.format(count=unchecked))
    return " ".join(parts)


def reason_text(reason: Reason, numbers: Numbers, thresholds: Thresholds) -> str:
    """The reason of a verdict that was read, in English, with the numbers that decided."""
    bits = budget_of(numbers.p1, numbers.p0, numbers.confidence)
    moved = f"the evidence moves P(true) from {numbers.p0:.2f} to {numbers.p1:.2f}"
    asked = (
        f"{bits.observed_bits:.2f} of the {bits.required_bits:.2f} bits that a confidence of "
        f"{numbers.confidence:.2f} asks for"
    )
    score = grounding_score(numbers.p1, numbers.p0, numbers.citing, thresholds)
    scored = (
        f"a grounding score of {score:.2f}, where more than {thresholds.grounded_above:.2f} is "
        "grounded"
    )
    believed = f"with the evidence P(true) is {numbers.p1:.2f}"
    texts = {
        Reason.BUDGET_COVERED: f"{moved}: {asked}",
        Reason.BUDGET_EXCEEDED: f"{moved}: {asked}",
        Reason.SCORE_REACHED: f"{moved}: {scored}",
        Reason.SCORE_MISSED: f"{moved}: {scored}",
        Reason.LOW_POSTERIOR: (
            f"{believed}, below {thresholds.min_posterior:.2f}{_stance_text(numbers.stance)}"
        ),
        Reason.MODEL_SAYS_NO: f"{believed}{_stance_text(numbers.stance)}",
        Reason.EVIDENCE_AGAINST: f"{moved}: it speaks against the claim",
        Reason.EVIDENCE_UNUSED: (
            f"{moved}: a change of at most {thresholds.used_above:.2f} is not a use of it"
        ),
        Reason.HIGH_PRIOR: (
            f"without the evidence P(true) is {numbers.p0:.2f} already, near or above the "
            f"confidence of {numbers.confidence:.2f}"
        ),
    }
    return texts[reason]


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
    }[reason]


def _stance_text(stance: Stance | None) -> str:
    if stance is None:
        return ""
    named: Sequence[tuple[str, float]] = (
        ("YES", stance.yes),
        ("NO", stance.no),
        ("UNSURE", stance.unsure),
    )
    shares = ", ".join(f"{name} {share:.2f}" for name, share in named)
    return f"; asked whether the evidence says so, the model gives {shares}"


def _words(language: str) -> Warnings:
    return WARNINGS.get(language, WARNINGS[FALLBACK_LANGUAGE])
