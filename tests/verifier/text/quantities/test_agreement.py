"""Whether a figure agrees with one that was given: units, rounding, exactness."""

import pytest

from groundwire_verifier.text.quantities.agreement import Agreement, GivenFigures
from groundwire_verifier.text.quantities.figures import find_figures

EQUAL, TOO_PRECISE, DIFFERS = Agreement.EQUAL, Agreement.TOO_PRECISE, Agreement.DIFFERS


def agreement(stated: str, *given: str) -> Agreement | None:
    (figure,) = find_figures(stated)
    return GivenFigures(each for text in given for each in find_figures(text)).agreement(figure)


@pytest.mark.parametrize(
    ("stated", "given", "expected"),
    [
        ("15.5 °C", "15.47 °C", EQUAL),
        ("15 °C", "15.47 °C", EQUAL),
        ("15.47 °C", "15.47 °C", EQUAL),
        ("16 °C", "15.47 °C", DIFFERS),
        ("15.47 °C", "15.5 °C", TOO_PRECISE),
        ("15.4 °C", "15 °C", TOO_PRECISE),
        ("15.50 °C", "15.5 °C", EQUAL),
        ("60 °F", "15.5 °C", EQUAL),
        ("70 °F", "15.5 °C", DIFFERS),
        ("12 degrees", "12 °C", EQUAL),
        ("2 m", "200 cm", EQUAL),
        ("2 m", "200 km", DIFFERS),
        ("900 euros", "921 euros", EQUAL),
        ("1000 euros", "921 euros", DIFFERS),
        ("920 euros", "921.3 euros", EQUAL),
        ("$12", "12", EQUAL),
        ("12", "12 kg", EQUAL),
        ("$12", "13", None),
        ("$12", "12 euros", None),
        ("-3 °C", "3 °C", DIFFERS),
        ("0.3 m", "0.30000000001 m", EQUAL),
        ("5m people", "5 million people", EQUAL),
        ("5m", "5 metres", EQUAL),
        ("5m long", "5 million dollars", None),
        ("$5m", "5 m long", None),
    ],
)
def test_figures_agree_as_a_reader_would_say(
    stated: str, given: str, expected: Agreement | None
) -> None:
    assert agreement(stated, given) is expected


def test_a_figure_without_a_unit_counts_only_where_none_of_the_kind_was_given() -> None:
    assert agreement("12 °C", "3 °C", "12") is DIFFERS
    assert agreement("12 °C", "12", "4 km") is EQUAL


def test_nothing_given_says_nothing() -> None:
    assert agreement("12 °C") is None


@pytest.mark.parametrize(("stated", "has"), [("921.30 EUR", True), ("850 EUR", False)])
def test_a_rate_turns_what_was_asked_into_what_is_stated(stated: str, has: bool) -> None:
    (figure,) = find_figures(stated)
    for rate in ("0.9213", "1.08542"):
        given = GivenFigures(find_figures(rate))
        assert given.has_rate(figure, 1000.0) is has
