"""Which values follow from stated ones, and that wrong ones hardly do."""

import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from groundwire_verifier.text.quantities.derived import MOST_IN_PAIRS, MOST_OPERANDS
from groundwire_verifier.text.quantities.figures import find_figures
from groundwire_verifier.text.quantities.unstated import StatedValues

MOST_WRONG_SHARE = 0.05
"""Of values made wrong by rule so many may follow, at most."""


def follows(claim: str, *texts: str, sources: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Each value of a claim that follows, and how."""
    found = StatedValues(texts, sources).unstated_in(claim)
    return [(each.value, each.operation.value) for each in found.derived]


@pytest.mark.parametrize(
    ("right", "wrong", "operation", "texts"),
    [
        ("62 people", "61 people", "sum", ["Staff: 14.", "Staff: 21.", "Staff: 9.", "Staff: 18."]),
        ("47 euros", "46 euros", "sum", ["It costs 12 euros, and 35 euros with a guide."]),
        ("15 euros", "25 euros", "difference", ["The price rose from 60 to 75 euros."]),
        ("8 kg", "9 kg", "difference", ["The tent weighs 20 kg, the bag 12 kg."]),
        ("27 years", "26 years", "difference", ["It was open from 1990 to 2017."]),
        ("45 minutes", "35 minutes", "difference", ["The outage began at 10:42 and ended 11:27."]),
        ("360 euros", "350 euros", "product", ["A room costs 120 euros. They booked 3 rooms."]),
        ("144 euros", "134 euros", "product", ["It costs 12 euros a month for 12 months."]),
        ("70 euros", "60 euros", "product", ["Of 350 euros a deposit of 20 % is due."]),
        ("25 %", "35 %", "share", ["Of 80 members 20 came."]),
        ("120 euros", "110 euros", "share", ["360 euros for 3 nights."]),
        ("26 March 2026", "27 March 2026", "date", ["From 12 March 2026 there are 14 days."]),
        ("14:50", "14:40", "date", ["It leaves at 14:10 and takes 40 minutes."]),
        ("4", "5", "count", ["They stock nails, screws, bolts and hooks"]),
        ("3", "4", "count", ["Needed:\n- a saw\n- a hammer\n- glue"]),
        ("יחד 62 עובדים", "יחד 61 עובדים", "sum", ["עובדים: 14.", "עובדים: 21.", "עובדים: 27."]),
        ("47 שקלים", "46 שקלים", "sum", ["הכניסה עולה 12 שקלים, והסיור 35 שקלים."]),
        ("המועד 26.3.2026", "המועד 27.3.2026", "date", ["מ-12 במרץ 2026 יש 14 ימים."]),
    ],
)  # fmt: skip
def test_a_value_that_one_operation_gives_follows_and_one_beside_it_does_not(
    right: str, wrong: str, operation: str, texts: list[str]
) -> None:
    assert [how for _, how in follows(right, *texts)] == [operation]
    assert StatedValues(texts).unstated_in(right).values == ()
    assert follows(wrong, *texts) == []
    assert StatedValues(texts).unstated_in(wrong).values


@pytest.mark.parametrize(
    "text", ["Rent: 940 euros a month. Notice: two months.", "2 tablets a month, for two months."]
)
def test_what_an_amount_is_paid_or_taken_in_is_no_amount_of_time(text: str) -> None:
    assert follows("Three months.", text) == []


@pytest.mark.parametrize("text", ["It weighs 3-5 kg.", "It weighs 3 to 5 kg.", 'שוקל 3 עד 5 ק"ג.'])
def test_the_ends_of_a_range_have_no_sum(text: str) -> None:
    assert follows("8 kg", text) == []


def test_the_sources_of_a_claim_are_counted() -> None:
    texts, ids = ["A.", "B.", "C.", "D."], ["a", "b", "c", "d"]
    assert follows("There are 4 branches.", *texts, sources=ids) == [("4", "count")]
    assert follows("There are 5 branches.", *texts, sources=ids) == []


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("It costs 26 euros.", "The bag weighs 12 kg and the tent 14 kg."),
        ("It weighs 26 kg.", "The bag weighs 12 kg and costs 14 euros."),
        ("It is 26 km away.", "It takes 12 minutes, then 14 minutes."),
    ],
)
def test_a_value_in_a_unit_that_does_not_fit_follows_from_nothing(claim: str, text: str) -> None:
    assert follows(claim, text) == []


def test_among_many_numbers_nothing_follows_from_two() -> None:
    many = ", then ".join(f"{7 * n % 97} x" for n in range(2, MOST_IN_PAIRS))
    assert follows("It has 63 of them.", many) == []
    more = " ".join(f"{n * n} metres." for n in range(100, 100 + 2 * MOST_IN_PAIRS))
    assert follows("It is 201 metres long.", more) == []


def test_what_is_named_of_a_total_has_a_limit() -> None:
    texts = [f"Staff: {100 + n}." for n in range(3 * MOST_OPERANDS)]
    total = sum(100 + n for n in range(3 * MOST_OPERANDS))
    (found,) = StatedValues(texts).unstated_in(f"They employ {total} people.").derived
    assert len(found.operands) == MOST_OPERANDS


def made_wrong(claim: str) -> Iterator[str]:
    """A claim with one of its figures made wrong: a digit more, less, swapped, or a zero more."""
    for figure in find_figures(claim):
        number = re.search(r"\d(?:[\d.,]*\d)?", figure.span.of(claim))
        if number is None:
            continue
        digits = [at for at, each in enumerate(number[0]) if each.isdigit()]
        found = {number[0] + "0"} if len(digits) == 1 else set()
        for add, at in ((1, digits[-1]), (-1, digits[-1]), (2, digits[-1]), (1, digits[0])):
            digit = (int(number[0][at]) + add) % 10
            found.add(f"{number[0][:at]}{digit}{number[0][at + 1 :]}")
        if len(digits) > 1:
            swapped = list(number[0])
            one, other = digits[-2:]
            swapped[one], swapped[other] = swapped[other], swapped[one]
            found.add("".join(swapped))
        start = figure.span.start + number.start()
        for each in sorted(found - {number[0]}):
            yield f"{claim[:start]}{each}{claim[start + len(number[0]) :]}"


def made_rows() -> Iterator[tuple[str, str]]:
    """Tables and texts with several numbers, each with a right claim on their sum or difference."""
    chance = random.Random(20)  # noqa: S311 - no secrets
    for _ in range(60):
        numbers = [chance.randrange(10, 500) for _ in range(chance.randrange(3, 20))]
        rows = [f"Branch {chr(65 + at)}: {each} members" for at, each in enumerate(numbers)]
        yield "\n".join(rows), f"Together they have {sum(numbers)} members."
        gap = abs(numbers[0] - numbers[1])
        yield "\n".join(rows), f"Branch A and branch B differ by {gap} members."


def written_rows(shared: Path) -> Iterator[tuple[str, str]]:
    """Right claims of the written sets whose values are computed."""
    chance = random.Random(20)  # noqa: S311 - no secrets
    for name in ("en", "he", "eu"):
        path = shared / "data" / "written" / f"written_{name}.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines()
        rows = [row for row in map(json.loads, lines) if row["meta"]["kind"] == "computed"]
        right = [row for row in rows if row["label"] == 1]
        for row in chance.sample(right, 100):
            yield row["context"], row["claim"]


def wrong_share(rows: Iterable[tuple[str, str]]) -> float:
    """The share of values made wrong that follow from their text."""
    wrong = followed = 0
    for text, claim in rows:
        stated = StatedValues([text])
        right = {each.value for each in stated.unstated_in(claim).derived}
        for other in made_wrong(claim):
            wrong += 1
            found = {each.value for each in stated.unstated_in(other).derived}
            followed += bool(found - right)
    return followed / wrong


def test_a_wrong_value_of_a_table_hardly_ever_follows() -> None:
    assert wrong_share(made_rows()) <= MOST_WRONG_SHARE


def test_a_wrong_value_of_a_written_claim_hardly_ever_follows(shared: Path) -> None:
    assert wrong_share(written_rows(shared)) <= MOST_WRONG_SHARE


def test_nobody_adds_the_ends_of_a_range_that_keys_name() -> None:
    ends = "fare_min: 40 EUR\nfare_max: 90 EUR"
    assert follows("130 euros", ends) == []
    assert follows("50 euros", ends) == [("50 euros", "difference")]
    fares = "fare_child: 40 EUR\nfare_adult: 90 EUR"
    assert follows("130 euros", fares) == [("130 euros", "sum")]
