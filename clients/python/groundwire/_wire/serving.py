"""Decides when to ask again and when to give up while a server comes up."""

import time

import grpc

from groundwire._wire.settings import checked_timeout_s
from groundwire.errors import (
    DeadlineExceededError,
    ErrorReason,
    RpcFailedError,
    UnavailableError,
)
from groundwire.results import ServerInfo, ServerState

POLL_INTERVAL_S = 0.25

_REASONS = {
    ServerState.LOADING: ErrorReason.LOADING,
    ServerState.DRAINING: ErrorReason.DRAINING,
    ServerState.FAILED: ErrorReason.ENGINE_FAILED,
}


class ServingWait:
    """One wait for a server to serve, of at most `timeout_s` seconds."""

    def __init__(self, timeout_s: float, call_timeout_s: float) -> None:
        self._timeout_s = checked_timeout_s(timeout_s)
        self._call_timeout_s = call_timeout_s
        self._end_s = time.monotonic() + self._timeout_s
        self._state: ServerState | None = None
        self._error: RpcFailedError | None = None

    def next_call_s(self) -> float:
        """The time-out of the next call, in seconds. Raises UnavailableError when time is up."""
        remaining_s = self._end_s - time.monotonic()
        if remaining_s <= 0:
            raise self._unavailable(f"not serving after {self._timeout_s:g} s") from self._error
        return min(remaining_s, self._call_timeout_s)

    def pause_s(self) -> float:
        """How long to wait before the next call, in seconds."""
        return max(0.0, min(POLL_INTERVAL_S, self._end_s - time.monotonic()))

    def failed(self, error: RpcFailedError) -> None:
        """Takes note of a call that failed; raises its error again if waiting cannot fix it."""
        if not isinstance(error, UnavailableError | DeadlineExceededError):
            raise error
        if isinstance(error, UnavailableError):
            # A poll that the end of the wait cut off says nothing of the server.
            self._state = None
        self._error = error

    def is_over(self, info: ServerInfo) -> bool:
        """Whether the server serves. Raises UnavailableError when it has failed."""
        self._state, self._error = info.state, None
        if info.state is ServerState.FAILED:
            raise self._unavailable("the server's engine has failed")
        return info.state is ServerState.SERVING

    def _unavailable(self, message: str) -> UnavailableError:
        if self._state is not None:
            message += f"; its last state was {self._state}"
        elif self._error is not None:
            message += f"; the last error was {self._error}"
        reason = _REASONS.get(self._state) if self._state is not None else None
        return UnavailableError(message, grpc.StatusCode.UNAVAILABLE, reason)
