"""A circuit breaker: an endpoint that fails again and again is left alone for a while."""

import time
from collections.abc import Callable


class CircuitBreaker:
    """Opens after `most_failures` in a row, for `open_s` seconds; then one trial decides.

    Every `enter` is followed by one of `succeeded`, `failed` or `left`.
    """

    def __init__(
        self, most_failures: int, open_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most_failures = most_failures
        self._open_s = open_s
        self._clock = clock
        self._failures = 0
        self._opened_s: float | None = None
        self._on_trial = False

    @property
    def blocked_s(self) -> float:
        """Seconds after which it is worth coming again; 0 if a call may go now."""
        if self._opened_s is None:
            return 0.0
        left_s = self._opened_s + self._open_s - self._clock()
        if left_s > 0.0:
            return left_s
        return self._open_s if self._on_trial else 0.0

    def enter(self) -> None:
        """A call goes, where `blocked_s` is 0."""
        self._on_trial = self._opened_s is not None

    def succeeded(self) -> None:
        """It was answered: the breaker is closed."""
        self._failures = 0
        self._opened_s = None
        self._on_trial = False

    def failed(self) -> None:
        """It failed. A trial that fails opens the breaker anew."""
        self._failures += 1
        if self._failures >= self._most_failures:
            self._opened_s = self._clock()
        self._on_trial = False

    def left(self) -> None:
        """It ended without saying anything of the endpoint, as when it was cancelled."""
        self._on_trial = False
