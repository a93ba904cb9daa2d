"""What assistants write around their facts asserts nothing; what only begins like it does."""

import pytest

from groundwire_verifier.domain.claims import NonAssertive
from groundwire_verifier.text.claims.extract import extract_claims

BELOW = "\n\nThe mill was built in 1790 [1]."
"""A paragraph below: a line over it may be its title."""


def reasons(text: str) -> list[NonAssertive | None]:
    return [claim.non_assertive for claim in extract_claims(text + BELOW)][:-1]


@pytest.mark.parametrize(
    "text",
    [
        # What a comma or a regret sets off before talk.
        "Absolutely, I can help with that!",
        "You're right, I mixed up the two mills.",
        "Apologies for the confusion in my last message.",
        "My apologies for the mistake.",
        # What the answer did, did not do, is not, and would do.
        "I've gone through the abstract, and here is what stands out.",
        "I haven't tested this code.",
        "I'm not a doctor, and this is not medical advice.",
        "A quick note before we start: I'm not a lawyer.",
        "If the roof is sound, I'd go for the mill.",
        "I recommend the second one.",
        "I can send the list to you.",
        # Pointing to a source, to a part of the answer, or to what was asked.
        "The passage you shared covers this directly.",
        "The table below shows what the owner paid.",
        "Below you'll find a short overview.",
        "Source: table in document 2.",
        "See also: windmills, watermills",
        "That is all the passage says about the mill.",
        'You asked: "Who built the mill?"',
        "The text is silent on this point.",
        "No further details are given in the passage.",
        "Q1.",
        # Hebrew.
        "עברתי על הקטע שצירפת.",
        "לא הרצתי את הקוד.",
        "צדקת, טעיתי בשם הטחנה.",
        "אם יש לך מסמך נוסף, אשמח לבדוק גם אותו.",
        "מצטער, אבל אין לי מידע על כך במקורות שקיבלתי.",
        "אני מודל שפה ולא רופא.",
        "אני כאן אם משהו לא ברור.",
        "שיהיה לך יום נהדר!",
        "סליחה על הבלבול בתשובה הקודמת.",
        "בואו נשווה בין השניים.",
        "מקור: מסמך 1.",
        "לא ניתן לדעת זאת מהטקסט.",
        # What it did to the text, will do, or was asked, told by the verb's form.
        "השמטתי את השורות הריקות.",
        "שימו לב: עיגלתי את התוצאה.",
        "אסביר בעזרת דוגמה.",
        "קל מאוד, בואו נעשה את זה ביחד.",
        "אני מעדיף לא להביע דעה פוליטית.",
        "איני רשאית למסור פרטים על לקוחות אחרים.",
        "ביקשת להבין מהי טחנה.",
        'הטענה שהבאת היא "הטחנה נשרפה".',
        "אם תעלו מסמך נוסף, אנסה שוב.",
        "דברו איתי אם תרצו פרטים נוספים.",
        "קשה לי להכריע על סמך המקור הזה בלבד.",
        "אין בידי פירוט של החיובים.",
        # What the sources leave out, without a negation, or without a source's name.
        "שם הבעלים נעדר מן הטקסט.",
        "המקור לא תומך בכך.",
        "זה לא כתוב.",
        "זה מה שניתן ללמוד מן הכתבה.",
        # Wishes and compliments.
        "טיסה נעימה ונחיתה רכה!",
        "איזה מהפך!",
        # English of the same kinds.
        "I left out the dosing numbers on purpose.",
        'You quoted the claim "the mill burned".',
        "Your source doesn't back that up.",
        "This overview rests on a single article.",
        "Fingers crossed!",
        # The window that it is read in.
        "Use the button below to book a room.",
        "You can use the form below.",
        "Let me know.",
        "Let me know which one you prefer.",
        "See the table above.",
        "See Table 2 above.",
        "The table above lists the opening hours.",
        "Click here to download the form.",
        "Tap the icon in the top right corner of this chat.",
        "Scroll down to see the rest.",
        "You can find the full list below.",
        "Please select one of the options below.",
        'Type "more" to see further results.',
        "השתמשו בכפתור שלמטה.",
        "ראו את הטבלה לעיל.",
        "הטבלה שלעיל מציגה את המחירים.",
        "לחצו כאן כדי להוריד את הטופס.",
        "אפשר למצוא את הרשימה המלאה למטה.",
    ],
)
def test_talk_of_the_answer_is_no_claim(text: str) -> None:
    assert set(reasons(text)) <= {NonAssertive.LEAD_IN, NonAssertive.ABSENCE}


