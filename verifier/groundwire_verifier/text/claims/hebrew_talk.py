"""Hebrew talk about the answer itself: greetings, offers, and what the sources leave out.

It is told by phrases, and by forms that only an answer has: its own deeds (`עיגלתי`, I rounded),
those of who asked (`ביקשת`, you asked), and words for the speaker (`לי`, to me). A clause behind
`ש` or `כי` is what it says, not talk: `נראה לי שהגשר נסגר` is a claim.
"""

from collections.abc import Sequence
from itertools import pairwise, takewhile

from groundwire_verifier.text.claims.wording import hebrew as he
from groundwire_verifier.text.claims.wording.sentence import Sentence, has_digit, word_set
from groundwire_verifier.text.quantities.number_words import NUMBER_WORDS

MAX_GREETING_WORDS = 6
MAX_CRY_WORDS = 4
MIN_FUTURE_LETTERS = 4

_SOURCES = word_set(
    "מקור מקורות מסמך מסמכים טקסט טקסטים קטע קטעים מאמר כתבה הקשר עמוד דף תמליל תקציר חוזה צילום"
)
_SOURCE_LABELS = word_set("מקור מקורות")
_TELLING = word_set(
    "מציין מציינת מציינים מזכיר מזכירה מזכירים מפרט מפרטת מפרטים קובע קובעת קובעים "
    "אומר אומרת אומרים נכתב מצוין מצוינת צוין צוינה מופיע מופיעה מופיעים נמסר נמסרה "
    "עונה עונים לדעת להסיק מתייחס מתייחסת מתייחסים מוזכר מוזכרת מוסבר מסביר "
    "מידע פירוט תשובה תומך תומכת תומכים מאשר מאשרת מאשרים כתוב "
    "נאמר נזכר נזכרת ללמוד להבין למצוא"
)
_THIS = word_set("זה הדבר כך")
_ANSWERING = word_set(
    "לייעץ לענות לומר לאשר לקבוע לספק למצוא לסכם לעזור לבדוק לחפש להסביר לתת לפרט להשיב להוסיף "
    "לסייע למסור להביע להכריע להתחייב להמליץ לדעת לשתף"
)
_OFFERS = word_set("תרצו תרצה תרצי רוצה רוצים שאלה שאלות תצטרכו תצטרך צריך צריכים מעניין")
_WARM = word_set(
    "הנה להלן שמח שמחה שמחים היי הי שלום אהלן תודה בכיף בשמחה בטח מעולה נהדר אוקיי בהצלחה שאלה "
    "סבבה ברור כמובן יאללה טוב נחמד וואו"
)
_REFUSALS = (
    "אין לי מספיק מידע", "אין לי מידע", "אין לי גישה", "אין לי תשובה", "אין מספיק מידע",
    "לא ניתן לענות", "אי אפשר לענות", "אי אפשר לדעת", "לא ניתן לדעת", "אין לראות",
)  # fmt: skip
_CLOSINGS = (
    "מקווה שעזרתי", "אשמח לעזור", "אני מקווה שזה עוזר", "זה הכל", "זה הכול", "וזה הכל",
    "וזה הכול", "זהו זה",
)  # fmt: skip
_GREETINGS = frozenset(("תודה רבה", "בוודאי", "שאלה מצוינת", "כן", "לא"))
_OPENINGS = ("קודם כול", "קודם כל", "אז ככה", "אין בעיה", "עד כאן")
"""What opens an answer, where nothing with a verb follows."""

_WISHES = word_set(
    "שיהיה תרגיש תרגישי תרגישו בתיאבון סליחה תודה צדקת צדקתם מקווה מקווים ברוכים מוזמנים מוזמן "
    "מוזמנת מחזיק מחזיקה"
)
_PLEASANT = word_set(
    "נעים נעימה נעימים נפלא נפלאה מהנה נהדר נהדרת טוב טובה שמח שמחה מוצלח מוצלחת קל קלה רך רכה "
    "מקסים מקסימה פורה יפה מעניין מעניינת מצוין מצוינת"
)
"""Words that a wish or a compliment ends with: `טיסה נעימה!`"""

_DONE = word_set(
    "עברתי קראתי בדקתי מצאתי חיפשתי הסתמכתי הרצתי טעיתי התבלבלתי סיכמתי תרגמתי השתמשתי ציינתי "
    "התייחסתי קיבלתי ניסיתי פספסתי השמטתי ריכזתי ליקטתי אספתי הדגשתי סימנתי עיגלתי קיצרתי ציטטתי "
    "הבאתי צירפתי הוספתי סידרתי מיינתי השוויתי חישבתי הבנתי הנחתי הצלחתי העתקתי ניסחתי פישטתי "
    "התמקדתי דילגתי עיינתי"
)
"""What an answer says that it did, or with a negation that it did not."""

