"""Where sentences end and what belongs to none."""

import pytest

from groundwire_verifier.domain.claims import ClaimOptions, NonAssertive
from groundwire_verifier.text.claims.extract import extract_claims
from groundwire_verifier.text.claims.markup.boundaries import PIECE_CHARACTERS, find_sentences

WHOLE = ClaimOptions(split_compounds=False)


def contents(text: str) -> list[str]:
    return [claim.content for claim in extract_claims(text, WHOLE)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Dr. Smith met Mr. Jones at St. Paul's.",
        "Smith et al. found it in 2003.",
        "The value is 3.14 and not 1,000.50 dollars.",
        "Use of version 3.12.1 is common.",
        "The page https://a.b/c.html?x=1.2 is old.",
        "The call `a.b(). C` returns nothing.",
        "Mail to a.b@c.example.org is read.",
        "The author J. R. R. Tolkien met George W. Bush.",
        "The U.S. Army is large.",
        "The lease names M. Dubois and Mme Roux.",
        "Umowę podpisano w 2019 r. w Krakowie.",
        "Some pets, e.g. Cats, i.e. Felines, sleep.",
        "France vs. Spain was No. 5 on the list.",
        "It ended at 5 p.m. on Monday.",
        "It ended at 5 p.m. Monday in Rome.",
        "It weighs approx. 5 tons.",
        'He said "Go home. Now." and left.',
        "The module System.Out.Println is old.",
        'עו"ד כהן שילם 5 ש"ח לד"ר לוי.',
        "צה״ל וחז״ל הם ראשי תיבות.",
        "פרופ' גולן גר ברח' הרצל 5.",
    ],
)
def test_these_stay_whole(sentence: str) -> None:
    follower = "הוא בא." if "א" <= sentence[0] <= "ת" else "It ended."
    assert contents(f"{sentence} {follower}") == [sentence, follower]


def test_marks_separate_and_are_no_content() -> None:
    text = "# Title\n\nOne\ntwo. Three.\n- a b\n* c d\n1. e f\n2) g h\n\n| i | j |\n> k\n> l\n"
    assert contents(text) == ["Title", "One two.", "Three.", "a b", "c d", "e f", "g h", "i | j",
                              "k l"]  # fmt: skip


def test_a_table_has_a_heading_and_rows() -> None:
    text = "| Name | Year |\n|---|:-:|\n| Rome | 476 [S0] |\n"
    heading, row = extract_claims(text)
    assert (heading.content, heading.non_assertive) == ("Name | Year", NonAssertive.HEADING)
    assert (row.content, row.cited_ids) == ("For Rome, Year is 476.", ("S0",))


@pytest.mark.parametrize("text", ["# A title", "A title\n=======", "A title\n---", "**A title**"])
def test_a_heading_asserts_nothing(text: str) -> None:
    (claim,) = extract_claims(text)
    assert claim.non_assertive is NonAssertive.HEADING


@pytest.mark.parametrize("text", ["", " \n\t\n", "***", "---", "[S0]", "...", "\u200f", "|---|"])
def test_nothing_holds_no_claim(text: str) -> None:
    assert extract_claims(text) == ()


def test_fenced_code_is_one_claim_and_is_not_read() -> None:
    text = "It runs.\n```py\nIs it [S0]? Yes.\n\nx = 1\n```\nIt stops."
    first, code, last = extract_claims(text)
    assert code.content == "Is it [S0]? Yes.\n\nx = 1"
    assert code.non_assertive is NonAssertive.CODE
    assert code.span.of(text).startswith("```py")
    assert (first.content, last.content) == ("It runs.", "It stops.")


def test_a_fence_that_nothing_closes_runs_to_the_end() -> None:
    (code,) = extract_claims("```\na = 1\n\nb = 2")
    assert code.content == "a = 1\n\nb = 2"


@pytest.mark.parametrize(
    "text", ["Here are the steps:", "Sure!", "Hello!", "I hope this helps.", "תודה רבה!"]
)
def test_talk_about_the_answer_is_no_claim(text: str) -> None:
    (claim,) = extract_claims(text)
    assert claim.non_assertive is NonAssertive.LEAD_IN


def test_a_link_counts_by_its_text() -> None:
    assert contents("The [old guide](http://a.b/c.d) is long.") == ["The old guide is long."]


