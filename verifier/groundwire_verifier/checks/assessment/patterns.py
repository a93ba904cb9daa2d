"""Layer 1: words that tell live data, general statements, doubt and questions for a good time, a
table a language.

An operator adds to the tables, or adds a language, by a mapping of the same form. All tables are
looked for in every text: what is English in a Hebrew text counts, too. A `*` at the end of a word
stands for any ending, and a Hebrew word is found behind prefix letters.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from groundwire_verifier.text.quantities.figures import folded

NOW, GENERAL, UNCERTAIN, WHEN = "now", "general", "uncertain", "when"
TOPICS = ("weather", "rates", "travel", "events")
CATEGORIES = (NOW, GENERAL, UNCERTAIN, WHEN, *TOPICS)
"""What a word can tell: that something holds now, that it holds in general, doubt, that a question
asks for a good time, and the kinds of live data."""

MAX_PHRASES = 2000
MAX_PHRASE_CHARACTERS = 60

Tables = Mapping[str, Mapping[str, tuple[str, ...]]]

TABLES: Tables = {
    "en": {
        NOW: (
            "currently", "right now", "is now", "are now", "at the moment", "at this moment",
            "today", "today's", "tonight", "this morning", "this afternoon", "this evening",
            "presently", "at present", "as of now", "as we speak", "just now", "overnight",
            "minutes ago", "hours ago", "latest",
        ),
        GENERAL: (
            "usually", "typically", "average*", "on average", "generally", "in general", "often",
            "normally", "historically", "tend", "tends", "can", "may", "might", "could", "up to",
            "depending", "expect", "in winter", "in summer", "per year", "annual*",
        ),
        UNCERTAIN: (
            "i think", "i believe", "i guess", "i assume", "i'm not sure", "i am not sure",
            "not certain", "not entirely sure", "probably", "possibly", "perhaps", "maybe",
            "might be", "could be", "it seems", "seems to be", "presumably", "as far as i know",
            "if i remember", "to my knowledge", "i'm guessing",
        ),
        WHEN: (
            "best time", "good time", "right time", "best month*", "best season*", "which month*",
            "what month*", "which season*", "what season*", "time of year", "time of the year",
            "when should", "when is it best",
        ),
        "weather": (
            "weather", "temperature*", "snow*", "rain*", "wind*", "sunny", "cloud*", "forecast*",
            "fog*", "storm*", "humid*", "powder", "avalanche*", "drizzle*",
        ),
        "rates": (
            "exchange rate*", "rate is", "stock price*", "share price*", "stock is", "trading at",
            "market price*", "bitcoin", "index is",
        ),
        "travel": (
            "flight status", "is delayed", "are delayed", "traffic", "lifts are open",
            "open lifts", "departs", "queue*", "waiting time*",
        ),
        "events": ("the score is", "is leading", "standings", "breaking news", "in stock"),
    },
    "he": {
        NOW: (
            "כרגע", "כעת", "עכשיו", "היום", "ברגע זה", "הבוקר", "הערב", "הלילה", "נכון לעכשיו",
        ),
        GENERAL: (
            "בדרך כלל", "לרוב", "בממוצע", "ממוצע*", "לעתים", "לעיתים", "עשוי*", "עלול*", "יכול*",
            "בחורף", "בקיץ", "עד",
        ),
        UNCERTAIN: (
            "אולי", "כנראה", "ייתכן", "יתכן", "אני חושב", "אני חושבת", "אני מאמין", "אני מאמינה",
            "לא בטוח", "לא בטוחה", "נראה לי", "למיטב ידיעתי", "ככל הידוע", "אני מניח", "אני מניחה",
        ),
        WHEN: (
            "מתי כדאי", "מתי הכי", "מתי רצוי", "מתי מומלץ", "איזה חודש", "אילו חודשים", "איזו עונה",
            "הזמן הטוב", "הזמן הכי טוב", "החודש הטוב", "העונה הטובה", "הזמן המתאים",
        ),
        "weather": (
            "מזג אוויר", "מזג האוויר", "טמפרטור*", "שלג*", "גשם*", "גשום", "מושלג", "רוח", "רוחות",
            "מעונן", "שמשי", "תחזית*", "סופה", "סופת", "סערה", "ערפל*", "לחות",
        ),
        "rates": ("שער החליפין", "שער המטבע", "שער הדולר", "שער האירו", "מחיר המניה", "ביטקוין"),
        "travel": ("מצב הטיסה", "מתעכב*", "פקק*", "עומס*", "זמן המתנה"),
        "events": ("התוצאה היא", "מוביל*", "במלאי"),
    },
}  # fmt: skip
"""The tables that ship, by language and category."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word or phrase of the tables in a text: its category, and where it begins."""

    category: str
    start: int


