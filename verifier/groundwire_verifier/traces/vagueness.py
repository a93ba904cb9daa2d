"""Claims that are too vague to be judged, such as `Several factors play a role here.`

Such a claim says nothing definite: each of its words is a function word or fits any subject, and at
least one leaves open what, how much or in which way. One definite word, as a name, a number or
`price`, makes a claim one that can be judged.
"""

import re

from groundwire_verifier.claims.wording.sentence import word_set

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
    lot lots kind sort extent degree etc כמה מספר מסוים מסוימת מסוימים מסוימות שונים שונות
    רבים רבות דבר דברים משהו מישהו איפשהו איכשהו גורם גורמים היבט היבטים אופן אופנים דרכים
    סיבות נסיבות שיקול שיקולים תלוי תלויה תלויים תלויות משתנה כללי כללית בערך יחסית חשוב חשובה
    חשובים חשובות מעניין מעניינת מעניינים משמעותי משמעותית משמעותיים רלוונטי רלוונטית
    רלוונטיים מורכב מורכבת מורכבים סביר סבירה טוב טובה טובים טובות רע רעה מידה סוג וכדומה
    """
)
"""Words that leave open what, how much or in which way."""
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
    lead leads led cause causes caused mean means take takes took consider considered
    considering account say says said show shows shown suggest suggests מקרה מקרים מצב מצבים
    עניין עניינים תנאי תנאים נקודה נקודות תחום תחומים חלק חלקים צד צדדים השפעה השפעות תפקיד
    שינוי שינויים הבדל הבדלים תוצאה תוצאות פרט פרטים דרך תורם תורמת תורמים תורמות משפיע משפיעה
    משפיעים משפיעות משחק משחקת משחקים קשור קשורה קשורים קורה קורים קיים קיימת קיימים קיימות
    עובד עובדת עוזר עוזרת עוזרים נראה נראית נראים נראות נעשה הופך מוביל מובילה מובילים גורמת
    סך הכול הכל
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
_GENERAL = _OPEN | _ANY_SUBJECT | _FUNCTION
_PREFIX_HE = re.compile(r"[והבלמשכ]{1,3}(?=\w{2})")


def is_vague(claim: str) -> bool:
    """Whether a claim says nothing definite, and leaves open what it says."""
    forms = [_forms(word.lower().replace("\u2019", "'")) for word in _WORD.findall(claim)]
    return (
        bool(forms)
        and all(not _GENERAL.isdisjoint(each) for each in forms)
        and any(not _OPEN.isdisjoint(each) for each in forms)
    )


def _forms(word: str) -> set[str]:
    """A word, and what is left of a Hebrew one without letters that may be prefixes."""
    if word.isascii():
        return {word}
    most = _PREFIX_HE.match(word)
    return {word[count:] for count in range(1 + (0 if most is None else most.end()))}
