"""The forms of an answer: tables, lists with labels, titles, open lines, talk about the answer."""

import pytest

from groundwire_verifier.domain.claims import NonAssertive
from groundwire_verifier.text.claims.extract import extract_claims
from groundwire_verifier.text.claims.tables import MAX_CELL_CHARACTERS

TABLE = (
    "| City | Year | People |\n|---|---|---|\n| Rome | 753 [S0] | 1,000 |\n| Lyon | - | 500 [S1] |"
)


def found(text: str) -> list[tuple[str, NonAssertive | None]]:
    return [(claim.content, claim.non_assertive) for claim in extract_claims(text)]


def asserted(text: str) -> list[str]:
    return [content for content, reason in found(text) if reason is None]


def test_each_value_of_a_row_is_a_claim_with_its_subject_and_header() -> None:
    assert asserted(TABLE) == [
        "For Rome, Year is 753.",
        "For Rome, People is 1,000.",
        "For Lyon, People is 500.",
    ]


def test_the_first_value_has_the_subject_in_its_span_and_each_its_own_citations() -> None:
    _, year, people, lyon = extract_claims(TABLE)
    assert [c.span.of(TABLE) for c in (year, people, lyon)] == [
        "Rome | 753",
        "1,000",
        "Lyon | - | 500",
    ]
    assert [c.cited_ids for c in (year, people, lyon)] == [("S0",), (), ("S1",)]


def test_a_citation_behind_a_row_is_of_all_its_values() -> None:
    text = "| City | Year | People |\n|---|---|---|\n| Rome | 753 | 1,000 [S0] |"
    assert [c.cited_ids for c in extract_claims(text)] == [(), ("S0",), ("S0",)]


def test_a_column_that_counts_the_rows_is_not_the_subject() -> None:
    text = "| Rank | City | Year |\n|---|---|---|\n| 1 | Rome | 753 |"
    assert asserted(text) == ["For Rome, Rank is 1.", "For Rome, Year is 753."]


def test_a_header_that_says_nothing_is_left_out() -> None:
    text = "| Property | Value |\n|---|---|\n| Height | 330 m |"
    assert asserted(text) == ["Height: 330 m."]


def test_a_hebrew_row_is_told_in_hebrew() -> None:
    text = "| עיר | שנה |\n|---|---|\n| רומא | 753 |"
    assert asserted(text) == ["עבור רומא, הערך של שנה הוא 753."]


@pytest.mark.parametrize(
    "row", ["| Rome |", "| Rome | 753 | x | y |", f"| {'x' * (MAX_CELL_CHARACTERS + 1)} | a | b |"]
)
def test_a_row_that_does_not_fit_its_header_stays_whole(row: str) -> None:
    text = f"| City | Year | People |\n|---|---|---|\n{row}"
    assert [claim.content for claim in extract_claims(text)][1:] == [row.strip("| ")]


def test_a_pipe_in_code_or_behind_a_backslash_ends_no_cell() -> None:
    text = "| Sign | Use |\n|---|---|\n| `a|b` | x \\| y |"
    assert asserted(text) == ["For `a|b`, Use is x \\| y."]


def test_a_table_ends_where_its_rows_end() -> None:
    text = "| City | Year |\n|---|---|\n\nIt is old.\n\n| Rome | 753 |"
    assert asserted(text) == ["It is old.", "Rome | 753"]


@pytest.mark.parametrize(
    "text",
    [
        "Born: 1922\nDied: 1993\nRole: leader in the war",
        "**Born:** 1922\n**Died:** 1993\n**Role:** leader in the war",
        "- **Born**: 1922\n- **Died**: 1993\n- **Role**: leader in the war",
    ],
)
def test_lines_that_begin_with_labels_are_a_list(text: str) -> None:
    assert asserted(text) == ["Born: 1922", "Died: 1993", "Role: leader in the war"]


def test_a_line_that_only_goes_on_is_no_line_of_a_list() -> None:
    text = "The tower was built by a firm: it\nhas nine floors and the rule\nis old."
    assert len(extract_claims(text)) <= 2
    assert len(asserted("One line\ngoes on: here\nand ends.")) == 1


@pytest.mark.parametrize(
    "title",
    ["Release history of the album", "Rome vs Lyon", "How to file a claim", "**Key facts** - Rome",
     "ציר הזמן של התוכנית"],
)  # fmt: skip
def test_a_line_without_a_verb_over_others_is_a_heading(title: str) -> None:
    (_, reason), *rest = found(f"{title}\n\nThe tower is tall.")
    assert reason is NonAssertive.HEADING
    assert [reason for _, reason in rest] == [None]


