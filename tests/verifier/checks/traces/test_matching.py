"""Whether two answers say the same: in English and in Hebrew, and where they nearly do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.checks.traces.matching import answers_match
from groundwire_verifier.text.quantities.number_words import read_number
from groundwire_verifier.text.quantities.units import UNITS

SAME = [
    ("42", "42.0"),
    ("1,234 dollars", "$1234"),
    ("12 345", "12345"),
    ("The answer is 42.", "forty-two"),
    ("three hundred and five", "305"),
    ("two million", "2,000,000"),
    ("2.5 million", "2,500,000"),
    ("$1.2m", "1,200,000 dollars"),
    ("3bn", "3 billion"),
    ("50k", "50,000"),
    ("half a million", "500,000"),
    ("two and a half km", "2.5 km"),
    ("3½", "3.5"),
    ("½", "1/2"),
    ("the 1990s", "in the 1990s"),
    ("5 per cent", "5%"),
    ("3 million people", "3000000"),
    ("12 km", "12,000 m"),
    ("1 hour 30 minutes", "90 minutes"),
    ("1/2", "0.5"),
    ("12%", "12 percent"),
    ("50 apples", "50 apple"),
    ("3 × 12 = 36 dollars", "36"),
    ("The total is 12 dollars.", "12 dollars"),
    ("5 March 1871", "1871-03-05"),
    ("March 5th, 1871", "5.3.1871"),
    ("5/3/1871", "3/5/1871"),
    ("5 March 1871", "March 1871"),
    ("It opened on 5 March 1871.", "1871"),
    ("at 09:30", "9:30"),
    ("Yes, it is open.", "yes"),
    ("No.", "no, it is closed"),
    ("true", "Yes"),
    ("the Cape Arden lighthouse", "Cape Arden Lighthouse"),
    ("“Ada Moreno”", "Ada Moreno"),
    ("Ada Moreno", "Moreno"),
    ("the bridge is not open", "It is not open"),
    ("36 שקלים", "₪36"),
    ('36 ש"ח', "שלושים ושישה שקלים"),
    ("12 מטרים", "12 מ'"),
    ("שלוש מאות ועשרים", "320"),
    ("אלף ומאתיים", "1200"),
    ("שלוש עשרה", "13"),
    ("2.5 מיליון", "2,500,000"),
    ("חצי מיליון שקלים", "₪500,000"),
    ("עשרים ושש", "26"),
    ("5 במרץ 1871", "5/3/1871"),
    ("בירושלים", "ירושלים"),
    ("כן", "כן, הוא פתוח"),
    ("התשובה היא חיפה", "חיפה"),
    ("שָׁלוֹם", "שלום"),
]
OTHER = [
    ("42", "43"),
    ("12", "1.2"),
    ("-5", "5"),
    ("1,234", "1234.5"),
    ("twelve", "twenty"),
    ("2.5 million", "2.5"),
    ("$1.2m", "$1.2"),
    ("3½", "31/2"),
    ("the 1990s", "the 1980s"),
    ("the 1990s", "1990 seconds"),
    ("12 dollars", "12 euros"),
    ("12 km", "12 miles"),
    ("12 apples", "12 pears"),
    ("3 + 4 = 7", "3"),
    ("one, two and three", "6"),
    ("36", "3 tickets at 12 dollars cost 46 dollars"),
    ("1932", "It opened in 1932 and closed in 1940"),
    ("5 March 1871", "6 March 1871"),
    ("5 March 1871", "5 March 1872"),
    ("1871", "1872"),
    ("9:30", "9:45"),
    ("yes", "no"),
    ("yes", "The bridge is open"),
    ("the bridge is open", "the bridge is not open"),
    ("Paris", "Lyon"),
    ("north tower", "south tower"),
    ("", "x"),
    ("כן", "לא"),
    ("ירושלים", "חיפה"),
    ("הגשר פתוח", "הגשר אינו פתוח"),
    ("שלוש עשרה", "30"),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_the_same_answer_in_other_words_matches(first: str, second: str) -> None:
    assert answers_match(first, second)
    assert answers_match(second, first)


@pytest.mark.parametrize(("first", "second"), OTHER)
def test_another_answer_does_not_match(first: str, second: str) -> None:
    assert not answers_match(first, second)
    assert not answers_match(second, first)


WORDS = (
    "the a not yes 12 12.5 1,200 3/4 -7 $ ₪ km % 5 march 1871 = and twenty hundred million tower "
    "towers north לא כן שלוש מאות ועשרים בירושלים ירושלים מטרים . ,"
)
PIECES = st.sampled_from(WORDS.split())
ANSWERS = st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=8).map(" ".join))


@given(ANSWERS, ANSWERS)
def test_matching_is_symmetric(first: str, second: str) -> None:
    assert answers_match(first, second) == answers_match(second, first)


@given(st.integers(-10_000_000, 10_000_000), st.sampled_from(["", " dollars", " km", " שקלים"]))
def test_a_number_matches_itself_however_it_is_grouped(number: int, unit: str) -> None:
    assert answers_match(f"{number:,}{unit}", f"{number}{unit}")
    assert answers_match(f"It is {number:,}{unit}.", f"{number}.0{unit}")


@given(st.integers(0, 10_000_000), st.integers(1, 1000), st.sampled_from(["", " km", " דקות"]))
def test_a_number_never_matches_a_near_one(number: int, off: int, unit: str) -> None:
    assert not answers_match(f"{number:,}{unit}", f"{number + off}{unit}")
    assert not answers_match(f"{number}{unit}", f"{number}.{off}5{unit}")


@given(st.integers(1, 5000), st.sampled_from(sorted(UNITS)), st.sampled_from(sorted(UNITS)))
def test_a_quantity_never_matches_one_of_another_dimension(
    number: int, first: str, second: str
) -> None:
    one, other = UNITS[first], UNITS[second]
    if one.dimension != other.dimension:
        assert not answers_match(f"{number} {first}", f"{number} {second}")


@given(st.integers(1, 28), st.integers(1, 12), st.integers(1800, 2100), st.integers(1, 28))
def test_a_date_matches_itself_and_no_other_day(
    day: int, month: int, year: int, other: int
) -> None:
    names = "January February March April May June July August September October November December"
    written = f"{day} {names.split()[month - 1]} {year}"
    assert answers_match(written, f"{year}-{month:02}-{day:02}")
    assert answers_match(written, f"{day}/{month}/{year}")
    if other != day:
        assert not answers_match(written, f"{year}-{month:02}-{other:02}")


@given(
    st.sampled_from(["yes", "true", "correct", "כן", "נכון"]),
    st.sampled_from(["no", "false", "לא"]),
)
def test_yes_never_matches_no(yes: str, no: str) -> None:
    assert not answers_match(f"{yes}, it is", f"{no}, it is")


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("nineteen", 19),
        ("twenty one", 21),
        ("one hundred", 100),
        ("nine hundred and ninety nine", 999),
        ("two thousand and five", 2005),
        ("one million two hundred thousand", 1_200_000),
        ("שלוש מאות ועשרים", 320),
        ("אלפים", 1000),
        ("חמישה עשר", 15),
        ("שתים עשרה", 12),
        ("שנים עשר", 12),
        ("מאה ושלוש עשרה", 113),
        ("אלפיים וחמש מאות", 2500),
        ("מאה ועשרים אלף", 120_000),
        ("two thousand million", 2 * 10**9),
    ],
)
def test_number_words_are_read_whole(words: str, number: int) -> None:
    assert read_number(words.split()) == (number, len(words.split()))
