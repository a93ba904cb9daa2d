"""A process that works on texts: a request at a time, until the server closes the pipe.

Started by `text_work.pool`. Knows pipes. Imports the parser of claims, and nothing of the server.
"""

import os
import pickle
import signal
import struct
import sys
import traceback
from dataclasses import dataclass
from typing import BinaryIO

HEADER = struct.Struct("!I")
"""Stands before each request and each reply: its size in bytes."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A work that raised: the type of what it raised, and where. Its text could repeat a text."""

    kind: str
    frames: str


def main(limit_s: float, niceness: int) -> None:
    """Serve until standard input ends.

    A work may take `limit_s` seconds of the processor: then the kernel ends the process, whoever
    is there to see it, and whatever else the machine is busy with.
    """
    import groundwire_verifier.claims.extract  # noqa: F401 - before the first text waits for it

    os.nice(niceness)
    # A supervisor may tell all processes to stop; the server ends its workers when it has drained.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # Nobody reads any more: the server is gone.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    requests = sys.stdin.buffer
    # Whatever prints must not print into the replies.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _send(replies, b"")
    while header := requests.read(HEADER.size):
        (size,) = HEADER.unpack(header)
        work, args = pickle.loads(requests.read(size))  # noqa: S301 - from the server
        signal.setitimer(signal.ITIMER_PROF, limit_s)
        try:
            result = work(*args)
        except Exception as error:  # noqa: BLE001 - the edge of this process
            frames = "".join(traceback.format_tb(error.__traceback__))
            result = Failed(type(error).__name__, frames)
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        _send(replies, pickle.dumps(result))


def _send(replies: BinaryIO, reply: bytes) -> None:
    replies.write(HEADER.pack(len(reply)) + reply)
    replies.flush()
