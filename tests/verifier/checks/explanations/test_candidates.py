"""Which sentences of the sources can decide a claim."""

import pytest

from groundwire_verifier.checks.explanations.candidates import Candidates
from groundwire_verifier.domain.evidence import Document, Evidence

TOWER = Document(
    "S0", "The tower is 330 m high.\nIt opened in 1889. Paris grew around it.", "Tower"
)
BRIDGE = Document("S1", "The bridge opened in 1932.\nThe tower opened in 1901.")


def candidates(*documents: Document) -> Candidates:
    return Candidates(Evidence.of_documents(documents))


def test_the_sentence_with_most_of_the_claims_words_is_first_with_its_place_as_sent() -> None:
    first, *_ = candidates(TOWER, BRIDGE).for_claim("The tower is 330 m high.", (), 4)
    assert first.text == "The tower is 330 m high."
    assert (first.source_id, first.span.of(TOWER.text)) == ("S0", first.text)


def test_a_sentence_is_read_below_the_heading_of_its_source() -> None:
    first, *_ = candidates(TOWER, BRIDGE).for_claim("The tower is 330 m high.", (), 4)
    assert first.context == "[S0] Tower\nThe tower is 330 m high."


def test_no_more_sentences_are_given_than_are_wanted() -> None:
    found = candidates(TOWER, BRIDGE).for_claim("The tower opened in 1889.", (), 1)
    assert len(found) == 1


def test_a_hebrew_sentence_is_found_by_its_words() -> None:
    document = Document("S0", "הגשר נפתח בשנת 1932. המגדל נפתח בשנת 1889.")
    first, *_ = candidates(document).for_claim("המגדל נפתח ב-1889.", (), 4)
    assert first.text == "המגדל נפתח בשנת 1889."


def test_evidence_without_a_word_of_the_claim_gives_none() -> None:
    assert candidates(TOWER).for_claim("Cats purr.", (), 4) == []


def test_of_each_source_comes_the_sentence_on_the_same_matter_whatever_its_numbers() -> None:
    found = candidates(TOWER, BRIDGE).of_each("The tower opened in 1950.", 4)
    assert [each.source_id for each in found] == ["S1", "S0"]
    assert found[0].text == "The tower opened in 1901."


def test_a_source_that_names_somebody_else_gives_its_sentence() -> None:
    claim = "The CEO is Ida Holm."
    found = candidates(Document("S0", claim), Document("S1", "The CEO is Per Lund."))
    assert [each.source_id for each in found.of_each(claim, 4)] == ["S0", "S1"]


def test_a_source_on_another_matter_gives_none() -> None:
    found = candidates(TOWER, Document("S1", "The bakery sells bread in 1889."))
    assert [each.source_id for each in found.of_each("The tower opened in 1889.", 4)] == ["S0"]


WRAPPED = """The Ottomans who held the city at that time used the old tower as a
prison for prisoners of war and later as a watch. A storm took off the roof in
1875. It stood open.
"""
WRAPPED_HE = """העות'מאנים שהחזיקו אז בעיר השתמשו במגדל העתיק שנבנה לפניהם בתור
בית סוהר לשבויי מלחמה. סערה העיפה את הגג ב־1875.
"""


@pytest.mark.parametrize(
    ("text", "claim", "found"),
    [
        (WRAPPED, "The tower was a prison.", WRAPPED[: WRAPPED.index(" A storm")]),
        (WRAPPED, "A storm took off the roof.", "A storm took off the roof in\n1875."),
        (WRAPPED_HE, "המגדל היה בית סוהר.", WRAPPED_HE[: WRAPPED_HE.index(" סערה")]),
        (WRAPPED.replace("\n", "\r\n"), "A storm came.", "A storm took off the roof in\r\n1875."),
    ],
)
def test_a_sentence_of_a_wrapped_paragraph_is_whole(text: str, claim: str, found: str) -> None:
    first, *_ = candidates(Document("S0", text)).for_claim(claim, (), 1)
    assert first.text == found
    assert first.span.of(text) == found


@pytest.mark.parametrize(
    "following",
    ["Prison for prisoners of war", "- prison for prisoners", "2. prison", "| prison | 1348", ""],
)
def test_a_line_that_begins_anew_is_no_part_of_the_one_before(following: str) -> None:
    line = "The Ottomans who held the city at that time used the old tower as such"
    first, *_ = candidates(Document("S0", f"{line}\n{following}")).for_claim(
        "The Ottomans used the tower.", (), 1
    )
    assert first.text == line


def test_short_lines_stay_apart() -> None:
    first, *_ = candidates(Document("S0", "opened: 1348\nheight: 62 m")).for_claim(
        "Its height is 62 m.", (), 1
    )
    assert first.text == "height: 62 m"
