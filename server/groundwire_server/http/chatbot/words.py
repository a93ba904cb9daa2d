"""What the page says of its own, in each language that it speaks.

Another language is another table.
"""

from collections.abc import Mapping
from dataclasses import dataclass

FALLBACK_LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of one language."""

    language: str
    direction: str
    name: str
    title: str
    lead: str
    no_script: str
    other_language: str
    answer: str
    answer_hint: str
    question: str
    question_hint: str
    sources: str
    source: str
    source_id: str
    source_title: str
    source_text: str
    optional: str
    add_source: str
    remove_source: str
    token: str
    token_hint: str
    token_refused: str
    check: str
    stop: str
    checking: str
    stopped: str
    done: str
    failed: str
    unreachable: str
    report: str
    save: str


_EN = PageWords(
    language="en",
    direction="ltr",
    name="English",
    title="Is this answer grounded?",
    lead=(
        "Paste an answer and the sources that it was given. Each of its claims is read against "
        "them by the model of this server. Nothing leaves it, and nothing is kept here."
    ),
    no_script="This page needs JavaScript, which is its own; it loads nothing from elsewhere.",
    other_language="Language",
    answer="Answer",
    answer_hint="It cites its sources by their ids, such as [S0].",
    question="Question",
    question_hint="Each claim is then read as a part of its answer.",
    sources="Sources",
    source="Source",
    source_id="Id",
    source_title="Title",
    source_text="Text",
    optional="optional",
    add_source="Add a source",
    remove_source="Remove this source",
    token="Access token",  # noqa: S106 - a label
    token_refused="It is missing, or this server does not know it.",  # noqa: S106
    token_hint="This server wants one. It is kept in this page's memory only, until you leave it.",  # noqa: S106
    check="Check the answer",
    stop="Stop",
    checking="Checking…",
    stopped="Stopped.",
    done="The report is below.",
    failed="The answer was not checked.",
    unreachable="The server does not answer.",
    report="Report",
    save="Save the report",
)

_HE = PageWords(
    language="he",
    direction="rtl",
    name="עברית",
    title="האם התשובה מבוססת?",
    lead=(
        "הדביקו תשובה ואת המקורות שניתנו לה. כל טענה שלה נבדקת מולם בידי המודל של שרת זה. "
        "דבר אינו יוצא ממנו, ודבר אינו נשמר כאן."
    ),
    no_script="דף זה זקוק ל־JavaScript משלו; הוא אינו טוען דבר ממקום אחר.",
    other_language="שפה",
    answer="תשובה",
    answer_hint="היא מפנה אל המקורות לפי המזהים שלהם, למשל [S0].",
    question="שאלה",
    question_hint="כל טענה תיקרא אז כחלק מהתשובה עליה.",
    sources="מקורות",
    source="מקור",
    source_id="מזהה",
    source_title="כותרת",
    source_text="טקסט",
    optional="לא חובה",
    add_source="הוספת מקור",
    remove_source="הסרת מקור זה",
    token="אסימון גישה",  # noqa: S106 - a label
    token_refused="הוא חסר, או ששרת זה אינו מכיר אותו.",  # noqa: S106
    token_hint="שרת זה דורש אסימון. הוא נשמר בזיכרון הדף בלבד, עד שתעזבו אותו.",  # noqa: S106
    check="בדיקת התשובה",
    stop="עצירה",
    checking="בבדיקה…",
    stopped="הבדיקה נעצרה.",
    done="הדוח נמצא למטה.",
    failed="התשובה לא נבדקה.",
    unreachable="השרת אינו עונה.",
    report="דוח",
    save="שמירת הדוח",
)

WORDS: Mapping[str, PageWords] = {words.language: words for words in (_EN, _HE)}


def words_for(accepted: str) -> PageWords:
    """The words for the first language of an Accept-Language header that there are words for.

    The languages count in their order; weights are not looked at, since browsers send them falling.
    """
    for tag in accepted.split(","):
        language = tag.partition(";")[0].partition("-")[0].strip().lower()
        if language in WORDS:
            return WORDS[language]
    return WORDS[FALLBACK_LANGUAGE]
