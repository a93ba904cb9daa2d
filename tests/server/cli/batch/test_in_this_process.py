"""`groundwire run` with a server of its own, whose engine is scripted."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from groundwire_server import in_process as module
from groundwire_server.cli.batch.command import alone
from groundwire_server.cli.main import main
from groundwire_server.config.settings import ServerSettings
from groundwire_server.exit_codes import EXIT_CONFIG, EXIT_ENGINE_FAILED, EXIT_OK
from groundwire_verifier.backends.local import LocalBackend
from tests.scripted import MODEL, NEVER_HANGS_S, ScriptedEngine
from tests.server.cli.batch.rows_to_run import lines_of, row, write

ANSWERS = ["The tower is tall.", "The tower is green.", "The tower is old."]


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> list[ScriptedEngine]:
    """The engines that were made, the last one last."""
    made: list[ScriptedEngine] = []

    def load() -> ScriptedEngine:
        made.append(ScriptedEngine())
        engine = made[-1]

        def answer(prompt: str) -> None:
            # The first engine does not survive the second row.
            if len(made) == 1 and "green" in prompt:
                engine.die()

        engine.answer = answer
        return engine

    def create(_: ServerSettings, __: Callable[[str], None]) -> dict[str, LocalBackend]:
        return {"local": LocalBackend(MODEL, load, NEVER_HANGS_S, lambda: "known")}

    monkeypatch.setattr(module, "create_backends", create)
    return made


def test_a_dead_engine_ends_the_job_and_the_same_command_goes_on(
    engines: list[ScriptedEngine], out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "rows.jsonl", [row(answer) for answer in ANSWERS])
    command = ["run", str(file), "--out", str(out), "--parallel", "1"]
    assert main(command) == EXIT_ENGINE_FAILED
    assert "the same command goes on from there" in capsys.readouterr().err
    assert [each["row"] for each in lines_of(out)] == [1]
    assert main(command) == EXIT_OK
    assert [each["row"] for each in lines_of(out)] == [1, 2, 3]
    assert len(engines) == 2
    assert not any("tall" in claim for claim in engines[1].claims)


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
    given = ["--out", str(out), "--ray", "auto", "--address", "127.0.0.1:1"]
    assert main(["run", str(file), *given]) == EXIT_CONFIG
    assert "--address has no use" in capsys.readouterr().err


@pytest.mark.parametrize("input_", ["missing", "folder"])
def test_an_input_that_is_no_file_is_told(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], input_: str
) -> None:
    (tmp_path / "folder").mkdir()
    assert main(["run", str(tmp_path / input_), "--out", str(out)]) == EXIT_CONFIG
    assert "is no file" in capsys.readouterr().err
    assert not out.exists()


def test_ray_without_its_extra_says_what_to_install(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    file = write(tmp_path / "rows.jsonl", [row()])
    assert main(["run", str(file), "--out", str(out), "--ray", "auto"]) == EXIT_CONFIG
    assert "groundwire-server[ray]" in capsys.readouterr().err
    assert json.loads(out.with_name(f"{out.name}.job.json").read_text())["made_with"] == {}
