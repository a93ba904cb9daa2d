"""Text work in processes of its own, where its lock harms nobody and its time has an end.

A thread that works on a text of others holds the interpreter's lock, and cannot be ended. A process
can: when its call is cancelled or its time is up it ends, and only when it is gone another takes
its slot.
"""

import asyncio
import contextlib
import logging
import pickle
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, TypeVarTuple, Unpack, cast

from groundwire_server.access.round_robin import RoundRobin
from groundwire_server.text_work.worker import HEADER, Failed, command
from groundwire_verifier.domain.tasks import in_thread, retrieve

log = logging.getLogger("groundwire.server")

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

START_TIMEOUT_S = 60.0
STARTS = 3
"""How often a process is started that dies before it has work: at its fork another thread may have
been at a place that no fork goes well from, as uvloop's do beside gRPC."""
SHORT_CHARACTERS = 20_000
"""Some fifty milliseconds of work, where a text is no worse than prose."""
WORK_LIMIT_S = 10.0
"""Seconds of a processor for one text: the longest that is allowed takes about one."""
LONG_NICENESS = 10
"""What reads claims, and what splits short texts, goes first."""
BUFFER_BYTES = 1 << 20
_DIED = "the process that works on texts ended; send the text in parts"


class TextTimeoutError(Exception):
    """The work took more than `limit_s` seconds of a processor."""

    def __init__(self, limit_s: float) -> None:
        super().__init__(f"the work on a text took more than {limit_s:g} s of a processor")
        self.limit_s = limit_s


class TextWorkerError(Exception):
    """The work failed: by a bug, or since its process died, for want of memory perhaps."""


class _DiedIdleError(TextWorkerError):
    """The process was gone before it was sent its work."""


class TextWork:
    """Runs works in at most `workers` processes, each at most `limit_s` seconds of a processor.

    A process starts when it is first needed, in about a tenth of a second, and serves one work
    after the other, the callers in turn. Niceness is the kernel's: with 10 a process gets a tenth
    of a busy core.
    """

    def __init__(self, workers: int, limit_s: float, niceness: int = 0) -> None:
        self._limit_s = limit_s
        self._niceness = niceness
        self._slots = RoundRobin(workers)
        self._idle: list[_Worker] = []
        self._jobs: set[asyncio.Task[bytes]] = set()

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes that wait for work."""
        return tuple(worker.process.pid for worker in self._idle)

    async def run(self, work: Callable[[Unpack[Ts]], T], *args: *Ts) -> T:
        """Run `work`, a function of a module, on arguments that can be pickled, as its result can.

        Raises TextTimeoutError or TextWorkerError.
        """
        # A task of its own, so that a caller that leaves takes no time, and its slot stays taken
        # until the process is gone.
        job = asyncio.create_task(self._job(pickle.dumps((work, args))))
        self._jobs.add(job)
        job.add_done_callback(self._jobs.discard)
        job.add_done_callback(retrieve)
        try:
            reply = await asyncio.shield(job)
        except asyncio.CancelledError:
            job.cancel()
            raise
        # Many claims take some tens of milliseconds.
        value = await in_thread(pickle.loads, reply)
        if isinstance(value, Failed):
            log.error("work on a text failed: %s\n%s", value.kind, value.frames)
            raise TextWorkerError(f"the work on a text failed: {value.kind}")
        return cast(T, value)

    async def close(self) -> None:
        """End all processes."""
        for job in self._jobs:
            job.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)
        while self._idle:
            await self._idle.pop().end()

    async def _job(self, request: bytes) -> bytes:
        async with self._slots.one():
            while self._idle:
                with contextlib.suppress(_DiedIdleError):
                    return await self._ask(self._idle.pop(), request)
            for _ in range(STARTS - 1):
                with contextlib.suppress(_DiedIdleError):
                    return await self._ask(await self._started(), request)
            return await self._ask(await self._started(), request)

    async def _started(self) -> "_Worker":
        return await _Worker.start(self._limit_s, self._niceness)

    async def _ask(self, worker: "_Worker", request: bytes) -> bytes:
        try:
            reply = await worker.ask(request)
        except BaseException:
            await worker.end()
            raise
        self._idle.append(worker)
        return reply


@dataclass(frozen=True, slots=True)
class TextWorks:
    """Short texts and long ones, apart: no short one waits for long ones, however many come."""

    short: TextWork
    long: TextWork

    @classmethod
    def for_calls(cls) -> "TextWorks":
        """A process for each."""
        return cls(TextWork(1, WORK_LIMIT_S), TextWork(1, WORK_LIMIT_S, LONG_NICENESS))

    @classmethod
    def background(cls) -> "TextWorks":
        """One process for all texts that nobody waits for, apart from those that somebody does."""
        work = TextWork(1, WORK_LIMIT_S, LONG_NICENESS)
        return cls(work, work)

    def for_text(self, text: str) -> TextWork:
        return self.short if len(text) <= SHORT_CHARACTERS else self.long

    async def close(self) -> None:
        """End all processes."""
        await self.short.close()
        await self.long.close()


class _Worker:
    """One process: a request in, a reply out."""

    def __init__(self, process: asyncio.subprocess.Process, limit_s: float) -> None:
        self.process = process
        self._limit_s = limit_s
        # Both are pipes.
        self._requests = cast(asyncio.StreamWriter, process.stdin)
        self._replies = cast(asyncio.StreamReader, process.stdout)

    @classmethod
    async def start(cls, limit_s: float, niceness: int) -> "_Worker":
        process = await asyncio.create_subprocess_exec(
            *command(limit_s, niceness),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=BUFFER_BYTES,
        )
        worker = cls(process, limit_s)
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                await worker._reply()  # it has imported what it needs
        except BaseException as error:
            await worker.end()
            if isinstance(error, TimeoutError):
                raise TextWorkerError("the process for texts did not start") from None
            if isinstance(error, TextWorkerError):
                raise _DiedIdleError(str(error)) from None
            raise
        return worker

    async def ask(self, request: bytes) -> bytes:
        """Raises TextTimeoutError or TextWorkerError."""
        try:
            self._requests.write(HEADER.pack(len(request)) + request)
            await self._requests.drain()
        except ConnectionError:
            raise _DiedIdleError(_DIED) from None
        return await self._reply()

    async def end(self) -> None:
        """Kill it, and return when it is gone."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()

    async def _reply(self) -> bytes:
        try:
            (size,) = HEADER.unpack(await self._replies.readexactly(HEADER.size))
            return await self._replies.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError):
            if await self.process.wait() == -signal.SIGPROF:
                raise TextTimeoutError(self._limit_s) from None
            raise TextWorkerError(_DIED) from None
