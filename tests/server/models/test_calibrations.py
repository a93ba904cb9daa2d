"""Calibrations as files: which one is found, and what is said of one that does not fit."""

import json
import math
from pathlib import Path

import pytest

from groundwire_server.backends import create_backend
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.models import calibrations
from groundwire_server.models.calibrations import CalibrationFile, find, path_for, read, write
from groundwire_verifier.numbers.calibration import Bar, Calibration, Isotonic, Platt, Strictness

IDENTITY, OTHER = "ab" * 32, "cd" * 32
FITTED = Calibration(
    Platt(1.5, -0.25),
    300,
    "some claims",
    {Strictness.BALANCED: 0.5, Strictness.STRICT: 0.75},
    {Bar.UNSUPPORTED: 0.25, Bar.CONTRADICTION: 0.75},
)


@pytest.fixture(autouse=True)
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of what ships, empty."""
    folder = tmp_path / "shipped"
    monkeypatch.setattr(calibrations, "SHIPPED", folder)
    return folder


def file_for(identity: str, calibration: Calibration = FITTED) -> CalibrationFile:
    return CalibrationFile.of(calibration, identity, "tiny", "yes-no/1")


@pytest.mark.parametrize(
    "calibration", [FITTED, Calibration(Isotonic((-1.0, 2.0), (0.1, 0.9)), 2000, "more claims")]
)
def test_what_is_written_is_read_again(tmp_path: Path, calibration: Calibration) -> None:
    write(file_for(IDENTITY, calibration), tmp_path / "new" / "a.json")
    assert read(tmp_path / "new" / "a.json").calibration == calibration


class TestFind:
    def test_without_a_file_there_is_none(self, tmp_path: Path) -> None:
        assert find(IDENTITY, "auto", tmp_path) is None

    def test_the_one_in_the_cache_folder_is_found_by_its_identity(self, tmp_path: Path) -> None:
        write(file_for(IDENTITY), path_for(IDENTITY, tmp_path))
        assert find(IDENTITY, "auto", tmp_path) == FITTED
        assert find(OTHER, "auto", tmp_path) is None

    def test_the_one_that_ships_is_found_by_its_identity(
        self, tmp_path: Path, shipped: Path
    ) -> None:
        write(file_for(IDENTITY), shipped / "tiny" / "calibration.json")
        assert find(IDENTITY, "auto", tmp_path) == FITTED
        assert find(OTHER, "auto", tmp_path) is None

    def test_a_fit_of_ones_own_comes_before_the_one_that_ships(
        self, tmp_path: Path, shipped: Path
    ) -> None:
        own = Calibration(Platt(2.0, 0.0), 50, "own claims")
        write(file_for(IDENTITY), shipped / "tiny" / "calibration.json")
        write(file_for(IDENTITY, own), path_for(IDENTITY, tmp_path))
        assert find(IDENTITY, "auto", tmp_path) == own

    def test_one_in_the_folder_of_its_model_is_found_there(
        self, tmp_path: Path, shipped: Path
    ) -> None:
        own = Calibration(Platt(2.0, 0.0), 50, "own claims")
        write(file_for(IDENTITY, own), tmp_path / "model" / "calibration.json")
        write(file_for(IDENTITY), shipped / "tiny" / "calibration.json")
        assert find(IDENTITY, "auto", tmp_path, tmp_path / "model") == own
        assert find(OTHER, "auto", tmp_path, tmp_path / "model") is None
        write(file_for(IDENTITY), path_for(IDENTITY, tmp_path))
        assert find(IDENTITY, "auto", tmp_path, tmp_path / "model") == FITTED

    def test_off_finds_none(self, tmp_path: Path) -> None:
        write(file_for(IDENTITY), path_for(IDENTITY, tmp_path))
        assert find(IDENTITY, "off", tmp_path) is None

    def test_a_named_file_of_another_model_is_refused(self, tmp_path: Path) -> None:
        write(file_for(OTHER), tmp_path / "a.json")
        with pytest.raises(ConfigError, match="was fitted for tiny, asked with yes-no/1"):
            find(IDENTITY, str(tmp_path / "a.json"), tmp_path)

    def test_a_named_file_that_is_missing_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match="No such file"):
            find(IDENTITY, str(tmp_path / "a.json"), tmp_path)


def isotonic(log_odds: list[float], probabilities: list[float]) -> dict[str, object]:
    return {"curve": {"method": "isotonic", "log_odds": log_odds, "probabilities": probabilities}}


def test_a_file_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[" * 100_000)
    with pytest.raises(ConfigError, match="recursion limit exceeded at line 1"):
        read(path)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"identity": "short"}, "identity"),
        ({"rows": 0}, "rows"),
        ({"version": 2}, "version"),
        ({"extra": 1}, "extra"),
        ({"operating_point": math.nan}, "operating_point"),
        ({"operating_points": {"strict": 1.2}}, "operating_points.strict"),
        ({"operating_points": {"sloppy": 0.5}}, "operating_points.sloppy"),
        ({"bars": {"unsupported": -0.1}}, "bars.unsupported"),
        ({"bars": {"certainty": 0.5}}, "bars.certainty"),
        ({"rows": math.inf}, "rows"),
        ({"curve": {"method": "platt", "slope": -1.0, "intercept": 0.0}}, "slope"),
        ({"curve": {"method": "platt", "slope": math.inf, "intercept": 0.0}}, "slope"),
        ({"curve": {"method": "platt", "slope": 1.0, "intercept": math.nan}}, "intercept"),
        (isotonic([0.0, 1.0, 2.0], [0.1, math.nan, 0.3]), "probabilities.1"),
        (isotonic([0.0, 1.0, 2.0], [0.1, 0.2, math.nan]), "probabilities.2"),
        (isotonic([0.0, 1.0, math.inf], [0.1, 0.2, 0.3]), "log_odds.2"),
        (isotonic([math.nan], [0.1]), "log_odds.0"),
        (isotonic([0.0, 1.0], [-0.1, 0.2]), "curve"),
        (isotonic([0.0, 1.0], [0.1, 1.2]), "curve"),
        ({"curve": {"method": "isotonic", "log_odds": [1, 0], "probabilities": [0, 1]}}, "curve"),
        ({"curve": {"method": "isotonic", "log_odds": [0, 1], "probabilities": [1, 0]}}, "curve"),
        ({"curve": {"method": "isotonic", "log_odds": [0, 1], "probabilities": [0]}}, "curve"),
    ],
)
def test_a_file_that_is_no_calibration_is_refused_with_its_place(
    tmp_path: Path, change: dict[str, object], place: str
) -> None:
    path = tmp_path / "a.json"
    data = json.loads(file_for(IDENTITY).model_dump_json()) | change
    path.write_text(json.dumps(data))
    with pytest.raises(ConfigError, match=place):
        read(path)


@pytest.mark.parametrize("content", [None, "{}", "no JSON"])
def test_a_named_file_that_cannot_be_read_is_refused_before_a_model_is_loaded(
    tmp_path: Path, content: str | None
) -> None:
    path = tmp_path / "mine.json"
    if content is not None:
        path.write_text(content)
    settings = ServerSettings(calibration=str(path))
    with pytest.raises(ConfigError, match=r"mine\.json"):
        create_backend(settings, lambda _: None)


def test_a_named_file_that_can_be_read_is_no_reason_to_refuse(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    write(file_for(IDENTITY), path)
    create_backend(ServerSettings(calibration=str(path)), lambda _: None)