@pytest.mark.parametrize(
    "text",
    [
        "No, the mill was never built.",
        "Hope is a town in Arkansas.",
        "Sorry for Party Rocking is an album by LMFAO.",
        "Here is where Napoleon died.",
        "That is all that remains of the castle.",
        "This is not legal tender in France.",
        "Source: Lake Itasca",
        "The table below the window was sold in 1990.",
        "The button below the bell opens the door.",
        "The link above the gate broke in 1990.",
        "As shown in the table above, the ticket costs 5 euros.",
        "The table above shows that prices fell.",
        "Temperatures below 5 degrees are common.",
        "The steps above apply to version 2.3.",
        "הכפתור שמתחת לפעמון פותח את הדלת.",
        "כפי שמופיע בטבלה לעיל, הכרטיס עולה 5 אירו.",
        "The text says that he left in 1950.",
        "The document covers the years 1990 to 2000.",
        "The treaty is silent on fishing rights.",
        "I didn't serve in the army.",
        "I'm not eligible for a refund.",
        "I'd have been charged a fee.",
        "סליחה הוא סרט משנת 1998.",
        "אני הוא ספר של יורם קניוק.",
        "אוכל רחוב נפוץ בתאילנד.",
        "מקור: הרי לבנון",
        "כתבת השער עסקה בטחנות של העיר.",
        "לניו זילנד אין חוקה כתובה אלא שני מסמכים חשובים.",
        "נראה לי שהטחנה נסגרה.",
        "בדקתי שהטחנה סגורה.",
        "ברוס לי גדל בהונג קונג.",
        "המבצר נפל בידי הצרפתים!",
        "אם תעלו במדרגות, אנשים רבים יראו אתכם.",
        "I left the town in 1990.",
        "You may keep the house.",
    ],
)
def test_what_only_begins_like_talk_is_a_claim(text: str) -> None:
    assert None in reasons(text)


@pytest.mark.parametrize(
    "text",
    [
        "Gradually add the milk until the batter is smooth.",
        "Write down your goals and the results you want.",
        "Blot it with a clean cloth, but don't rub.",
        "Freeze whatever you don't eat.",
        "Once bubbles form, flip and cook the other side for a minute.",
        "Get at least three quotes before you decide.",
        "Pass `start=1` if you want to count from one.",
        "Bake for 25 minutes.",
        "Try restarting the app.",
        "Be careful with hot oil.",
        "Talk to a lawyer if you are unsure.",
        "Just shout if you need more.",
        "You may want to consult the page of the town.",
        "שטפו את העלים במים קרים.",
        "אחר כך פזרו מלח על הכתם.",
        "החליפו את השמות בשמות שלכם.",
        "לדעתי כדאי לבחור ברכבת.",
        "אם לא קיבלת תשובה, פנה למוקד.",
        "1. לשבור את הביצים לתוך הרוטב.",
        "1. מכסים ומבשלים עוד חמש דקות.",
        "1. עצור במקום ישר ומואר.",
        "1. החלף את הגלגל.",
        "היזהרו מאוד לפני שאתם לוחצים.",
        "הזמינו מקום שישה שבועות מראש.",
        "עדכני את מערכת ההפעלה.",
        "סגור את הדלת.",
        "לא לזוז בזמן החשיפה!",
        "Whatever you do, don't puncture it.",
        "Right, let's get into it.",
    ],
)
def test_more_forms_of_instructions_are_known(text: str) -> None:
    assert set(reasons(text)) == {NonAssertive.INSTRUCTION}