_WILLING = word_set(
    "אשמח נשמח אבדוק אענה אסביר אנסה אפרט אתאר אדגים אסכם אתחיל אצטט אראה אשווה אציג אמחיש ארחיב "
    "אביא אמנה אזכיר נתחיל ניקח נסביר נפרט נדגים נסכם נעבור נציג נשווה נזכיר נסתכל נבדוק"
)
"""What it says that it will do next; forms that are a past or a noun, too, are left out."""

_CAPABLE = word_set("אוכל נוכל")
"""The same before an infinitive; `אוכל` is also `food`."""

_STATES = word_set(
    "כאן מודל מצטער מצטערת מתנצל מתנצלת שמח שמחה מעדיף מעדיפה על הייתי מציע מציעה ממליץ ממליצה "
    "נמנע נמנעת מנוע מנועה"
)
_ABLE = word_set("אני לא איני אינני אינני")
_LET_US = word_set("בוא בואי בואו")
_NOTES = frozenset(("שימו לב", "שים לב", "שימי לב", "הערה", "הבהרה"))
"""Labels before what is said: `שימו לב: עיגלתי את התוצאה`."""

_APOLOGIES = word_set("מצטער מצטערת סליחה")

GOING_ON = word_set("של את על עם בין לפי או כל")
"""Words that go on with a noun that is definite and say nothing of it."""

ASKING = word_set("כמה מתי מי מה איפה היכן למה מדוע איך כיצד האם איזה איזו אילו לאן מאין באיזה")

_ASKED = word_set(
    "שאלת שאלתם ביקשת ביקשתם רצית רציתם התכוונת התכוונתם הבאת הבאתם ציטטת ציטטתם טענת"
)
"""What who asks did, with or without `ש` before it."""

_GIVEN = word_set("שלחת שלחתם צירפת צירפתם העלית העליתם הזכרת הזכרתם ציינת ציינתם")
"""What who asks did with what a line announces: `הקבצים ששלחת`; alone it is a statement."""

_TO_WRITER = frozenset(("", "לי", "לנו", "קודם", "למעלה", "כאן", "בשאלה", "בשאלתך", "בהודעה"))
_ASKED_FOR = word_set("הטענה השאלה הציטוט הבקשה המשפט")
_WORDS_IN_SHIN = word_set(
    "פה לך לכם לכן לי לנו לו לה להם להן אלה אלות לוש לושה לושת תי ני ניים נה נים עה עות ם מות לב "
    "לבי לבים יטה יטות ינוי ינויים ירות ירותים יעור יעורים אר לום לישי"
)
"""What is left of words whose first letter is no `that`: `שאלה`, `שלבים`."""
_PROVIDED = word_set("סופק סופקו צורף צורפו הועלה הועלו נשלח נשלחו ניתן ניתנו")
_STANDING = word_set("מופיע מופיעה מופיעים מופיעות נמצא נמצאת נמצאים נמצאות צוין צוינו")
"""What only says that the sources hold it: `המידע שמופיע במסמכים`."""
_TELL = word_set(
    "ספרו ספרי דברו דברי כתבו כתבי עדכנו עדכני שלחו שלחי הגידו הגידי תגידו תגידי תכתבו תכתבי "
    "תעדכנו תעדכני תעדכן שתפו שתפי תנו תני תן"
)
"""What the reader is asked to do to the answer: `דברו איתי`."""


def says_itself(sentence: Sentence, first: int) -> bool:
    """Whether a Hebrew clause is talk. `first`: the word behind regrets and conjunctions."""
    lowers = sentence.lowers[first:] or sentence.lowers
    label = sentence.behind_label
    added = any(adds_statement(sentence, i) for i in range(1, len(sentence.words)))
    # `תודה נשלחה לתורמים`
    done = (*lowers, "")[1] if lowers[0] == "תודה" else ""
    added = added or (done[:1] in ("נ", "ה") and done[-1] == "ה" and done not in ("הנה", "הרבה"))
    if added or _tells_behind(sentence.from_word(first) if lowers != sentence.lowers else sentence):
        return False
    if " ".join(lowers[: max(0, label - first)]) in _NOTES:
        return says_itself(sentence.from_word(label), 0)
    comma = sentence.first_comma
    if comma <= MAX_CRY_WORDS and sentence.lower(comma) in _LET_US:
        return says_itself(sentence.from_word(comma), 0)
    if first == len(sentence.words) and not _APOLOGIES.isdisjoint(lowers):
        return True
    opening = " ".join(lowers[:MAX_GREETING_WORDS])
    if len(lowers) < MAX_GREETING_WORDS and opening in _GREETINGS:
        return True
    if opening.startswith((*_CLOSINGS, *_REFUSALS)):
        return True
    if _has_asked(lowers):
        return True
    if he.COPULAS.isdisjoint(lowers[1:3]) and _speaks(lowers, sentence.lower(comma)):
        return True
    if lowers[0] in _SOURCE_LABELS and label == 1:
        return any(_names_source(word) for word in lowers[1:])
    plain = (he.PASTS | he.PREDICATES | he.PRONOUNS).isdisjoint(lowers)
    short = len(lowers) <= MAX_GREETING_WORDS and plain and not label
    short = short and not (_is_clause((*lowers, "")[1]) or has_digit(lowers))
    # `בהצלחה רבה הסתיים הניסוי`, but not `תודה על השאלה`
    tied = GOING_ON | _WARM
    short = short and not any(
        word[0] == "ה" and word not in tied and before not in tied and before[0] not in "בהלכמ"
        for before, word in pairwise(lowers)
    )
    if short and (lowers[0] in _WARM or opening.startswith(_OPENINGS)):
        return True
    if _wishes(sentence, lowers, plain=plain):
        return True
    value = sentence.lowers[label:]
    if value[0] == "לא" and len(value) <= MAX_CRY_WORDS and value[-1] in _TELLING:
        return True
    return _is_unable(lowers)


