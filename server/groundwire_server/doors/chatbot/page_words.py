"""What the page says of its own, in each language that it speaks."""

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    add_files: str
    files_hint: str
    not_taken: str
    not_text: str
    token: str
    token_hint: str
    token_refused: str
    correct: str
    check: str
    stop: str
    checking: str
    reading: str
    progress: str
    explaining: str
    stopped: str
    done: str
    failed: str
    unreachable: str
    errors: Mapping[str, str] = field(hash=False)
    """What is said of an input that is blank or too long, or of an id, and of each other reason of
    an error. The server's own words, which are English, where there are none."""
    claims: str
    report: str
    save: str
    copy_markdown: str
    copy_json: str
    copy_corrected: str
    copied: str


_EN = PageWords(
    language="en",
    direction="ltr",
    name="English",
    title="Is this answer grounded?",
    lead=(
        "Paste an answer and its sources. The model of this server checks each claim against "
        "them. The page itself stores nothing; whoever runs the server decides what that keeps."
    ),
    no_script="This page needs JavaScript, which is its own; it loads nothing from elsewhere.",
    other_language="Language",
    answer="Answer",
    answer_hint="It cites its sources by their ids, such as [S0].",
    question="Question",
    question_hint="Each claim is then read as an answer to it.",
    sources="Sources",
    source="Source",
    source_id="Id",
    source_title="Title",
    source_text="Text",
    optional="optional",
    add_source="Add a source",
    remove_source="Remove this source",
    add_files="Add files",
    files_hint="Or drop text files here, such as .txt and .md. Each becomes a source.",
    not_taken="Not every file was taken.",
    not_text="it is no text in UTF-8 of at most {mebibytes} MiB; paste the part that matters",
    token="Access token",  # noqa: S106 - a label
    token_refused="It is missing, or this server does not know it.",  # noqa: S106
    token_hint="This server wants one. It is kept in this page's memory only, until you leave it.",  # noqa: S106
    correct="Suggest a corrected answer",
    check="Check the answer",
    stop="Stop",
    checking="Checking…",
    reading="reading…",
    progress="{known} of {total} claims have a verdict.",
    explaining="All claims have a verdict. Looking for what decides them…",
    stopped="Stopped.",
    done="The report is below.",
    failed="The answer was not checked.",
    unreachable="The server does not answer.",
    errors={},
    claims="Verdicts so far",
    report="Report",
    save="Save the report",
    copy_markdown="Copy as Markdown",
    copy_json="Copy as JSON",
    copy_corrected="Copy the corrected answer",
    copied="Copied.",
)

_HE = PageWords(
    language="he",
    direction="rtl",
    name="עברית",
    title="האם התשובה מבוססת?",
    lead=(
        "הדביקו תשובה ואת המקורות שלה. המודל של שרת זה בודק מולם כל טענה. הדף עצמו אינו שומר דבר; "
        "מה ישמור השרת, קובע מי שמפעיל אותו."
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
    add_files="הוספת קבצים",
    files_hint="או גררו לכאן קובצי טקסט, כגון TXT או Markdown. כל קובץ יהיה למקור.",
    not_taken="לא כל הקבצים נקלטו.",
    not_text="אינו טקסט ב־UTF-8 של עד {mebibytes} MiB; הדביקו את החלק הנחוץ",
    token="אסימון גישה",  # noqa: S106 - a label
    token_refused="הוא חסר, או ששרת זה אינו מכיר אותו.",  # noqa: S106
    token_hint="שרת זה דורש אסימון. הוא נשמר בזיכרון הדף בלבד, עד שתעזבו אותו.",  # noqa: S106
    correct="הצעת תשובה מתוקנת",
    check="בדיקת התשובה",
    stop="עצירה",
    checking="בבדיקה…",
    reading="נקראת…",
    progress="ל־{known} מתוך {total} טענות יש קביעה.",
    explaining="לכל הטענות יש קביעה. כעת מחפשים מה מכריע אותן…",
    stopped="הבדיקה נעצרה.",
    done="הדוח נמצא למטה.",
    failed="התשובה לא נבדקה.",
    unreachable="השרת אינו עונה.",
    errors={
        "BLANK": "השדה ריק; מלאו אותו או הסירו את המקור",
        "LONG": "הטקסט ארוך מדי; השאירו את החלק הנחוץ",
        "SAME_ID": "למקור אחר יש אותו מזהה; תנו לכל מקור מזהה משלו",
        "BAD_ID": "המזהה ארוך מדי או שיש בו תו אסור; כתבו מזהה קצר, למשל S0",
        "OTHER": "הבדיקה נכשלה",
        "MALFORMED_REQUEST": "הבקשה גדולה מדי או שאי אפשר לקרוא אותה; שלחו פחות טקסט",
        "TEXT_TOO_LONG": "הטקסט ארוך מדי; השאירו את החלק הנחוץ",
        "TOO_MANY_CLAIMS": "יש בתשובה יותר מדי טענות; בדקו אותה בחלקים",
        "CLAIM_TOO_LONG": "אחת הטענות ארוכה מדי; חלקו אותה",
        "CONTEXT_TOO_LONG": "המקורות ארוכים מדי למודל; שלחו פחות מהם",
        "INVALID_SOURCE": "אחד המקורות אינו תקין",
        "REQUEST_TOO_LARGE": "הבקשה גדולה מדי; שלחו פחות טקסט",
        "RESPONSE_TOO_LARGE": "הדוח גדול מדי; בדקו את התשובה בחלקים",
        "QUEUE_FULL": "השרת עמוס; נסו שוב בעוד רגע",
        "OVERLOADED": "השרת עמוס; נסו שוב בעוד רגע",
        "BACKEND_BUSY": "המודל עמוס; נסו שוב בעוד רגע",
        "QUOTA_EXCEEDED": "המכסה נוצלה; נסו שוב מאוחר יותר",
        "SPENDING_LIMIT": "המכסה היומית נוצלה; נסו שוב מחר",
        "DEADLINE_EXCEEDED": "הבדיקה ארכה יותר מדי; שלחו פחות טקסט או נסו שוב",
        "LOADING": "המודל עדיין נטען; נסו שוב בעוד רגע",
        "DRAINING": "השרת נעצר; נסו שוב בעוד רגע",
        "ENGINE_FAILED": "המודל נכשל; נסו שוב או פנו למי שמפעיל את השרת",
        "BACKEND_UNREACHABLE": "המודל אינו עונה; נסו שוב או פנו למי שמפעיל את השרת",
        "BACKEND_REFUSED": "המודל סירב לבקשה; פנו למי שמפעיל את השרת",
        "INTERNAL": "תקלה בשרת; פנו למי שמפעיל אותו",
    },
    claims="הקביעות עד כה",
    report="דוח",
    save="שמירת הדוח",
    copy_markdown="העתקה כ־Markdown",
    copy_json="העתקה כ־JSON",
    copy_corrected="העתקת התשובה המתוקנת",
    copied="הועתק.",
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
