"""The engine's process on the CPU, which imports vLLM while the server's own process does.

Half of a start is imports, and vLLM would begin those of its engine only after the server's own.
Here a process without threads begins them at once and is forked when the engine is wanted, which
`multiprocessing` calls a fork server.
"""

import contextlib
import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from multiprocessing import forkserver, spawn

_IMPORTING = "groundwire_verifier.engine.vllm.preload"

GROUP_SIGNALS = frozenset({signal.SIGINT, signal.SIGTERM})
"""What a terminal or a supervisor sends to all processes of a group at once. Those of the engine
outlive it, blocked as they inherit it, until the calls in flight are done: the server ends them, or
its own end does."""


class EngineOrigin:
    """The process that engines are forked of. It is not the one that `multiprocessing` shares.

    A program around this server may use that one, and it would outlive the engine.
    """

    def __init__(self) -> None:
        """Start the process and return; it reads the environment as it is now."""
        self._server = forkserver.ForkServer()
        self._server.set_forkserver_preload([_IMPORTING])
        self._lock = threading.Lock()
        self._ended = False
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, GROUP_SIGNALS)
        try:
            self._server.ensure_running()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    @contextlib.contextmanager
    def forking(self) -> Iterator[None]:
        """Within it vLLM forks its engine from that process instead of spawning one."""
        from vllm.v1.engine import utils

        spawning, connecting = utils.get_mp_context, forkserver.connect_to_new_process
        utils.get_mp_context = lambda: multiprocessing.get_context("forkserver")
        forkserver.connect_to_new_process = self._fork
        try:
            yield
        finally:
            utils.get_mp_context = spawning
            forkserver.connect_to_new_process = connecting

    def end(self) -> None:
        """Kill the process and all that was forked of it. Any thread may do so, and repeat it."""
        with self._lock:
            if self._ended:
                return
            self._ended = True
            pid = self._server._forkserver_pid  # type: ignore[attr-defined]
            # Its group is its own from the moment on at which it could fork, see `preload.py`.
            for kill in (os.kill, os.killpg):
                with contextlib.suppress(ProcessLookupError):
                    kill(pid, signal.SIGKILL)
            # Whatever sweeps old files away may have taken that of its socket.
            with contextlib.suppress(FileNotFoundError):
                self._server._stop()  # type: ignore[attr-defined]

    def _fork(self, fds: Sequence[int]) -> tuple[int, int]:
        with self._lock:
            if self._ended:
                # `multiprocessing` would start another one.
                raise RuntimeError("the engine's process was ended before it was forked")
            return self._server.connect_to_new_process(fds)


@contextlib.contextmanager
def without_script() -> Iterator[None]:
    """Within it no process that this thread starts runs the program's own script anew.

    The engine needs nothing of it, and a script that loads a model outside of any function, as one
    does in a notebook, would load another one in there. What the program starts in other threads
    meanwhile may need its script.
    """
    told, loader = spawn.get_preparation_data, threading.get_ident()

    def needed(name: str) -> dict[str, object]:
        data = told(name)
        if threading.get_ident() != loader:
            return data
        return {key: each for key, each in data.items() if not key.startswith("init_main")}

    spawn.get_preparation_data = needed
    try:
        yield
    finally:
        spawn.get_preparation_data = told


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """For imports: no garbage is looked for, a seventh of their seconds, nor among them later."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # Who has frozen something already could not tell it from ours.
        if gc.get_freeze_count() == 0:
            gc.freeze()
        if enabled:
            gc.enable()
