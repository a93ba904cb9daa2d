"""What vLLM calls in every process of every engine on this machine; it acts in ours only.

vLLM finds plug-ins by the packages that are installed (entry point `vllm.general_plugins` in
pyproject.toml), so it calls this one in an engine that somebody else starts from the same
environment, too.
"""

import multiprocessing
import os

MARKER = "_GROUNDWIRE_ENGINE"
"""The variable that is set for engines of this server. Not `GROUNDWIRE_`, which is for settings."""

THREADS = "OMP_NUM_THREADS"


def register() -> None:
    """Register our parts in a process that this server started for its engine; else do nothing.

    A program around the server has the variable, too, while its model is loaded. It is not a
    process of the engine, and what it runs later with vLLM stays as vLLM has it.
    """
    if MARKER not in os.environ or multiprocessing.parent_process() is None:
        return
    from groundwire_verifier.engine.vllm.in_engine import head, orphan, waiting

    head.register()
    orphan.register()
    threads = os.environ.get(THREADS, "1").partition(",")[0]
    waiting.register(int(threads))
