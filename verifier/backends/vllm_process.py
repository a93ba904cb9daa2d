"""The engine's process on the CPU, which imports vLLM while the server's own process does.

Half of a start is imports, and vLLM would begin those of its engine only after the server's own.
Here a process without threads begins them at once and is forked when the engine is wanted, which
`multiprocessing` calls a fork server. Knows processes. Does not know the engine's settings.
"""

import contextlib
import gc
import multiprocessing
import signal
from collections.abc import Iterator
from multiprocessing import forkserver

_IMPORTING = "verifier.backends.vllm_preload"


def begin() -> None:
    """Start the process, if it is not there, and return; it reads the environment as it is now."""
    multiprocessing.set_forkserver_preload([_IMPORTING])
    # It must outlive Ctrl-C, which reaches the whole foreground group, as its forks must.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@contextlib.contextmanager
def forked() -> Iterator[None]:
    """Within it vLLM forks its engine from that process instead of spawning one."""
    from vllm.v1.engine import utils

    begin()
    spawning = utils.get_mp_context
    utils.get_mp_context = lambda: multiprocessing.get_context("forkserver")
    try:
        yield
    finally:
        utils.get_mp_context = spawning


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """For imports: no garbage is looked for, a seventh of their seconds, nor among them later."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if enabled:
            gc.enable()
