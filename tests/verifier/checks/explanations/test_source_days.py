"""The day that a source carries, and which of two is newer."""

from datetime import date

import pytest

from groundwire_verifier.checks.explanations.other_values import HEAD_CHARACTERS, SourceDays, day_in
from groundwire_verifier.domain.evidence import Document, Evidence


def days(one: Document, other: Document, **known: date) -> SourceDays:
    return SourceDays(Evidence.of_documents([one, other]), known)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Minutes of 5 March 2021", date(2021, 3, 5)),
        ("2021-03-05 prices", date(2021, 3, 5)),
        ("פרוטוקול 5 במרץ 2021", date(2021, 3, 5)),
        ("March 2021", None),
        ("03/04/2021", None),
        ("31.02.2021", None),
        ("No day at all", None),
    ],
)
def test_a_day_counts_that_is_told_whole_and_in_one_way(text: str, day: date | None) -> None:
    assert day_in(text) == day


def test_the_day_in_a_title_goes_before_one_in_the_text() -> None:
    old = Document("S0", "As of 5 March 2023.", "Minutes of 5 March 2020")
    new = Document("S1", "As of 5 March 2021.")
    assert days(old, new).newer("S0", "S1") == "S1"


def test_the_day_of_a_corpus_goes_before_both() -> None:
    old, new = Document("S0", "As of 5 March 2020."), Document("S1", "As of 5 March 2021.")
    assert days(old, new, S0=date(2024, 1, 1)).newer("S0", "S1") == "S0"


@pytest.mark.parametrize(
    "text", ["No day.", "As of 5 March 2020.", "." * HEAD_CHARACTERS + " 5 March 2021"]
)
def test_nothing_is_newer_without_two_days_that_differ(text: str) -> None:
    assert days(Document("S0", "As of 5 March 2020."), Document("S1", text)).newer("S0", "S1") == ""
