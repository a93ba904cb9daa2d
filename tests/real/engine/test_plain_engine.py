"""Somebody's own vLLM engine beside our server: the same environment, and nothing of it changed."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from groundwire import Client
from groundwire_verifier.engine.vllm.in_engine.plugin import MARKER
from tests.serving import Served

LOAD_TIMEOUT_S = 180.0
INSIDE = """
import os, sys, threading

def inside(model):
    return [
        type(model.logits_processor).__module__,
        [thread.name for thread in threading.enumerate() if "groundwire" in thread.name],
        [name for name in sys.modules if name.endswith(("in_engine.head", "in_engine.scheduler"))],
        os.getpid(),
    ]

def registered(marker, model):
    from vllm import plugins
    from vllm.model_executor.custom_op import op_registry_oot

    found = []
    for variables in ({}, {marker: "1"}):
        os.environ.update(variables)
        plugins.plugins_loaded = False
        plugins.load_general_plugins()
        names = {thread.name for thread in threading.enumerate()}
        found.append(["LogitsProcessor" in op_registry_oot, "groundwire-orphan" in names])
    return found
"""
"""What is asked in the engine's own process: a module, so that it can be pickled."""
PLAIN = """
import functools, json, os, sys
from inside import inside, registered
from vllm import LLM, SamplingParams

if __name__ == "__main__":
    llm = LLM(model=sys.argv[1], max_model_len=256, max_num_seqs=2, enforce_eager=True)
    (found,) = llm.apply_model(inside)
    (output,) = llm.generate(["The bridge is"], SamplingParams(max_tokens=2, temperature=0.0))
    told = {"found": found, "tokens": len(output.outputs[0].token_ids), "pid": os.getpid()}
    (told["registered"],) = llm.apply_model(functools.partial(registered, sys.argv[2]))
    print(json.dumps(told))
"""
ENVIRONMENT = {
    "VLLM_ALLOW_INSECURE_SERIALIZATION": "1",  # for the functions that look into the engine
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
    "TORCH_COMPILE_DISABLE": "1",
}


@pytest.fixture(scope="module")
def said(
    served: Served, model_folder: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What a program with an engine of its own says, started beside our server."""
    assert served.process.poll() is None
    folder = tmp_path_factory.mktemp("plain")
    (folder / "inside.py").write_text(INSIDE)
    script = folder / "plain.py"
    script.write_text(PLAIN)
    kept = {name: value for name, value in os.environ.items() if name != MARKER}
    done = subprocess.run(
        [sys.executable, str(script), model_folder, MARKER],
        env={**kept, **ENVIRONMENT, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=LOAD_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def test_a_plain_engine_beside_our_server_is_as_vllm_made_it(
    client: Client, said: dict[str, Any]
) -> None:
    processor, threads, modules, pid = said["found"]
    assert processor.startswith("vllm.")
    assert (threads, modules) == ([], [])
    assert pid != said["pid"], "the engine was not in a process of its own"
    assert said["tokens"] == 2
    assert client.batch_estimate(["A bridge is open."], "The bridge is open.").estimates


def test_vllm_registers_head_and_orphan_in_an_engine_of_this_server_only(
    said: dict[str, Any],
) -> None:
    # In its process, as anybody's, and then as ours.
    assert said["registered"] == [[False, False], [True, True]]
