"""The contract is well formed; the committed stubs and document are what it generates."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BUF = Path(sys.executable).with_name("buf")
STUB_FOLDERS = ("python/groundwire/v1", "go/groundwirev1")
DOCUMENT = REPOSITORY / "server/groundwire_server/doors/http/docs/openapi.json"


def run(*command: str | Path, **variables: str) -> None:
    done = subprocess.run(
        command,
        cwd=REPOSITORY,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def stubs(folder: Path) -> dict[str, bytes]:
    # The package's own __init__.py is written by hand.
    names = ("*_pb2*.py", "*_pb2*.pyi", "*.pb.go")
    return {path.name: path.read_bytes() for name in names for path in folder.glob(name)}


def test_the_contract_passes_lint() -> None:
    run(BUF, "lint")


def test_the_contract_is_formatted() -> None:
    run(BUF, "format", "--diff", "--exit-code")


def test_the_committed_stubs_and_document_are_what_the_contract_generates(tmp_path: Path) -> None:
    if shutil.which("go") is None and not os.environ.get("CI"):
        pytest.skip("go is not on PATH, so the Go stubs cannot be made: install Go")
    run(REPOSITORY / "scripts" / "generate", tmp_path, PYTHON=sys.executable)
    for folder in STUB_FOLDERS:
        generated = stubs(tmp_path / folder)
        committed = stubs(REPOSITORY / "clients" / folder)
        assert generated.keys() == committed.keys()
        assert generated
        assert [name for name in generated if generated[name] != committed[name]] == []
    assert (tmp_path / "openapi.json").read_text() == DOCUMENT.read_text()