@pytest.mark.parametrize(
    "text",
    ["Paris", "Whales eat krill\n\nThey are large.", "The tower is tall\n\nIt is old.",
     "Height: 330 m\n\nIt is old.", "Rome [S0]\n\nIt is old.", "1889 - opening\n\nIt is old.",
     "**The tower is tall**\n\nIt is old.", "**Answer: it rose by 5%.**\n\nIt is old.",
     "**Paris because of a bet** [S0].", "**המגדל עומד בפריז** [S0].\n\nIt is old."],
)  # fmt: skip
def test_what_may_assert_is_no_heading(text: str) -> None:
    assert found(text)[0][1] is None


@pytest.mark.parametrize(
    "text",
    ["The drug is safe for infants\n=====\n\nIt is old.",
     "The drug is safe for infants\n---\nIt is old.",
     "| The drug is safe for infants |\n|---|\n| It is old. |",
     "Price: $49\n---\nIt is old.",
     "## Revenue down 40% in March\n\nIt is old.",
     "## ההכנסות ירדו ב-40%\n\nזה ישן."],
)  # fmt: skip
def test_a_heading_that_states_something_is_a_claim_however_it_is_marked(text: str) -> None:
    assert [reason for _, reason in found(text)] == [None, None]


@pytest.mark.parametrize(
    "text",
    ["Overview\n=====\n\nIt is old.", "The drug\n---\nIt is old.",
     "| Side effects |\n|---|\n| It is old. |", "| Is it safe | It is old |\n|---|---|\n| a | b |",
     "## March 2024\n\nIt is old.", "## סקירה 2024\n\nזה ישן."],
)  # fmt: skip
def test_a_heading_that_states_nothing_is_none_however_it_is_marked(text: str) -> None:
    assert found(text)[0][1] is NonAssertive.HEADING


def test_bold_words_before_their_text_are_its_title() -> None:
    text = "**New name.** The firm was renamed in 1990."
    assert [reason for _, reason in found(text)] == [NonAssertive.HEADING, None]
    assert asserted("**The firm is old.** It was renamed.") == [
        "The firm is old.",
        "It was renamed.",
    ]


def test_an_item_over_deeper_items_is_a_heading() -> None:
    text = "- Cast\n  - Poehler plays Knope.\n  - Offerman plays Swanson."
    assert [reason for _, reason in found(text)] == [NonAssertive.HEADING, None, None]


def test_an_item_goes_on_from_an_open_line() -> None:
    text = "To qualify, you must:\n\n- give notice\n- have worked for a year"
    assert found(text) == [
        ("To qualify, you must:", NonAssertive.LEAD_IN),
        ("To qualify, you must give notice.", None),
        ("To qualify, you must have worked for a year.", None),
    ]


def test_an_open_line_is_of_its_own_list_only() -> None:
    text = "You must:\n\n- give notice\n\nIt is old.\n\n- The tower is tall."
    assert asserted(text)[-1] == "The tower is tall."


def test_yes_and_no_answer_the_question_before_them() -> None:
    text = "**Is it one of them?**\nYes.\n\nIt is old."
    assert asserted(text) == ["Is it one of them? Yes.", "It is old."]
    assert asserted("Yes. It is old.") == ["It is old."]


@pytest.mark.parametrize(
    "text",
    [
        "I can't tell you who built it; the documents don't name anyone.",
        "I'm sorry, but the sources provided do not say how tall it is.",
        "The passage says nothing about a minimum age.",
        "The height is not stated in the transcript.",
        "If you share a document about it, I can look again.",
        "Note that I have only seen the abstract.",
        "Hey there! Great question.",
        "All details are taken from the attached document.",
        "לא מצאתי במסמכים מתי נבנה המגדל.",
        "המקור אינו מציין את הגובה.",
        "אם תרצו, אפשר לצרף מקור נוסף.",
    ],
)
def test_talk_about_sources_and_the_answer_is_no_claim(text: str) -> None:
    assert {reason for _, reason in found(text)} <= {NonAssertive.LEAD_IN, NonAssertive.ABSENCE}


