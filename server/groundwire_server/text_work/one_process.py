"""Work on files of others in one process, for a command that does one thing after the other.

Beside the time of a work its memory is bounded. Starts the process when it is first needed, and
anew where it ended. `text_work.pool` is the same for a server.
"""

import pickle
import signal
import subprocess
from collections.abc import Callable
from typing import IO, TypeVar, TypeVarTuple, Unpack, cast

from groundwire_server.text_work.pool import TextTimeoutError, TextWorkerError
from groundwire_server.text_work.worker import HEADER, Failed, command

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class OneProcess:
    """Runs one work at a time, of at most `limit_s` seconds of a processor and `most_bytes`."""

    def __init__(self, limit_s: float, most_bytes: int) -> None:
        self._limit_s = limit_s
        self._most_bytes = most_bytes
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, work: Callable[[Unpack[Ts]], T], *args: *Ts) -> T:
        """Run `work`, a function of a module, on arguments that can be pickled, as its result can.

        Raises TextTimeoutError, or TextWorkerError, which says what it raised.
        """
        if self._process is None:
            arguments = command(self._limit_s, most_bytes=self._most_bytes)
            self._process = subprocess.Popen(  # noqa: S603 - this program itself
                arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            self._reply(self._process)  # it has imported what it needs
        request = pickle.dumps((work, args))
        reply = self._reply(self._process, HEADER.pack(len(request)) + request)
        value = pickle.loads(reply)  # noqa: S301 - from the process that was started here
        if isinstance(value, Failed):
            raise TextWorkerError(value.kind)
        return cast(T, value)

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _reply(self, process: subprocess.Popen[bytes], request: bytes = b"") -> bytes:
        """What the process says next, after a request if there is one."""
        # Both are pipes.
        requests, replies = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
        try:
            requests.write(request)
            requests.flush()
            header = replies.read(HEADER.size)
            if len(header) == HEADER.size:
                (size,) = HEADER.unpack(header)
                reply = replies.read(size)
                if len(reply) == size:
                    return reply
        except BrokenPipeError:
            pass
        ended = process.wait()
        self._process = None
        requests.close()
        replies.close()
        if ended == -signal.SIGPROF:
            raise TextTimeoutError(self._limit_s)
        raise TextWorkerError(f"exit status {ended}")