def test_sentences_are_found_across_the_pieces_that_the_library_is_shown() -> None:
    sentence = "The server of the old town hall answers slowly. "
    count = 3 * PIECE_CHARACTERS // len(sentence)
    assert contents(sentence * count) == [sentence.strip()] * count
    long = "word " * PIECE_CHARACTERS + "end."
    assert contents(f"It starts. {long} It ends.") == ["It starts.", long, "It ends."]


def test_a_claim_can_be_traced_to_its_characters() -> None:
    text = "  First\none.  Second `a. b` one!"
    assert [c.span.of(text) for c in extract_claims(text)] == ["First\none.", "Second `a. b` one!"]


@pytest.mark.parametrize(
    "text",
    [
        "**The tower is 330 m high.** It opened in 1889.",
        "*The tower is 330 m high.* It opened in 1889.",
        "The **tower** is 330 m high.<br>It opened in _1889_.",
    ],
)
def test_emphasis_and_breaks_end_sentences_and_are_no_content(text: str) -> None:
    assert contents(text) == ["The tower is 330 m high.", "It opened in 1889."]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("The road is __440 m__ long.", "The road is 440 m long."),
        ("The __Grand Hotel__ opens ___now___.", "The Grand Hotel opens now."),
        ("It takes $440$ m of rope.", "It takes 440 m of rope."),
        ("__440 מטרים__ הם אורך הדרך.", "440 מטרים הם אורך הדרך."),
        (r"It takes $440\,\mathrm{m}$ of rope.", "It takes 440 m of rope."),
        (r"It takes $4.5~\text{kg}$, or $3\mbox{ kg}$.", "It takes 4.5 kg, or 3 kg."),
        (r"אורך הדרך $440\ \text{מטרים}$ בלבד.", "אורך הדרך 440 מטרים בלבד."),
        # Names of code, and amounts of money.
        ("It calls __init__ and my__own__name.", "It calls __init__ and my__own__name."),
        ("It costs $440 here and $330 there.", "It costs $440 here and $330 there."),
        ("It costs 440$ here and 330$ there.", "It costs 440$ here and 330$ there."),
        (r"It costs $440 \mathrm{m here} too.", r"It costs $440 \mathrm{m here} too."),
    ],
)
def test_underscores_and_the_marks_of_mathematics_are_no_content(text: str, content: str) -> None:
    assert contents(text) == [content]


def test_emphasis_is_inside_of_the_span() -> None:
    text = "**Paris** is *big*."
    (claim,) = extract_claims(text)
    assert (claim.content, claim.span.of(text)) == ("Paris is big.", text)


@pytest.mark.parametrize("text", ["5 * 3 is 15 * 1.", "The call f(*args) is old.", "A* is fast."])
def test_other_stars_are_content(text: str) -> None:
    assert contents(text) == [text]


def test_a_line_before_a_list_may_be_a_claim() -> None:
    tower, item = extract_claims("The tower is 330 m tall:\n- A")
    assert (tower.content, tower.non_assertive) == ("The tower is 330 m tall.", None)
    assert item.content == "A"


def test_a_sentence_in_brackets_ends_with_them() -> None:
    assert contents("(It works.) It stops.") == ["(It works.)", "It stops."]
    assert contents("(It works [S0].) It stops.") == ["(It works.)", "It stops."]


def test_an_inline_number_stays_with_what_it_counts() -> None:
    assert contents("1. It works. 2. It stops.") == ["It works.", "2. It stops."]


def test_a_break_in_a_quote_ends_a_claim() -> None:
    assert [c.content for c in extract_claims("> One ran<br>\n> two ran<br>\n> three ran.\n")] == [
        "One ran",
        "two ran",
        "three ran.",
    ]


@pytest.mark.parametrize("space", "\x85\xa0\u1680\u2003\u2028\u202f\u3000")
def test_a_wide_space_before_a_full_stop_ends_a_sentence_as_any_space_does(space: str) -> None:
    text = f"It was plan A{space}. Then it ended."
    found = find_sentences(text, "en")
    assert found == find_sentences(text.replace(space, " "), "en")


def test_a_text_on_which_the_library_panics_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panic(*_: str) -> None:
        raise PanicException

    monkeypatch.setattr("sentencex.get_sentence_boundaries", panic)
    text = "It opened. It closed."
    assert [span.of(text) for span in find_sentences(text, "en")] == [text]
