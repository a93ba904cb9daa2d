"""Layer 1: what is seen without a model, and what is left alone."""

import json
from itertools import product

import pytest

from groundwire_verifier.checks.assessment.assessment import Finding, ReasonKind
from groundwire_verifier.checks.assessment.exchange import Exchange, ToolCall
from groundwire_verifier.checks.assessment.heuristics import (
    MAX_FIGURES,
    heuristic_findings,
)
from groundwire_verifier.checks.assessment.patterns import Patterns, checked_tables
from groundwire_verifier.checks.assessment.scores import heuristic_score

PATTERNS = Patterns()
LIVE, CURRENCY, NUMBER = ReasonKind.LIVE_DATA, ReasonKind.CURRENCY, ReasonKind.NUMBER
DIFFERS, PRECISE = ReasonKind.VALUE_DIFFERS, ReasonKind.OVER_PRECISE
UNCERTAIN = ReasonKind.UNCERTAIN


def kinds(
    response: str, *results: str, question: str = "", arguments: str = "{}"
) -> list[ReasonKind]:
    calls = tuple(ToolCall("tool", arguments, result) for result in results)
    found = heuristic_findings(Exchange(question, response, calls), PATTERNS)
    return [finding.kind for finding in found]


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("It's currently 12 °C with light snow.", [LIVE]),
        ("כרגע 12 מעלות צלזיוס ויורד שלג קל.", [LIVE]),
        ("It is raining in London right now.", [LIVE]),
        ("כרגע יורד גשם בלונדון.", [LIVE]),
        ("There are 500 cm of snow in Aspen in July.", [LIVE]),
        ("The temperature in Aspen is 15.47 °C.", [LIVE, PRECISE]),
        ("The waves are 4.6 metres high right now.", [LIVE]),
        ("The exchange rate is 0.92 today.", [LIVE]),
        ("A day pass costs €45.", [CURRENCY]),
        ("The area has 300 km of slopes.", [NUMBER]),
        ("I think it opened long ago.", [UNCERTAIN]),
        ("אולי זה נפתח מזמן.", [UNCERTAIN]),
        ("The wheel weighs 3.14159 kg.", [NUMBER, PRECISE]),
    ],
)
def test_what_no_tool_gave_is_found(response: str, expected: list[ReasonKind]) -> None:
    assert kinds(response) == expected


@pytest.mark.parametrize(
    "response",
    [
        "Les Gets and Morzine have gentle slopes and patient ski schools.",
        "Book 2 or 3 days of lessons, and rent your skis.",
        "1. Rent skis.\n2. Take lessons.\n25. Enjoy.",
        "It opened in 1998, on 12 March.",
        "It leaves at 14:07.",
        "It usually snows there in winter.",
    ],
)
def test_advice_and_counts_are_left_alone(response: str) -> None:
    assert kinds(response) == []


def test_a_general_statement_is_no_live_data() -> None:
    assert kinds("In July the average temperature is 25 °C.") == [NUMBER]


@pytest.mark.parametrize(
    ("question", "response", "expected"),
    [
        ("Best time to ski in the Alps?", "July is perfect: 2 metres of fresh powder.", [NUMBER]),
        ("Which month is best for the beach?", "May, with water of 21 °C.", [NUMBER]),
        ("מתי כדאי לעשות סקי?", "יולי מושלם: יש 2 מטרים של שלג טרי.", [NUMBER]),
        ("Best time to ski in the Alps?", "Right now: there are 2 metres of powder.", [LIVE]),
        ("Is today a good time to ski?", "Yes, there are 2 metres of powder.", [LIVE]),
        ("How deep is the snow?", "There are 2 metres of fresh powder.", [LIVE]),
        ("מה גובה השלג?", "יש 2 מטרים של שלג טרי.", [LIVE]),
        ("Can you tell me how warm it is?", "The water has 21 °C.", [LIVE]),
    ],
)
def test_advice_on_a_good_time_is_no_live_data_unless_it_speaks_of_now(
    question: str, response: str, expected: list[ReasonKind]
) -> None:
    assert kinds(response, question=question) == expected


def test_advice_of_a_suspected_response_is_read_as_live_data() -> None:
    exchange = Exchange("Best time to ski?", "July is perfect: 2 metres of fresh powder.")
    (found,) = heuristic_findings(exchange, PATTERNS, is_suspected=True)
    assert found.kind is LIVE


