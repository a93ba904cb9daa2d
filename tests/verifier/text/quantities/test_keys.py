"""Units that the keys of fields name, and claims beside such fields."""

import time

import pytest

from groundwire_verifier.text.quantities.keys import KeyUnit, unit_of_key
from groundwire_verifier.text.quantities.units import UNITS
from groundwire_verifier.text.quantities.unstated import StatedValues


@pytest.mark.parametrize(
    ("key", "unit"),
    [
        ("priceUsd", "usd"),
        ("price_usd_total", "usd"),
        ("size_mb", "mb"),
        ("area_m2", "m²"),
        ("humidity", "%"),
        ("duration_min", "min"),
        ("weightG", "g"),
        ("timeout_s", "s"),
        ("temp_c", "°c"),
        ("temp_min", "°"),
    ],
)
def test_a_key_names_its_unit(key: str, unit: str) -> None:
    assert unit_of_key(key) == KeyUnit(UNITS[unit])


@pytest.mark.parametrize(
    ("key", "unit"), [("vitamin_c", "°c"), ("price_min", "min"), ("pack_g", "g"), ("team_s", "s")]
)
def test_a_short_end_of_another_key_may_be_a_unit(key: str, unit: str) -> None:
    assert unit_of_key(key) == KeyUnit(UNITS[unit], is_certain=False)


@pytest.mark.parametrize("key", ["min_items", "title", "c", "id", "", "rooms_2"])
def test_other_keys_name_none(key: str) -> None:
    assert unit_of_key(key) is None


FIELDS = [
    ('{"title": "Reef", "duration_min": 120}', "The film lasts 2 hours.", "It lasts 3 hours."),
    ('{"duration_min": 120}', "הסרט נמשך שעתיים.", "הסרט נמשך שלוש שעות."),
    ("- duration_min: 120", "It takes 120 minutes.", "It takes 120 hours."),
    ('{"weight_g": 1500}', "It weighs 1.5 kg.", "It weighs 1,500 kg."),
    ('{"weight_g": "1500"}', 'המשקל הוא 1.5 ק"ג.', 'המשקל הוא 15 ק"ג.'),
    ('{"price_cents": 1499}', "It costs $14.99.", "It costs $1,499."),
    ('{"size_mb": 2500}', "The file has 2.5 GB.", "The file has 25 GB."),
    ("timeout_ms = 2500", "It waits 2.5 seconds.", "It waits 25 seconds."),
    ('{"temp_c": 12}', "It is 12 °C.", "It is 14 °C."),
    ('{"temp_min": 3}', "At night it is 3 °C.", "At night it is 5 °C."),
    ('{"vitamin_c": 90}', "It has 90 mg of it.", "It has 95 mg of it."),
    ('{"price_min": 20}', "It costs 20 euros at least.", "It costs 30 euros at least."),
    ('{"pack_g": 2000}', "A pack has 2 kg.", "A pack has 3 kg."),
    ('{"year": 1500, "length_m": 1200}', "In 1500 it was 1.2 km long.", "It was 12 km long."),
]


@pytest.mark.parametrize(("source", "claim"), [(each[0], each[1]) for each in FIELDS])
def test_a_value_in_another_unit_than_its_field_is_stated(source: str, claim: str) -> None:
    assert StatedValues([source]).unstated_in(claim).values == ()


@pytest.mark.parametrize(("source", "claim"), [(each[0], each[2]) for each in FIELDS])
def test_a_value_that_its_field_does_not_say_is_unstated(source: str, claim: str) -> None:
    assert StatedValues([source]).unstated_in(claim).values


def test_keys_are_read_in_time_that_grows_with_the_text() -> None:
    hostile = ("a_" * 300 + ": 12 ") * 200 + "duration_min: 12 " * 1_000 + '"=' * 5_000
    begun = time.monotonic()
    StatedValues([hostile]).unstated_in("It weighs 3 kg.")
    assert time.monotonic() - begun < 10
