"""Durations in settings: what is read, what is refused and how they are shown."""

from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from groundwire_server.config.setting_types import duration_text
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError, load_server_settings, show

LEAST_S, MOST_S = 0.001, 365 * 86400.0


def cache_ttl(value: object) -> timedelta:
    return load_server_settings({"cache_ttl": value}, {}, None).cache_ttl


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("500ms", 0.5),
        ("2s", 2),
        ("10m", 600),
        ("1h", 3600),
        ("1.5h", 5400),
        ("0.25s", 0.25),
        ("1ms", LEAST_S),
        ("8760h", MOST_S),
        ("90", 90),
        (90, 90),
        (0.5, 0.5),
        (timedelta(minutes=3), 180),
    ],
)
def test_a_duration_is_a_number_with_a_unit_or_of_seconds(value: object, seconds: float) -> None:
    assert cache_ttl(value) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "value",
    [
        "", "s", "1d", "1 s", " 1s", "1S", "1h30m", "-1s", "+1s", "1,5s", ".5s", "1e3s", "ten",
        "0", "0s", 0, -1, "0.9ms", "8760.1h", "9" * 400, 10**400, float("inf"), float("nan"),
        "nan", "inf", True, None, [], {"s": 1}, "\u0661s", "1s\n",
    ],
)  # fmt: skip
def test_what_is_none_or_out_of_range_is_refused_with_the_setting_the_value_and_examples(
    value: object,
) -> None:
    with pytest.raises(ConfigError) as caught:
        cache_ttl(value)
    assert str(caught.value) == (
        "--cache-ttl: takes a duration such as 500ms, 2s, 10m or 1h (a plain number is seconds) "
        f"from 1ms to 8760h, not {repr(value)[:40]}"
    )


@given(st.timedeltas(timedelta(milliseconds=1), timedelta(days=365)))
def test_what_is_shown_is_read_as_the_same(duration: timedelta) -> None:
    assert cache_ttl(duration_text(duration)) == duration


def test_config_show_has_durations_as_a_file_has_them(tmp_path: Path) -> None:
    settings = ServerSettings(hallucination_timeout=timedelta(seconds=2.5))
    shown = yaml.safe_load(show(settings))
    assert (shown["hallucination_timeout"], shown["cache_ttl"]) == ("2500ms", "1h")
    file = tmp_path / "groundwire.yaml"
    file.write_text(show(settings))
    assert load_server_settings({}, {}, file) == settings