@pytest.mark.parametrize(
    ("response", "result"),
    [
        ("It's currently 12 °C.", '{"temperature": 12, "unit": "C", "humidity": 80}'),
        ("It is 15.5 °C in Aspen.", '{"temp_c": 15.47}'),
        ("It is 15.5 °C in Aspen.", '{"current": {"readings": [{"tempC": "15.47"}]}}'),
        ("It is 60 °F in Aspen.", '{"temp_c": 15.47}'),
        ("It is 12 °C now.", "Chamonix: 12 °C, light snow"),
        ("It is 12 °C now.", '"12 °C, light snow"'),
        ("The room costs 142 euros.", '{"price": 142, "currency": "EUR"}'),
        ("It is raining right now.", '{"rain": true}'),
    ],
)
def test_what_a_tool_gave_is_fine(response: str, result: str) -> None:
    assert kinds(response, result) == []


@pytest.mark.parametrize(
    ("response", "result", "expected"),
    [
        ("It's currently 12 °C.", '{"temperature": 3, "humidity": 12}', [DIFFERS]),
        ("It's currently 12 °C.", "3 °C, clear", [DIFFERS]),
        ("The room costs 99 euros.", '{"price": 142, "currency": "EUR"}', [DIFFERS]),
        ("It is 15.47 °C in Aspen.", '{"temp_c": 15.5}', [PRECISE]),
        ("It's currently 12 °C.", '{"wind_kph": 30}', [LIVE]),
    ],
)
def test_what_a_tool_gave_otherwise_is_found(
    response: str, result: str, expected: list[ReasonKind]
) -> None:
    assert kinds(response, result) == expected


STATIONS = '{"stations": [{"city": "Davos", "temp_c": -2}, {"city": "Arosa", "temp_c": -9}]}'
IN_HEBREW = '{"stations": [{"city": "דאבוס", "temp_c": 2}, {"city": "ארוסה", "temp_c": 9}]}'
BY_TOWN = '{"Davos": {"temp_c": -2}, "Arosa": {"temp_c": -9}}'
BY_HOUR = '[{"time": "09:00", "temp_c": 3}, {"time": "12:00", "temp_c": 7}]'
QUOTE = '{"open": 390, "close": 398.1, "currency": "EUR"}'


@pytest.mark.parametrize(
    ("right", "wrong", "result"),
    [
        ("It's -2 °C in Davos right now.", "It's -9 °C in Davos right now.", STATIONS),
        ("In Arosa it is -9 °C.", "In Arosa it is -2 °C.", STATIONS),
        ("Davos has -2 °C and Arosa -9 °C.", "Davos has -9 °C and Arosa -2 °C.", STATIONS),
        ("כרגע 2 מעלות בדאבוס.", "כרגע 9 מעלות בדאבוס.", IN_HEBREW),
        ("כרגע בדאבוס 2 מעלות ובארוסה 9 מעלות.", "כרגע בדאבוס 9 מעלות ובארוסה 2 מעלות.", IN_HEBREW),
        ("It's -9 °C in Arosa now.", "It's -9 °C in Davos now.", BY_TOWN),
        ("At 12:00 it will be 7 °C.", "At 12:00 it will be 3 °C.", BY_HOUR),
        ("Arosa has -9 °C now.", "Davos has -9 °C now.", "Davos: -2 °C\nArosa: -9 °C"),
        ("It closed at 398.10 euros.", "It closed at 390 euros.", QUOTE),
        ("Analysts say it closed at 398.10 euros today.", "It closed at 412 euros today.", QUOTE),
        ("The humidity is 64 %.", "The humidity is 81 %.", '{"observations": 81, "humidity": 64}'),
        ("The humidity is 64 %.", "The humidity is 6 %.", '{"stations": 6, "humidity": 0.64}'),
        ("Unemployment is 8.1 %.", "Unemployment is 8.2 %.", '{"unemployment": 0.081}'),
        ("64 % approve of it.", "81 % approve of it.", '{"answers": 81, "approval": 0.64}'),
        ("הלחות היא 64 אחוז.", "הלחות היא 81 אחוז.", '{"observations": 81, "humidity": 64}'),
    ],
)  # fmt: skip
def test_a_value_agrees_with_the_field_that_it_speaks_of(
    right: str, wrong: str, result: str
) -> None:
    assert kinds(right, result) == []
    found = kinds(wrong, result)
    assert found
    assert set(found) <= {DIFFERS, NUMBER}


