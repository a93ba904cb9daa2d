"""How the threads of torch's OpenMP wait for each other, switched while they run.

libgomp reads how long a thread spins before it sleeps only once, when it is loaded. But it has two
lengths, and goes by the shorter one, some microseconds, as long as its threads are more than the
cores. A thread that opens a team of its own makes them more, and its end takes them back. So a team
that does nothing, and sleeps, switches all others.
"""

import ctypes
import threading


class Spinning:
    """The switch. It is for one thread at a time, and begins with threads that spin."""

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
