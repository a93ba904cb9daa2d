"""What assistants write around their facts asserts nothing; what only begins like it does."""

import pytest

from groundwire_verifier.claims.extract import extract_claims
from groundwire_verifier.domain.claims import NonAssertive

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
        "I couldn't find the price, so please double-check the page.",
        # Pointing to a source, to a part of the answer, or to what was asked.
        "The passage you shared covers this directly.",
        "The table below shows what the owner paid.",
        "Below you'll find a short overview.",
        "Source: table in document 2.",
        "See also: windmills, watermills",
        "That is all the passage says about the mill.",
        'You asked: "Who built the mill?"',
        "The text is silent on this point.",
        "His age is not mentioned.",
        "No further details are given in the passage.",
        "That's a really interesting question.",
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
    ],
)
def test_talk_of_the_answer_is_no_claim(text: str) -> None:
    assert set(reasons(text)) == {NonAssertive.LEAD_IN}


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


def test_a_title_may_say_whose_or_how_behind_a_colon() -> None:
    assert reasons("The rent: your situation")[0] is NonAssertive.HEADING