STAFF = '{"staff": [{"name": "Lena", "vacation_days": 15}, {"name": "Omar", "vacation_days": 19}]}'
FLIGHT = '{"flight": "LH202", "departs": "17:20", "arrives": "19:05"}'
FLIGHTS = '[{"flight": "VX 12", "departs": "14:35"}, {"flight": "VX 18", "departs": "16:05"}]'
STOCK = '{"sku": "K-9", "stock": {"Lenz": 4, "Dorn": 0}, "price_eur": 59.0, "reviews": 212}'
HEBREW_KEYS = '{"שעת יציאה": "17:20", "שעת הגעה": "19:05"}'


@pytest.mark.parametrize(
    ("right", "wrong", "result"),
    [
        ("Lena has 15 vacation days left.", "Lena has 19 vacation days left.", STAFF),
        ("LH202 departs at 5:20 pm.", "LH202 departs at 7:20 pm.", FLIGHT),
        ("It arrives at 19:05.", "It arrives at 17:20.", FLIGHT),
        ("שעת היציאה היא 17:20.", "שעת היציאה היא 19:05.", HEBREW_KEYS),
        ("VX 18 leaves at 4:05 pm.", "VX 18 leaves at 6:05 pm.", FLIGHTS),
        ("הטיסה יוצאת בשעה 14:35.", "הטיסה יוצאת בשעה 15:35.", FLIGHTS),
        ("There are 4 in stock in Lenz.", "There are 212 in stock in Lenz.", STOCK),
    ],
)
def test_a_value_differs_from_the_one_field_that_its_clause_names(
    right: str, wrong: str, result: str
) -> None:
    assert kinds(right, result) == []
    assert kinds(wrong, result) == [DIFFERS]


@pytest.mark.parametrize(
    "response",
    ["Boarding begins at 16:50.", "LH202 departs at 17:20 and arrives at 7:05 pm.", "It is 17:20."],
)
def test_a_time_that_no_field_is_named_for_is_left_alone(response: str) -> None:
    assert kinds(response, FLIGHT) == []


def test_a_moment_in_another_zone_is_left_alone() -> None:
    assert kinds("It departs at 7:20 pm.", '{"departs": "2026-05-03T17:20:00Z"}') == []


def test_the_question_tells_what_a_short_response_speaks_of() -> None:
    asked = "How cold is it in Davos?"
    assert kinds("It's -2 °C right now.", STATIONS, question=asked) == []
    assert kinds("It's -9 °C right now.", STATIONS, question=asked) == [DIFFERS]


def test_the_call_tells_what_its_result_speaks_of() -> None:
    calls = (
        ToolCall("weather", '{"city": "Davos"}', '{"temp_c": -2}'),
        ToolCall("weather", '{"city": "Arosa"}', '{"temp_c": -9}'),
    )
    expected: dict[int, list[ReasonKind]] = {-2: [], -9: [DIFFERS]}
    for degrees, found_kinds in expected.items():
        response = f"It's {degrees} °C in Davos right now."
        found = heuristic_findings(Exchange("", response, calls), PATTERNS)
        assert [each.kind for each in found] == found_kinds


def test_a_count_is_no_amount_and_no_percentage() -> None:
    assert kinds("The humidity is 81 %.", '{"observations": 81}') == [LIVE]
    assert kinds("A night costs 81 euros.", '{"nights": 81}') == [CURRENCY]
    assert kinds("There are 81 observations.", '{"observations": 81}') == []


@pytest.mark.parametrize(
    "response",
    ["The room costs 142 euros per night, breakfast included.", "החדר עולה 142 אירו ללילה."],
)
def test_what_stands_beside_it_in_other_words_makes_no_value_wrong(response: str) -> None:
    result = '{"price": 142, "currency": "EUR", "breakfast_price": 15}'
    assert kinds(response, result) == []


