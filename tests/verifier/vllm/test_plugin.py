"""What the server changes in vLLM it changes in its own engine, and in nobody else's."""

import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from groundwire_verifier.vllm.in_engine.plugin import MARKER

VERIFIER = Path(__file__).parents[3] / "verifier"
REGISTER = """
import sys
from groundwire_verifier.vllm.in_engine.plugin import register
register()
print([name for name in ("torch", "vllm") if name in sys.modules])
"""


def registered() -> list[tuple[bool, bool]]:
    """Whether the head is replaced and the parent watched: as anybody's engine, then as ours."""
    from vllm import plugins
    from vllm.model_executor.custom_op import op_registry_oot

    found = []
    # Another test of the session may have begun to load a model here.
    os.environ.pop(MARKER, None)
    for variables in ({}, {MARKER: "1"}):
        os.environ.update(variables)
        plugins.plugins_loaded = False
        plugins.load_general_plugins()
        names = {thread.name for thread in threading.enumerate()}
        found.append(("LogitsProcessor" in op_registry_oot, "groundwire-orphan" in names))
    return found


def test_vllm_registers_head_and_orphan_in_an_engine_of_this_server_only() -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context) as process:
        assert process.submit(registered).result() == [(False, False), (True, True)]


def test_a_program_around_the_server_keeps_its_vllm() -> None:
    done = subprocess.run(
        [sys.executable, "-c", REGISTER],
        env={**os.environ, "PYTHONPATH": str(VERIFIER), MARKER: "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