@pytest.mark.parametrize(
    "text",
    [
        "I cannot claim a refund.",
        "I have never seen a giraffe in a zoo.",
        "[S0] does not mention the tower.",
        "The law does not mention the tower.",
        "The text was written in 1990.",
        "I can't tell you who built it, but the tower is 330 m tall.",
        "אני יכול לעכב אותו שוב.",
        "המסמך נכתב בשנת 1990.",
    ],
)
def test_what_may_assert_is_no_talk(text: str) -> None:
    assert asserted(text)


@pytest.mark.parametrize(
    "line",
    ["You can compute it like this", "Some facts about where it begins", "Its tasks were to",
     "Below is a query that counts", "Revenue by region (in thousands)", "נחשב את הסכום",
     "השוואה קצרה בין שני הכרטיסים"],
)  # fmt: skip
def test_a_line_that_announces_a_list_is_no_claim(line: str) -> None:
    (_, reason), *_ = found(f"{line}:\n\n- The tower is tall.")
    assert reason is NonAssertive.LEAD_IN


def test_a_hedge_is_of_its_own_clause() -> None:
    (claim,) = extract_claims("It could cut costs by a third, and there's a free trial.")
    assert claim.non_assertive is None
    (claim,) = extract_claims("It may have failed.")
    assert claim.non_assertive is NonAssertive.HEDGED


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("**Induced coma** - is brought about by doctors.", None),
        ("WHO estimates suggest that it fell.", None),
        ('Her advice was: "Don\'t copy others."', None),
        ("Peter the Great conquered Sweden.", None),
        ("Given the rules, it was closed.", None),
        ("Person A lived in Rome for 2 years.", None),
        ("Gather your records.", NonAssertive.INSTRUCTION),
        ("File the claim by email.", NonAssertive.INSTRUCTION),
        ("To see it, do the following.", NonAssertive.INSTRUCTION),
        ("1. פגשו את הלקוחות בשלב מוקדם.", NonAssertive.INSTRUCTION),
    ],
)
def test_assertions_and_instructions_are_told_apart(text: str, reason: NonAssertive | None) -> None:
    assert [reason for _, reason in found(text)] == [reason]


@pytest.mark.parametrize(
    ("table", "claims"),
    [
        (
            "| Plan | SSO | API |\n|---|---|---|\n| Basic | ✗ | ✓ |\n| Pro | ✅ | ❌ |",
            ["Basic has SSO: no.", "Basic has API: yes.", "Pro has SSO: yes.", "Pro has API: no."],
        ),
        (
            "| Lodge | Sauna |\n|---|---|\n| Birke | Yes |\n| Tanne | ✔️ (winter) |",
            ["Birke has Sauna: yes.", "Tanne has Sauna: yes (winter)."],
        ),
        (
            "| | Basic | Pro |\n|---|---|---|\n| SSO | no | yes |\n| Price | $5 | $9 |",
            ["Basic has SSO: no.", "Pro has SSO: yes.", "For Basic, Price is $5.",
             "For Pro, Price is $9."],
        ),
        (
            "| | Opened | Height |\n|---|---|---|\n| Rome | 1889 | 33 m |\n| Lyon | 1902 | 84 m |",
            ["For Rome, Opened is 1889.", "For Rome, Height is 33 m.", "For Lyon, Opened is 1902.",
             "For Lyon, Height is 84 m."],
        ),
        (
            "| Feature | Kite | Heron |\n|---|---|---|\n| Weight | 3.1 kg | 2.8 kg |",
            ["For Kite, Weight is 3.1 kg.", "For Heron, Weight is 2.8 kg."],
        ),
        ("| | Rome |\n|---|---|\n| Opened | 1889 |", ["Opened, Rome: 1889."]),
        ("City | Year\n--- | ---\nRome | 753\nLyon | 43",
         ["For Rome, Year is 753.", "For Lyon, Year is 43."]),
        ("| מסלול | חניה |\n|---|---|\n| זהב | ✓ |\n| כסף | ✗ |",
         ["לזהב יש חניה: כן.", "לכסף יש חניה: לא."]),
        (
            "<table><tr><th>City</th><th>Year</th></tr>\n<tr><td>Rome</td>\n<td>753</td></tr>"
            "<tr><td>Lyon</td><td>43</td></tr></table>",
            ["For Rome, Year is 753.", "For Lyon, Year is 43."],
        ),
        (
            "<table>\n<tr><th>Height</th><td>330 m</td></tr>\n"
            "<tr><th>Opened</th><td>1889</td></tr>\n</table>",
            ["Height: 330 m", "Opened: 1889"],
        ),
    ],
)  # fmt: skip
def test_a_table_of_any_form_says_what_its_cells_say(table: str, claims: list[str]) -> None:
    assert asserted(table) == claims


