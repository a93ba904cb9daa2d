"""The contract is well formed, its stubs are what it generates, and it keeps what it was.

`contract/` holds the contract of the last release as a descriptor set; until there is one, that of
the day on which it began to be kept. `buf build --exclude-source-info -o FILE` makes it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

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


KEPT = Path(__file__).with_name("contract") / "0.1.0.binpb"


def breaking(against: Path) -> subprocess.CompletedProcess[str]:
    command = [str(BUF), "breaking", "--against", str(against)]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)


def test_nothing_that_a_client_may_use_has_changed() -> None:
    done = breaking(KEPT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_field_that_went_is_found(tmp_path: Path) -> None:
    kept = FileDescriptorSet.FromString(KEPT.read_bytes())
    (file,) = [each for each in kept.file if each.name == "groundwire/v1/verifier_backend.proto"]
    (request,) = [each for each in file.message_type if each.name == "BatchEstimateRequest"]
    request.field.add(name="gone", number=999, type=9, label=1, json_name="gone")
    changed = tmp_path / "changed.binpb"
    changed.write_bytes(kept.SerializeToString())
    done = breaking(changed)
    assert done.returncode != 0
    assert "999" in done.stdout
