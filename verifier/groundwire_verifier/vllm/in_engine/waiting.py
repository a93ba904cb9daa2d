"""Has the engine's threads sleep instead of spin while they have to share their cores.

`plugin.py` runs `register` in each of the engine's processes, where a thread then looks at the
others every now and then.
"""

import ctypes
import threading
import time

from vllm.platforms import current_platform

from groundwire_verifier.vllm.in_engine.cores import Team
from groundwire_verifier.vllm.in_engine.crowding import Crowding


class Spinning:
    """The switch for how the threads of torch's OpenMP wait. It is for one thread at a time, and
    begins with threads that spin.

    libgomp reads how long a thread spins before it sleeps only once, when it is loaded. But it has
    two lengths, and goes by the shorter one, some microseconds, as long as its threads are more
    than the cores. A thread that opens a team of its own makes them more, and its end takes them
    back. So a team that does nothing, and sleeps, switches all others.
    """

    def __init__(self, threads: int) -> None:
        """`threads` are those of the team that is to be switched, of which there is one.

        Raises OSError where OpenMP is not libgomp, whose behaviour this is.
        """
        self._openmp = ctypes.CDLL(None)
        if not hasattr(self._openmp, "GOMP_parallel") or hasattr(self._openmp, "kmp_get_blocktime"):
            raise OSError("the library of OpenMP is not libgomp")
        self._openmp.GOMP_parallel.argtypes = (
            ctypes.c_void_p,
            ctypes.c_void_p,
            ctypes.c_uint,
            ctypes.c_uint,
        )
        # A team of n threads adds n - 1 to those of the other, and has to exceed the cores.
        self._team = max(2, self._openmp.omp_get_num_procs() - threads + 2)
        self._end: threading.Event | None = None

    @property
    def is_on(self) -> bool:
        """Whether threads spin."""
        return self._end is None

    def turn(self, *, on: bool) -> None:
        """Have threads spin, or sleep at once. Returns when it is so, or will be in a moment."""
        if on == self.is_on:
            return
        if self._end is not None:
            self._end.set()
            self._end = None
            return
        self._end, is_open = threading.Event(), threading.Event()
        threading.Thread(
            target=self._hold, args=(is_open, self._end), name="groundwire-spinning", daemon=True
        ).start()
        is_open.wait()

    def _hold(self, is_open: threading.Event, end: threading.Event) -> None:
        # What the team runs has to do nothing, in a thread that Python does not know.
        nothing = ctypes.cast(self._openmp.omp_get_thread_num, ctypes.c_void_p)
        self._openmp.GOMP_parallel(nothing, None, self._team, 0)
        is_open.set()
        end.wait()


AUTO, SPIN, SLEEP = "auto", "spin", "sleep"
LOOK_INTERVAL_S = 0.25


def register(how: str, threads: int) -> None:
    """On the CPU, have `threads` threads that compute together wait for each other like that.

    `how` is one of AUTO, SPIN and SLEEP. Without libgomp they go on as they do.
    """
    if how == SPIN or threads <= 1 or not current_platform.is_cpu():
        return
    try:
        spinning = Spinning(threads)
    except OSError:
        return
    if how == SLEEP:
        spinning.turn(on=False)
    else:
        threading.Thread(
            target=_watch, args=(spinning, Team(threads)), name="groundwire-waiting", daemon=True
        ).start()


def _watch(spinning: Spinning, team: Team) -> None:
    crowding = Crowding()
    while True:
        time.sleep(LOOK_INTERVAL_S)
        spinning.turn(on=not crowding.is_crowded(team.look()))
