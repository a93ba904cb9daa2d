"""The values of a claim that its evidence does not state."""

import pytest

from groundwire_verifier.quantities.unstated import StatedValues


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("It cost 50,000 dollars.", "The price was $50k."),
        ("It cost $50,000.", "The price was fifty thousand dollars."),
        ("Some 50,000 people came.", "There were 49,812 visitors."),
        ("Some fifty thousand people came.", "There were 50,000 visitors."),
        ("The road is 5 km long.", "The road has 5,000 metres."),
        ("It grew by 12%.", "Growth: 12 percent."),
        ("Two of the 3 towers stand.", "Three towers were built."),
        ("המחיר הוא כחמישים אלף שקלים.", "המחיר: 50,000 שקלים."),
        ("It holds 205 people.", "It holds two hundred and five people."),
        ("The road is 12.3 km long.", "| length (km) | 12.3 | width (m) | 8 |"),
        ("It opened on 3 May 2019.", "It opened in 2019, on May 3rd."),
        ("It opened on 2019-05-03.", "The opening was on 3.5.2019."),
        ("It opened in May 2019.", "In May of that year, 2019, it opened."),
        ("The talks began in 1998.", "The talks (1998-2001) failed."),
        ("The train leaves at 15:30.", "Departure is at 3:30 pm."),
        ("המחיר הוא 50,000 שקלים.", "המחיר: חמישים אלף שקלים."),
        ("המחיר הוא 50 אלף ש\"ח.", "הם שילמו ₪50,000 על הדירה."),
        ("הוא נולד ב-3 במאי 1948.", "תאריך לידה: 3.5.1948"),
        ("The council met once and agreed.", "Nothing."),
    ],
)  # fmt: skip
def test_a_value_that_is_stated_in_another_form_is_not_missing(claim: str, evidence: str) -> None:
    assert StatedValues([evidence]).missing_from(claim) == ()


@pytest.mark.parametrize(
    ("claim", "evidence", "missing"),
    [
        ("It cost 50,000 dollars.", "The price was $40k.", ("50,000 dollars",)),
        ("It opened in 2020.", "It opened in 2019.", ("2020",)),
        ("It opened on 4 May 2019.", "It opened on 3 May 2019.", ("4 May 2019",)),
        ("It opened on 3 June 2019.", "It opened on 3 May 2019.", ("3 June 2019",)),
        ("It is 15.47 metres high.", "It is 15.5 m high.", ("15.47 metres",)),
        ("Some fifty thousand people came.", "Many came.", ("fifty thousand",)),
        ("The train leaves at 15:45.", "Departure is at 3:30 pm.", ("15:45",)),
        ("המחיר הוא 60,000 שקלים.", "המחיר: חמישים אלף שקלים.", ("60,000 שקלים",)),
        ("הוא נולד ב-4 במאי 1948.", "תאריך לידה: 3.5.1948", ("4 במאי 1948",)),
        ("Of 17 towns, 9 fell in 1943.", "Towns fell in 1944.", ("17", "9", "1943")),
    ],
)
def test_a_value_that_stands_nowhere_is_named_as_the_claim_writes_it(
    claim: str, evidence: str, missing: tuple[str, ...]
) -> None:
    assert StatedValues([evidence]).missing_from(claim) == missing


def test_any_of_the_texts_may_state_a_value() -> None:
    texts = ["It opened in 2019.", "It cost 40 euros."]

    assert StatedValues(texts).missing_from("Opened in 2019, it cost 40 euros.") == ()


def test_a_value_that_is_said_twice_is_named_once() -> None:
    assert StatedValues([""]).missing_from("12 came and 12 left.") == ("12",)
