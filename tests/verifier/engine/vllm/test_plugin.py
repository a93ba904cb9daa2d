"""What the server changes in vLLM it changes in its own engine: here, not in the program around it.

`tests/real/engine/test_plain_engine.py` looks into engines.
"""

import os
import select
import signal
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


ROOT = Path(__file__).parents[4]
TIMEOUT_MS = 60_000

PARENT = """
import multiprocessing, signal
from groundwire_verifier.engine.vllm.in_engine.orphan import register

def child():
    register()
    signal.pause()

if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=child)
    process.start()
    print(process.pid, flush=True)
    signal.pause()
"""


def test_a_process_of_the_engine_ends_with_a_killed_server(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "verifier")}
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment
    ) as parent:
        assert parent.stdout is not None
        child = os.pidfd_open(int(parent.stdout.readline()))
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    try:
        ended = select.poll()
        ended.register(child, select.POLLIN)
        assert ended.poll(TIMEOUT_MS)
    finally:
        os.close(child)
