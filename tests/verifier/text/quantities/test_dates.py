"""Dates in the form of other ones."""

import pytest

from groundwire_verifier.text.quantities.dates import as_form, months_in


@pytest.mark.parametrize(
    ("own", "other", "told"),
    [
        ("July", "2025-06-15", "June"),
        ("July", "15. Juni 2025", "June"),
        ("3 May", "15 June 2025", "15 June"),
        ("May 3, 2020", "2021-06-07", "June 7, 2021"),
        ("December 2020", "2021-06-15", "June 2021"),
        ("1956", "May 1988", "1988"),
        ("Mai 1988", "15 June 1956", "Juni 1956"),
        ("3. Mai", "2025-06-15", "15. Juni"),
        ("septembre 1988", "October 1956", "octobre 1956"),
        ("15 avril", "2025-06-15", "15 juin"),
        # Every language that has the one has the other.
        ("April 1988", "3. September 1956", "September 1956"),
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
        # Nobody knows which language the month is of.
        ("August", "2025-06-15"),
        ("August", "3. Oktober 2025"),
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


@pytest.mark.parametrize(
    ("own", "before", "other", "told"),
    [
        ("April 1988", "It was built in ", "15. Juni 1956", "June 1956"),
        ("April 1988", "Es wurde im ", "15 June 1956", "Juni 1956"),
        ("3. August", "Die Halle schlie\u00dft am ", "15 June 1956", "15. Juni"),
        ("August", "by the end of ", "3. Oktober 2025", "October"),
    ],
)
def test_the_word_before_a_month_tells_its_language(
    own: str, before: str, other: str, told: str
) -> None:
    assert as_form(own, other, before) == told


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("It rose in March.", ["March"]),
        ("It is open since May and until mid-July.", ["May", "July"]),
        ("It is due by the end of April.", ["April"]),
        ("Die Halle ist seit Mai offen.", ["Mai"]),
        ("האולם פתוח עד מאי ונסגר ביוני.", ["מאי", "יוני"]),
        ("Theresa May signed it.", []),
        ("It was won by Jan Novak.", []),
        ("In May Parliament met.", []),
        ("The probe landed on Mars.", []),
        ("Samples came from Mars.", []),
        ("Guests met April and August.", []),
        ("Robert Mai unterschrieb.", []),
        ("תרזה מאי חתמה.", []),
    ],
)
def test_a_month_alone_follows_a_word_that_goes_with_months(text: str, months: list[str]) -> None:
    assert [span.of(text) for span in months_in(text)] == months
