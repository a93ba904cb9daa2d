"""A thread that writes down what calls have found, so that no call waits for a disk.

What cannot be written is counted and logged, and fails no call.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from groundwire_verifier.domain.errors import VerifierError
from groundwire_verifier.domain.tasks import retrieve

log = logging.getLogger("groundwire.records")

T = TypeVar("T")

MOST_PENDING = 1000
MOST_PENDING_BYTES = 64 << 20
"""What may wait for the thread; more is dropped, and counted."""

LOG_PAUSE_S = 60.0
"""Losses are logged at once, and after that together, once in this time."""

CLOSE_TIMEOUT_S = 5.0


@dataclass(slots=True)
class WorkCounts:
    """Pieces of work since the start: written, failed while being written, and never tried."""

    written: int = 0
    failed: int = 0
    dropped: int = 0


class Worker:
    """Does pieces of work one after the other, in the order in which they are handed over.

    `name` says in the log and in metrics what is written, such as `audit_file`.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.counts = WorkCounts()
        self._threads = ThreadPoolExecutor(1, thread_name_prefix=f"groundwire-{name}")
        self._lock = threading.Lock()
        self._pending = 0
        self._pending_bytes = 0
        self._unlogged = 0
        self._logged_s: float | None = None

    def hand_over(self, work: Callable[[], object], size_bytes: int) -> bool:
        """Have something written that takes so many bytes of memory until it is.

        Says whether it is going to be tried: too much may wait already.
        """
        with self._lock:
            is_full = (
                self._pending >= MOST_PENDING
                or self._pending_bytes + size_bytes > MOST_PENDING_BYTES
            )
            if not is_full:
                self._pending += 1
                self._pending_bytes += size_bytes
        if is_full:
            self._lose("too much is waiting to be written", is_dropped=True)
            return False
        self._threads.submit(work).add_done_callback(lambda ended: self._end(ended, size_bytes))
        return True

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns, after all that was handed over before; raises what it raises."""
        return await asyncio.wrap_future(self._threads.submit(work))

    async def close(self) -> None:
        """Write what is left, for CLOSE_TIMEOUT_S at most, and end the thread."""
        ending = asyncio.create_task(asyncio.to_thread(self._threads.shutdown))
        ending.add_done_callback(retrieve)
        await asyncio.wait((ending,), timeout=CLOSE_TIMEOUT_S)
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._unlogged:
            self._log("as the server stops")

    def _end(self, ended: Future[object], size_bytes: int) -> None:
        with self._lock:
            self._pending -= 1
            self._pending_bytes -= size_bytes
        if ended.cancelled():
            self._lose("the server stops", is_dropped=True)
        elif (error := ended.exception()) is not None:
            self._lose(_why(error), is_dropped=False)
        else:
            with self._lock:
                self.counts.written += 1

    def _lose(self, why: str, *, is_dropped: bool) -> None:
        with self._lock:
            if is_dropped:
                self.counts.dropped += 1
            else:
                self.counts.failed += 1
            self._unlogged += 1
            now_s = time.monotonic()
            if self._logged_s is not None and now_s - self._logged_s < LOG_PAUSE_S:
                return
            self._logged_s = now_s
        self._log(why)

    def _log(self, why: str) -> None:
        with self._lock:
            count, self._unlogged = self._unlogged, 0
        log.error("%s: %d not written: %s", self.name, count, why)


def _why(error: BaseException) -> str:
    """What an error says. The text of a bug could repeat the text of a request."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) if isinstance(error, VerifierError) else type(error).__name__
