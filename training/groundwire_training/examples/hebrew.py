"""Near misses in Hebrew: a true claim with one word changed, so that it is no longer supported.

Rules on words with their one-letter prefixes.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence

from groundwire_training.examples.bounds import is_bound

_LETTERS = "א-ת"
_PREFIXES, _PREFIXED_LETTERS = "[ובמהש]?-?", 4
"""A shorter word behind a prefix is too often another word."""
_MONTHS = (
    "ינואר", "פברואר", "מרץ", "אפריל", "מאי", "יוני", "יולי", "אוגוסט", "ספטמבר", "אוקטובר",
    "נובמבר", "דצמבר",
)  # fmt: skip
_WEEKDAYS = ("יום ראשון", "יום שני", "יום שלישי", "יום רביעי", "יום חמישי", "יום שישי")
_COUNTS = (
    ("שלושה", "ארבעה", "חמישה", "שישה", "שבעה", "תשעה", "עשרה"),
    ("שלוש", "ארבע", "חמש", "שבע", "תשע", "עשר"),
    ("עשרים", "שלושים", "ארבעים", "חמישים", "שישים", "שבעים", "שמונים", "תשעים"),
    ("אלף", "מיליון", "מיליארד"),
    ("עשרות", "מאות", "אלפי", "מיליוני"),
    ("דקות", "שעות", "ימים", "שבועות", "חודשים", "שנים"),
    ("קילומטרים", "מטרים", "סנטימטרים"),
    ("ראשונה", "שנייה", "שלישית", "רביעית"),
)
_OPPOSITES = [
    ("לפני", "אחרי"), ("יותר", "פחות"), ("גדול", "קטן"), ("גדולה", "קטנה"), ("צפון", "דרום"),
    ("מזרח", "מערב"), ("עלה", "ירד"), ("עלתה", "ירדה"), ("גבוה", "נמוך"), ("גבוהה", "נמוכה"),
    ("נשים", "גברים"), ("אישה", "גבר"), ("אביו", "אמו"), ("תמיד", "לעולם לא"), ("רוב", "מיעוט"),
    ("טוב", "רע"), ("טובה", "רעה"), ("חזק", "חלש"), ("ניצח", "הפסיד"), ("זכה", "הפסיד"),
    ("התחיל", "הפסיק"), ("החל", "חדל"), ("נפתח", "נסגר"), ("נולד", "נפטר"), ("נולדה", "נפטרה"),
    ("הוקם", "פורק"), ("הוקמה", "פורקה"), ("אפשרי", "בלתי אפשרי"), ("קל", "קשה"),
    ("הסכים", "סירב"), ("תמך", "התנגד"), ("עם", "בלי"), ("ישן", "חדש"), ("ישנה", "חדשה"),
    ("ארוך", "קצר"), ("רב", "מועט"), ("רבים", "מעטים"), ("רבות", "מעטות"), ("חיובי", "שלילי"),
]  # fmt: skip
_SWAPS = dict(_OPPOSITES) | {b: a for a, b in _OPPOSITES}
_NEGATED = {
    "היה": "לא היה", "הייתה": "לא הייתה", "היו": "לא היו", "יש": "אין", "ניתן": "לא ניתן",
    "אפשר": "אי אפשר", "יכול": "לא יכול", "יכולה": "לא יכולה", "יכולים": "לא יכולים",
    "צריך": "לא צריך", "חייב": "לא חייב", "נמצא": "לא נמצא", "נמצאת": "לא נמצאת",
    "מכיל": "אינו מכיל", "כולל": "אינו כולל", "קיים": "לא קיים", "קיבל": "לא קיבל",
    "אמר": "לא אמר", "הלך": "לא הלך", "רוצה": "לא רוצה", "רצה": "לא רצה", "יודע": "לא יודע",
}  # fmt: skip
_POSITIVE = {"לא": "", "אינו": "", "אינה": "", "אינם": "", "אין": "יש", "אי אפשר": "אפשר"}


def _count(claim: str, _: Sequence[str], rng: random.Random) -> str | None:
    tables = [
        {word: rng.choice([other for other in words if other != word]) for word in words}
        for words in (*_COUNTS, _MONTHS, _WEEKDAYS)
    ]
    return _replaced(
        claim,
        {a: b for table in tables for a, b in table.items()},
        rng,
        lambda m: not is_bound(claim, m.start(), m.end()),
    )


def _opposite(claim: str, _: Sequence[str], rng: random.Random) -> str | None:
    return _replaced(claim, _SWAPS, rng)


def _negation(claim: str, _: Sequence[str], rng: random.Random) -> str | None:
    # What is denied is said, and only what is not denied is denied: never twice.
    denied = any(
        re.search(rf"(?<![{_LETTERS}]){word}(?![{_LETTERS}])", claim) for word in _POSITIVE
    )
    changed = _replaced(claim, _POSITIVE if denied else _NEGATED, rng)
    return None if changed is None else re.sub(r" {2,}", " ", changed).strip()


def _replaced(
    claim: str,
    table: Mapping[str, str],
    rng: random.Random,
    fits: Callable[[re.Match[str]], bool] = bool,
) -> str | None:
    """One of the table's words that fits replaced, its prefix kept."""
    found = [
        (match, after)
        for before, after in table.items()
        for match in re.finditer(
            rf"(?<![{_LETTERS}\"'״׳])(?P<prefix>{_PREFIXES}){before}(?![{_LETTERS}\"'״׳-])", claim
        )
        if (not match["prefix"] or len(before) >= _PREFIXED_LETTERS) and fits(match)
    ]
    if not found:
        return None
    match, after = rng.choice(found)
    return f"{claim[: match.start()]}{match['prefix']}{after}{claim[match.end() :]}"


HEBREW_EDITS = {"count": _count, "opposite": _opposite, "negation": _negation}
