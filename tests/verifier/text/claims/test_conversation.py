"""Which questions go on with the one before, and which claims need their question."""

import pytest

from groundwire_verifier.text.claims.conversation import (
    is_follow_up,
    is_option,
    leans_back,
    leans_on_value,
    points_back,
    question_of,
    with_option,
)
from groundwire_verifier.text.claims.wording.sentence import is_english

PRICE, CHILDREN, SUNDAY = "What does a ticket cost?", "And for children?", "What about Sundays?"
MOST = 1000


@pytest.mark.parametrize(
    "question",
    [
        "And for children?",
        "and on Sundays?",
        "Or by bus?",
        "But why?",
        "What about dogs?",
        "How about in winter?",
        "For children?",
        "Since when?",
        "Why?",
        "When was he born?",
        "Does it open on Mondays?",
        "How much do those cost?",
        "ולילדים?",
        "ומה המחיר ביום ראשון?",
        "מה עם כלבים?",
        "לילדים?",
        "בשבת בבוקר?",
        "מתי היא נולדה?",
        "למה?",
        "גם בחורף?",
        "Sundays?",
        "Under sixes?",
        "the price?",
        "and dogs?",
        "כלבים?",
        "חיות מחמד?",
        "ובחגים?",
        "Et les chiens ?",
        "Und sonntags?",
        "¿Y los perros?",
    ],
)
def test_what_cannot_be_understood_alone_goes_on_with_the_question_before(question: str) -> None:
    assert is_follow_up(question)


@pytest.mark.parametrize(
    "question",
    [
        "What does a ticket for children cost?",
        "Who won?",
        "Dogs allowed inside the old museum?",
        "Thank you!",
        "Population of Lyon",
        "When was Ada Moreno born?",
        "Does the museum open on Mondays?",
        "Why is the bridge closed?",
        "In which year did the bridge open?",
        "Andorra has how many people?",
        "כמה עולה כרטיס לילדים?",
        "מתי נולדה עדה מורנו?",
        "ועדת הערר יושבת בחיפה?",
        "למה הגשר סגור?",
        "מה השעה?",
        "",
        "?!",
    ],
)
def test_a_whole_question_stands_alone(question: str) -> None:
    assert not is_follow_up(question)


@pytest.mark.parametrize(
    "claim",
    [
        "It opens at nine.",
        "It's open on Sundays.",
        "They cost six euros.",
        "Yes, it is 330 m high.",
        "She designed three of them.",
        "That was in 1932.",
        "הוא נפתח בתשע.",
        "כן, היא נולדה ב-1932.",
        "זה עולה שישה אירו.",
    ],
)
def test_a_claim_that_begins_with_a_pronoun_needs_its_question(claim: str) -> None:
    assert points_back(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "The museum opens at nine, and it closes at five.",
        "Children pay six euros.",
        "Italy has twenty regions.",
        "No dogs are allowed.",
        "המוזיאון נפתח בתשע.",
        "ילדים משלמים שישה אירו.",
        "",
    ],
)
def test_a_claim_with_a_subject_of_its_own_does_not(claim: str) -> None:
    assert not points_back(claim)


@pytest.mark.parametrize(
    ("claim", "leans"),
    [
        ("Three days later he sold it.", True),
        ("Both moved to Kent in 1950.", True),
        ("The former burned down.", True),
        ("Known for her songs.", True),
        ("Works at the harbour.", True),
        ("Son frère mourut.", True),
        ("Nació en Sevilla.", True),
        ("1960 zog sie um.", True),
        ("Его брат умер.", True),
        ("彼女は笑った。", True),
        ("שניהם עזבו.", True),
        ("גר בחיפה.", True),
        ("מאוחר יותר שר באופרה.", True),
        ("Clara Voss saw her brother.", False),
        ("The old mill burned down.", False),
        ("Clara Voss starb 1950.", False),
        ("Клара Фосс умерла.", False),
        ("דנה לוי נולדה בחיפה.", False),
        ("רון נולד בחיפה.", False),
    ],
)
def test_a_claim_without_a_subject_of_its_own_leans_on_the_one_before(
    claim: str, leans: bool
) -> None:
    assert leans_back(claim, is_in_english=is_english(claim)) is leans


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Tickets are not sold on board. Bicycles travel free.", True),
        ("If you cycle, leave early.", True),
        ("Bikes take about an hour.", True),
        ("Sie wohnt in Bonn, ist aber oft in Rom.", False),
        ("Hij woont in Gent of in Brugge en was arts.", False),
        ("Muzeul are trei etaje si un parc.", False),
        ("De by har en havn for skibe.", False),
        ("Has ido a ver la casa de mi tio.", False),
        ("Questa casa non ha un giardino.", False),
    ],
)
def test_english_is_told_by_words_that_no_other_language_has(text: str, english: bool) -> None:
    assert is_english(text) is english


