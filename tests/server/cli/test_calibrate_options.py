"""What `groundwire calibrate` can do beside a fit: kept readings, score thresholds.

The scripted model reads a claim as its own number. `told` decides what a row's label follows beside
that: whether its context states the number.
"""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from groundwire_server.cli.main import main
from groundwire_server.exit_codes import EXIT_CONFIG, EXIT_OK, EXIT_UNAVAILABLE
from tests.scripted_services.reader import Reader
from tests.serving import free_port

SETS = ("one", "two", "three", "four")
Rows = list[dict[str, object]]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def server() -> Iterator[Reader]:
    server = Reader()
    yield server
    server.stop()


@pytest.fixture
def calibrate(server: Reader, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def command(rows: Rows, *flags: str | Path) -> tuple[int, str, str]:
        data = tmp_path / "rows.jsonl"
        data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        target = [] if "--target" in flags else ["--target", server.target]
        given = ["--data", data, "--out", tmp_path / "a.json", *target, *flags]
        return main(["calibrate", *map(str, given)]), *capsys.readouterr()

    return command


def rows(told: dict[str, float], count: int = 60) -> Rows:
    """Claims of each source; in log-odds, a stated number adds what `told` names."""
    random_ = random.Random(6)  # noqa: S311 - a fixed draw
    found: Rows = []
    for source, weight in told.items():
        for i in range(count):
            raw, stated = round(random_.uniform(0.2, 0.8), 3), random_.random() < 0.5
            odds = raw / (1 - raw) * 2.718 ** (weight * (stated - 0.5))
            context = f"{source} {i}: {raw if stated else 'nothing'}."
            label = int(random_.random() < odds / (1 + odds))
            row = {"context": context, "claim": str(raw), "label": label, "source": source}
            found.append(row)
    return found


def test_kept_readings_are_fitted_again_without_a_server(
    calibrate: Run, server: Reader, tmp_path: Path
) -> None:
    given, kept = rows(dict.fromkeys(SETS, 4.0)), tmp_path / "readings.json"
    calibrate(given, "--readings", kept)
    first = (tmp_path / "a.json").read_bytes()
    asked = server.calls
    code, _, _ = calibrate(given, "--readings", kept, "--target", f"127.0.0.1:{free_port()}")
    assert code == EXIT_OK
    assert server.calls == asked
    assert json.loads((tmp_path / "a.json").read_bytes()) == json.loads(first)


def test_only_new_rows_are_asked_beside_kept_readings(
    calibrate: Run, server: Reader, tmp_path: Path
) -> None:
    given, kept = rows(dict.fromkeys(SETS, 4.0)), tmp_path / "readings.json"
    calibrate(given[:-1], "--readings", kept)
    asked = server.calls
    calibrate(given, "--readings", kept)
    assert server.calls == asked + 2


def test_no_text_stands_in_the_kept_readings(calibrate: Run, tmp_path: Path) -> None:
    kept = tmp_path / "readings.json"
    given = [dict(row, context=f"Rosebud {row['context']}") for row in rows({"one": 1.0})]
    calibrate(given, "--readings", kept)
    assert "Rosebud" not in kept.read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [("{}", "identity Field required"), ("[", "Invalid JSON")],
    ids=["empty", "no JSON"],
)
def test_a_file_that_holds_no_readings_is_refused_and_left_alone(
    calibrate: Run, tmp_path: Path, text: str, message: str
) -> None:
    kept = tmp_path / "readings.json"
    kept.write_text(text)
    code, _, err = calibrate(rows({"one": 1.0}), "--readings", kept)
    assert code == EXIT_CONFIG
    assert f"--readings: {kept} holds none" in err
    assert message in err
    assert kept.read_text() == text


def test_readings_of_another_model_are_not_mixed_with_those_of_this_one(
    calibrate: Run, tmp_path: Path
) -> None:
    kept, given = tmp_path / "readings.json", rows(dict.fromkeys(SETS, 4.0))
    calibrate(given[:-1], "--readings", kept)
    other = dict(json.loads(kept.read_text()), identity="ab" * 32)
    kept.write_text(json.dumps(other))
    code, _, err = calibrate(given, "--readings", kept)
    assert code == EXIT_CONFIG
    assert "and not of what is being served; name another file" in err


def test_what_was_read_before_the_server_went_is_kept(
    calibrate: Run, server: Reader, tmp_path: Path
) -> None:
    kept, given = tmp_path / "readings.json", rows({"one": 1.0})
    code, _, _ = calibrate(given, "--readings", kept)
    server.stop()
    more = [*given, dict(given[0], context="Another.")]
    code, _, _ = calibrate(more, "--readings", kept, "--timeout-s", "0.2")
    assert code == EXIT_UNAVAILABLE
    assert len(json.loads(kept.read_text())["raw"]) == len(given)


def test_score_thresholds_are_told_with_intervals_and_what_they_gain(calibrate: Run) -> None:
    code, out, _ = calibrate(rows({"one": 1.0}, count=200), "--score")
    assert code == EXIT_OK
    for setting in ("verify_min_evidence_use", "verify_min_grounding_score"):
        (line,) = [line for line in out.splitlines() if setting in line]
        assert "(95 %: " in line
    assert "balanced accuracy on contexts that they were not chosen on" in out
