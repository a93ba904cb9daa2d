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
        ("It cost $5m.", "The price was 5 million dollars."),
        ("It cost $5m.", "The price was five million dollars."),
        ("It cost 3M dollars.", "The price was $3,000,000."),
        ("It cost €1.2bn.", "The price was 1,200,000,000 euros."),
        ("Some 5m people came.", "There were 5 million visitors."),
        ("It grew by 5 per cent.", "Growth: 5%."),
        ("It grew by 5%.", "Growth was five per cent."),
        ("It cost half a million dollars.", "The price was $500,000."),
        ("It cost $500,000.", "The price was half a million dollars."),
        ("It cost 50\u202f000 dollars.", "The price was $50,000."),
        ("It cost $50,000.", "The price was 50 000 dollars."),
        ("Some 12 345 people came.", "There were 12,345 visitors."),
        ("It began in the 1990s.", "In the 1990s it began."),
        ("It began in the 1990s.", "It began in 1994."),
        ("It began in the 1990s.", "It began on 3 May 1994."),
        ("It began in the 1990s.", "It began in the '90s."),
        ("It began in the 1990s.", "It began in the nineties."),
        ("It began in the late 90s.", "It began long ago."),
        ("It was the 1990's best film.", "It was the best film of 1990."),
        ("It was the best film of 1990.", "It was the 1990's best film."),
        ("זה קרה בשנות ה-1990.", "זה קרה בשנות התשעים."),
        ("המחיר הוא 250 ₪.", "המחיר: מאתיים וחמישים שקל."),
        ("המחיר הוא מאתיים וחמישים שקל.", "המחיר: 250 ₪."),
        ("המחיר הוא 52,000 שקלים.", "המחיר: חמישים ושניים אלף שקלים."),
        ("באו 1,200 איש.", "באו אלף ומאתיים איש."),
        ("באו שלושה עשר איש.", "באו 13 איש."),
        ("המחיר הוא 20 אלפים.", "המחיר: 20,000"),
        ("המחיר הוא חצי מיליון שקל.", "המחיר: 500,000 ₪."),
        ("זה קרה במאה העשרים.", "זה קרה במאה ה-20."),
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
        ("It cost $5m.", "It is 5 m long.", ("$5m",)),
        ("It cost $5m.", "It is 5m long.", ("$5m",)),
        ("It is 5 m long.", "It cost $5m.", ("5 m",)),
        ("It cost $5m.", "It cost $5.", ("$5m",)),
        ("It grew by 5 per cent.", "It costs 5 cents.", ("5 per cent",)),
        ("It costs 5 cents.", "It grew by 5 per cent.", ("5 cents",)),
        ("It began in the 1990s.", "It took 1,990 seconds.", ("1990s",)),
        ("It began in the 1990s.", "It began in the 1980s.", ("1990s",)),
        ("It began in the 1990s.", "It began in 1989.", ("1990s",)),
        ("It began in 1990.", "It began in the 1990s.", ("1990",)),
        ("It began in the 1990s.", "It began in the 1900s.", ("1990s",)),
        ("It cost half a million dollars.", "It cost $1 million.", ("half a million dollars",)),
        ("It cost 50 000 dollars.", "It cost 50 dollars.", ("50 000 dollars",)),
        ("המחיר הוא מאתיים וחמישים שקל.", "המחיר: 200 ₪.", ("מאתיים וחמישים שקל",)),
        ("באו אלף ומאתיים איש.", "באו אלף איש.", ("אלף ומאתיים",)),
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