@pytest.mark.parametrize(
    "text",
    [
        "Never give honey to babies, because it can cause botulism.",
        "Compare both pages, as prices differ between them.",
        "Avoid the fridge – starch goes stale fastest just above freezing.",
        "You may want to claim it, but it ended in 2020.",
        "אל תניחו בזיליקום במקרר – הקור משחיר את העלים.",
        "אל תניחו אותו בשמש כי הוא נמס.",
    ],
)
def test_a_reason_behind_an_instruction_is_verified(text: str) -> None:
    assert None in reasons(text)


@pytest.mark.parametrize(
    "text",
    [
        "Simply put, plants eat light.",
        "Freeze dates vary by region.",
        "Chop suey is a dish of American Chinese cuisine.",
        "Bake sales for 20 towns raised 500 dollars.",
        "Work and travel programmes started in 1961.",
        "Early frost damaged the crops.",
        "הכינו את התוכנית ב-1990 שני מהנדסים.",
        "פנו לבית המשפט 40 תושבים.",
        "בסוף המלחמה נסגר המפעל.",
        "מחברים ומשוררים גרו בעיר.",
        "זכור שהטחנה נסגרה.",
        "הגיעו החבילות שלכם.",
        "אנחנו יכולים להגן על העיר שלך.",
        "הבטחנו לכם שהטחנה תיבנה.",
        "תוכלו להשאיר את הכתובת שלכם.",
        "היינו בעיר שלכם.",
        "1. כתב את הספר בכלא.",
        "1. הקים את הטחנה.",
        "1. ייסד את החברה.",
    ],
)
def test_what_only_begins_like_an_instruction_is_a_claim(text: str) -> None:
    assert None in reasons(text)


@pytest.mark.parametrize(
    "title",
    [
        "Summary", "**3) Booking**", "Step 1: Paperwork", "Frequently asked questions",
        "המלצה", "מה חשוב לדעת", "3. הזמנה", "שלב 1: איסוף מסמכים",
    ],
)  # fmt: skip
def test_a_short_line_over_a_full_one_is_a_title(title: str) -> None:
    text = (
        "הכרטיס עולה 90 אירו."
        if not title.lower().islower()
        else "A ticket to the old town costs 90 euros."
    )
    assert reasons(f"{title}\n{text}") == [NonAssertive.HEADING, None]


@pytest.mark.parametrize(
    "text",
    ["Paris\nLondon\nRome", "The tower of\nthe old town was sold.", "2013\nThe mill was sold.",
     "Capital: Paris\nThe city lies on the Seine."],
)  # fmt: skip
def test_lines_that_go_on_are_no_titles(text: str) -> None:
    assert set(reasons(text)) == {None}


@pytest.mark.parametrize(
    ("title", "below"),
    [
        ("Stage one: the soil", "Mix compost with sand."),
        ("צעד ראשון – הבצק", "משוך בעדינות כל צד."),
    ],
)
def test_what_stands_below_the_title_of_a_step_is_a_step(title: str, below: str) -> None:
    found = reasons(f"{title}\n{below}")
    assert found == [NonAssertive.HEADING, NonAssertive.INSTRUCTION]


def test_a_title_with_a_colon_stands_apart_over_another_title() -> None:
    assert reasons("Rome: the long end\n\nThe siege")[0] is NonAssertive.HEADING
    assert reasons("Capital: Rome\nRiver: Tiber") == [None, None]


def test_bold_words_over_lines_with_labels_are_a_title() -> None:
    assert reasons("**Facts**\nBorn: 1922\nDied: 1990") == [NonAssertive.HEADING, None, None]