@pytest.mark.parametrize(
    ("claim", "leans"),
    [
        ("That summer the bridge fell.", True),
        ("Three weeks later the bridge fell.", True),
        ("The following spring the bridge fell.", True),
        ("באותו קיץ נפל הגשר.", True),
        ("The bridge fell in May.", False),
        ("הגשר נפל במאי.", False),
    ],
)
def test_a_claim_may_be_placed_by_the_value_before(claim: str, leans: bool) -> None:
    assert leans_on_value(claim) is leans


@pytest.mark.parametrize(
    ("question", "turns", "whole"),
    [
        ("", [], ""),
        ("", ["  ", "\n"], ""),
        ("", [PRICE], PRICE),
        ("", ["Hello!", PRICE], PRICE),
        ("", [PRICE, CHILDREN], f"{PRICE} {CHILDREN}"),
        ("", [PRICE, CHILDREN, SUNDAY], f"{PRICE} {CHILDREN} {SUNDAY}"),
        ("", ["Where is the museum?", PRICE, CHILDREN], f"{PRICE} {CHILDREN}"),
        ("", [CHILDREN], CHILDREN),
        (CHILDREN, [PRICE], f"{PRICE} {CHILDREN}"),
        (CHILDREN, [PRICE, CHILDREN], f"{PRICE} {CHILDREN}"),
        (PRICE, ["Where is the museum?"], PRICE),
        (CHILDREN, [], CHILDREN),
        ("", ["כמה עולה כרטיס?", "ולילדים?"], "כמה עולה כרטיס? ולילדים?"),
        ("", [PRICE, "dogs?"], f"{PRICE} dogs?"),
        ("", ["כמה עולה כרטיס?", "חיילים?"], "כמה עולה כרטיס? חיילים?"),
    ],
)
def test_the_question_of_an_answer_is_whole(question: str, turns: list[str], whole: str) -> None:
    assert question_of(question, turns, MOST) == whole


def test_of_a_long_turn_its_last_question_is_read() -> None:
    turn = f"{'I was there last year. ' * 50}Is it far? {PRICE} I have two children."
    assert question_of("", [turn], MOST) == PRICE
    assert question_of("", ["I was there last year. " * 50], MOST) == ""


def test_what_would_make_a_question_too_long_is_left_out() -> None:
    assert question_of("", [PRICE, CHILDREN], len(CHILDREN)) == CHILDREN
    many = [*["And by bus?"] * 500, CHILDREN]
    assert len(question_of("", many, MOST)) <= MOST


def test_a_hostile_turn_takes_no_time() -> None:
    assert question_of("", ["?" * 100_000, "a" * 100_000, "it " * 33_000], MOST) == ""


@pytest.mark.parametrize(
    ("question", "answer", "read"),
    [
        ("Which day?\nA) Friday B) Saturday", "B)", "B) Saturday"),
        ("Which day?\n(a) Friday\n(b) Saturday", "a", "a) Friday"),
        ("Is it 1. red, or 2. blue?", "Option 1.", "1) red"),
        ("מתי?\nא. שישי\nב. שבת", "ב.", "ב) שבת"),
        ("Which day?\nA) Friday B) Saturday", "C)", "C)"),
        ("Who is it?", "B", "B"),
        ("Which day?\nA) Friday B) Saturday", "Saturday", "Saturday"),
    ],
)
def test_an_answer_that_names_an_option_is_read_with_its_text(
    question: str, answer: str, read: str
) -> None:
    assert with_option(question, answer) == read


@pytest.mark.parametrize(("answer", "option"), [("A)", True), ("(b)", True), ("42", False)])
def test_a_letter_or_a_number_alone_is_an_option(answer: str, option: bool) -> None:
    assert is_option(answer) is option
