"""Claims with their values as texts write them."""

import pytest

from groundwire_verifier.text.quantities.as_stated import MOST_ADDED, Writing


@pytest.mark.parametrize(
    ("claim", "text", "written"),
    [
        ("The jug holds 750 ml.", "It holds 0.75 litres.", "The jug holds 0.75 litres."),
        ("It leaves at 8.15 pm.", "Departure: 20:15.", "It leaves at 20:15."),
        ("It is on 3 April 2027.", "Day: 2027-04-03.", "It is on 2027-04-03."),
        ("The budget is €2.5m.", "2,500,000 euros", "The budget is 2,500,000 euros."),
        ("It took 90 minutes.", "It took one and a half hours.", "It took one and a half hours."),
        ("Le billet coûte 12,50 €.", "EUR 12.50", "Le billet coûte EUR 12.50."),
        ("Das Gerät kostet 1.299,00 €.", "EUR 1,299", "Das Gerät kostet EUR 1,299."),
        ("ההלוואה היא שלושים אלף שקל.", 'סכום: 30,000 ש"ח.', 'ההלוואה היא 30,000 ש"ח.'),
        ("It is 2 km and 30 min.", "30 minutes for 2000 m", "It is 2000 m and 30 min."),
        ("1.5 million live there.", "It has 1,500,000 inhabitants.", "1,500,000 live there."),
        ("It costs €2,500,000.", "a budget of 2.5 million euros", "It costs 2.5 million euros."),
    ],
)
def test_a_value_becomes_what_the_texts_write_for_it(claim: str, text: str, written: str) -> None:
    assert Writing(["Nothing.", text]).of(claim) == written


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The jug holds 7.5 l.", "It holds 0.75 litres."),
        ("It leaves at 8.15 am.", "Departure: 20:15."),
        ("The jug holds 0.75 litres.", "It holds 0.75 litres, or 750 ml."),
        ("About 900 came.", "It had 921 visitors."),
        ("One of them has two rooms.", "1 of 3 has 2 rooms."),
        ("It costs 5m.", "It is 500 cm long."),
        ("It leaves at 8:15.", "Departure: 20:15."),
        ("The river rose.", "It has 3 arms."),
        ("The tower is 330 m high.", "Its height is 330 metres."),
        ("Es dauert zwölf Monate.", "It takes 12 months, or one year."),
        ("הקורס נמשך שלושה חודשים.", "The course takes 3 months."),
        ("It needs Python 3.10.", "It needs Python 3.1."),
        ("See section 4.1.", "See section 4.10."),
        ("The PIN is 0051.", "The PIN is 51."),
        ("The code is 1234.", "The code is 01234."),
        ("It costs $1.5 million.", "It costs 1,500,000 Canadian dollars."),
        ("It costs 2,000 francs.", "It costs 2000 Swiss francs."),
        ("It rose by 0.5%.", "It rose by 50 basis points."),
        ("It began at 2020-05-02T17:00.", "It began on May 2, 2020 at 5 pm."),
        ("הפגישה ב-5 אחר הצהריים.", "הפגישה בשעה 17:00."),
        ("A thousand times, a thousand ways.", "1,000 times"),
        ("It was in March 1871, on the 5th.", "It was in March 1871."),
    ],
)
def test_another_value_and_one_that_can_be_read_in_two_ways_stay(claim: str, text: str) -> None:
    assert Writing([text]).of(claim) == claim


def test_of_several_forms_that_in_the_same_unit_is_taken_and_then_the_first() -> None:
    text = "The plot has 0.24 ha (2400 sq m)."
    assert Writing([text]).of("It has 2,400 m².") == "It has 2400 sq m."
    assert Writing([text]).of("It has 0.0024 km².") == "It has 0.24 ha."


def test_what_is_put_in_is_short_however_it_is_written() -> None:
    text = "5" + " " * 3_000 + "March 1871, and " + " " * 3_000 + "0.75 litres."
    assert Writing([text]).of("On 1871-03-05 it held 750 ml.") == (
        "On 5 March 1871 it held 0.75 litres."
    )
    many = "It held 1 ml. " * 2_000
    assert len(Writing(["0.001 litres"]).of(many)) <= len(many) + MOST_ADDED
