"""Dates in the form of other ones."""

import pytest

from groundwire_verifier.text.quantities.dates import as_form


@pytest.mark.parametrize(
    ("own", "other", "told"),
    [
        ("July", "2025-06-15", "June"),
        ("July", "15. Juni 2025", "June"),
        ("3 May", "15 June 2025", "15 June"),
        ("May 3, 2020", "2021-06-07", "June 7, 2021"),
        ("December 2020", "2021-06-15", "June 2021"),
        ("1956", "May 1988", "1988"),
        ("August", "3. Oktober 2025", "Oktober"),
        ("3 במאי", "2025-06-15", "15 ביוני"),
        ("מאי", "9 במרץ", "מרץ"),
    ],
)
def test_a_date_is_told_as_another_one_is_written(own: str, other: str, told: str) -> None:
    assert as_form(own, other) == told


@pytest.mark.parametrize(
    ("own", "other"),
    [
        # It tells less than the other one, or in two ways.
        ("3 May 2020", "June 2024"),
        ("3 May", "06/07/2025"),
        # Nobody knows how the month is called in that language.
        ("15 avril", "2025-06-15"),
        ("August", "2025-06-15"),
        # What is no date, or in other words.
        ("12 metres", "15 June 2025"),
        ("12", "15 June 2025"),
        ("1st of May", "15 June 2025"),
        ("July", "some day"),
        # A letter that is like another one only where capitals do not count.
        ("August", "3 Augu\u017ft 2025"),
    ],
)
def test_what_cannot_be_told_so_is_not(own: str, other: str) -> None:
    assert as_form(own, other) == ""
