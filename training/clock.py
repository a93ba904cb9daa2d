"""Seconds that a process really ran: what it spent stopped, by SIGSTOP, does not count.

A stopped process sees no time pass until it is asked to go on; it is then told so by SIGCONT. Also
says when it was asked to end. Knows signals. Does not know what is timed.
"""

import signal
import time


class RunClock:
    """Laps of a process that may be stopped for hours and asked to end by SIGTERM or SIGINT."""

    def __init__(self) -> None:
        """Start the first lap, and listen to the signals. To be made in the main thread."""
        self.ended = False
        self._lap_began_s = time.monotonic()
        signal.signal(signal.SIGCONT, self._go_on)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end)

    def lap_s(self) -> float:
        """Seconds since the last lap, or since the process went on after a stop."""
        now_s = time.monotonic()
        lap_s, self._lap_began_s = now_s - self._lap_began_s, now_s
        return lap_s

    def _go_on(self, *_: object) -> None:
        self._lap_began_s = time.monotonic()

    def _end(self, *_: object) -> None:
        self.ended = True
