"""The command, and a scripted server that it asks."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire_server.cli.main import main
from tests.client.scripted import ScriptedServer
from tests.server.cli.batch.rows_to_run import Run


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GROUNDWIRE_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    yield server
    server.stop()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


@pytest.fixture
def run(server: ScriptedServer, out: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def command(file: Path, *flags: str) -> tuple[int, str, str]:
        code = main(["run", str(file), "--out", str(out), "--target", server.target, *flags])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return command