def test_a_sentence_may_name_a_field_beside_the_one_of_its_value() -> None:
    assert kinds("23 stalls are left at 84 euros each.", '{"stalls_left": 23, "price": 84}') == []
    assert kinds("23 stalls are left at 85 euros each.", '{"stalls_left": 23, "price": 84}') != []
    assert kinds("27 of 34 lifts are open today.", '{"open": 27, "total": 34}') == []
    assert kinds("An adult pays 81 euros.", '{"adult": 45, "child": 81}') != []
    assert kinds("A child pays 81 euros.", '{"adult": 45, "child": 81}') == []


def test_a_price_of_today_is_live_data() -> None:
    assert kinds("A ticket costs 45 euros today.") == [LIVE]
    assert kinds("כרטיס עולה היום 45 שקלים.") == [LIVE]
    assert kinds("A ticket costs 45 euros.") == [CURRENCY]
    assert kinds("A ticket costs 45 euros today.", '{"ticket": 45}') == []


def test_many_fields_and_figures_take_time_in_proportion() -> None:
    towns = ["".join(letters) for letters in product("abcdefghij", repeat=3)]
    rows = [{"city": town, "temp_c": at} for at, town in enumerate(towns)]
    response = ", ".join(f"{at} °C in {towns[at]}" for at in range(1, MAX_FIGURES))
    assert kinds(f"It is {response}.", json.dumps(rows)) == []
    assert kinds("It is 1 °C.", '{"a":' * 500 + '{"temp_c": 1, "b": "c"}' + "}" * 500) == []


def test_an_amount_that_a_rate_turns_is_fine() -> None:
    asked = "What is 1000 USD in EUR?"
    assert kinds("1000 USD is 921.30 EUR.", '{"rate": 0.9213}', question=asked) == []
    assert kinds("1000 USD is 850 EUR.", '{"EUR": 0.9213}', question=asked) == [DIFFERS]
    assert kinds("1000 USD is 921.30 EUR.", question=asked) == [LIVE]


def test_what_the_user_or_the_arguments_say_is_not_made_up() -> None:
    assert kinds("A budget of $1,500 is fine.", question="I have $1,500.") == []
    assert kinds("For 250 people.", "", arguments='{"people": 250}') == []


def test_what_a_failed_call_says_gives_nothing() -> None:
    exchange = Exchange("", "It's 12 °C now.", (ToolCall("t", "{}", error="12 °C?"),))
    assert [f.kind for f in heuristic_findings(exchange, PATTERNS)] == [LIVE]


def test_a_finding_quotes_the_response() -> None:
    (found,) = heuristic_findings(Exchange("", "It's currently 12 °C with snow."), PATTERNS)
    assert found == Finding(LIVE, "12 °C")


def test_each_kind_counts_once_in_the_score() -> None:
    one, two = Finding(LIVE, "a"), Finding(CURRENCY, "b")
    assert heuristic_score([]) == 0.0
    assert heuristic_score([one, one]) == pytest.approx(0.6)
    assert heuristic_score([one, two]) == pytest.approx(1 - 0.4 * 0.6)


def test_a_table_of_figures_beyond_the_limit_is_never_fine() -> None:
    """What is not looked at counts as a number that no tool gave."""
    figures = [f"{i + 100}" for i in range(2 * MAX_FIGURES)]
    result = json.dumps({"numbers": [int(figure) for figure in figures]})
    assert kinds(", ".join(figures), result) == [NUMBER]


@pytest.mark.parametrize(
    "result",
    [
        "[" * 20_000,
        '{"n": 1e999999999}',
        '{"n": ' + "9" * 20_000 + "}",
        '{"a": NaN, "b": -Infinity}',
        "\u202e\ufffd 12",
        "null",
        '""',
    ],
)
def test_no_result_breaks_it(result: str) -> None:
    assert kinds("It's currently 12.5 °C.", result)[:1] in ([LIVE], [DIFFERS], [PRECISE])


def test_words_of_an_operator_are_found_as_well() -> None:
    more = Patterns(checked_tables({"fr": {"now": ["En ce moment"], "weather": ["neige*"]}}))
    found = heuristic_findings(Exchange("", "Il neige en ce moment."), more)
    assert [finding.kind for finding in found] == [LIVE]
    assert [f.kind for f in heuristic_findings(Exchange("", "It snows right now."), more)] == [LIVE]


