"""`make demo` where the server cannot start."""

import os
import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo.py"


def test_the_demo_ends_with_the_last_lines_of_a_server_that_died(tmp_path: Path) -> None:
    environment = {**os.environ, "GROUNDWIRE_MODEL": str(tmp_path / "no model")}
    done = subprocess.run(
        (sys.executable, DEMO),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    assert "The server died, exit code 3." in done.stdout
    assert "no model" in done.stdout
    assert not done.stderr
