"""Hebrew words by what they do in a sentence. Data only."""

from verifier.claims.words import word_set

QUESTION_PARTICLES = word_set("האם")
QUESTION_WORDS = word_set("איך כיצד הכיצד למה מדוע מתי איפה היכן לאן מאין איזה איזו אילו")
OPEN_WORDS = word_set("מה מי כמה את-מי")
"""Question words that also start statements, such as `מה שקרה`."""

PREDICATES = word_set(
    "היה הייתה היתה היו אינו אינה אינם לא-ידוע מתועד מתועדת ידוע ידועה ברור ברורה שנוי השפיע "
    "נותר נותרה נשאר הוכח מוסבר מוסברת תלוי תלויה חשוב"
)
"""Words that give a clause with a question word a predicate of its own."""

RELATIVE_EXCEPTIONS = word_set(
    "של שם שלום שנה שנים שני שתי שלוש שלושה שעה שעות שר שרה שמש שמיים שער שוק"
)
"""Words with an initial ש of their own."""

IMPERATIVES = word_set(
    "לחצו לחצי הפעל הפעילו הפעילי הקלד הקלידו הקלידי הזן הזינו הזיני פתחו פתחי סגרו סגרי בחרו "
    "בחרי שמרו שמרי מחקו מחקי כתבו כתבי קראו קראי ראו ראי ראה הוסף הוסיפו הסר הסירו התקן התקינו "
    "הורד הורידו העלה העלו העתק העתיקו הדבק הדביקו הכנס הכניסו הגדר הגדירו שנו בדקו בדקי "
    "ודא ודאו וודאו המתן המתינו חכו חכה צרו פנו גשו היכנסו הירשמו התחברו השתמשו הריצו הרץ אתחלו "
    "אתחל חברו נתקו נתק שלחו שלחי שימו זכרו עברו עיינו עיין הקישו הקש ערבבו חתכו בשלו אפו הניחו "
    "קחו תנו לכו בואו בוא עשו נסו הקפידו הימנעו אפשרו השביתו גבו"
)
IMPERATIVES_BEFORE = {
    "לחץ": word_set("על כאן פעמיים לחיצה"),
    "פתח": word_set("את"),
    "שנה": word_set("את"),
    "סגור": word_set("את"),
    "בחר": word_set("את ב באפשרות"),
    "שמור": word_set("את על"),
    "מחק": word_set("את"),
    "כתוב": word_set("את"),
    "קרא": word_set("את"),
    "בדוק": word_set("את אם האם"),
    "שלח": word_set("את"),
    "שים": word_set("את לב"),
    "חבר": word_set("את"),
    "גבה": word_set("את"),
}
"""Forms that are imperatives only before certain words: `לחץ על`, but `לחץ הדם`."""

AMBIGUOUS = word_set(
    "העלה העלו ראה ראו קראו עברו שמרו כתבו בחרו מחקו פתחו סגרו שלחו בדקו נתק גבו עשו תנו צרו"
)
"""Imperatives that are also a past form or a noun; they need no subject behind them."""

POLITE = word_set("נא אנא בבקשה")
NEGATIVE_IMPERATIVES = word_set("אל")
NEVER = word_set("לעולם תמיד")
OBLIGATIONS = word_set("יש אין אסור חובה")
"""Before an infinitive: an instruction to everyone."""

INFINITIVES = word_set(
    "לבטל לשלם לעדכן לאשר לוודא לנתק לחבר לאתחל לבצע לקבל לצרף לתת לקחת לשים לגשת לגעת לצאת לעיין"
)
NO_INFINITIVES = word_set(
    "להם להן לכולם למרות לפחות לדעת להיות לחנות למשפחות לחברות למדינות לקבוצות"
)

PASTS = word_set(
    "נולד נולדה נולדו נפטר נפטרה נפטרו מת מתה מתו גדל גדלה למד למדה כתב כתבה פרסם פרסמה הקים "
    "הקימה ייסד ייסדה עבר עברה הפך הפכה זכה זכתה שימש שימשה כיהן כיהנה נבחר נבחרה התחתן "
    "התחתנה עלה עלתה היגר היגרה חי חיה עבד עבדה מונה מונתה פרש פרשה נבנה נבנתה נהרס נהרסה "
    "הוקם הוקמה נוסד נוסדה נסגר נסגרה נפתח נפתחה נמכר נמכרה הוביל הובילה ניצח ניצחה נרצח "
    "נרצחה נקבר נקברה התגורר התגוררה"
)

SUBORDINATORS = word_set("אם כאשר כש כי אשר למרות בגלל לאחר לפני אילו לו")

GREETINGS = frozenset(
    {
        "שלום",
        "היי",
        "תודה",
        "תודה רבה",
        "בטח",
        "כמובן",
        "בוודאי",
        "שאלה מצוינת",
        "כן",
        "לא",
        "בשמחה",
    }
)
CLOSINGS = ("מקווה שעזרתי", "אשמח לעזור", "אני מקווה שזה עוזר")