def test_values_of_html_keep_their_places_and_citations() -> None:
    text = (
        "<table><tr><th>City</th><th>Year</th></tr><tr><td>Rome</td><td>753 [S0]</td></tr></table>"
    )
    *_, value = extract_claims(text)
    assert (value.span.of(text), value.cited_ids) == ("Rome</td><td>753", ("S0",))


def test_a_table_in_code_or_one_that_never_ends_is_read_without_a_fault() -> None:
    assert [reason for _, reason in found("```\n<table><tr><td>a1</td></tr></table>\n```")] == [
        NonAssertive.CODE
    ]
    assert asserted("<table><tr><td>Height</td><td>330 m") == ["Height: 330 m"]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("The museum has three floors:\n- shop\n- café", "The museum has three floors."),
        ("The archive keeps twelve maps:\n1. Coast\n2. Hills", "The archive keeps twelve maps."),
        ("למוזיאון שלוש קומות:\n- חנות\n- גלריה", "למוזיאון שלוש קומות."),
    ],
)
def test_a_lead_in_that_counts_things_is_a_claim(text: str, claim: str) -> None:
    assert asserted(text)[0] == claim


@pytest.mark.parametrize(
    "line",
    ["There are three reasons", "Here are two floors", "יש שלוש סיבות", "Take these two steps"],
)
def test_a_lead_in_that_counts_what_the_answer_says_is_none(line: str) -> None:
    assert found(f"{line}:\n- It is old.\n- It is high.")[0][1] is NonAssertive.LEAD_IN


def test_things_in_a_list_complete_the_line_above_them() -> None:
    assert asserted("The Norvia kit includes:\n- a pump\n- It weighs 3 kg.") == [
        "The Norvia kit includes a pump.",
        "It weighs 3 kg.",
    ]
    assert asserted("הערכה כוללת:\n- משאבה\n- צינור") == [
        "הערכה כוללת משאבה.",
        "הערכה כוללת צינור.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "- Open the lid\n- Connect the cable\nThe device weighs 3 kg.",
        "1. Open the lid\n2. Connect the long cable to the socket in the wall\nIt weighs 3 kg.",
        "- פתחו את המכסה\n- חברו את הכבל\nהמכשיר שוקל 3 קילו.",
        "1. פתחו את המכסה\n2. חברו את הכבל לשקע שבקיר ליד דלת המטבח\nהמכשיר שוקל 3 קילו.",
        "הוראות: פתחו את המכסה; חברו את הכבל; המכשיר שוקל 3 קילו.",
    ],
)
def test_a_list_of_instructions_hides_no_statement_behind_it(text: str) -> None:
    (claim,) = asserted(text)
    assert claim.endswith(("weighs 3 kg.", "המכשיר שוקל 3 קילו."))


@pytest.mark.parametrize(
    "text",
    [
        "The clinic was opened by Ms. Dalton in 1990.",
        "It is led by Prof. Dr. Reyes and Mr. Ito.",
        "It faces St. Mary's church, at No. 14.",
        'המרפאה נוסדה על ידי ד"ר. כהן בשנת 1990.',
        "היא מנוהלת על ידי פרופ' לוי וגב' מזרחי.",
        "היא מנוהלת על ידי פרופ. לוי.",
    ],
)
def test_a_title_ends_no_sentence(text: str) -> None:
    assert asserted(text) == [text]


def test_a_title_at_the_end_of_a_sentence_is_its_end() -> None:
    assert asserted("She is a Dr. The clinic is hers.") == ["She is a Dr.", "The clinic is hers."]


@pytest.mark.parametrize(
    "mark",
    ["[not in the context]", "[no source]", "[citation needed]", "[source: none]", "[n/a]",
     "[אין מקור]", "[לא מופיע במקורות]"],
)  # fmt: skip
def test_a_citation_that_says_that_there_is_none_is_none(mark: str) -> None:
    (claim,) = extract_claims(f"The tower is 84 m high {mark}.")
    assert (claim.content, claim.citations) == ("The tower is 84 m high.", ())


