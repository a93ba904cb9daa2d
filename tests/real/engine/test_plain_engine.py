"""Somebody's own vLLM engine beside our server: the same environment, and nothing of it changed."""

import json
import os
import subprocess
import sys
from pathlib import Path

from groundwire import Client
from groundwire_verifier.vllm.in_engine.plugin import MARKER

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
"""
"""What is asked in the engine's own process: a module, so that it can be pickled."""
PLAIN = """
import json, os, sys
from inside import inside
from vllm import LLM, SamplingParams

if __name__ == "__main__":
    llm = LLM(model=sys.argv[1], max_model_len=256, max_num_seqs=2, enforce_eager=True)
    (found,) = llm.apply_model(inside)
    (output,) = llm.generate(["The bridge is"], SamplingParams(max_tokens=2, temperature=0.0))
    told = {"found": found, "tokens": len(output.outputs[0].token_ids), "pid": os.getpid()}
    print(json.dumps(told))
"""
ENVIRONMENT = {
    "VLLM_ALLOW_INSECURE_SERIALIZATION": "1",  # for the function that looks into the engine
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
    "TORCH_COMPILE_DISABLE": "1",
}


def test_a_plain_engine_beside_our_server_is_as_vllm_made_it(
    client: Client, model_folder: str, tmp_path: Path
) -> None:
    (tmp_path / "inside.py").write_text(INSIDE)
    script = tmp_path / "plain.py"
    script.write_text(PLAIN)
    kept = {name: value for name, value in os.environ.items() if name != MARKER}
    done = subprocess.run(
        [sys.executable, str(script), model_folder],
        env={**kept, **ENVIRONMENT, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=LOAD_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    processor, threads, modules, pid = said["found"]
    assert processor.startswith("vllm.")
    assert (threads, modules) == ([], [])
    assert pid != said["pid"], "the engine was not in a process of its own"
    assert said["tokens"] == 2
    assert client.batch_estimate(["A bridge is open."], "The bridge is open.").estimates
