"""`groundwire calibrate --exchanges` as a user runs it, against a scripted server."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import response_assessment_pb2 as pb
from groundwire_server.cli.main import main
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_CONFIG, EXIT_OK
from groundwire_server.models.calibrations import CalibrationFile, PlattCurve, path_for, read, write
from groundwire_verifier.checks.assessment.common_sense import CommonSense
from tests.client.plain_answers import assessment
from tests.client.scripted import ScriptedServer

IDENTITY = "5e" * 32
FINE = "YNNNN"

Run = Callable[..., tuple[int, str, str]]
Rows = list[dict[str, object]]


class Assessor(ScriptedServer):
    """Answers YES to every question with the probability that the response states."""

    def AssessResponse(
        self, request: pb.AssessResponseRequest, context: grpc.ServicerContext
    ) -> pb.AssessResponseResponse:
        yes = float(request.response)
        shares = detection_pb.Stance(yes=yes, no=1 - yes, label_mass=1.0)
        answers = [
            pb.CommonSenseAnswer(question=each.value, answered=True, shares=shares)
            for each in CommonSense
        ]
        response = assessment()
        del response.claims[:]
        response.common_sense.ClearField("answers")
        response.common_sense.answers.extend(answers)
        return response


@pytest.fixture(scope="module")
def server() -> Iterator[Assessor]:
    server = Assessor()
    yield server
    server.stop()


@pytest.fixture
def calibrate(server: Assessor, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def command(rows: Rows | str, *flags: str | Path) -> tuple[int, str, str]:
        file = tmp_path / "exchanges.jsonl"
        text = rows if isinstance(rows, str) else "\n".join(map(json.dumps, rows))
        file.write_text(text, encoding="utf-8")
        given = ["--exchanges", file, "--cache-dir", tmp_path, "--target", server.target, *flags]
        code = main(["calibrate", *map(str, given)])
        return code, *capsys.readouterr()

    return command


def a_calibration(data: str = "some", identity: str = IDENTITY) -> CalibrationFile:
    return CalibrationFile(
        identity=identity,
        model="tiny",
        prompt_version="yes-no/1",
        curve=PlattCurve(slope=2.0, intercept=0.5),
        rows=30,
        data=data,
    )


@pytest.fixture
def known(tmp_path: Path) -> CalibrationFile:
    """The calibration that the server's model has."""
    file = a_calibration()
    write(file, path_for(IDENTITY, tmp_path))
    return file


def rows(count: int = 200) -> Rows:
    """Responses that are vague half as often, in odds, as their reading says; else nothing is."""
    random_ = random.Random(3)  # noqa: S311 - a fixed draw
    found: Rows = []
    for _ in range(count):
        yes = round(random_.uniform(0.05, 0.95), 3)
        odds = yes / (1 - yes) / 2
        vague = random_.random() < odds / (1 + odds)
        found.append({"response": str(yes), "labels": "YNNYN" if vague else FINE})
    return found


def test_a_curve_joins_the_calibration_that_is_there(
    calibrate: Run, known: CalibrationFile, tmp_path: Path
) -> None:
    code, out, err = calibrate(rows())
    written = read(path_for(IDENTITY, tmp_path))
    assert code == EXIT_OK, err
    assert written.model_copy(update={"concerns": {}}) == known
    assert set(written.concerns) == {"VAGUE_AS_FACT"}
    curve = written.calibration.concerns["VAGUE_AS_FACT"]
    assert curve.apply(0.5) == pytest.approx(1 / 3, abs=0.08)
    assert "too few" in out


def test_a_curve_joins_the_calibration_beside_the_weights_of_a_model_in_a_folder(
    calibrate: Run, tmp_path: Path
) -> None:
    beside = a_calibration("by training")
    write(beside, tmp_path / "model" / "calibration.json")
    code, out, err = calibrate(rows(), "--model", tmp_path / "model")
    written = read(path_for(IDENTITY, tmp_path))
    assert code == EXIT_OK, err
    assert written.model_copy(update={"concerns": {}}) == beside
    assert set(written.concerns) == {"VAGUE_AS_FACT"}
    assert f"join the calibration of {tmp_path / 'model' / 'calibration.json'}" in out


def test_the_folder_of_the_model_is_that_of_the_servers_settings(
    calibrate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(a_calibration("by training"), tmp_path / "model" / "calibration.json")
    monkeypatch.setenv("GROUNDWIRE_MODEL", str(tmp_path / "model"))
    code, _, err = calibrate(rows())
    assert code == EXIT_OK, err
    assert read(path_for(IDENTITY, tmp_path)).data == "by training"


@pytest.mark.usefixtures("known")
def test_answers_that_tell_nothing_apart_give_no_curve(calibrate: Run) -> None:
    upside_down = [{"response": "0.9", "labels": FINE}, {"response": "0.1", "labels": "YNNYN"}]
    code, out, _ = calibrate(upside_down * 30)
    assert code == EXIT_BELOW
    assert "not told apart" in out


def test_enough_for_a_curve_and_too_few_to_judge_it_gives_the_curve_and_says_so(
    calibrate: Run, known: CalibrationFile, tmp_path: Path
) -> None:
    fine, vague = {"response": "0.2", "labels": FINE}, {"response": "0.9", "labels": "YNNYN"}
    code, out, err = calibrate([fine] * 40 + [vague] * 10)
    assert code == EXIT_OK, err
    assert set(read(path_for(IDENTITY, tmp_path)).concerns) == {"VAGUE_AS_FACT"}
    assert "too few to tell" in " ".join(out.replace("│", " ").split())


def test_without_a_calibration_to_join_it_says_how_to_get_one(calibrate: Run) -> None:
    code, _, error = calibrate(rows(20))
    assert code == EXIT_CONFIG
    assert "groundwire calibrate --data" in error
    assert "--model" in error


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no rows"),
        ("{", "line 1 is not JSON"),
        ("[]", "line 1 is not a JSON object"),
        ('{"response": "0.5", "labels": "YN"}', "labels must have 5 letters"),
        ('{"response": "0.5", "labels": "YNNNX"}', "labels must have 5 letters"),
        ('{"response": 5, "labels": "YNNNN"}', "line 1: response must be a text"),
    ],
    ids=["nothing", "no JSON", "no object", "too few", "another letter", "no text"],
)
def test_a_bad_file_is_refused_with_its_line(calibrate: Run, text: str, said: str) -> None:
    code, _, error = calibrate(text)
    assert code == EXIT_CONFIG
    assert said in error
