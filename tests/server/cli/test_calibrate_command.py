"""`groundwire calibrate` as a user runs it, against a scripted server: files and output."""

import json
import random
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

import grpc
import pytest

from groundwire_server.cli.main import main
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_CONFIG, EXIT_OK
from groundwire_server.models import calibrations
from groundwire_server.models.calibrations import CalibrationFile, path_for, read, write
from groundwire_verifier.numbers.calibration import Bar, Calibration, Platt, Strictness
from tests.client.plain_answers import info_response
from tests.client.scripted import ScriptedServer, bad_request, failing
from tests.scripted_services.reader import Reader

IDENTITY = "5e" * 32

Run = Callable[..., tuple[int, str, str]]
Rows = list[dict[str, object]]


@pytest.fixture(scope="module")
def server() -> Iterator[Reader]:
    server = Reader()
    yield server
    server.stop()


@pytest.fixture
def calibrate(server: ScriptedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def command(rows: Rows | str, *flags: str | Path) -> tuple[int, str, str]:
        data = tmp_path / "rows.jsonl"
        text = rows if isinstance(rows, str) else "\n".join(map(json.dumps, rows))
        data.write_text(text, encoding="utf-8")
        target = [] if "--target" in flags else ["--target", server.target]
        given = ["--data", data, "--cache-dir", tmp_path, *target, *flags]
        code = main(["calibrate", *map(str, given)])
        return code, *capsys.readouterr()

    return command


def rows(count: int = 200, contexts: int = 20) -> Rows:
    """Claims that are supported half as often, in odds, as their reading says."""
    random_ = random.Random(3)  # noqa: S311 - a fixed draw
    found: Rows = []
    for i in range(count):
        raw = round(random_.uniform(0.05, 0.95), 3)
        odds = raw / (1 - raw) / 2
        label = int(random_.random() < odds / (1 + odds))
        found.append({"context": f"Context {i % contexts}.", "claim": str(raw), "label": label})
    return found


def test_a_calibration_is_written_where_a_server_finds_it(calibrate: Run, tmp_path: Path) -> None:
    code, out, _ = calibrate(rows())
    written = read(path_for(IDENTITY, tmp_path))
    assert code == EXIT_OK
    assert (written.identity, written.model, written.rows) == (IDENTITY, "tiny", 200)
    assert str(path_for(IDENTITY, tmp_path)) in out


def test_it_lowers_what_the_model_says_too_high(calibrate: Run, tmp_path: Path) -> None:
    calibrate(rows(800), "--out", tmp_path / "a.json")
    curve = read(tmp_path / "a.json").calibration.curve
    assert isinstance(curve, Platt)
    assert curve.apply(0.5) == pytest.approx(1 / 3, abs=0.06)


def test_the_plot_is_an_svg_that_holds_every_row(calibrate: Run, tmp_path: Path) -> None:
    calibrate(rows(), "--out", tmp_path / "a.json")
    tree = ET.parse(tmp_path / "a.svg")  # noqa: S314 - our own file
    titles = [
        e.text or "" for e in tree.iter() if e.tag.endswith("title") and "claims:" in (e.text or "")
    ]
    assert sum(int(title.split()[0]) for title in titles) == 2 * 200


def known(path: Path, concerns: Mapping[str, Platt], identity: str = IDENTITY) -> None:
    """Write a calibration that the server's model has had until now."""
    earlier = Calibration(Platt(1.0, 0.0), 30, "other claims", concerns=concerns)
    write(CalibrationFile.of(earlier, identity, "tiny", "yes-no/1"), path)


class TestCurvesOfCommonSense:
    CURVES: ClassVar = {"VAGUE_AS_FACT": Platt(2.0, 0.5), "MAKES_SENSE": Platt(1.5, -0.5)}

    def test_those_of_the_calibration_that_is_replaced_are_kept(
        self, calibrate: Run, tmp_path: Path
    ) -> None:
        path = path_for(IDENTITY, tmp_path)
        known(path, self.CURVES)
        _, out, _ = calibrate(rows())
        written = read(path).calibration
        assert (written.rows, written.concerns) == (200, self.CURVES)
        assert f"are kept from {path}: VAGUE_AS_FACT, MAKES_SENSE" in out

    def test_those_that_ship_are_kept(
        self, calibrate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(calibrations, "SHIPPED", tmp_path / "shipped")
        known(tmp_path / "shipped" / "tiny" / "calibration.json", self.CURVES)
        calibrate(rows())
        assert read(path_for(IDENTITY, tmp_path)).calibration.concerns == self.CURVES

    def test_those_beside_the_weights_of_a_model_in_a_folder_are_kept(
        self, calibrate: Run, tmp_path: Path
    ) -> None:
        known(tmp_path / "model" / "calibration.json", self.CURVES)
        calibrate(rows(), "--model", tmp_path / "model")
        assert read(path_for(IDENTITY, tmp_path)).calibration.concerns == self.CURVES

    def test_those_of_the_file_that_is_written_come_first(
        self, calibrate: Run, tmp_path: Path
    ) -> None:
        own = {"MAKES_SENSE": Platt(3.0, 0.0)}
        known(path_for(IDENTITY, tmp_path), self.CURVES)
        known(tmp_path / "a.json", own)
        calibrate(rows(), "--out", tmp_path / "a.json")
        assert read(tmp_path / "a.json").calibration.concerns == own

    def test_those_of_another_model_are_not_kept(self, calibrate: Run, tmp_path: Path) -> None:
        known(tmp_path / "a.json", self.CURVES, "ab" * 32)
        calibrate(rows(), "--out", tmp_path / "a.json")
        assert read(tmp_path / "a.json").calibration.concerns == {}

    def test_where_there_are_none_it_says_how_to_fit_them(self, calibrate: Run) -> None:
        _, out, _ = calibrate(rows())
        assert "no curves for the questions of common sense" in out
        assert "groundwire calibrate --exchanges" in out

    def test_a_file_that_is_no_calibration_is_replaced_and_told(
        self, calibrate: Run, tmp_path: Path
    ) -> None:
        path = path_for(IDENTITY, tmp_path)
        path.parent.mkdir()
        path.write_text("{")
        code, out, _ = calibrate(rows())
        assert code == EXIT_OK
        assert read(path).rows == 200
        assert f"! {path} is no calibration" in out


def points(path: Path) -> Mapping[Strictness, float]:
    return read(path).calibration.operating_points


def test_every_operating_point_is_given_with_its_intervals(calibrate: Run) -> None:
    _, out, _ = calibrate(rows(800), "--max-false-positive-rate", "0.1")
    assert "balanced: a confidence of 0." in out
    assert "strict: a confidence of 0." in out
    assert "so that a false-positive rate of at most 0.1" in out
    assert "lenient: a confidence of 0." in out
    assert out.count("so that at most") == 2
    # Three rates of three points and of the grounding score, and two of UNSUPPORTED.
    assert out.count("(95 %: ") == 3 * 4 + 2


def test_the_operating_points_are_written_the_stricter_the_higher(
    calibrate: Run, tmp_path: Path
) -> None:
    _, out, _ = calibrate(rows(800), "--out", tmp_path / "a.json")
    written = points(tmp_path / "a.json")
    assert set(written) == set(Strictness)
    assert all(f"{name.value}: a confidence of {at:.4f}" in out for name, at in written.items())
    assert (
        written[Strictness.LENIENT]
        < 0.5
        <= written[Strictness.BALANCED]
        < written[Strictness.STRICT]
    )


def test_the_strict_point_keeps_to_every_rate(calibrate: Run, tmp_path: Path) -> None:
    chosen = []
    for flags in (
        ["--max-false-positive-rate", "0.1"],
        ["--max-risk", "0.4"],
        ["--max-false-positive-rate", "0.1", "--max-risk", "0.4"],
    ):
        calibrate(rows(800), "--out", tmp_path / "a.json", *flags)
        chosen.append(points(tmp_path / "a.json")[Strictness.STRICT])
    assert chosen[0] != chosen[1]
    assert chosen[2] == max(chosen)


def test_a_rate_that_nothing_keeps_leaves_no_strict_point(calibrate: Run, tmp_path: Path) -> None:
    flags = ["--max-risk", "0.0001", "--max-false-positive-rate", "0.1"]
    code, out, _ = calibrate(rows(), "--out", tmp_path / "a.json", *flags)
    assert code == EXIT_OK
    assert "! strict: no confidence keeps the promise (a false-positive rate of at most 0.1" in out
    assert set(points(tmp_path / "a.json")) == {Strictness.BALANCED, Strictness.LENIENT}


def test_claims_that_are_believed_without_their_contexts_give_no_operating_point(
    calibrate: Run, tmp_path: Path, server: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "prior", "0.99")
    code, out, _ = calibrate(rows(), "--out", tmp_path / "a.json")
    assert code == EXIT_OK
    assert "! balanced: no confidence keeps the promise (at most 15% of the unsupported" in out
    assert points(tmp_path / "a.json") == {}


def contradicting() -> Rows:
    """Claims that are contradicted below .2, right from .3 to .5, and mostly right from .6 up."""
    found: Rows = []
    for i in range(300):
        raw = (0.01 + i % 19 / 100, 0.3 + i % 20 / 100, 0.6 + i % 40 / 100)[i % 3]
        label = int(i % 3 == 1 or (i % 3 == 2 and i % 4 > 0))
        row: dict[str, object] = {"context": f"Context {i % 30}.", "claim": f"{raw:.2f}"}
        found.append(row | {"label": label, "source": f"set {i % 2}"})
        if not label:
            found[-1]["contradicted"] = i % 3 == 0
    return found


class TestBars:
    def test_that_of_unsupported_is_chosen_and_printed(
        self, calibrate: Run, tmp_path: Path
    ) -> None:
        _, out, _ = calibrate(contradicting(), "--out", tmp_path / "a.json")
        bar = read(tmp_path / "a.json").calibration.bars[Bar.UNSUPPORTED]
        assert 0.0 < bar < 0.5
        assert f"UNSUPPORTED: p1 up to {bar:.4f}; above it UNCERTAIN\n  " in out
        assert "every source has equal weight" in out

    def test_that_of_contradicted_is_chosen_where_the_rows_say_so(
        self, calibrate: Run, tmp_path: Path
    ) -> None:
        _, out, _ = calibrate(contradicting(), "--out", tmp_path / "a.json")
        bar = read(tmp_path / "a.json").calibration.bars[Bar.CONTRADICTION]
        assert 0.5 < bar <= 0.81
        assert f"CONTRADICTED: P(NO) from {bar:.4f}" in out

    def test_the_model_is_asked_only_below_the_posterior_that_a_server_asks_below(
        self, calibrate: Run, server: Reader, tmp_path: Path
    ) -> None:
        flags = ["--readings", tmp_path / "readings.json"]
        before = server.stances
        calibrate(contradicting(), *flags)
        asked = server.stances - before
        assert 100 <= asked <= 200
        calibrate(contradicting(), *flags)
        assert server.stances == before + asked

    def test_rows_that_do_not_say_what_is_contradicted_choose_none_and_keep_the_models(
        self, calibrate: Run, server: Reader, tmp_path: Path
    ) -> None:
        path = path_for(IDENTITY, tmp_path)
        bars = {Bar.CONTRADICTION: 0.8, Bar.MISCITATION: 0.4, Bar.UNSUPPORTED: 0.45}
        earlier = Calibration(Platt(1.0, 0.0), 30, "other claims", bars=bars)
        write(CalibrationFile.of(earlier, IDENTITY, "tiny", "yes-no/1"), path)
        before = server.stances
        _, out, _ = calibrate(rows())
        written = read(path).calibration.bars
        assert server.stances == before
        assert {**written, Bar.UNSUPPORTED: 0.45} == bars
        assert written[Bar.UNSUPPORTED] != 0.45
        assert "CONTRADICTED: no row has contradicted: true" in out
        assert f"A bar that these rows do not choose is kept from {path}" in out

    def test_contradictions_that_cannot_be_believed_are_never_told(
        self, calibrate: Run, tmp_path: Path
    ) -> None:
        doubtful = [row | ({"contradicted": False} if not row["label"] else {}) for row in rows()]
        doubtful[0] |= {"label": 0, "contradicted": True}
        _, out, _ = calibrate(doubtful, "--out", tmp_path / "a.json")
        assert read(tmp_path / "a.json").calibration.bars[Bar.CONTRADICTION] == 1.0
        assert "none will be CONTRADICTED" in out


def test_a_refused_text_costs_no_other_row(calibrate: Run, server: ScriptedServer) -> None:
    too_long = failing(
        grpc.StatusCode.INVALID_ARGUMENT,
        "TEXT_TOO_LONG",
        details=(bad_request(context="too long"),),
    )
    server.script(info_response(), too_long)
    code, out, _ = calibrate(rows())
    assert code == EXIT_OK
    assert "10 rows got no probability" in out
    assert "too long" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no rows"),
        ("{", "line 1 is not JSON"),
        ("[]", "line 1 is not a JSON object"),
        ('\n{"context": ' + "[" * 100_000, "line 2 is nested too deeply"),
        ('{"context": "\\ud800", "claim": "a", "label": 1}', "line 1: context holds half of a"),
        ('{"claim": "a", "label": 1}', "context must be a text"),
        ('{"context": "", "claim": 3, "label": 1}', "claim must be a text"),
        ('{"context": "", "claim": "a", "label": "yes"}', "label must be 1"),
        ('\n{"context": "", "claim": "a"}', "line 2: label must be 1"),
        (
            '{"context": "", "claim": "a", "label": 0, "contradicted": 1}',
            "contradicted must be true or false",
        ),
        (
            '{"context": "", "claim": "a", "label": 1, "contradicted": true}',
            "contradicted must be false",
        ),
    ],
)
def test_a_bad_row_is_named_with_its_line(calibrate: Run, text: str, message: str) -> None:
    code, _, err = calibrate(text)
    assert code == EXIT_CONFIG
    assert message in err


def test_a_wanted_rate_outside_its_range_is_refused(calibrate: Run) -> None:
    code, _, err = calibrate(rows(), "--max-risk", "1.5")
    assert code == EXIT_CONFIG
    assert "the wanted risk, 1.5, is not between 0 and 1" in err


def test_too_few_rows_are_refused_and_nothing_is_written(calibrate: Run, tmp_path: Path) -> None:
    code, _, err = calibrate(rows(12))
    assert code == EXIT_BELOW
    assert "too few" in err
    assert not path_for(IDENTITY, tmp_path).exists()
