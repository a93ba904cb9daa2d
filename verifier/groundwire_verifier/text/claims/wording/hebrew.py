"""Hebrew words by what they do in a sentence. Data only."""

from groundwire_verifier.text.claims.wording.sentence import word_set

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
    "הורד הורידו העלה העלו העתק העתיקו הדבק הדביקו הכנס הכניסו הגדר הגדירו שנו בדקו בדקי ודא "
    "ודאו וודאו המתן המתינו חכו חכה צרו פנו גשו היכנסו הירשמו התחברו השתמשו הריצו הרץ אתחלו אתחל "
    "חברו נתקו נתק שלחו שלחי שימו זכרו עברו עיינו עיין הקישו הקש ערבבו חתכו בשלו אפו הניחו קחו "
    "תנו לכו בואו בוא עשו נסו הקפידו הימנעו אפשרו השביתו גבו שטפו עטפו ספגו החליפו החליפי קצצו "
    "מזגו יצקו מרחו לושו הרתיחו הוציאו הרכיבו הדליקו הכינו הגישו צרפו התייעצו"
)
SURE_IMPERATIVES = word_set(
    "פזרו מלאו חממו קלפו סננו טגנו נגבו כסו ייבשו יבשו היכנסו היכנסי הירשמו הימנעו היעזרו גשו "
    "נסו קחו תנו לכו צרו שימו גללו קח נסה נסי קחי תני לכי שימי"
)
"""Imperatives that no past form is written like, as `פיזרו` has one letter more than `פזרו`."""

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
    "החלף": word_set("את"),
}
"""Forms that are imperatives only before certain words: `לחץ על`, but `לחץ הדם`."""

AMBIGUOUS = word_set(
    "העלה העלו ראה ראו קראו עברו שמרו כתבו בחרו מחקו פתחו סגרו שלחו בדקו נתק גבו עשו תנו צרו"
)
"""Imperatives that are also a past form or a noun; they need no subject behind them."""

NO_IMPERATIVES = word_set("אחרי לפני אולי ודאי בוודאי כדאי רצוי מי היום היטיבו")
"""Words with the form of an imperative."""

READER = word_set(
    "לכם לך שלכם שלך אתכם אותך אתם אתה עצמכם עצמך בעצמכם בעצמך עליכם עליך אליכם אליך שאתם שאתה מראש"
)
"""Words for whom an order is given to; `מראש` (ahead) goes with one."""

TURNING = word_set("פנו פנה פני התקשרו התקשר התקשרי")
"""Imperatives behind a condition and before `ל`; elsewhere they tell who turned to whom."""

ORDER_LEADS = word_set("אז כעת עכשיו לבסוף בסוף לדעתי ראשית שנית שלישית תחילה")
"""Words before an instruction; so are `אחר כך` and what a comma ends: `כעבור שעה, `."""

POLITE = word_set("נא אנא בבקשה")
NEGATIVE_IMPERATIVES = word_set("אל")
NEVER = word_set("לעולם תמיד")
OBLIGATIONS = word_set("יש אין אסור חובה כדאי רצוי מומלץ")
"""Before an infinitive: an instruction to everyone."""

INFINITIVES = word_set(
    "לבטל לשלם לעדכן לאשר לוודא לנתק לחבר לאתחל לבצע לקבל לצרף לתת לקחת לשים לגשת לגעת לצאת "
    "לעיין ללחוץ למלא לבדוק לשמור למחוק לכתוב לסגור לפתוח לבחור לקרוא לשלוח לחכות לנקות לשנות "
    "לעשות לזוז לדאוג לגלול לשכוח לאבד לכבות להחליף לבנות לגבות לשטוף לבשל לאפות לערבב לחתוך "
    "ללכת לשבת לעבור לפנות להמתין להזין להשתמש להקליד להפעיל להיכנס להירשם להתחבר להימנע ליצור "
    "לציית לחזור לאפס לסובב לחמם לקרר לנסות ליטול לבלוע ללעוס לשתות להזריק"
)
OPINIONS = word_set(
    "להניח לשער להאמין לקוות לצפות להבין להדגיש לציין לזכור לומר לחשוב להודות להסיק להצטער"
)
"""Infinitives behind `יש` that ask nobody to do anything."""

OBJECTS = word_set("את אותו אותה אותם כאן פעמיים אם האם היטב לי לנו הכל")
REFERENCES = {
    form: word_set("איור טבלה תרשים סעיף עמוד נספח פרק גם להלן לעיל")
    for form in ("ראה", "ראו", "ראי")
}
LETTERS = {
    **dict.fromkeys(("לחצו", "לחצי", "הקישו", "הקש"), ("על",)),
    **dict.fromkeys(("השתמשו", "עיינו", "עיין"), ("ב",)),
    **dict.fromkeys(("היכנסו", "גשו", "לכו", "התחברו", "הירשמו"), ("ל", "אל")),
    **dict.fromkeys(("נסו", "הקפידו"), ("ל", "על")),
    **dict.fromkeys(("שימו", "זכרו"), ("ל", "ש")),
    **dict.fromkeys(("הימנעו",), ("מ",)),
    "התייעצו": ("עם",),
}
"""What the word behind an imperative starts with."""

COPULAS = word_set("הוא היא הם הן")
PRONOUNS = word_set("הוא היא הם הן זה זו אלה אני אנחנו")

PASTS = word_set(
    "נולד נולדה נולדו נפטר נפטרה נפטרו מת מתה מתו גדל גדלה למד למדה כתב כתבה פרסם פרסמה הקים "
    "הקימה ייסד ייסדה עבר עברה הפך הפכה זכה זכתה שימש שימשה כיהן כיהנה נבחר נבחרה התחתן "
    "התחתנה עלה עלתה היגר היגרה חי חיה עבד עבדה מונה מונתה פרש פרשה נבנה נבנתה נהרס נהרסה "
    "הוקם הוקמה נוסד נוסדה נסגר נסגרה נפתח נפתחה נמכר נמכרה הוביל הובילה ניצח ניצחה נרצח "
    "נרצחה נקבר נקברה התגורר התגוררה"
)

SUBORDINATORS = word_set("אם כאשר כש כי אשר למרות בגלל לאחר לפני אילו לו")
TIES = SUBORDINATORS | word_set("אמר אמרה טען טענה לפי לדברי")
SCOPES = word_set(
    "לא אין אינו אינה אינם איננו כמעט אף רק גם בלי ללא לפני אחרי לאחר בזמן אם האם כמו טרם מעולם "
    "ייתכן יתכן אולי כנראה לכאורה נראה ככל הנראה לדעתי יכול על עד כל רוב מעט אולם אז בעת"
)
"""Words before a verb that change what it says, so no subject may be taken from there."""
