"""What differs between a claim and a passage, by rule."""

import time

import pytest

from groundwire_verifier.checks.corpus.comparison import compare, may_disagree
from groundwire_verifier.checks.corpus.findings import Contradiction

GIL = "# Python 3.12\n\nPython 3.12 did not remove the global interpreter lock (GIL). It is there."
LIGHTHOUSE = (
    "# The lighthouse\n\nThe lighthouse on Cape Lorn was finished in 1902. It is 31 metres high. "
    "Edda Brun designed it. The tower was never painted blue."
)
HEBREW = "# המגדל\n\nהמגדל בכפר הנביעה נבנה בשנת 1931. גובהו 18 מטרים. הוא אינו פתוח בערב שבת."


@pytest.mark.parametrize(
    ("claim", "passage", "type_"),
    [
        ("Python 3.12 completely removed the GIL.", GIL, Contradiction.DIRECT_NEGATION),
        (
            "The mill ran by night.",
            "Unlike the barn, the mill never ran by night.",
            Contradiction.DIRECT_NEGATION,
        ),
        (
            "הטחנה פעלה בלילה.",
            "בניגוד לאסם, הטחנה לא פעלה בלילה.",
            Contradiction.DIRECT_NEGATION,
        ),
        ("The tower was painted blue.", LIGHTHOUSE, Contradiction.DIRECT_NEGATION),
        ("The lighthouse on Cape Lorn was finished in 1920.", LIGHTHOUSE, Contradiction.TEMPORAL),
        ("The lighthouse is 13 metres high.", LIGHTHOUSE, Contradiction.NUMERIC),
        ("Otto Brun designed the lighthouse.", LIGHTHOUSE, Contradiction.ENTITY),
        ("המגדל בכפר הנביעה נבנה בשנת 1913.", HEBREW, Contradiction.TEMPORAL),
        ("גובהו של המגדל 81 מטרים.", HEBREW, Contradiction.NUMERIC),
        ("המגדל פתוח בערב שבת.", HEBREW, Contradiction.DIRECT_NEGATION),
    ],
)
def test_a_value_a_name_or_a_denial_that_differs_is_found(
    claim: str, passage: str, type_: Contradiction
) -> None:
    found = compare(claim, passage)
    assert found.difference is not None
    assert found.difference.type is type_


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Python 3.12 did not remove the GIL.", GIL),
        ("The lighthouse on Cape Lorn was completed in 1902.", LIGHTHOUSE),
        ("The lighthouse is thirty-one metres high.", LIGHTHOUSE),
        ("Edda Brun designed the lighthouse.", LIGHTHOUSE),
        ("The tower has never been painted blue.", LIGHTHOUSE),
        ("המגדל נבנה ב-1931.", HEBREW),
        ("Das Museum öffnet im Mai.", "Das Museum öffnet im Mai 2020 und im Herbst."),
        ("Le musée ouvre en mai.", "Le musée ouvre au printemps."),
        ("The mill ran by night.", "Unlike the barn, which never ran, the mill ran by night."),
        ("The mill ran by night.", "The mill ran by night, whereas the barn did not."),
        (
            "The mill ran by night.",
            "In contrast to the barn, which is not in use, the mill ran by night.",
        ),
        ("הטחנה פעלה בלילה.", "בניגוד לאסם, שמעולם לא פעל, הטחנה פעלה בלילה."),
        ("The city spent $2.5 million on it.", "The city spent $2,500,000 on it."),
        ("Half a million people came.", "500,000 people came."),
        ("The trail is 3½ km long.", "The trail is 3.5 km long."),
    ],
)
def test_what_says_the_same_differs_in_nothing(claim: str, passage: str) -> None:
    assert compare(claim, passage).difference is None


def test_a_difference_of_large_numbers_shows_all_their_digits() -> None:
    found = compare("The city has 1,234,567 people.", "The city has 1,234,568 people.").difference
    assert found is not None
    assert found.detail == "1234567 in the claim, 1234568 in the evidence"


def test_a_number_that_is_a_part_of_a_name_makes_another_thing_of_it_and_no_contradiction() -> None:
    found = compare("PEP 703 makes the GIL optional.", "PEP 684 makes a lock for each interpreter.")
    assert found.difference is None
    assert not found.is_alike


def test_the_sentence_that_speaks_of_the_claim_most_is_compared() -> None:
    found = compare("The lighthouse is 31 metres high.", LIGHTHOUSE)
    assert found.sentence == "It is 31 metres high."


def test_the_words_before_a_pronoun_count_for_it() -> None:
    found = compare("The lighthouse is 13 metres high.", LIGHTHOUSE)
    assert found.alike < 1.0
    assert found.held == 1.0
    assert found.is_alike


