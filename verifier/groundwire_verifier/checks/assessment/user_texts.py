"""What a user is told of a response, and why, in English and in Hebrew."""

from collections.abc import Iterator
from dataclasses import dataclass

from groundwire_verifier.checks.assessment.assessment import (
    Assessment,
    AssessmentLayer,
    Finding,
    ReasonKind,
    SuggestedAction,
)

LANGUAGES = ("en", "he")

MAX_SHOWN_REASONS = 5
"""Most reasons that a user is shown; the response of the call has all."""

_REASONS = {
    "en": {
        ReasonKind.LIVE_DATA: "live data that no tool call gave: {words}",
        ReasonKind.CURRENCY: "an amount of money that no tool call gave: {words}",
        ReasonKind.NUMBER: "a number that no tool call gave: {words}",
        ReasonKind.VALUE_DIFFERS: "a tool call gave another value than: {words}",
        ReasonKind.OVER_PRECISE: "more precise than anything that is known of it: {words}",
        ReasonKind.UNCERTAIN: "uncertain words: {words}",
        ReasonKind.MAKES_NO_SENSE: "the response does not make sense",
        ReasonKind.CONTRADICTS_ITSELF: "the response contradicts itself",
        ReasonKind.LIVE_DATA_WITHOUT_CALL: "it states live data that no tool call gave",
        ReasonKind.VAGUE_AS_FACT: "it states something vague as if it were a fact",
        ReasonKind.FABRICATED: "something in it seems made up",
        ReasonKind.NOT_ANSWERED: "the model could not answer: {words}",
        ReasonKind.CLAIM_CONTRADICTED: "the tools' results say otherwise: {words}",
        ReasonKind.CLAIM_UNSUPPORTED: "the tools' results do not support: {words}",
        ReasonKind.CLAIM_UNREAD: "could not be checked: {words}",
        ReasonKind.CLAIM_AGAINST_THE_REST: (
            "the question or the rest of the response says otherwise: {words}"
        ),
    },
    "he": {
        ReasonKind.LIVE_DATA: "נתונים עדכניים שאף כלי לא סיפק: {words}",
        ReasonKind.CURRENCY: "סכום כסף שאף כלי לא סיפק: {words}",
        ReasonKind.NUMBER: "מספר שאף כלי לא סיפק: {words}",
        ReasonKind.VALUE_DIFFERS: "כלי סיפק ערך שונה מזה: {words}",
        ReasonKind.OVER_PRECISE: "מדויק יותר מכל מה שידוע עליו: {words}",
        ReasonKind.UNCERTAIN: "ניסוח לא ודאי: {words}",
        ReasonKind.MAKES_NO_SENSE: "התשובה אינה הגיונית",
        ReasonKind.CONTRADICTS_ITSELF: "התשובה סותרת את עצמה",
        ReasonKind.LIVE_DATA_WITHOUT_CALL: "התשובה מציגה נתונים עדכניים שאף כלי לא סיפק",
        ReasonKind.VAGUE_AS_FACT: "התשובה מציגה דבר מעורפל כעובדה",
        ReasonKind.FABRICATED: "נראה שמשהו בתשובה מומצא",
        ReasonKind.NOT_ANSWERED: "המודל לא ידע לענות: {words}",
        ReasonKind.CLAIM_CONTRADICTED: "תוצאות הכלים אומרות אחרת: {words}",
        ReasonKind.CLAIM_UNSUPPORTED: "תוצאות הכלים אינן תומכות בכך: {words}",
        ReasonKind.CLAIM_UNREAD: "לא ניתן היה לבדוק: {words}",
        ReasonKind.CLAIM_AGAINST_THE_REST: "השאלה או המשך התשובה אומרים אחרת: {words}",
    },
}
_BADGES = {
    "en": {
        SuggestedAction.NONE: "",
        SuggestedAction.VERIFY: "",
        SuggestedAction.WARN: "Verification recommended. Confidence: {percent}%",
        SuggestedAction.BLOCK: "Hidden",
    },
    "he": {
        SuggestedAction.NONE: "",
        SuggestedAction.VERIFY: "",
        SuggestedAction.WARN: "מומלץ לאמת. רמת ביטחון: {percent}%",
        SuggestedAction.BLOCK: "מוסתר",
    },
}
_TEXTS = {
    "en": {
        SuggestedAction.NONE: "",
        SuggestedAction.VERIFY: "This response may contain mistakes. Check it before you use it.",
        SuggestedAction.WARN: "Nobody has verified all of this response. Check what matters:",
        SuggestedAction.BLOCK: "This response was hidden, since it is very likely made up.",
    },
    "he": {
        SuggestedAction.NONE: "",
        SuggestedAction.VERIFY: "ייתכן שיש טעויות בתשובה זו. כדאי לבדוק אותה לפני השימוש.",
        SuggestedAction.WARN: "לא הכול בתשובה זו אומת. כדאי לבדוק את מה שחשוב:",
        SuggestedAction.BLOCK: "התשובה הוסתרה, כי סביר מאוד שהיא מומצאת.",
    },
}


@dataclass(frozen=True, slots=True)
class UserText:
    """What a user can be shown beside a response, or, where that is hidden, in its place."""

    badge: str
    text: str
    hides_response: bool


def reason_text(layer: AssessmentLayer, finding: Finding, language: str) -> str:
    """A finding in words, behind the name of its layer in brackets, which is English."""
    words = _REASONS[language][finding.kind].format(words=finding.words)
    return f"[{layer.value}] {words.removesuffix(': ')}"


def reason_texts(assessment: Assessment) -> Iterator[str]:
    """All reasons of an assessment in words, in the order of the layers."""
    for report in assessment.layers:
        for finding in report.findings:
            yield reason_text(report.layer, finding, assessment.language)


def user_text(assessment: Assessment) -> UserText:
    """What a user is told of a response: with WARN the confidence and the reasons."""
    action, language = assessment.action, assessment.language
    percent = round(100 * (assessment.confidence or 0.0))
    text = _TEXTS[language][action]
    if action is SuggestedAction.WARN:
        reasons = list(reason_texts(assessment))[:MAX_SHOWN_REASONS]
        text = "\n".join([text, *(f"- {reason}" for reason in reasons)])
    return UserText(
        badge=_BADGES[language][action].format(percent=percent),
        text=text,
        hides_response=action is SuggestedAction.BLOCK,
    )
