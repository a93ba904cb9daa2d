"""The Go client's own tests, against its in-memory server and against the real one."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.serving import Served

GO_CLIENT = Path(__file__).parents[2] / "clients" / "go"


@pytest.fixture(autouse=True)
def go() -> None:
    if shutil.which("go") is None:
        if os.environ.get("CI"):
            pytest.fail("CI needs Go for the Go client's tests")
        pytest.skip("Go is not on PATH: the Go client was NOT tested")


def run(*command: str, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=GO_CLIENT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_go_client_passes_its_tests_against_the_real_server(served: Served) -> None:
    # Vetted below, all of it.
    command = ("go", "test", "-vet=off", "-count=1", "-v", "./...")
    output = run(*command, GROUNDWIRE_TEST_TARGET=served.target)
    assert "--- FAIL" not in output
    assert "--- SKIP" not in output


def test_the_go_code_is_vetted_and_formatted() -> None:
    run("go", "vet", "./...")
    assert run("gofmt", "-l", ".") == ""


def test_the_go_example_prints_a_table(served: Served, tmp_path: Path) -> None:
    context = tmp_path / "context.txt"
    context.write_text("The bell was cast in 1744.")
    output = run(
        "go", "run", "./examples/batch", "-target", served.target, "-context", str(context),
        "The bell was cast in 1744.",
    )  # fmt: skip
    assert "The bell was cast in 1744." in output