def test_a_sentence_on_something_else_is_not_alike() -> None:
    assert not compare("The harbour froze in 1911.", LIGHTHOUSE).is_alike


def test_a_passage_of_headings_alone_has_no_sentence() -> None:
    found = compare("The harbour froze.", "# Harbour\n\n")
    assert (found.sentence, found.difference) == ("", None)


def test_a_passage_in_another_language_shares_no_words_and_is_not_about_it() -> None:
    assert compare("המגדל נבנה בשנת 1931.", LIGHTHOUSE).held < 0.6


BRIDGE, LUND = "The Ulmer bridge is closed to lorries.", "The Aska festival takes place in Lund."


@pytest.mark.parametrize(
    ("claim", "stating", "sentence"),
    [
        (BRIDGE, BRIDGE, "The Ulmer bridge is open to lorries again."),
        ("Dogs are allowed in the garden.", "", "No dogs may enter the garden."),
        (
            "Mara Quell directs the Tolm theatre.",
            "",
            "Since May the Tolm theatre is directed by Jonas Brandt.",
        ),
        ("The festival takes place in Lund.", LUND, "The Aska festival takes place in Malmö."),
        ("Parking is free at the Holm clinic.", "", "At the Holm clinic parking costs 2 euros."),
        ("The roof is made of slate.", "", "The roof is made of copper."),
        ("Refunds take 5 days.", "", "Refunds take 10 business days."),
        ("Returns are free.", "", "Returns cost 3 euros."),
        ("The library is in Oak street.", "", "The library is in Elm street."),
        ("The deposit is 300 dollars.", "", "The deposit is 300 francs."),
        ("הפיקדון הוא 300 דולר.", "", "הפיקדון הוא 300 אירו."),
        ("The ferry runs daily.", "", "The ferry no longer runs daily."),
        ("מותר לעשן על הסיפון.", "", "כבר לא מותר לעשן על הסיפון."),
        ("La piscina no cerró nunca.", "", "La piscina cerró."),
        ("החניה חינם במרפאה.", "", "החניה במרפאה עולה 5 שקלים."),
        ("הבריכה בכפר ורד פתוחה בשבת.", "", "הבריכה בכפר ורד סגורה בשבת."),
    ],
)
def test_a_sentence_on_the_same_that_differs_in_one_thing_may_disagree(
    claim: str, stating: str, sentence: str
) -> None:
    assert may_disagree(claim, stating or claim, sentence)


@pytest.mark.parametrize(
    ("claim", "stating", "sentence"),
    [
        (BRIDGE, BRIDGE, "The Marl bridge is open to lorries."),
        (BRIDGE, BRIDGE, "The Ulmer bridge has two lanes."),
        (BRIDGE, BRIDGE, "The Marl bridge is closed to lorries."),
        ("The festival takes place in Lund.", LUND, "The Brio festival takes place in Malmö."),
        ("The festival takes place in Lund.", LUND, "The Aska festival sells 4,000 tickets."),
        ("The Nessa router supports IPv6.", "", "The Ossa router does not support IPv6."),
        ("Refunds take 5 days.", "", "Refunds take 5 business days."),
        ("The deposit is 300 dollars.", "", "The deposit is 280 euros."),
        ("The ferry runs daily.", "", "The bus no longer runs daily."),
        ("Refunds take 14 days.", "", "Refunds take two weeks."),
        ("Refunds take 2 weeks.", "", "Refunds take 10 business days."),
        ("The lift carries 8 people.", "", "The lift carries 600 kg."),
        ("המעלית נושאת 8 אנשים.", "", 'המעלית נושאת 600 ק"ג.'),
        ("In May 2024 the mine gave 40 tonnes.", "", "In June 2024 the mine gave 52 tonnes."),
        ("Ce ne sono cinque nel parco.", "", "Ci sono cinque nel parco."),
        ("The 2024 model is made in Poland.", "", "The 2019 model is made in Vietnam."),
        ("Parking is free at the Holm clinic.", "", "Parking at the station costs 2 euros."),
        ("הבריכה בכפר ורד פתוחה בשבת.", "", "הספרייה בכפר ורד סגורה בשבת."),
        ("הבריכה בכפר ורד פתוחה בשבת.", "", "בבריכה בכפר ורד שש מסלולים."),
    ],
)
def test_a_sentence_on_another_thing_does_not_disagree(
    claim: str, stating: str, sentence: str
) -> None:
    assert not may_disagree(claim, stating or claim, sentence)


def test_a_passage_of_years_takes_time_by_its_length() -> None:
    began_s = time.process_time()
    compare("In 1999 it rained.", "x 1999 " * 2_000)
    # Looking back to its beginning from each year took three seconds, and of more years minutes.
    assert time.process_time() - began_s < 1.5