def _speaks(lowers: tuple[str, ...], behind_comma: str) -> bool:
    """Whether an answer says what it did, offers or wishes."""
    second = lowers[1] if len(lowers) > 1 else ""
    if lowers[0] == "אם":
        # `אם תעלו מסמך, אנסה שוב`: what you may do, and what I will.
        will = second[:1] == "ת" and behind_comma[:1] == "א"
        future = len(behind_comma) >= MIN_FUTURE_LETTERS and not behind_comma.endswith(("ים", "ות"))
        offers = not _OFFERS.isdisjoint(lowers[:5]) or behind_comma in _WILLING | _CAPABLE
        return offers or (will and future)
    if lowers[0] in _CAPABLE:
        return second.startswith(("ל", "גם"))
    if lowers[0] in _WILLING:
        # `אשמח לציין שהגשר נסגר`
        return not (_is_clause(second) or _is_clause((*lowers, "", "")[2]) or has_digit(lowers))
    if lowers[0] in _LET_US:
        return second.startswith("נ")
    if lowers[0] == "אני":
        return second in _STATES
    done, behind_done = (*lowers, "", "")[lowers[0] == "לא" :][:2]
    if lowers[0] in _WISHES and not has_digit(lowers):
        return True
    if done in _DONE and not _is_clause(behind_done):
        return True
    return lowers[0] in _TELL and second in ("לי", "איתי", "אותי", "אליי")


def states_of_it(before: str, word: str, behind: str) -> bool:
    """Whether a word begins a clause on the word before it: `שנכשלו`, not `שביקשת`.

    A deed that goes on is one: `שהזכרת בעדותך`.
    """
    own = word.removeprefix("ש")
    if own in _GIVEN and own != word and behind not in _TO_WRITER:
        return True
    asked = own in _ASKED | _DONE | _GIVEN or own in _ASKED_FOR or own in _WORDS_IN_SHIN | _STANDING
    # `רשימת שופטים`, `נתונים שימושיים`
    construct = before in NUMBER_WORDS or (before[-1:] == "ת" and not before.endswith("ות"))
    noun = word.endswith(("ים", "ות")) and construct
    related = word.endswith(("יים", "יות")) and before.endswith(word[-2:])
    adjective = related and before[0] != "ה"
    return word == "אשר" or (_is_clause(word) and not (asked or noun or adjective))


def has_verb(words: Sequence[str]) -> bool:
    """Whether words say something: a verb or a pronoun that is one, or a number."""
    predicates = he.PASTS | he.PREDICATES | he.PRONOUNS
    return not predicates.isdisjoint(words) or any(
        word[0].isdigit() or word in NUMBER_WORDS for word in words
    )


def behind_and(sentence: Sentence, at: int) -> list[str]:
    """The words of a clause that a Hebrew `and` opens, without it; none where it joins a thing
    (`ואת`) or a question to what stands before it."""
    first = sentence.lower(at)
    if first[:1] != "ו" or len(first) <= len("או") or first[1:] in ASKING | {"את"}:
        return []
    rest = takewhile(lambda word: not set(",;:") & set(word.gap), sentence.words[at + 1 :])
    return [first[1:], *(word.lower for word in rest)]


def adds_statement(sentence: Sentence, at: int) -> bool:
    """Whether a Hebrew `and` adds a statement: `בדקתי והגשר נסגר`, `תודה והחנות פתוחה`."""
    said = behind_and(sentence, at)
    if not said or said[0] in _DONE | _WILLING:
        return False
    if _names_definite(said[0]):
        return has_verb(said) or (
            len(said) > 1 and said[1][0] not in "הובלכש" and said[1] not in GOING_ON
        )
    return not he.PASTS.isdisjoint(said[1:])


