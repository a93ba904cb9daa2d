"""The figures of a text: their units, their exactness, and what is none."""

import pytest

from groundwire_verifier.quantities.figures import find_figures


def found(text: str) -> list[tuple[float, int, str | None]]:
    """Magnitude, decimals and dimension of each figure."""
    return [
        (f.magnitude, f.decimals, None if f.unit is None else f.unit.dimension)
        for f in find_figures(text)
    ]


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("It is 12 °C.", (12, 0, "celsius")),
        ("It is 15.47°C.", (15.47, 2, "celsius")),
        ("It is -3 °C.", (-3, 0, "celsius")),
        ("It is \u22123 °C.", (-3, 0, "celsius")),
        ("It is 12C here.", (12, 0, "celsius")),
        ("It is 12 degrees Celsius.", (12, 0, "celsius")),
        ("It is 12 degrees.", (12, 0, "angle")),
        ("It is twelve degrees Celsius.", (12, 0, "celsius")),
        ("כרגע 12 מעלות צלזיוס.", (12, 0, "celsius")),
        ("יש שני מטרים של שלג.", (2, 0, "length")),
        ("It costs $1,000.50.", (1000.5, 2, "dollar")),
        ("It costs USD 1000.", (1000, 0, "dollar")),
        ("It costs 281.40 Swiss francs.", (281.4, 2, "franc")),
        ('זה עולה 35 ש"ח.', (35, 0, "shekel")),
        ("It costs 1.5 million euros.", (1_500_000, 0, "euro")),
        ("There are 500 cm of snow.", (500, 0, "length")),
        ("Up 2.1% today.", (2.1, 1, "percent")),
        ("About 480 of them.", (480, 0, None)),
    ],
)
def test_a_figure_is_found_with_its_unit(text: str, figure: tuple[float, int, str | None]) -> None:
    assert found(text) == [figure]


@pytest.mark.parametrize(
    "text",
    [
        "On 12 March we meet.",
        "On March 12 we meet.",
        "It was on 2026-03-28.",
        "It was on 28/03/2026.",
        "It leaves at 14:07.",
        "The 3rd of them.",
        "One of them left.",
        "The id is 1234567890123456789012.",
        "No number at all.",
    ],
)
def test_dates_times_ordinals_and_ids_are_no_figures(text: str) -> None:
    assert found(text) == []


def test_a_figure_knows_where_it_stands() -> None:
    text = "It's now 12 °C, and a pass is € 45."
    assert [figure.span.of(text) for figure in find_figures(text)] == ["12 °C", "€ 45"]


@pytest.mark.parametrize(("text", "zeros"), [("1000 m", 3), ("105 m", 0), ("0 m", 0), ("1.0 m", 0)])
def test_the_zeros_at_its_end_are_counted(text: str, zeros: int) -> None:
    (figure,) = find_figures(text)
    assert figure.zeros == zeros
