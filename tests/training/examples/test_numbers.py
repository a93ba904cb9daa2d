"""Claims with other numbers: what is made is false where it is said to be, and true where true."""

import random
import re
from collections import Counter

import pytest

from groundwire_training.examples.numbers import NUMBER, compared, swapped
from groundwire_training.made.words import NUMBER_WORDS

CONTEXT = "In 1994 the club had 1,250 members and 37 teams; in 2003 it had 1,890 members."
HEBREW = "בשנת 1994 היו במועדון 1,250 חברים, ובשנת 2003 גייס 37 מיליון דולר."
SEEDS = range(60)


def test_a_swap_changes_one_number_and_nothing_else() -> None:
    for seed in SEEDS:
        changed = swapped("It had 37 teams in 1994.", CONTEXT, random.Random(seed))
        assert changed is not None
        found = re.fullmatch(r"It had (\d+) teams in (\d+)\.", changed)
        assert found is not None
        assert (found[1] == "37") + (found[2] == "1994") == 1


def test_a_swapped_year_is_a_year_and_often_one_of_the_context() -> None:
    made = [swapped("It was 1994.", CONTEXT, random.Random(seed)) for seed in SEEDS]
    years = [int(NUMBER.findall(claim or "")[0]) for claim in made]
    assert all(1900 < year < 2100 for year in years)
    assert years.count(2003) > len(years) / 3


def test_of_an_answer_only_the_answer_is_changed() -> None:
    claim = "שאלה: כמה חברים היו ב-1994? תשובה: 1,250."
    for seed in SEEDS:
        changed = swapped(claim, HEBREW, random.Random(seed))
        assert changed is not None
        assert changed.startswith("שאלה: כמה חברים היו ב-1994? תשובה: ")
        assert changed != claim


@pytest.mark.parametrize("claim", ["No number.", "It says so [14].", "It was open 8:30 to 9:45."])
def test_what_is_no_number_of_its_own_is_left_alone(claim: str) -> None:
    assert swapped(claim, CONTEXT, random.Random(1)) is None


def test_a_number_before_a_comma_is_taken_without_it() -> None:
    assert NUMBER.findall("In 1994, it had 1,250, or so.") == ["1994", "1,250"]


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("The hall seats 437 people.", "en"),
        ("It is covered by 62% clay.", "en"),
        ("The wall is 3.75 metres thick.", "en"),
        ("The rope was 2.9 metres long.", "en"),
        ("החברה גייסה 437 מיליון דולר.", "he"),
        ("נשארו 437 אנשים.", "he"),
    ],
)
def test_a_comparison_is_true_and_false_as_it_says(sentence: str, language: str) -> None:
    own = float(re.findall(r"[\d.]*\d", sentence)[0])
    for seed in SEEDS:
        for claim, true in compared([sentence], language, random.Random(seed)):
            assert claim != sentence
            assert _holds(claim, own) is true, claim


def _holds(claim: str, own: float) -> bool:
    """Whether the number itself is what the claim says of it."""
    words = {word: str(n) for n, word in enumerate(NUMBER_WORDS)}
    digits = re.sub(r"[a-z]+", lambda m: words.get(m.group(), m.group()), claim)
    other = float(re.findall(r"[\d,.]*\d", digits)[0].replace(",", ""))
    if re.search(r"almost|nearly|כמעט", claim):
        return own < other <= own * 1.1
    if re.search(r"exactly|בדיוק", claim):
        return own == other
    if re.search(r"less|פחות מ-", claim):
        return own < other
    return own > other


@pytest.mark.parametrize(
    ("sentence", "language"),
    [("The hall seats 437 people.", "en"), ("נשארו 437 אנשים.", "he")],
)
def test_each_phrase_of_a_comparison_is_as_often_true_as_false(
    sentence: str, language: str
) -> None:
    found = {True: Counter[str](), False: Counter[str]()}
    for seed in SEEDS:
        for claim, true in compared([sentence], language, random.Random(seed)):
            found[true][re.sub(r"\d[\d,]*", "", claim)] += 1
    assert found[True] == found[False]
    assert len(found[True]) >= 5


@pytest.mark.parametrize("sentence", ["It has 400 seats.", "It cost 4.5 million euros."])
def test_what_is_perhaps_rounded_is_not_said_to_be_exact(sentence: str) -> None:
    for seed in SEEDS:
        for claim, _ in compared([sentence.replace("It", "it")], "en", random.Random(seed)):
            assert "exactly" not in claim


def test_a_small_number_with_decimals_is_almost_the_next_one_also_in_words() -> None:
    made = {
        claim
        for seed in SEEDS
        for claim, _ in compared(["The wall is 3.75 metres thick."], "en", random.Random(seed))
    }
    assert {"The wall is almost 4 metres thick.", "The wall is almost four metres thick."} <= made


@pytest.mark.parametrize(
    "sentence",
    [
        "It has about 400 seats.",
        "It runs on iOS 10 devices.",
        "In 1994 people came.",
        "Those over the age of 18 may vote.",
        "He won 30 games or more.",
        "It has 3 rooms.",
    ],
)
def test_what_is_no_plain_amount_is_not_compared(sentence: str) -> None:
    for seed in SEEDS:
        assert compared([sentence], "en", random.Random(seed)) == []
