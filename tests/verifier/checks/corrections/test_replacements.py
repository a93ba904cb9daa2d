"""What of a claim can be replaced by what a sentence has in its place."""

import pytest

from groundwire_verifier.checks.corrections.replacements import changed, clauses, replacements


def said(claim: str, sentence: str, *unstated: str) -> list[str]:
    return [changed(claim, each) for each in replacements(claim, sentence, unstated)]


@pytest.mark.parametrize(
    ("claim", "sentence", "right"),
    [
        (
            "The road is 440 m long.",
            "Measured anew, the road is 330 metres long.",
            "The road is 330 m long.",
        ),
        ("It opened in May 2019.", "It opened in June 2018.", "It opened in June 2018."),
        ("A ticket costs $12.", "Tickets now cost $15.", "A ticket costs $15."),
        ("The hall opens at 9 am.", "The hall opens at 9:30 pm.", "The hall opens at 9:30 pm."),
        ("Take two tablets a day.", "Take three tablets a day.", "Take three tablets a day."),
        ("The label says L. Fabri.", "The label says C. Amundsen.", "The label says C. Amundsen."),
        ("You must pay first.", "You may pay first.", "You may pay first."),
        ("Every room has a lamp.", "Some rooms have a lamp.", "Some room has a lamp."),
        ("It rose in March.", "It fell in March.", "It fell in March."),
        ("המרחק הוא 12 מטרים.", "המרחק הוא 8 מטרים.", "המרחק הוא 8 מטרים."),
        ("המבקר חייב להירשם.", "המבקר רשאי להירשם.", "המבקר רשאי להירשם."),
        # In the words of another language digits are the same.
        ("המרחק המותר הוא 12 מטרים.", "No more than 8 metres.", "המרחק המותר הוא 8 מטרים."),
    ],
)
def test_what_differs_becomes_what_the_sentence_has(claim: str, sentence: str, right: str) -> None:
    assert right in said(claim, sentence)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The road is 440 m long.", "The road was closed for 3 weeks."),
        ("It opened on 3 May 2019.", "It has 12 rooms."),
        ("The tower stands in Paris.", "The tower stands in Paris."),
        ("It is 5 km long.", "It is 5,000 m long."),
        # Nobody knows which of them is meant.
        ("The crew had 9 people.", "Orders: 412, then 515, later 618."),
        ("The play is by Bo Lindemann.", "המחזה נכתב על ידי Ada Kern."),
    ],
)
def test_nothing_of_another_kind_is_put_in(claim: str, sentence: str) -> None:
    assert said(claim, sentence) == []


def test_what_stands_in_the_same_words_is_taken() -> None:
    found = said("Adults pay 12 euros.", "Children pay 6 euros, adults pay 15 euros.")
    assert found[0] == "Adults pay 15 euros."


def test_no_value_stays_that_no_source_states() -> None:
    claim, sentence = "In 2019 the road was 440 m long.", "The road is 330 m long."
    assert said(claim, sentence, "2019", "440 m") == []
    assert said(claim, sentence, "440 m") == ["In 2019 the road was 330 m long."]


def test_a_value_that_follows_from_stated_ones_stays() -> None:
    claim, sentence = (
        "Half of it, 1.2 million euros, came from a fund.",
        "It cost 2.4 million euros.",
    )
    kept = replacements(claim, sentence, (), ("1.2 million euros",))
    assert not list(kept)
    assert said(claim, sentence)


@pytest.mark.parametrize(
    ("claim", "sentence", "right"),
    [
        ("The seat is free.", "The seat is not free.", "The seat is not free."),
        ("The seat is not free.", "The seat is free.", "The seat is free."),
        ("The hall does not open.", "The hall does open.", "The hall does open."),
    ],
)
def test_a_denial_is_put_in_and_taken_away(claim: str, sentence: str, right: str) -> None:
    assert right in said(claim, sentence)


def test_a_denial_of_something_else_changes_nothing() -> None:
    assert said("The shop sells bread.", "Dogs are not allowed near the river.") == []


@pytest.mark.parametrize(
    ("claim", "part"),
    [
        ("The tower stands in Paris because of a bet.", "because of a bet"),
        ("The tower, built by monks, stands in Paris.", "built by monks"),
        ("The hall opened in 1887.", "in 1887"),
        ("המגדל עומד בפריז בגלל התערבות.", "בגלל התערבות"),
    ],
)
def test_a_detail_can_be_left_out(claim: str, part: str) -> None:
    assert part in [each.span.of(claim) for each in clauses(claim)]


@pytest.mark.parametrize(
    "claim",
    [
        "The pool is open if it rains.",
        "The pool is open only on Sunday.",
        "The pool is not open on Sunday.",
        "All pools open on Sunday.",
        "הבריכה פתוחה אם יורד גשם.",
        "הבריכה לא פתוחה ביום ראשון.",
    ],
)
def test_nothing_is_left_out_without_which_more_is_said(claim: str) -> None:
    kept = ["if it rains", "only on Sunday", "on Sunday", "אם יורד גשם", "ביום ראשון"]
    assert not [each for each in clauses(claim) if each.span.of(claim) in kept]
