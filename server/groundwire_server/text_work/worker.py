"""A process that works on texts: a request at a time, until the server closes the pipe.

Started by `text_work.pool`. Imports the parser of claims, and nothing of the server.
"""

import ctypes
import os
import pickle
import resource
import signal
import struct
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

PR_SET_PDEATHSIG = 1
"""Linux's name for: have this signal when who started this process is gone."""

HEADER = struct.Struct("!I")
"""Stands before each request and each reply: its size in bytes."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A work that raised: the type of what it raised, and where. Its text could repeat a text."""

    kind: str
    frames: str


def command(limit_s: float, niceness: int = 0, most_bytes: int = 0) -> tuple[str, ...]:
    """What starts such a process, by the same code as this one runs; the arguments are `main`'s."""
    return (
        sys.executable,
        "-c",
        # A group of its own: Ctrl-C in a terminal is for the server. Not by `process_group`,
        # which the loop of a process that holds a server may not know, such as uvloop's.
        "import os, sys; os.setpgid(0, 0); "
        # The same code as this process runs, wherever that was started.
        f"sys.path[:] = {sys.path!r}; "
        f"from {__name__} import main; main({limit_s}, {niceness}, {most_bytes})",
    )


def main(limit_s: float, niceness: int, most_bytes: int) -> None:
    """Serve until standard input ends, or the thread that started this process.

    A work may take `limit_s` seconds of the processor: then the kernel ends the process, whoever
    is there to see it, and whatever else the machine is busy with. It may take `most_bytes` beside
    what the process has when it starts, if that is not 0.
    """
    import groundwire_verifier.text.claims.extract  # noqa: F401 - before the first text waits for it

    # Nobody waits for a work under way once the server was killed, and nothing in here could end
    # one that keeps the interpreter's lock, such as a search by a pattern.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.nice(niceness)
    if most_bytes:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + most_bytes
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
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