def test_a_bracket_that_says_something_else_stays() -> None:
    assert asserted("The tower is [not only] high.") == ["The tower is [not only] high."]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "Our pools:\n1. The north pool\n   - opens at 7\n   - is 25 m long\n2. South: closed",
            [
                "The north pool: opens at 7",
                "The north pool: is 25 m long",
                "Our pools, South: closed",
            ],
        ),
        (
            "Staff by branch:\n- North: 12\n- South: 9\n\nThe town is old.",
            ["Staff by branch, North: 12", "Staff by branch, South: 9", "The town is old."],
        ),
        (
            "To apply, you need:\n- a photo\n- The fee is 40 euros.",
            ["To apply, you need: a photo", "The fee is 40 euros."],
        ),
        ("Key points:\n- a photo\n- a passport", ["a photo", "a passport"]),
        (
            "למוזיאון שלוש קומות:\n- קומה ראשונה\n  - גלריה לציור\n- קומה שנייה: ספרייה",
            ["למוזיאון שלוש קומות.", "קומה ראשונה: גלריה לציור", "קומה שנייה: ספרייה"],
        ),
    ],
)
def test_an_item_has_what_it_stands_below(text: str, claims: list[str]) -> None:
    assert asserted(text) == claims


@pytest.mark.parametrize(
    ("line", "content"),
    [
        ("✅ Wi-Fi is included", "Wi-Fi is included"),
        ("❌ Parking is included", "Parking is included: no"),
        ("- ✗ Dinner", "Dinner: no"),
        ("☐ Dinner", "Dinner: no"),
        ("Parking: ✘", "Parking: no"),
        ("Wi-Fi: ✔️", "Wi-Fi: yes"),
        ("❌ There is no parking.", "There is no parking."),
        ("✗ חניה", "חניה: לא"),
        ("✓ חניה", "חניה"),
    ],
)
def test_a_tick_or_a_cross_before_a_line_is_told_in_words(line: str, content: str) -> None:
    assert asserted(f"{line}\n{line}") == [content] * 2


def test_what_only_numbers_the_rows_says_nothing() -> None:
    text = "| # | City | Year |\n|---|---|---|\n| 1 | Rome | 753 |"
    assert asserted(text) == ["For Rome, Year is 753."]


def test_a_tick_in_a_column_without_a_name_of_its_own_is_a_value() -> None:
    text = "| Spec | Value |\n|---|---|\n| Waterproof | ✗ |\n| Is it red? | ✓ |"
    assert asserted(text) == ["Waterproof: no.", "Is it red? yes."]


GRID = """\
+------+-----+
| Name | Age |
{border}
| Ada  | 36  |
+------+-----+
| דנה  | 40  |
+------+-----+
The river rose in May.
"""


def test_a_grid_table_is_read_as_a_table_and_its_borders_say_nothing() -> None:
    assert asserted(GRID.format(border="+======+=====+")) == [
        "For Ada, Age is 36.",
        "עבור דנה, הערך של Age הוא 40.",
        "The river rose in May.",
    ]


def test_a_grid_without_a_header_keeps_its_rows_as_they_are() -> None:
    assert asserted(GRID.format(border="+------+-----+"))[1:] == [
        "Ada | 36",
        "דנה | 40",
        "The river rose in May.",
    ]


def test_a_border_ends_what_stands_above_it_and_a_list_with_plus_stays_one() -> None:
    assert asserted("The river rose in May.\n+-----+\n") == ["The river rose in May."]
    assert asserted("+ The river rose in May.\n+ The road fell in June.") == [
        "The river rose in May.",
        "The road fell in June.",
    ]


def test_the_items_of_a_list_in_html_are_claims_of_their_own() -> None:
    text = "<p>It is old.</p><ul><li>The gym opens at 6.</li><li>הבריכה סגורה היום.</li></ul>"
    assert asserted(text) == ["It is old.", "The gym opens at 6.", "הבריכה סגורה היום."]
    assert [claim.span.of(text) for claim in extract_claims(text)] == asserted(text)


@pytest.mark.parametrize(
    "text",
    [
        "The page uses the <p> tag and the <li> tag.",
        "Write `<ul><li>one</li></ul>` for a list.",
    ],
)
def test_a_tag_that_a_sentence_speaks_of_cuts_nothing(text: str) -> None:
    assert len(extract_claims(text)) == 1


def test_a_list_in_a_cell_breaks_no_table() -> None:
    text = "| Room | Has |\n|---|---|\n| One | <ul><li>a desk</li><li>a lamp</li></ul> |"
    assert len(asserted(text)) == 1