def test_a_hebrew_word_is_found_behind_prefix_letters() -> None:
    assert [word.category for word in PATTERNS.find("ובשלג וכרגע")] == ["weather", "now"]


WEATHER = '{"station":"Ruhn","humidity_pct":64,"wind_kmh":18,"pressure_hpa":1013}'
FLIGHT = '{"gate": 9, "seats_left": 5}'
ORDER = '{"order":{"id":"A-77","items":3,"total_eur":129.90,"eta_days":5}}'


@pytest.mark.parametrize(
    ("result", "right", "wrong"),
    [
        (WEATHER, 'מהירות הרוח ברון היא 18 קמ"ש.', 'מהירות הרוח ברון היא 64 קמ"ש.'),
        (WEATHER, "The wind in Ruhn blows at 18 km/h.", "The wind in Ruhn blows at 64 km/h."),
        (WEATHER, "הלחות ברון היא 64 אחוז.", "הלחות ברון היא 18 אחוז."),
        (ORDER, "סכום ההזמנה הוא 129.90 אירו.", "סכום ההזמנה הוא 139.90 אירו."),
        (ORDER, "ההזמנה תגיע בעוד 5 ימים.", "ההזמנה תגיע בעוד 3 ימים."),
        (ORDER, "Die Bestellung umfasst 3 Artikel.", "Die Bestellung umfasst 5 Artikel."),
        (ORDER, "The order has 3 items.", "The order has 5 items."),
        (STOCK, "K-9 a 212 avis.", "K-9 a 59 avis."),
        (FLIGHT, "נותרו 5 מקומות.", "נותרו 9 מקומות."),
        (FLIGHT, "Es sind 5 Plätze übrig.", "Es sind 9 Plätze übrig."),
        (FLIGHT, "Quedan 5 plazas.", "Quedan 9 plazas."),
        ('{"row": 8, "tickets_left": 3}', "נותרו 3 כרטיסים.", "נותרו 8 כרטיסים."),
    ],
)
def test_a_value_is_compared_with_the_field_that_it_speaks_of_in_another_language(
    result: str, right: str, wrong: str
) -> None:
    assert kinds(right, result) == []
    assert kinds(wrong, result) == [DIFFERS]


def test_a_small_number_that_names_no_field_is_not_compared() -> None:
    assert kinds("Here are 2 reasons to wait.", ORDER) == []
    assert kinds("27 of 34 lifts are open.", '{"lifts_open": 27, "lifts_total": 34}') == []


FIELDS = [
    ('{"title": "Reef", "duration_min": 120}', "The film lasts 2 hours.", "It lasts 3 hours."),
    ('{"duration_min": 120}', "הסרט נמשך שעתיים.", "הסרט נמשך שלוש שעות."),
    ('{"weight_g": 1500}', "The parcel weighs 1.5 kg.", "The parcel weighs 3 kg."),
    ('{"weight_g": 1500}', 'החבילה שוקלת 1.5 ק"ג.', 'החבילה שוקלת 3 ק"ג.'),
    ('{"price_cents": 1499}', "It costs $14.99.", "It costs $1,499."),
    ('{"size_mb": 2500}', "The file has 2.5 GB.", "The file has 25 GB."),
    ('{"ttl_s": 3600}', "It expires after an hour.", "It expires after 2 hours."),
    ('{"temp_min": 3, "temp_max": 12}', "The low is 3 °C.", "The low is 7 °C."),
    ('{"latency_ms": 2500}', "It answers in 2.5 seconds.", "It answers in 25 seconds."),
    ('{"min_guests": 20}', "At least 20 guests can come.", "At least 30 guests can come."),
    ('{"area_m2": 85}', "The flat has 85 m².", "The flat has 95 m²."),
    ('{"cells": 1000}', "There are 10³ cells.", "There are 10⁴ cells."),
]


@pytest.mark.parametrize(("result", "response"), [(each[0], each[1]) for each in FIELDS])
def test_a_value_in_another_unit_than_its_field_agrees(result: str, response: str) -> None:
    assert kinds(response, result) == []


@pytest.mark.parametrize(("result", "response"), [(each[0], each[2]) for each in FIELDS])
def test_a_value_that_its_field_does_not_say_is_found(result: str, response: str) -> None:
    assert kinds(response, result)
