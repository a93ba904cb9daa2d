"""What the server changes in vLLM it changes in its own engine: here, not in the program around it.

`tests/real/engine/test_plain_engine.py` looks into engines.
"""

import os
import subprocess
import sys
from pathlib import Path

from groundwire_verifier.engine.vllm.in_engine.plugin import MARKER

VERIFIER = Path(__file__).parents[4] / "verifier"
REGISTER = """
import sys
from groundwire_verifier.engine.vllm.in_engine.plugin import register
register()
print([name for name in ("torch", "vllm") if name in sys.modules])
"""


def test_a_program_around_the_server_keeps_its_vllm() -> None:
    done = subprocess.run(
        [sys.executable, "-c", REGISTER],
        env={**os.environ, "PYTHONPATH": str(VERIFIER), MARKER: "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