def _tells_behind(sentence: Sentence) -> bool:
    """Whether words that open talk lead to a statement: behind a comma or a colon, or in a clause
    with `ש` behind their verb."""
    lowers = sentence.lowers
    opener = lowers[0]
    thanks = opener in _WISHES | _APOLOGIES
    done = opener in _DONE
    offers = opener in _WILLING or (opener == "אני" and sentence.lower(1) in _STATES)
    label, comma = sentence.behind_label, sentence.first_comma
    if label and (thanks or done or offers or _has_asked(lowers)):
        return len(lowers) - label > 1 and sentence.lower(label) not in ASKING
    if comma < len(lowers) and (thanks or done):
        behind = sentence.from_word(comma)
        wishes = len(behind.words) <= MAX_CRY_WORDS and behind.lowers[-1] in _PLEASANT
        alone = wishes or len(behind.words) == 1
        listed = done and (behind.lower(0) == "את" or behind.lower(0)[0] == "ו")
        if not (alone or listed or says_itself(behind, 0)):
            return True
    if opener == "אני" and offers and has_digit(lowers):
        return True
    return (done or offers) and any(
        _is_clause(word) and not _is_own(word) and (done or before[0] == "ל" or before in _STATES)
        for before, word in pairwise(word for word in lowers if word not in he.READER)
    )


def _is_own(word: str) -> bool:
    """Whether a clause says what the one who answers or who asks did: `שטעיתי`, `ששלחת`."""
    own = word.removeprefix("ש")
    return own.endswith("תי") or own in _ASKED | _GIVEN | _WORDS_IN_SHIN | _STANDING | _PROVIDED


def tells(word: str) -> bool:
    """Whether a word says that a text tells, how, or which one: `נאמר במפורש כי`."""
    return word in _TELLING or word == "במפורש" or _names_source(word)


def states_from(sentence: Sentence, at: int) -> bool:
    """Whether the words from a place on state something of what is definite."""
    said = [word.lower for word in sentence.words[at:]]
    if len(said) < len(("הגשר", "נסגר")) or not _names_definite(said[0]):
        return False
    says = said[1][0] not in "הובלכש" and said[1] not in GOING_ON
    return says or has_verb(said)


def _names_definite(word: str) -> bool:
    """Whether it opens with the article, or is a pronoun: not `this`, `here is`, `the rest of`."""
    points = word in _THIS or word in ("הנה", "המשך", "הרי")
    return (word[0] == "ה" or word in he.PRONOUNS) and not points


def _is_clause(word: str) -> bool:
    """Whether a word begins a clause that says something: `כי`, or one behind `ש`."""
    return word == "כי" or (len(word) > 2 and word[0] == "ש" and word not in he.RELATIVE_EXCEPTIONS)


def _has_asked(lowers: tuple[str, ...]) -> bool:
    """Whether it says what was asked: `ביקשת לדעת ...`, `הטענה שהבאת היא ...`."""
    if lowers[0] in _ASKED_FOR and len(lowers) > 1:
        return lowers[1].removeprefix("ש") in _ASKED
    return lowers[0] in _ASKED


def _wishes(sentence: Sentence, lowers: tuple[str, ...], *, plain: bool) -> bool:
    """Whether it is a short cry that ends with a wish or a compliment: `טיסה נעימה!`."""
    cry = "!" in sentence.tail or ":)" in sentence.tail or not sentence.tail.isascii()
    if not (cry and plain and len(lowers) <= MAX_CRY_WORDS):
        return False
    if lowers[0] in ("איזה", "איזו"):
        return True
    definite = any(word[0] == "ה" and word != "המשך" for word in lowers)
    return lowers[-1] in _PLEASANT and not definite and sentence.words[0].text.isalpha()


def _is_unable(lowers: tuple[str, ...]) -> bool:
    """Whether the answer says that it cannot, has not found, or would rather not."""
    near = lowers[:5]
    if lowers[0] in _ABLE and not (_ANSWERING | {"מצאתי"}).isdisjoint(near):
        # `אני יכול לאשר שהגשר נסגר`
        return lowers[0] != "אני" or "לא" in near or not any(map(_is_clause, lowers))
    found = "מצאתי" in lowers and lowers[lowers.index("מצאתי") - 1] == "לא"
    return found and not any(map(_is_clause, lowers[lowers.index("מצאתי") :]))


def _names_source(word: str) -> bool:
    """Whether a word names a source, behind its article and prepositions."""
    while word and word not in _SOURCES and word[0] in "הבמושכל":
        word = word[1:]
    return word in _SOURCES
