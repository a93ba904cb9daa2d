"""What is said of steps and of answers, one table a language."""

from collections.abc import Mapping
from dataclasses import dataclass

from groundwire_verifier.checks.traces.trace import PostHocReason, Unverifiable
from groundwire_verifier.text.claims.wording.sentence import language_of


@dataclass(frozen=True, slots=True)
class TraceWords:
    """What is said in one language of a step that nobody judged, and of an answer.

    `without_words` stands for the kind of a step that has no words; `statement` makes a sentence
    of an answer that is a mere value.
    """

    steps: Mapping[Unverifiable, str]
    without_words: str
    answers: Mapping[PostHocReason, str]
    no_premise: str
    statement: str


WORDS: Mapping[str, TraceWords] = {
    "en": TraceWords(
        steps={
            Unverifiable.NO_EVIDENCE: "the request has no evidence to judge it by",
            Unverifiable.TOOL_CALL: "a call of a tool, whose result is evidence",
            Unverifiable.PLAN: "says what is going to be done, and asserts nothing",
            Unverifiable.VAGUE: "too vague to be judged: it names nothing definite",
        },
        without_words="no words",
        answers={
            PostHocReason.NO_ANSWER: "the request has no answer",
            PostHocReason.NOT_ASKED: "the check was not asked for",
            PostHocReason.NO_ANSWER_DERIVED: "no answer could be derived from the steps",
            PostHocReason.SAME_ANSWER: "what was derived from the steps is this answer",
            PostHocReason.OTHER_ANSWER: "what was derived from the steps is another answer",
            PostHocReason.UNREADABLE: "the steps cannot be read at once: {why}",
            PostHocReason.OUT_OF_TIME: "not checked before the call had to be answered",
            PostHocReason.BACKEND_FAILED: "not checked before the engine failed",
        },
        no_premise="no step asserts anything that an answer could follow from",
        statement="The answer is {answer}.",
    ),
    "he": TraceWords(
        steps={
            Unverifiable.NO_EVIDENCE: "אין בבקשה ראיות שאפשר לבדוק מולן",
            Unverifiable.TOOL_CALL: "קריאה לכלי, שתוצאתה היא ראיה",
            Unverifiable.PLAN: "אומר מה עומד להיעשות, ואינו קובע דבר",
            Unverifiable.VAGUE: "מעורפל מכדי לבדוק: אינו נוקב בשום דבר מוגדר",
        },
        without_words="אין בו מילים",
        answers={
            PostHocReason.NO_ANSWER: "אין תשובה בבקשה",
            PostHocReason.NOT_ASKED: "הבדיקה לא התבקשה",
            PostHocReason.NO_ANSWER_DERIVED: "לא ניתן היה להסיק תשובה מן הצעדים",
            PostHocReason.SAME_ANSWER: "מן הצעדים הוסקה אותה תשובה",
            PostHocReason.OTHER_ANSWER: "מן הצעדים הוסקה תשובה אחרת",
            PostHocReason.UNREADABLE: "אי אפשר לקרוא את הצעדים יחד: {why}",
            PostHocReason.OUT_OF_TIME: "לא נבדקה לפני המועד שבו היה צריך להשיב",
            PostHocReason.BACKEND_FAILED: "לא נבדקה לפני שהמנוע נכשל",
        },
        no_premise="אף צעד אינו קובע דבר שתשובה יכולה לנבוע ממנו",
        statement="התשובה היא {answer}.",
    ),
}


def words_of(text: str) -> TraceWords:
    """The words in the language of a text; in English for one that has none."""
    return WORDS.get(language_of(text), WORDS["en"])
