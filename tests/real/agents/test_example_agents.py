"""The agents of the examples, in both languages, against the real server and model."""

import subprocess
import sys
from pathlib import Path

import pytest

from examples import agent
from groundwire import Client, Evidence
from tests.serving import Served

ROOT = Path(__file__).parents[3]
MOST_LINES = 59
PYTHON, GO = ROOT / "examples/agent.py", ROOT / "clients/go/examples/agent/main.go"


@pytest.mark.parametrize("source", [PYTHON, GO], ids=["python", "go"])
def test_an_agent_needs_less_than_60_lines(source: Path) -> None:
    assert len(source.read_text().splitlines()) <= MOST_LINES


@pytest.mark.parametrize(
    ("command", "folder"),
    [([sys.executable, PYTHON], ROOT), (["go", "run", "./examples/agent"], ROOT / "clients/go")],
    ids=["python", "go"],
)
def test_an_agent_checks_its_memory_its_reasoning_and_its_output(
    served: Served, command: list[str | Path], folder: Path
) -> None:
    with Client(served.target) as client:
        # On a busy machine a first read takes longer than a decision of the gate may.
        client.verify_claims(agent.FACTS, Evidence.documents(agent.FOUND))
    done = subprocess.run(
        [*command, served.target], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "not verified" not in done.stderr
    lines = done.stdout.splitlines()
    assert any(line.startswith("remembered at") for line in lines)
    assert any(line.startswith("not remembered") and "nine bells" in line for line in lines)
    assert any(line.startswith("reasoned") for line in lines)
    _, told, correction = done.stdout.partition("\nto correct, ")
    assert told
    assert "built in 1650" in correction
