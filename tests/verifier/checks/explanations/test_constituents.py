"""The parts of a claim that can be wrong by themselves."""

import pytest

from groundwire_verifier.checks.explanations.constituents import (
    constituents,
    tails,
    value_parts,
)
from groundwire_verifier.verdicts.types import SpanKind


@pytest.mark.parametrize(
    ("claim", "kind", "words", "without"),
    [
        (
            "The parents pay £18,000, and the school adds a gym.",
            SpanKind.NUMBER,
            "£18,000",
            "The parents pay some, and the school adds a gym.",
        ),
        (
            "The council met on 5 March 2021 in the hall.",
            SpanKind.DATE,
            "5 March 2021",
            "The council met in the hall.",
        ),
        (
            "The script was written by Bo Lindemann in a week.",
            SpanKind.NAME,
            "Bo Lindemann",
            "The script was written by something in a week.",
        ),
        (
            "You need a note, including in exam weeks.",
            SpanKind.RELATION,
            "including",
            "You need a note, except in exam weeks.",
        ),
        (
            "All households have gas.",
            SpanKind.QUANTIFIER,
            "All",
            "some households have gas.",
        ),
        (
            "The drug was not given to cats.",
            SpanKind.NEGATION,
            "was not",
            "The drug was given to cats.",
        ),
        (
            "The seat has been confirmed.",
            SpanKind.NEGATION,
            "has been confirmed",
            "The seat has not been confirmed.",
        ),
        (
            "The notice can be sent by mail.",
            SpanKind.NEGATION,
            "can be sent",
            "The notice cannot be sent by mail.",
        ),
        ("The trial still runs.", SpanKind.NEGATION, "still", "The trial no longer runs."),
        (
            "She came third in the race.",
            SpanKind.RELATION,
            "third",
            "She came first in the race.",
        ),
        (
            "It takes at least an hour.",
            SpanKind.QUANTIFIER,
            "at least",
            "It takes at most an hour.",
        ),
        (
            "Public networks must be left.",
            SpanKind.MODALITY,
            "must",
            "Public networks may be left.",
        ),
        (
            "The rope parted because of the wind.",
            SpanKind.CAUSE,
            "because of the wind",
            "The rope parted.",
        ),
        (
            "A brood starts in January, for which the nest is mended.",
            SpanKind.DETAIL,
            "for which the nest is mended",
            "A brood starts in January.",
        ),
        ("המסילה הייתה צרה כדי לחסוך.", SpanKind.CAUSE, "כדי לחסוך", "המסילה הייתה צרה."),
        ("הדרך לא נפתחה השנה.", SpanKind.NEGATION, "לא", "הדרך נפתחה השנה."),
        ("יובש נפוץ פחות מכאבים.", SpanKind.RELATION, "פחות", "יובש נפוץ יותר מכאבים."),
        ("היא סיימה שלישית במרוץ.", SpanKind.RELATION, "שלישית", "היא סיימה ראשונה במרוץ."),
        ("המנהל חייב לאשר את הבקשה.", SpanKind.MODALITY, "חייב", "המנהל רשאי לאשר את הבקשה."),
    ],
)
def test_a_part_is_told_with_its_kind_and_the_claim_without_it(
    claim: str, kind: SpanKind, words: str, without: str
) -> None:
    found = [(each.kind, each.span.of(claim), each.without) for each in constituents(claim, 50)]
    assert (kind, words, without) in found


def test_a_date_with_a_capital_is_no_name() -> None:
    kinds = {each.kind for each in constituents("The council met on 5 March 2021 at home.", 50)}
    assert SpanKind.DATE in kinds
    assert SpanKind.NAME not in kinds


def test_each_text_without_a_part_is_told_once_and_is_another_one() -> None:
    claim = "The rope parted because of the wind, because of the wind."
    left = [each.without for each in constituents(claim, 50)]
    assert len(left) == len(set(left))
    assert claim not in left


@pytest.mark.parametrize("claim", ["Yes.", "", "a", ",,,", "()"])
def test_a_claim_of_one_word_has_no_parts(claim: str) -> None:
    assert constituents(claim, 50) == []


def test_values_are_told_with_their_kinds_in_order() -> None:
    claim = "It costs £18,000 from 5 March 2021 on."
    found = value_parts(claim, ["5 March 2021", "£18,000"])
    assert [(each.kind, each.span.of(claim)) for each in found] == [
        (SpanKind.NUMBER, "£18,000"),
        (SpanKind.DATE, "5 March 2021"),
    ]


def test_a_value_that_the_claim_does_not_hold_is_passed_over() -> None:
    assert value_parts("It is red.", ["12 kg"]) == []


def test_no_more_parts_are_given_than_are_wanted() -> None:
    claim = "On 5 March all 12 cats must eat, drink and sleep because of the storm in Oslo."
    assert len(constituents(claim, 3)) == 3


@pytest.mark.parametrize(
    "text", [", " * 900, "must " * 400, "(" * 2000, "5 March " * 250, "İ" * 500]
)
def test_a_claim_with_very_many_parts_is_looked_at_in_part(text: str) -> None:
    assert len(constituents(text, 12)) <= 12


def test_the_first_word_of_an_item_is_no_name() -> None:
    for claim in ("(8) Pitches are by the river.", "5.4 Working meals need no approval."):
        assert SpanKind.NAME not in {each.kind for each in constituents(claim, 50)}
    kinds = {each.kind for each in constituents("(8) Pitches are by the river Strell.", 50)}
    assert SpanKind.NAME in kinds


@pytest.mark.parametrize(
    "claim",
    [
        "She won the Palme d'Or in 1990.",
        "They sailed on the Fo'c'all from Hull.",
        "הוא שר עם להקת צ'לביט בעכו.",
        "היא גרה מאז 1990 בכפר צ׳מורל שבגליל.",
        'המסמך נשמר בגנזך תע"שמור ברמלה.',
    ],
)
def test_no_part_begins_within_a_word_that_has_a_mark(claim: str) -> None:
    parts = [*constituents(claim, 100), *tails(claim)]
    assert parts
    assert all(claim[part.span.start - 1] not in "'׳\"" for part in parts if part.span.start)


@pytest.mark.parametrize(
    ("claim", "word", "found"),
    [("The fair was held by the lake in May.", "May", False), ("You may swim.", "may", True)],
)
def test_a_month_is_no_permission(claim: str, word: str, found: bool) -> None:
    kinds = [each.kind for each in constituents(claim, 99) if each.span.of(claim) == word]
    assert (SpanKind.MODALITY in kinds) is found


def test_the_full_stop_behind_a_date_stays() -> None:
    claim = "The ship reached Hull on 3 June."
    (date,) = [each for each in constituents(claim, 9) if each.kind is SpanKind.DATE]
    assert (date.span.of(claim), date.without) == ("3 June", "The ship reached Hull.")
    (unstated,) = value_parts(claim, ["3 June."])
    assert unstated.span.of(claim) == "3 June"


def test_a_number_in_words_is_no_phrase() -> None:
    claim = "הקורס נמשך ארבעה שבועות והשתתפו בו מיליון שלוש מאות איש."
    assert "מיליון שלוש מאות איש" not in [each.span.of(claim) for each in constituents(claim, 99)]
