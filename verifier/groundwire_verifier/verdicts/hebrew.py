"""Verdicts in Hebrew."""

from groundwire_verifier.domain.claims import NonAssertive
from groundwire_verifier.verdicts.types import Reason
from groundwire_verifier.verdicts.verdict_words import Counted, FactReasons, Reasons, Warnings

WARNINGS = Warnings(
    uncertain="המקורות אינם מאשרים טענה זו, הסתברות {p1:.2f}.",
    unsupported="המקורות אינם תומכים בטענה זו.",
    contradicted="המקורות אומרים אחרת.",
    miscited="טענה זו נשענת על מקור אחר מזה שהיא מפנה אליו",
    prior_knowledge="ייתכן שזה נכון, אך זה אינו נשען על המקורות.",
    not_verified="לא ניתן היה לאמת טענה זו.",
    unknown_citation="טענה זו מפנה למקור שאינו קיים.",
    not_checked="טענה זו לא נבדקה.",
    answer_of_thoughts="אלה מחשבות של המודל בלבד: אין כאן תשובה.",
    answer_abstains="תשובה זו אומרת שהמקורות אינם עונים על השאלה.",
    answer_without_claims="לא ניתן היה לבדוק אף טענה בתשובה זו מול המקורות.",
    answer_not_grounded="חלקים רבים בתשובה דורשים בדיקה: {bad}.",
    answer_partly_grounded="חלק מהתשובה דורש בדיקה: {bad}.",
    answer_unread="התשובה לא נבדקה במלואה.",
    only_bad="הטענה היחידה שנספרה אינה מבוססת על המקורות",
    one_bad="טענה אחת מתוך {total} אינה מבוססת על המקורות",
    many_bad="{bad} מתוך {total} טענות אינן מבוססות על המקורות",
    of_which_uncertain="(לא ודאיות: {count})",
    skipped=Counted("ועוד אחת לא אומתה", "ועוד {count} לא אומתו"),
    # Without a verb, which would have to agree with the first of the kinds.
    left_out="ללא בדיקה: {kinds}.",
    verified_share="היקף האימות: {percent}% מהטקסט.",
    unverified={
        Reason.UNKNOWN_CITATION: Counted(
            "טענה אחת המפנה למקור שאינו קיים", "{count} טענות המפנות למקור שאינו קיים"
        ),
        Reason.LABEL_MASS_BELOW_FLOOR: Counted(
            "טענה אחת שהמודל לא הצליח להעריך", "{count} טענות שהמודל לא הצליח להעריך"
        ),
        NonAssertive.QUESTION: Counted("שאלה אחת", "{count} שאלות"),
        NonAssertive.INSTRUCTION: Counted("הוראה אחת", "{count} הוראות"),
        NonAssertive.HEDGED: Counted("טענה מסויגת אחת", "{count} טענות מסויגות"),
        NonAssertive.CODE: Counted("קטע קוד אחד", "{count} קטעי קוד"),
        NonAssertive.HEADING: Counted("כותרת אחת", "{count} כותרות"),
        NonAssertive.LEAD_IN: Counted("הערה אחת על התשובה", "{count} הערות על התשובה"),
        Reason.TOO_SHORT: Counted("טענה קצרה אחת", "{count} טענות קצרות"),
        Reason.BEYOND_MAX_CLAIMS: Counted(
            "טענה אחת מעבר למספר המרבי", "{count} טענות מעבר למספר המרבי"
        ),
        Reason.TOO_LONG: Counted("טענה אחת ארוכה מדי", "{count} טענות ארוכות מדי"),
        Reason.OUT_OF_TIME: Counted("טענה אחת שלא נותר לה זמן", "{count} טענות שלא נותר להן זמן"),
        Reason.BACKEND_FAILED: Counted(
            "טענה אחת שנותרה בגלל תקלה במודל", "{count} טענות שנותרו בגלל תקלה במודל"
        ),
        Reason.INTERVAL_TOO_WIDE: Counted(
            "טענה אחת שנמדדה בדיוק נמוך מדי", "{count} טענות שנמדדו בדיוק נמוך מדי"
        ),
        Reason.TOO_FEW_SAMPLES: Counted(
            "טענה אחת שהמודל השיב עליה מעט מדי פעמים",
            "{count} טענות שהמודל השיב עליהן מעט מדי פעמים",
        ),
        Reason.INCOMPLETE: Counted("טענה אחת קטועה", "{count} טענות קטועות"),
    },
    unclaimed_lines=Counted("שורה אחת ללא טענה", "{count} שורות ללא טענה"),
    language_not_covered=("כרטיס המודל אינו כולל את שפת התשובה ({language}): הפסיקות ודאיות פחות."),
)

