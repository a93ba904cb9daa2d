"""Where lines of the log leave the process, with all else that it prints on standard error.

A thread writes them. A pipe that nobody reads fills, and whoever writes to it then waits for good:
that must not be the event loop. What does not fit is dropped and counted. Under `json` what other
libraries and the engine print, by Python or not, becomes lines of the log, too.
"""

import contextlib
import io
import logging
import os
import sys
import threading
from collections import deque
from collections.abc import Iterator

from groundwire_server.records.worker import WorkCounts

log = logging.getLogger("groundwire.log")
printed = logging.getLogger("stderr")

STDERR = 2
MOST_WAITING_BYTES = 1 << 20
"""What may wait for the thread; more is dropped, and counted."""

MOST_LINE_BYTES = 1 << 16
"""What is printed without a line's end becomes lines of this length."""

END_TIMEOUT_S = 1.0
"""How long the end of the process waits for what is left to be written."""

_END = b"\0end of what is printed\n"


class LogOutput(io.TextIOBase):
    """Takes text at once, and has a thread write it to a file."""

    def __init__(self, fd: int) -> None:
        self.counts = WorkCounts()
        self._fd = fd
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._told = 0
        self._has_ended = False
        self._changed = threading.Condition()
        threading.Thread(target=self._write_all, name="groundwire-log", daemon=True).start()

    def write(self, text: str) -> int:
        """Have a text written. Never waits."""
        data = text.encode(errors="backslashreplace")
        with self._changed:
            if self._waiting_bytes + len(data) > MOST_WAITING_BYTES:
                self.counts.dropped += 1
            else:
                self._waiting.append(data)
                self._waiting_bytes += len(data)
                self._changed.notify_all()
        return len(text)

    def end(self) -> None:
        """Return when all is written, or after END_TIMEOUT_S. What comes later is not."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting, END_TIMEOUT_S)
            self._has_ended = True
            self._changed.notify_all()

    def _write_all(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._waiting) or self._has_ended)
                if self._has_ended:
                    return
                data = self._waiting[0]
            try:
                left = memoryview(data)
                while left:
                    left = left[os.write(self._fd, left) :]
                self.counts.written += 1
            except OSError:
                self.counts.failed += 1
            with self._changed:
                self._waiting.popleft()
                self._waiting_bytes -= len(data)
                lost = 0 if self._waiting else self.counts.dropped - self._told
                self._told += lost
                self._changed.notify_all()
            if lost:
                log.warning("%d lines were dropped, since nobody read the ones before", lost)


@contextlib.contextmanager
def log_output(log_format: str) -> Iterator[LogOutput]:
    """Write standard error by a thread, and under `json` as lines of the log alone.

    On leaving what is left is written, for END_TIMEOUT_S at most.
    """
    before = sys.stderr
    with contextlib.ExitStack() as ends:
        own = os.dup(STDERR) if before is not None else os.open(os.devnull, os.O_WRONLY)
        output = LogOutput(own)
        ends.callback(output.end)
        if before is not None and log_format == "json":
            ends.enter_context(_printed_as_lines())
        elif before is not None:
            sys.stderr = output
        try:
            yield output
        finally:
            sys.stderr = before


@contextlib.contextmanager
def _printed_as_lines() -> Iterator[None]:
    """Log each line that anything in this process, or in one of its own, prints."""
    before = os.dup(STDERR)
    reading, writing = os.pipe()
    os.dup2(writing, STDERR)
    os.close(writing)

    def read() -> None:
        with open(reading, "rb") as lines:
            while (line := lines.readline(MOST_LINE_BYTES)) and line != _END:
                printed.error("%s", line.decode(errors="backslashreplace").rstrip("\n"))

    thread = threading.Thread(target=read, name="groundwire-printed", daemon=True)
    thread.start()
    try:
        yield
    finally:
        # Another process may still hold the pipe open.
        os.write(STDERR, _END)
        os.dup2(before, STDERR)
        os.close(before)
        thread.join(END_TIMEOUT_S)


def written_counts() -> WorkCounts | None:
    """What became of the lines of this process's log; None where no thread writes them."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler) and isinstance(handler.stream, LogOutput):
            return handler.stream.counts
    return None
