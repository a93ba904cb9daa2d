"""Seconds that a process really ran: what it spent stopped, by SIGSTOP, does not count.

A stopped process sees no time pass until it is asked to go on; it is then told so by SIGCONT. Also
says when it was asked to end.
"""

import signal
import time
from typing import Self

_END = (signal.SIGTERM, signal.SIGINT)


class RunClock:
    """Laps of a process that may be stopped for hours, and asked to end by SIGTERM or SIGINT.

    Listens to the signals while it is entered, in the main thread; `ended` says whether one came.
    """

    def __init__(self) -> None:
        """Start the first lap."""
        self.ended = False
        self._lap_began_s = time.monotonic()
        self._before: dict[signal.Signals, signal._HANDLER] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGCONT, *_END):
            self._before[number] = signal.signal(number, self._told)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def lap_s(self) -> float:
        """Seconds since the last lap, or since the process went on after a stop."""
        now_s = time.monotonic()
        lap_s, self._lap_began_s = now_s - self._lap_began_s, now_s
        return lap_s

    def _told(self, number: int, _: object) -> None:
        if number in _END:
            self.ended = True
        else:
            self._lap_began_s = time.monotonic()
