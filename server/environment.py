"""Writes the variables that vLLM and its libraries read at import.

Knows their names. Does not know why a value was chosen beyond the line that says so. Values that
the operator has set already are kept.
"""

import os
from importlib import metadata

_ALWAYS = {
    # Nothing leaves the machine.
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    # The server logs what an operator needs; vLLM's own lines appear from warnings up.
    "VLLM_LOGGING_LEVEL": "ERROR",
    # The model computes on all threads that it is given. Left alone, vLLM keeps one core free for
    # its scheduler, which halves the speed of a machine with two.
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "TOKENIZERS_PARALLELISM": "true",
    # A log is no place for progress bars and for what libraries tell their developers.
    "TQDM_DISABLE": "1",
    "TORCH_CPP_LOG_LEVEL": "ERROR",
    "TORCH_LOGS": "-all",
    "PYTHONWARNINGS": "ignore",
}


_EAGER = {
    # Even then vLLM compiles single functions, which takes half a minute at the first start and
    # needs a C++ compiler on the machine.
    "TORCH_COMPILE_DISABLE": "1",
}


def prepare_engine_environment(cpu_threads: int | None, eager: bool | None) -> None:
    """Set the variables; call it before `verifier.backends.vllm_engine` is imported.

    `cpu_threads` None takes every core that this process may run on; `eager` None is eager with
    the CPU build of vLLM only.
    """
    threads = cpu_threads or len(os.sched_getaffinity(0))
    is_eager = _has_cpu_build() if eager is None else eager
    values = {**_ALWAYS, **(_EAGER if is_eager else {}), "OMP_NUM_THREADS": str(threads)}
    for name, value in values.items():
        os.environ.setdefault(name, value)


def _has_cpu_build() -> bool:
    try:
        metadata.distribution("vllm-cpu")
    except metadata.PackageNotFoundError:
        return False
    return True
