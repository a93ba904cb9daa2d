"""Admission: how many calls, how many bytes of requests and how many claims the server takes on.

A request is counted when it is whole. If unfinished ones were, a peer that never ends them would
keep all others out. They are bounded in `rpc.reception`: MAX_UNFINISHED of at most
`max_message_bytes` each in all, and as many of streams; RECEIVED_OF_CONNECTION of one connection,
and STREAM_BYTES_OF_CONNECTION for its streams. Each further one of its MAX_CALLS_OF_CONNECTION
calls holds one window of flow control. `config.addresses` bounds the connections. A request that
is counted here takes some times its bytes, since a text is kept as bytes and as characters.
"""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

MAX_CALLS_OF_CONNECTION = 1000
"""Calls of one connection at one time; the client keeps others back, unseen by it. A quarter of
max_pending_calls, so that one connection never takes all places. A call that waits for its turn to
be received holds one window of flow control, 64 KiB; what the others hold, `rpc.reception` bounds.
"""

MIN_RETRY_S = 0.1
MAX_RETRY_S = 30.0
RATE_WINDOW_CALLS = 32


_goes_on: ContextVar[bool] = ContextVar("goes_on", default=False)
"""Whether the call that is being served was let in before, and reads claims more than once."""


class QueueFullError(Exception):
    """No room for the call now; try again in `retry_s` seconds."""

    def __init__(self, unit: str, pending: int, limit: int, retry_s: float) -> None:
        super().__init__(
            f"{pending:,} of at most {limit:,} {unit} wait or run already; "
            f"try again in {retry_s:.1f} s, or send fewer at once"
        )
        self.retry_s = retry_s


class DrainingError(Exception):
    """The server is stopping and takes no new call."""

    def __init__(self) -> None:
        super().__init__("the server is stopping; try again, or another server")


class PendingLimit:
    """So many places at one time; who comes when they are taken is refused.

    `unit` is what they hold, as an error names it.
    """

    def __init__(self, unit: str, limit: int) -> None:
        self.unit = unit
        self.limit = limit
        self.pending = 0
        self.taken = 0
        """All that were ever held, so that whoever looks twice knows whether any were between."""
        # When the last holds ended and how many places they had, for the advice to the refused.
        self._ended: deque[tuple[float, int]] = deque(maxlen=RATE_WINDOW_CALLS)

    @contextmanager
    def hold(self, amount: int) -> Iterator[None]:
        """Hold so many places.

        Raises QueueFullError, or ValueError for what could never fit: no advice would help there,
        so whoever asks has to check that first.
        """
        if amount > self.limit:
            raise ValueError(f"{amount} {self.unit} never fit into {self.limit}")
        if self.pending + amount > self.limit:
            raise QueueFullError(self.unit, self.pending, self.limit, self._retry_s(amount))
        self.pending += amount
        self.taken += amount
        try:
            yield
        finally:
            self.pending -= amount
            self._ended.append((time.monotonic(), amount))

    def _retry_s(self, amount: int) -> float:
        """Seconds until room for `amount` is likely, at the rate of the last holds."""
        if len(self._ended) < 2:  # noqa: PLR2004 - a rate needs two points
            return 1.0
        span_s = time.monotonic() - self._ended[0][0]
        done = sum(count for _, count in self._ended)
        wanted = self.pending + amount - self.limit
        return min(max(wanted * span_s / max(done, 1), MIN_RETRY_S), MAX_RETRY_S)


class Admission:
    """Counts what is in the server, and refuses a call that would go beyond a limit."""

    def __init__(self, max_calls: int, max_bytes: int, max_claims: int) -> None:
        self.calls = PendingLimit("calls", max_calls)
        self.bytes = PendingLimit("bytes of requests", max_bytes)
        self.claims = PendingLimit("claims", max_claims)
        self.draining = False

    @property
    def pending(self) -> int:
        """The claims that wait or run."""
        return self.claims.pending

    @property
    def tenant(self) -> str:
        """What the tenant of the call is called in metrics; empty where nobody counts."""
        return ""

    @contextmanager
    def admit_request(self, size_bytes: int) -> Iterator[None]:
        """Hold a place for a call whose request is there, until its response is gone.

        Raises QueueFullError.
        """
        with self.calls.hold(1), self.bytes.hold(size_bytes):
            yield

    @contextmanager
    def admit_text(self, size_bytes: int) -> Iterator[None]:
        """Hold the bytes of a text while a door makes a request of it, which then counts as one.

        Whatever that raises, there is no such request. Raises QueueFullError.
        """
        # A body may be a few bytes larger than the message in it.
        with self.bytes.hold(min(size_bytes, self.bytes.limit)):
            yield

    def admit_part(
        self, unit: str, amount: int, of_all: int, places: AbstractContextManager[None]
    ) -> AbstractContextManager[None]:
        """Hold `places` that a service has besides: so many of `of_all` of a `unit`.

        Raises QueueFullError.
        """
        return places

    @contextmanager
    def admit(self, claims: int) -> Iterator[None]:
        """Hold places for so many claims.

        Raises QueueFullError or DrainingError.
        """
        self.raise_if_draining()
        with self.claims.hold(claims):
            yield

    def let_in(self) -> None:
        """Let the call that is being served go on to its end, also when the server stops meanwhile.

        Raises DrainingError.
        """
        self.raise_if_draining()
        _goes_on.set(True)

    def raise_if_draining(self) -> None:
        """For calls that read no claim. Raises DrainingError."""
        if self.draining and not _goes_on.get():
            raise DrainingError
