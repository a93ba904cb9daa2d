"""The figures of a text: their units, their exactness, and what is none."""

import pytest

from groundwire_verifier.text.quantities.figures import find_figures


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
        ("It costs $1.2m.", (1_200_000, 0, "dollar")),
        ("It costs 3M dollars.", (3_000_000, 0, "dollar")),
        ("It costs 5M€.", (5_000_000, 0, "euro")),
        ("It costs EUR 2bn.", (2e9, 0, "euro")),
        ("It costs 2 mn euros.", (2_000_000, 0, "euro")),
        ("It costs £3b.", (3e9, 0, "pound")),
        ("It costs $1T.", (1e12, 0, "dollar")),
        ("$5 T-shirts are sold.", (5, 0, "dollar")),
        ("$200 hours went by.", (200, 0, "dollar")),
        ("The wall is 5m long.", (5, 0, "length")),
        ("They ship 5m tonnes.", (5_000_000, 0, "mass")),
        ("It rose by 5 per cent.", (5, 0, "percent")),
        ("It rose by five per cent.", (5, 0, "percent")),
        ("It is 20 per dollar.", (20, 0, None)),
        ("יש 20 אלפים.", (20_000, 0, None)),
        ("It costs half a million dollars.", (500_000, 0, "dollar")),
        ("It costs a quarter of a million dollars.", (250_000, 0, "dollar")),
        ("It took three and a half hours.", (3.5, 1, "time")),
        ("It took 3 and a half hours.", (3.5, 1, "time")),
        ("It took 3½ hours.", (3.5, 1, "time")),
        ("It is 12¾ km away.", (12.75, 2, "length")),
        ("It costs 3 and a half million euros.", (3_500_000, 0, "euro")),
        ("זה עולה חצי מיליון שקל.", (500_000, 0, "shekel")),
        ("זה עולה מיליון וחצי שקל.", (1_500_000, 0, "shekel")),
        ("It costs 50\u202f000 euros.", (50_000, 0, "euro")),
        ("Some 1\u00a0250\u00a0000 came.", (1_250_000, 0, None)),
        ("It costs 50 000 dollars.", (50_000, 0, "dollar")),
        ("It is 50\u00a0km away.", (50, 0, "length")),
        ("זה עולה מאתיים וחמישים שקל.", (250, 0, "shekel")),
        ("זה עולה אלף ומאתיים שקל.", (1200, 0, "shekel")),
        ("זה עולה חמישים ושניים אלף שקל.", (52_000, 0, "shekel")),
        ("זה עולה אלפיים וחמש מאות שקל.", (2500, 0, "shekel")),
        ("זה עולה שתים עשרה אגורות.", (12, 0, "shekel")),
        ("זה עולה שנים עשר שקל.", (12, 0, "shekel")),
        ("זה עולה מאה ושלוש עשרה אגורות.", (113, 0, "shekel")),
        ("זה עולה עשרים\u05beושניים שקל.", (22, 0, "shekel")),
        ("קנו אותו בכמאתיים וחמישים שקל.", (250, 0, "shekel")),
        ("זה קרה לפני חמש שנים.", (5, 0, "months")),
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
        "It was in the 1990s.",
        "It was in the 1990's.",
        "It was in the late 80s.",
        "It was in the '80s.",
        "זה היה בשנות ה-90.",
        "זה היה בשנות התשעים.",
    ],
)
def test_dates_times_ordinals_and_ids_are_no_figures(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Thousands of people came.",
        "Tens of thousands of people came.",
        "Several hundred people came.",
        "A few million people came.",
        "עשרות אלפים באו.",
        "כמה אלף באו.",
        "זה קרה במאה העשרים.",
        "It was in nineteen forty-five.",
    ],
)
def test_number_words_that_name_no_single_amount_are_no_figures(text: str) -> None:
    assert list(find_figures(text, 13)) == []


@pytest.mark.parametrize(
    ("text", "magnitudes"),
    [
        ("החנות סגורה ביום שני.", []),
        ("החנות סגורה ביום שני בערב ובימים רביעי ושני בבוקר.", []),
        ("הם סיימו במקום שני.", []),
        ("ביום ראשון נפתחו שני אולמות.", [2]),
        ("הם ישבו בשני חדרים.", [2]),
        ("הם ישבו בשני\nחדרים, או בשני **אולמות**.", [2, 2]),
        ("עשרים ושני אנשים באו.", [22]),
    ],
)
def test_a_hebrew_two_counts_before_a_noun_alone(text: str, magnitudes: list[float]) -> None:
    assert [figure.magnitude for figure in find_figures(text, 0)] == magnitudes


