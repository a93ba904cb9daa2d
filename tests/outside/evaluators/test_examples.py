"""The examples of a framework run, and so do the ones on the page of evaluators."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FRAMEWORK = os.environ["GROUNDWIRE_FRAMEWORK"]
EXAMPLES = sorted((ROOT / "examples" / "evaluators").glob(f"{FRAMEWORK}_*.py"))
SNIPPETS = [
    code
    for code in re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "evaluators.md").read_text(), re.DOTALL
    )
    if f"groundwire.evaluators.{FRAMEWORK} " in code
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(example: Path, target: str) -> None:
    done = subprocess.run(
        [sys.executable, example, target], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("code", SNIPPETS)
def test_a_snippet_of_the_page_runs(code: str, target: str) -> None:
    code = code.replace("127.0.0.1:50051", target)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_a_framework_has_an_example_and_a_snippet() -> None:
    assert EXAMPLES
    assert SNIPPETS