class Patterns:
    """Finds the words of tables in texts, in time that grows with the text only."""

    def __init__(self, extra: Tables | None = None) -> None:
        """Adds `extra`, which `checked_tables` passed, to the tables that ship."""
        phrases: dict[str, set[str]] = {category: set() for category in CATEGORIES}
        for tables in (TABLES, extra or {}):
            for table in tables.values():
                for category, words in table.items():
                    phrases[category] |= set(words)
        self._expression = re.compile(
            r"(?<!\w)(?=\w)(?:"
            + "|".join(
                f"(?P<{category}>{'|'.join(_written(p) for p in sorted(found, key=_longest))})"
                for category, found in phrases.items()
            )
            + ")"
        )

    def find(self, text: str) -> Iterator[Word]:
        """The words that a text holds, in their order; a longer phrase before its parts."""
        for match in self._expression.finditer(folded(text)):
            yield Word(match.lastgroup or "", match.start())


def checked_tables(found: object) -> Tables:
    """A mapping from languages to tables. Raises ValueError that names what is wrong in it."""
    if not isinstance(found, dict):
        raise ValueError("must be an object of languages, each with its categories")
    tables: dict[str, dict[str, tuple[str, ...]]] = {}
    for language, table in found.items():
        if not isinstance(table, dict):
            raise ValueError(f"{language!r} must be an object of categories")
        tables[str(language)] = {}
        for category, phrases in table.items():
            at = f"{language}.{category}"
            if category not in CATEGORIES:
                raise ValueError(f"{at}: there is no such category; use: {', '.join(CATEGORIES)}")
            if not isinstance(phrases, list):
                raise ValueError(f"{at} must be a list of phrases")
            tables[str(language)][category] = tuple(_checked(phrase, at) for phrase in phrases)
    count = sum(len(phrases) for table in tables.values() for phrases in table.values())
    if count > MAX_PHRASES:
        raise ValueError(f"holds {count:,} phrases; the limit is {MAX_PHRASES:,}")
    return tables


def _checked(phrase: object, at: str) -> str:
    if not isinstance(phrase, str) or not any(map(str.isalnum, phrase)):
        raise ValueError(f"{at} must hold phrases with a letter or a digit, not {phrase!r}")
    words = " ".join(folded(phrase).split())
    if len(words) > MAX_PHRASE_CHARACTERS or "*" in words.removesuffix("*"):
        raise ValueError(
            f"{at}: {phrase!r} must have at most {MAX_PHRASE_CHARACTERS} characters, and a * at "
            "its end only"
        )
    return words


def _longest(phrase: str) -> tuple[int, str]:
    return -len(phrase), phrase


def _written(phrase: str) -> str:
    """The expression of one phrase. A `*` takes the rest of the word, which is never looked back
    into."""
    prefix = "[ובלכמשה]{0,2}" if "\u05d0" <= phrase[0] <= "\u05ea" else ""
    stem = r"\s".join(map(re.escape, phrase.removesuffix("*").split()))
    return prefix + stem + (r"\w*+" if phrase.endswith("*") else r"(?!\w)")
