"""Writes the variables that vLLM and its libraries read at import.

Values that the operator has set already are kept, and a process that is not ours gets its own back.
"""

import contextlib
import gc
import math
import os
from collections.abc import Callable, Iterator
from importlib import metadata, util
from pathlib import Path

from groundwire_server.config.sources import is_made_by_kubernetes
from groundwire_verifier.engine.vllm.in_engine.cores import quota_cores
from groundwire_verifier.engine.vllm.in_engine.plugin import MARKER, THREADS

_ALWAYS = {
    # Says to our plug-in for vLLM that the engine is ours.
    MARKER: "1",
    # Nothing leaves the machine.
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    # The server logs what an operator needs; vLLM's own lines appear from warnings up.
    "VLLM_LOGGING_LEVEL": "ERROR",
    # The model computes on all threads that it is given. Left alone, vLLM keeps one core free for
    # its scheduler, which halves the speed of a machine with two.
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    # Memory in large pages, where the machine has them: the KV cache is there in half the time.
    "THP_MEM_ALLOC_ENABLE": "1",
    "TOKENIZERS_PARALLELISM": "true",
    # A log is no place for progress bars and for what libraries tell their developers.
    "TQDM_DISABLE": "1",
    "TORCH_CPP_LOG_LEVEL": "ERROR",
    "TORCH_LOGS": "-all",
    "PYTHONWARNINGS": "ignore",
}


def prepare_engine_environment(cpu_threads: int | None) -> None:
    """Set the variables; call it before `groundwire_verifier.engine.vllm.engine` is imported.

    `cpu_threads` None takes every core that this process may run on, as far as its container's
    quota goes.
    """
    for name in [name for name, value in os.environ.items() if _is_of_a_service(name, value)]:
        del os.environ[name]
    threads = cpu_threads or cores()
    on_cpu = has_cpu_build()
    values = {**_ALWAYS, THREADS: str(threads)}
    if on_cpu:
        # Without this vLLM compiles single functions on a CPU, too. That takes half a minute at the
        # first start and needs a C++ compiler on the machine.
        values["TORCH_COMPILE_DISABLE"] = "1"
    for name, value in values.items():
        os.environ.setdefault(name, value)
    if on_cpu:
        _preload_openmp()


def _is_of_a_service(name: str, value: str) -> bool:
    """Whether Kubernetes made a variable for a Service called vllm; vLLM takes it for its own."""
    return name.startswith("VLLM_") and is_made_by_kubernetes(name, value)


@contextlib.contextmanager
def restored_environment() -> Iterator[Callable[[], None]]:
    """Put the process's variables, and its garbage collector, back on leaving.

    Gives what is to be called once all is loaded: what others set from then on stays.
    """
    before, frozen = dict(os.environ), gc.get_freeze_count()
    loaded: list[dict[str, str]] = []
    try:
        yield lambda: loaded.append(dict(os.environ))
    finally:
        after = loaded[0] if loaded else dict(os.environ)
        for name in before.keys() | after.keys():
            value = before.get(name)
            if value == after.get(name) or os.environ.get(name) != after.get(name):
                continue
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        if frozen == 0:
            gc.unfreeze()


def cores() -> int:
    """Cores that this process may run on, and no more than its container's quota pays for."""
    own, quota = len(os.sched_getaffinity(0)), quota_cores()
    return own if quota is None else max(1, min(own, math.ceil(quota)))


def has_cpu_build() -> bool:
    """Whether the vLLM that is installed computes on the CPU."""
    try:
        metadata.distribution("vllm-cpu")
    except metadata.PackageNotFoundError:
        return False
    return True


def has_fast_int8() -> bool:
    """Whether this CPU has AVX-512 VNNI: without it sums of int8 products saturate."""
    try:
        return " avx512_vnni" in Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False


def _preload_openmp() -> None:
    """Have the engine's process load torch's OpenMP first, as vLLM has one that it spawns itself.

    With another one loaded before it, its threads would share one core.
    """
    torch, before = util.find_spec("torch"), os.environ.get("LD_PRELOAD", "")
    if torch is None or torch.origin is None or "omp" in before:
        return
    found = sorted(Path(torch.origin).parent.glob("lib/libgomp*.so*"))
    os.environ["LD_PRELOAD"] = ":".join([*before.split(":"), *map(str, found[:1])]).strip(":")