REASONS = Reasons(
    read="הסתברות של {p1} עם המקורות ושל {p0} בלעדיהם",
    needed="נדרשת הסתברות של {needed}",
    needed_with_gap="נדרשת הסתברות של {needed}, ומותר שיחסרו {bits} ביטים",
    needed_score="נדרש ציון ביסוס מעל {least}, והציון הוא {score}",
    closed_book=", ובלי שום מקור {probability}",
    stance="; לשאלה אם המקורות אומרים זאת המודל עונה YES {yes}, NO {no}, UNSURE {unsure}",
    carried_by_others="מקורות אחרים נושאים את הטענה, אך אף אחד מהם לא לבדו",
    carried_by="מקור אחר נושא את הטענה: {named}",
    alone="{id} לבדו נותן {probability}",
    not_confirmed="לא אושר: {why}",
    decided={
        Reason.INTERVAL_TOO_WIDE: (
            "{read}, אך המדידה אינה מדויקת: עם המקורות היא בתחום {p1_range}, בלעדיהם בתחום "
            "{p0_range}; יותר דגימות, או מנוע שמוסר יותר הסתברויות, יכריעו"
        ),
        Reason.INCOMPLETE: (
            "{read}{stance}; אך התשובה מסתיימת בטענה זו, בלי הסימן שבסוף שאר המשפטים"
        ),
        Reason.BUDGET_COVERED: "{read}; {asked}",
        Reason.BUDGET_EXCEEDED: "{read}; {asked}",
        Reason.SCORE_REACHED: "{read}; {asked}",
        Reason.SCORE_MISSED: "{read}; {asked}",
        Reason.LOW_POSTERIOR: "{read}; {asked}{stance}",
        Reason.MODEL_SAYS_NO: "{read}{stance}",
        Reason.FALSE_ABSENCE: (
            "ההסתברות שנאמר בהם מה שהטענה מציגה כחסר היא {not_p1} עם המקורות, {not_p0} בלעדיהם: "
            "הם אומרים זאת"
        ),
        Reason.UNSTATED_CODE: "{read}; אך באף מקור אין {code}",
        Reason.CELL_SAYS_OTHERWISE: "{read}; אך בטבלה נאמר: {cell}",
        Reason.EVIDENCE_AGAINST: "{read}: המקורות מעידים נגד הטענה",
        Reason.EVIDENCE_UNUSED: "{read}: המקורות צריכים להוסיף יותר מ־{least_use}",
        Reason.HIGH_PRIOR: "{read}{closed_book}; {asked}: נכונה או לא, הטענה אינה נשענת על המקורות",
        Reason.OTHER_SOURCE: (
            "הסתברות של {p1} עם המקורות ושל {p0} בלי אלה שהטענה מפנה אליהם{closed_book}: {carriers}"
        ),
        Reason.CORROBORATED: (
            "הסתברות של {cited_alone} עם המקורות שהטענה מפנה אליהם לבדם{closed_book}; {asked}; "
            "מקורות אחרים אומרים אותו דבר{named}"
        ),
    },
    unread={
        Reason.UNKNOWN_CITATION: "אין מקור עם המזהה שצוין: {detail}",
        Reason.LABEL_MASS_BELOW_FLOOR: "המודל לא ענה YES או NO (מסת התוויות: {detail})",
        Reason.NON_ASSERTIVE: "אין כאן קביעה: {detail}",
        Reason.TOO_SHORT: "קצרה מ־{detail} תווים",
        Reason.TOO_LONG: "ארוכה מ־{detail} אסימונים",
        Reason.BEYOND_MAX_CLAIMS: "מעבר ל־{detail} הטענות הראשונות",
        Reason.OUT_OF_TIME: "לא נקראה לפני המועד שבו היה צריך להשיב",
        Reason.BACKEND_FAILED: "לא נקראה לפני שהמנוע נכשל",
        Reason.TOO_FEW_SAMPLES: "התקבלו רק {detail} תשובות, מעט מדי כדי לקבוע הסתברות",
        Reason.INCOMPLETE: "התשובה נקטעת באמצע הטענה",
    },
    kinds={
        NonAssertive.QUESTION: "שאלה",
        NonAssertive.INSTRUCTION: "הוראה",
        NonAssertive.HEDGED: "הסתייגות, שרמת הביטחון שלה נמוכה משל קביעה",
        NonAssertive.CODE: "קוד",
        NonAssertive.HEADING: "כותרת",
        NonAssertive.LEAD_IN: "דברים על התשובה: ברכה, או שורה שמכריזה על מה שבא אחריה",
        NonAssertive.ABSENCE: "שהמקורות אינם אומרים דבר מה",
    },
)

FACT_REASONS = FactReasons(
    carried="הראיות נושאות את העובדה: {why}",
    not_carried="הראיות אינן נושאות את העובדה: {why}",
    says_otherwise="הראיות אומרות אחרת: {why}",
    below_minimum="הראיות נושאות את העובדה ברמת ביטחון של {confidence}, מתחת ל־{least}",
    let_through="הועברה ומסומנת: {why}",
    out_of_time="לא נקראה לפני מועד ההחלטה",
    overloaded="לא נקראה, כי השרת היה עמוס מדי",
    backend_failed="לא נקראה, כי המנוע נכשל",
    stored_unverified="{why}: תישמר ללא אימות, עם רמת הביטחון שלה כפול {factor}",
)
