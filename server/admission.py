"""Admission: how many claims may wait or run in the server at one time.

Knows counts. Does not know what a claim costs, or gRPC.
"""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

MIN_RETRY_S = 0.1
MAX_RETRY_S = 30.0
RATE_WINDOW_CALLS = 32


class QueueFullError(Exception):
    """No room for the call now; try again in `retry_s` seconds."""

    def __init__(self, pending: int, limit: int, retry_s: float) -> None:
        """Keep the numbers for the error's details."""
        super().__init__(
            f"{pending:,} of at most {limit:,} claims wait or run already; "
            f"try again in {retry_s:.1f} s or send a smaller batch"
        )
        self.retry_s = retry_s


class DrainingError(Exception):
    """The server is stopping and takes no new call."""

    def __init__(self) -> None:
        """Fix the text."""
        super().__init__("the server is stopping; try again, or another server")


class Admission:
    """Counts the claims in the server and refuses a call that would go beyond the limit."""

    def __init__(self, max_pending_claims: int) -> None:
        """Start empty and open."""
        self.limit = max_pending_claims
        self.pending = 0
        self.draining = False
        # When recent calls ended and how many claims they had, for the advice to the refused.
        self._ended: deque[tuple[float, int]] = deque(maxlen=RATE_WINDOW_CALLS)

    @contextmanager
    def admit(self, claims: int) -> Iterator[None]:
        """Hold a place for a call with so many claims.

        Raises QueueFullError or DrainingError.
        """
        if self.draining:
            raise DrainingError
        if self.pending + claims > self.limit:
            raise QueueFullError(self.pending, self.limit, self._retry_s(claims))
        self.pending += claims
        try:
            yield
        finally:
            self.pending -= claims
            self._ended.append((time.monotonic(), claims))

    def _retry_s(self, claims: int) -> float:
        """Seconds until room for `claims` is likely, at the rate of the last calls."""
        if len(self._ended) < 2:  # noqa: PLR2004 - a rate needs two points
            return 1.0
        span_s = time.monotonic() - self._ended[0][0]
        done = sum(count for _, count in self._ended)
        wanted = self.pending + claims - self.limit
        return min(max(wanted * span_s / max(done, 1), MIN_RETRY_S), MAX_RETRY_S)
