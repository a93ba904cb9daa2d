"""`groundwire run` with a server of its own, whose engine is scripted."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from groundwire_server import in_process as module
from groundwire_server.batch.command import MOST_LOSSES
from groundwire_server.cli.main import main
from groundwire_server.config.settings import ServerSettings
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_CONFIG, EXIT_ENGINE_FAILED, EXIT_OK
from groundwire_server.in_process import alone
from groundwire_verifier.domain.errors import BackendBusyError, BackendRefusedError
from groundwire_verifier.engine.local import LocalBackend
from tests.scripted import MODEL, NEVER_HANGS_S, ScriptedEngine
from tests.server.cli.batch.rows_to_run import lines_of, row, write

ANSWERS = ["The tower is tall.", "The tower is green.", "The tower is old."]


Script = Callable[[ScriptedEngine, str], None]
"""What an engine does at a prompt, before it answers as ever."""


@pytest.fixture
def engines() -> list[ScriptedEngine]:
    """The engines that were made, the last one last."""
    return []


@pytest.fixture
def serve(
    engines: list[ScriptedEngine], monkeypatch: pytest.MonkeyPatch
) -> Callable[[Script], None]:
    """Have the server of the job use engines with a script."""

    def use(script: Script) -> None:
        def load() -> ScriptedEngine:
            engine = ScriptedEngine()
            engine.answer = lambda prompt: script(engine, prompt)
            engines.append(engine)
            return engine

        def create(_: ServerSettings, __: Callable[[str], None]) -> dict[str, LocalBackend]:
            return {"local": LocalBackend(MODEL, load, NEVER_HANGS_S, lambda: "known")}

        monkeypatch.setattr(module, "create_backends", create)

    return use


def test_a_dead_engine_ends_the_job_and_the_same_command_goes_on(
    serve: Callable[[Script], None],
    engines: list[ScriptedEngine],
    out: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def die_once(engine: ScriptedEngine, prompt: str) -> None:
        # The first engine does not survive the second row.
        if len(engines) == 1 and "green" in prompt:
            engine.die()

    serve(die_once)
    file = write(tmp_path / "rows.jsonl", [row(answer) for answer in ANSWERS])
    command = ["run", str(file), "--out", str(out), "--parallel", "1"]
    assert main(command) == EXIT_ENGINE_FAILED
    assert "the same command goes on from there" in capsys.readouterr().err
    assert [each["row"] for each in lines_of(out)] == [1]
    assert main(command) == EXIT_OK
    assert [each["row"] for each in lines_of(out)] == [1, 2, 3]
    assert len(engines) == 2
    assert not any("tall" in claim for claim in engines[1].claims)


REFUSED = BackendRefusedError("the endpoint refuses: HTTP 400")


@pytest.mark.parametrize("answer", ["The tower is green.", "The tower is tall. It is green."])
def test_a_row_that_the_backend_refuses_does_not_stop_the_others(
    serve: Callable[[Script], None], out: Path, tmp_path: Path, answer: str
) -> None:
    def refuse(_: ScriptedEngine, prompt: str) -> None:
        if "green" in prompt:
            raise REFUSED

    serve(refuse)
    answers = ["The tower is tall.", answer, "The tower is old."]
    file = write(tmp_path / "rows.jsonl", [row(answer) for answer in answers])
    assert main(["run", str(file), "--out", str(out), "--parallel", "1"]) == EXIT_BELOW
    errors = [each["error"] for each in lines_of(out)]
    assert errors[0] is errors[2] is None
    assert isinstance(errors[1], dict)
    assert errors[1]["reason"] == ("BACKEND_REFUSED" if answer == ANSWERS[1] else "BACKEND_FAILED")


def test_a_backend_that_reads_nothing_any_more_is_no_matter_of_a_row(
    serve: Callable[[Script], None], engines: list[ScriptedEngine], out: Path, tmp_path: Path
) -> None:
    def break_down(engine: ScriptedEngine, _: str) -> None:
        if len(engines) == 1 and any("green" in claim for claim in engine.claims):
            raise REFUSED

    serve(break_down)
    file = write(tmp_path / "rows.jsonl", [row(answer) for answer in ANSWERS])
    command = ["run", str(file), "--out", str(out), "--parallel", "1"]
    assert main(command) == EXIT_ENGINE_FAILED
    assert [each["row"] for each in lines_of(out)] == [1]
    assert main(command) == EXIT_OK


def test_a_backend_that_is_busy_in_the_middle_of_an_answer_is_asked_again(
    serve: Callable[[Script], None], out: Path, tmp_path: Path
) -> None:
    left = iter(range(5))

    def be_busy(engine: ScriptedEngine, _: str) -> None:
        if "It is green." in engine.claims and next(left, None) is not None:
            raise BackendBusyError("too many requests", 0.01)

    serve(be_busy)
    file = write(tmp_path / "rows.jsonl", [row("The tower is tall. It is green.")])
    assert main(["run", str(file), "--out", str(out)]) == EXIT_OK
    assert next(left, None) is None


def test_a_row_that_no_engine_survives_ends_the_job_three_times_only(
    serve: Callable[[Script], None], out: Path, tmp_path: Path
) -> None:
    def die(engine: ScriptedEngine, prompt: str) -> None:
        if "green" in prompt:
            engine.die()

    serve(die)
    file = write(tmp_path / "rows.jsonl", [row(answer) for answer in ANSWERS])
    command = ["run", str(file), "--out", str(out)]
    assert [main(command) for _ in range(MOST_LOSSES + 1)] == [
        *[EXIT_ENGINE_FAILED] * MOST_LOSSES,
        EXIT_BELOW,
    ]
    errors = {each["row"]: each["error"] for each in lines_of(out)}
    assert errors[1] is errors[3] is None
    assert isinstance(errors[2], dict)
    assert errors[2]["reason"] == "ENGINE_FAILED"


def test_nobody_else_reaches_it(tmp_path: Path) -> None:
    token = tmp_path / "token"
    given = {"listen": "0.0.0.0:1", "auth_token_file": token, "http_listen": "0.0.0.0:2"}
    settings = alone(ServerSettings.model_validate({**given, "max_claims": 5}))
    assert (settings.listen, settings.metrics_listen) == ("127.0.0.1:0", "")
    assert (settings.auth_token_file, settings.http_listen) == (None, None)
    assert settings.max_claims == 5


def test_a_cluster_and_a_server_exclude_each_other(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "rows.jsonl", [row()])
    given = ["--out", str(out), "--ray", "auto", "--target", "127.0.0.1:1"]
    assert main(["run", str(file), *given]) == EXIT_CONFIG
    assert "--target has no use" in capsys.readouterr().err


@pytest.mark.parametrize("input_", ["missing", "folder"])
def test_an_input_that_is_no_file_is_told(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], input_: str
) -> None:
    (tmp_path / "folder").mkdir()
    assert main(["run", str(tmp_path / input_), "--out", str(out)]) == EXIT_CONFIG
    assert "there is no file" in capsys.readouterr().err
    assert not out.exists()


def test_ray_without_its_extra_says_what_to_install(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    file = write(tmp_path / "rows.jsonl", [row()])
    assert main(["run", str(file), "--out", str(out), "--ray", "auto"]) == EXIT_CONFIG
    assert "[ray]'" in capsys.readouterr().err
    assert json.loads(out.with_name(f"{out.name}.job.json").read_text())["made_with"] == {}