@pytest.mark.parametrize(
    ("text", "magnitudes"),
    [
        ("Between five hundred and six hundred came.", [500, 600]),
        ("Between two thousand and three thousand came.", [2000, 3000]),
        ("Between twenty and thirty came.", [20, 30]),
        ("בין עשרים לשלושים באו.", [20, 30]),
        ("עשרים ושלושים באו.", [20, 30]),
    ],
)
def test_numbers_that_stand_beside_each_other_stay_apart(
    text: str, magnitudes: list[float]
) -> None:
    assert [figure.magnitude for figure in find_figures(text, 13)] == magnitudes


@pytest.mark.parametrize(
    ("text", "magnitudes"),
    [
        ("The change is $-5.", [-5]),
        ("It fell by €-30 today.", [-30]),
        ("Saldo: ₪\u221212.50", [-12.5]),
        ("A loss of US$-40 is noted.", [-40]),
        ("A cup costs 5$-10$.", [5, 10]),
        ("A cup costs 5 €\u201310 €.", [5, 10]),
        ("It grew 5%-10%.", [5, 10]),
        ("A cup costs CA$5-CA$6.", [5, 6]),
    ],
)
def test_a_minus_behind_a_sign_is_one_unless_a_number_is_before_it(
    text: str, magnitudes: list[float]
) -> None:
    assert [figure.magnitude for figure in find_figures(text)] == magnitudes


@pytest.mark.parametrize(
    ("text", "dimensions"),
    [
        ("Between US$ 5 and NT$ 300.", ["dollar", "taiwan"]),
        ("There are 40 and HK$50.", [None, "hong kong"]),
        ("It costs 20 to S$30.", ["singapore", "singapore"]),
        ("It sells 12 or R$ 30 a unit.", [None, "real"]),
        ("We lost 7, then MX$80.", [None, "mexican peso"]),
        ("It costs 50 A$ and 20 US$.", ["australian", "dollar"]),
        ("It costs 50 and 20 dollars.", [None, "dollar"]),
        ("It costs 50 Hong Kong dollars.", ["hong kong"]),
        ("It costs fifty New Zealand dollars.", ["new zealand"]),
        ("It costs 50 Taiwan dollars.", ["taiwan"]),
        ("It has 50 Hong Kong players.", [None]),
    ],
)
def test_a_dollar_belongs_to_the_country_at_its_number(
    text: str, dimensions: list[str | None]
) -> None:
    assert [dimension for _, _, dimension in found(text)] == dimensions


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("钻石重 5 克拉。", [(5, 0, None)]),
        ("糖有 5 克。", [(5, 0, "mass")]),
        ("楼里有 1 升降机。", [(1, 0, None)]),
        ("他喝了3升水。", [(3, 0, "volume")]),
        ("船为 5 吨位。", [(5, 0, None)]),
        ("运来5吨煤。", [(5, 0, "mass")]),
        ("气温从5升至10。", [(5, 0, None), (10, 0, None)]),
        ("店庆三周年。", [(3, 0, None)]),
        ("休息三周。", [(3, 0, "time")]),
        ("有 3 トンネル。", [(3, 0, None)]),
        ("有10トントラック。", [(10, 0, "mass")]),
        ("等了3天才能走。", [(3, 0, "time")]),
    ],
)
def test_a_word_that_only_begins_with_a_unit_is_none(
    text: str, figures: list[tuple[float, int, str | None]]
) -> None:
    assert [
        (each.magnitude, each.decimals, each.unit and each.unit.dimension)
        for each in find_figures(text, 1)
    ] == figures


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("5m of them", [(5, "length"), (5_000_000, None)]),
        ("5M of them", [(5_000_000, None), (5, "length")]),
        ("5 m of them", [(5, "length")]),
        ("5B of them", [(5, None), (5e9, None)]),
        ("12 345 of them", [(12_345, None), (12, None), (345, None)]),
        ("12 045 of them", [(12_045, None)]),
        ("12 345 km", [(12_345, "length")]),
    ],
)
def test_what_can_be_read_in_several_ways_has_each_of_them(
    text: str, readings: list[tuple[float, str | None]]
) -> None:
    (figure,) = find_figures(text)
    found = [(each.magnitude, each.unit and each.unit.dimension) for each in figure.readings]
    assert found == readings


def test_a_row_of_a_table_is_no_number_with_spaces() -> None:
    assert [figure.magnitude for figure in find_figures("123 456 78")] == [123, 456, 78]


def test_a_figure_knows_where_it_stands() -> None:
    text = "It's now 12 °C, and a pass is € 45."
    assert [figure.span.of(text) for figure in find_figures(text)] == ["12 °C", "€ 45"]


@pytest.mark.parametrize(("text", "zeros"), [("1000 m", 3), ("105 m", 0), ("0 m", 0), ("1.0 m", 0)])
def test_the_zeros_at_its_end_are_counted(text: str, zeros: int) -> None:
    (figure,) = find_figures(text)
    assert figure.zeros == zeros
