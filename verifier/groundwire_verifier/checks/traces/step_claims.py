"""What the steps of a trace claim: done elsewhere, in a process that can be killed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from groundwire_verifier.domain.claims import Claim, NonAssertive
from groundwire_verifier.text.claims.extract import extract_claims
from groundwire_verifier.text.claims.wording.sentence import word_set

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019\"\u05f4][^\W\d_]+)*|\d+")
_OPEN = word_set(
    """
    several various certain some many numerous different multiple assorted thing things
    something someone somewhere somehow somewhat factor factors aspect aspects element
    elements issue issues matter matters way ways circumstance circumstances consideration
    considerations respect respects reason reasons depend depends depended depending vary
    varies varied overall generally broadly roughly largely partly quite fairly rather
    relatively considerably significantly important interesting significant relevant complex
    complicated reasonable meaningful remarkable notable noteworthy good bad great fine nice
    lot lots kind sort manner extent degree etc few further additional minor slight slightly
    accordingly appropriately suitably whatever כמה מספר מסוים מסוימת מסוימים מסוימות שונים שונות
    רבים רבות דבר דברים משהו מישהו איפשהו איכשהו גורם גורמים היבט היבטים אופן אופנים דרכים
    סיבות נסיבות שיקול שיקולים תלוי תלויה תלויים תלויות משתנה כללי כללית בערך יחסית חשוב חשובה
    חשובים חשובות מעניין מעניינת מעניינים משמעותי משמעותית משמעותיים רלוונטי רלוונטית
    רלוונטיים מורכב מורכבת מורכבים סביר סבירה טוב טובה טובים טובות רע רעה מידה סוג וכדומה
    צורך כנדרש כרגיל כמקובל כצפוי בהתאם נוספות נוספים
    """
)
"""Words that leave open what, how much or in which way."""
_UNSAID = word_set(
    """
    usual normal standard customary common necessary needed required appropriate suitable proper
    expected רגיל רגילה רגילים רגילות נדרש נדרשת נדרשים נדרשות דרוש דרושה דרושים דרושות מתאים
    מתאימה מתאימים מתאימות מקובל מקובלת מקובלים מקובלות הכרחי הכרחית הכרחיים הכרחיות
    """
)
"""Words that leave it open beside a noun, or behind `as` or `what`: the necessary steps, as needed.
By itself such a word says something of its subject: the result is normal."""
_HOW = word_set("as what whatever where if")
_HOW_WORDS = 2
"""How many words before one of _UNSAID may be such: what was needed."""
_ANY_SUBJECT = word_set(
    """
    case cases situation situations condition conditions point points area areas part parts
    side sides effect effects impact impacts influence influences role roles change changes
    changed better worse best worst difference differences result results outcome outcomes
    consequence consequences detail details picture number bit deal terms play plays played
    contribute contributes contributed affect affects affected involve involves involved
    relate relates related concern concerns apply applies applied occur occurs occurred happen
    happens happened exist exists existed work works worked help helps helped improve improves
    improved look looks looked seem seems seemed appear appears appeared tend tends become
    becomes became remain remains get gets got make makes made go goes went come comes came
    lead leads led cause causes caused mean means take takes took taken consider considered
    considering account say says said show shows shown suggest suggests done doing handle handled
    handling process processed processes processing perform performed carry carried use used using
    proceed proceeded dealt follow follows followed obtain obtained gather gathered everything step
    steps action actions activity activities operation operations procedure procedures method
    methods technique techniques approach approaches measure measures task tasks item items input
    inputs data information rest remaining adjustment adjustments tweak tweaks correction
    corrections modification modifications improvement improvements check checks test tests
    calculation calculations computation computations analysis analyses preparation preparations
    fix fixes מקרה מקרים מצב מצבים
    עניין עניינים תנאי תנאים נקודה נקודות תחום תחומים חלק חלקים צד צדדים השפעה השפעות תפקיד
    שינוי שינויים הבדל הבדלים תוצאה תוצאות פרט פרטים דרך תורם תורמת תורמים תורמות משפיע משפיעה
    משפיעים משפיעות משחק משחקת משחקים קשור קשורה קשורים קורה קורים קיים קיימת קיימים קיימות
    עובד עובדת עוזר עוזרת עוזרים נראה נראית נראים נראות נעשה הופך מוביל מובילה מובילים גורמת
    סך הכול הכל בוצע בוצעה בוצעו ביצעתי ביצענו נעשתה נעשו עשיתי עשינו טופל טופלה טופלו טיפלתי
    טיפלנו ננקטו נקטתי נקטנו פעלתי פעלנו השתמשתי השתמשנו פעולה פעולות צעד צעדים הליך הליכים תהליך
    תהליכים עיבוד שיטה שיטות מידע נתונים התאמה התאמות תיקון תיקונים בדיקה בדיקות חישוב חישובים
    שינויים
    """
)
"""Words that may be said of any subject."""
_FUNCTION = word_set(
    """
    a an the this that these those it its it's that's there there's here he she they them
    their his her we our i you your which who what where when how why and or but so then thus
    therefore hence also too as at by for from in into of off on onto out over to toward up
    with within about across after before because since while if although though be is are was
    were been being am has have had do does did can could may might must shall should will
    would not very much more most less least such other others another both all any each every
    זה זו זאת אלה אלו הוא היא הם הן אני אנו אנחנו את של על אל עם אצל בין גם רק לא אבל או כי אם
    כאשר כדי לפי בגלל מפני יש אין היה הייתה היו יהיה תהיה יהיו יכול יכולה יכולים יכולות עשוי
    עשויה עשויים עשויות יותר פחות מאוד מאד כך כאן שם אז לכן ולכן כלומר לכך בכך מכך לזה בזה מזה
    עליו עליה עליהם לו לה להם בו בה בהם ממנו ממנה אחר אחרת אחרים אחרות כל דרכו
    """
)
_GENERAL = _OPEN | _UNSAID | _ANY_SUBJECT | _FUNCTION
_PREFIX_HE = re.compile(r"[והבלמשכ]{1,3}(?=\w{2})")


def is_vague(claim: str) -> bool:
    """Whether a claim says nothing definite, such as `Several factors play a role here.`

    Each of its words is a function word or fits any subject, and at least one leaves open what, how
    much or in which way. One definite word, as a name, a number or `price`, makes a claim one that
    can be judged.
    """
    words = [word.lower().replace("\u2019", "'") for word in _WORD.findall(claim)]
    forms = [_forms(word) for word in words]
    return all(not _GENERAL.isdisjoint(each) for each in forms) and any(
        not _OPEN.isdisjoint(each) or _is_unsaid(words, forms, i) for i, each in enumerate(forms)
    )


_DENIES = frozenset({"not", "no", "never", "cannot", "לא", "אין"})


def _is_unsaid(words: Sequence[str], forms: Sequence[set[str]], at: int) -> bool:
    """Whether a word says no more of what it stands beside than that it was the fitting one."""
    # That the usual method did not work can be checked.
    if _UNSAID.isdisjoint(forms[at]) or any(w in _DENIES or w.endswith("n't") for w in words):
        return False
    if words[at].isascii():
        is_beside = at + 1 < len(words) and _FUNCTION.isdisjoint(forms[at + 1])
        return is_beside or not _HOW.isdisjoint(words[max(0, at - _HOW_WORDS) : at])
    # Behind its noun, and not what is said of it: both have the article or neither.
    is_beside = at > 0 and _FUNCTION.isdisjoint(forms[at - 1])
    has_article = words[at] not in _UNSAID
    return is_beside and (has_article or not words[at - 1].startswith("ה"))


def _forms(word: str) -> set[str]:
    """A word, and what is left of a Hebrew one without letters that may be prefixes."""
    if word.isascii():
        return {word}
    most = _PREFIX_HE.match(word)
    return {word[count:] for count in range(1 + (0 if most is None else most.end()))}


_LABEL = (
    r"(?:(?:step\s*\d+|thought|plan|action|reasoning|שלב\s*\d+|מחשבה|תכנית|תוכנית)\s*[:.)-]\s*)?"
)
_OPENING = (
    r"(?:(?:so|now|ok|okay|well|first|firstly|second|secondly|third|next|then|finally|lastly|"
    r"after that|before that|to begin|to start|also)\b,?\s+)*"
)
_ACTS = (
    "add|answer|ask|begin|calculate|check|combine|compare|compute|confirm|consider|convert|count|"
    "derive|determine|divide|establish|examine|figure|find|identify|inspect|know|list|locate|"
    "look|multiply|open|query|read|recall|retrieve|review|search|see|solve|start|subtract|sum|"
    "take|think|understand|use|verify|work"
)
_HURRY = r"(?:(?:now|next|first|then|just|also|simply)\s+)?"
_WHO = r"(?:i|we)"
_ENGLISH = re.compile(
    rf"{_LABEL}{_OPENING}(?:"
    rf"{_WHO}\s+{_HURRY}(?:(?:need|have|want|plan|ought|am going|are going)\s+to\s+{_HURRY}"
    rf"(?:{_ACTS})\b|need\s+(?:the|a|an|to|its|their|both|more)\b)"
    rf"|{_WHO}(?:'m|'re)\s+going\s+to\s+{_HURRY}(?:{_ACTS})\b"
    rf"|{_WHO}(?:'ll|\s+(?:will|shall|should|must|can|could))\s+{_HURRY}(?:{_ACTS})\b"
    rf"|let(?:'s|\s+(?:me|us))\s+{_HURRY}(?:{_ACTS})\b"
    rf"|(?:the|my|our)\s+(?:(?:next|first|last)\s+)?(?:step|plan|goal|task|idea)\s+is\s+to\s+\w+"
    rf"|to\s+(?:{_ACTS})\b[^,]*,\s*{_WHO}\b"
    rf"|it\s+(?:is|'s|remains)\s+(?:best|time|necessary|needed)?\s*to\s+(?:{_ACTS})\b"
    r")",
    re.IGNORECASE,
)
_OPENING_HE = (
    r"(?:(?:קודם כול|קודם כל|קודם|תחילה|ראשית|שנית|עכשיו|כעת|אחר כך|לאחר מכן|אז|לבסוף|"
    r"בשלב הבא|בשלב ראשון|לסיום)\s*,?\s+)*"
)
_ACTS_HE = (
    "לאתר|לבדוק|לבחון|לברר|לגלות|לדעת|להבין|להוסיף|להמיר|להשוות|לחבר|לחלק|לחסר|לחפש|לחשב|"
    "לכפול|למצוא|לספור|לעיין|לקרוא|לראות"
)
_FUTURE_HE = (
    "אאתר|אבדוק|אבחן|אברר|אוסיף|אחבר|אחלק|אחסר|אחפש|אחשב|אכפול|אמצא|אספור|אקרא|אשווה|"
    "נאתר|נבדוק|נברר|נוסיף|נחבר|נחסר|נחפש|נכפול|נספור|נשווה"
)
_HEBREW = re.compile(
    rf"{_LABEL}{_OPENING_HE}(?:"
    rf"(?:(?:אני|אנחנו|אנו)\s+)?(?:צריך|צריכה|צריכים|רוצה|רוצים|נצטרך|אצטרך|עליי|עלי|עלינו|"
    rf"יש|כדאי|נשאר|נותר|חייב|חייבים)\s+(?:{_ACTS_HE})\b"
    rf"|(?:{_FUTURE_HE})\b"
    r"|(?:בוא|בואו|הבה)\s+\w+"
    rf"|כדי\s+(?:{_ACTS_HE})\b[^,]*,\s*(?:אני|אנחנו|אנו|צריך|יש|נ\w+|א\w+)\b"
    r")"
)
_RESULT = re.compile(
    r"=|\bthat\b|\b(?:which|this|it)\s+(?:gives|makes|is|equals|means|leaves|yields)\b"
    r"|\bso\s+(?:the|it|that|there)\b|\b(?:because|since)\b|[;:].*\d|ולכן|שזה|כלומר|שווה|מכיוון",
    re.IGNORECASE,
)


def is_plan(sentence: str) -> bool:
    """Whether a sentence only says what its writer is going to do, and gives no result.

    What is not surely a plan, such as `I need the price of a ticket first.`, asserts something.
    """
    text = sentence.strip().replace("\u2019", "'")
    begins = _ENGLISH.match(text) or _HEBREW.match(text)
    return begins is not None and _RESULT.search(text, begins.end()) is None


@dataclass(frozen=True, slots=True)
class StepClaims:
    """What one step claims, or why it claims nothing.

    `claims` assert something definite. Where there are none, `is_vague` says that some are too
    vague; else `non_assertive` is the kind of the step's first sentence, or `is_plan`; neither,
    where it has no words. `result` is what came back of a call of a tool, which claims nothing;
    None: the step is no call.
    """

    text: str
    claims: tuple[Claim, ...]
    non_assertive: NonAssertive | None = None
    is_plan: bool = False
    is_vague: bool = False
    result: str | None = None

    @property
    def premise(self) -> str:
        """What may be concluded from: the step, or what a tool returned; empty if nothing."""
        if self.result is None:
            return self.text.strip() if self.claims else ""
        return f"{self.text}: {self.result.strip()}" if self.result.strip() else ""


def claims_of_steps(
    steps: Sequence[str],
    include_non_assertive: bool,
) -> tuple[StepClaims, ...]:
    """What each step claims; on demand every sentence is a claim, whatever it does."""
    return tuple(_claims_of(step, include_non_assertive=include_non_assertive) for step in steps)


def _claims_of(step: str, *, include_non_assertive: bool) -> StepClaims:
    found = extract_claims(step)
    # Some of them count as talk about the answer or as instructions, too.
    plans = [
        claim.non_assertive is not NonAssertive.QUESTION and is_plan(claim.content)
        for claim in found
    ]
    asserted = [
        claim
        for claim, plan in zip(found, plans, strict=True)
        if include_non_assertive or not (plan or claim.non_assertive)
    ]
    claims = tuple(
        claim for claim in asserted if include_non_assertive or not is_vague(claim.content)
    )
    if claims or asserted or not found:
        return StepClaims(step, claims, is_vague=bool(asserted) and not claims)
    return StepClaims(step, (), None if plans[0] else found[0].non_assertive, is_plan=plans[0])
