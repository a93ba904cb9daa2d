"""What events share: an event and its rounds, and a server that can be killed and started again."""

import json
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import psutil

from bench.tools.common import ROOT, BenchError, bare_environment
from bench.tools.serving import IMPORTED_FROM, family_of, free_address, memory_mib
from tests.soak.chaos.claims import Tally

STOP_TIMEOUT_S = 30.0
WHOLE = ("whole",)
"""What calls must come to where nothing may be lost."""

Round = Callable[[Tally, random.Random], Awaitable[None]]


class NotHereError(BenchError):
    """What an event needs is not on this machine, or not allowed."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What events are given: a folder of their own, and programs, where they are there."""

    folder: Path
    toxiproxy: Path | None = None
    faketime: Path | None = None
    connections: int = 4_000
    peers: int = 200


@dataclass(frozen=True, slots=True)
class Event:
    """Something that is done to a server, and how often. Its scene is set once for all rounds.

    The scene raises NotHereError where it cannot be.
    """

    name: str
    scene: Callable[[Tools], AbstractAsyncContextManager[Round]]
    rounds: int = 20


def record(tally: Tally, outcomes: Sequence[str], may: Collection[str]) -> None:
    """Count outcomes. Those whose first word is not one of `may` are at fault."""
    tally.outcomes.update(outcomes)
    tally.faults += [outcome for outcome in outcomes if outcome.split()[0] not in may]


def most(tally: Tally, name: str, value: float) -> None:
    """Keep the largest value of a figure."""
    tally.figures[name] = max(round(value, 2), tally.figures.get(name, 0.0))


def own_process(
    module: str,
    argument: str,
    environment: Mapping[str, str],
    *,
    stdin: int | None = None,
    stderr: IO[str] | None = None,
) -> "subprocess.Popen[str]":
    """A module of this folder in a process of its own, whose stdout can be read."""
    found_first = ":".join(str(ROOT / name) for name in (*IMPORTED_FROM, ""))
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.soak.chaos.{module}", argument],
        cwd=ROOT,
        env={**bare_environment(), "PYTHONPATH": found_first, **environment},
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )


@dataclass
class Child:
    """A server on a scripted engine, always at the same address."""

    settings: Mapping[str, object]
    log: IO[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    target: str = field(default_factory=free_address)
    process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Return once it serves. Raises BenchError."""
        settings = {"listen": self.target, **self.settings}
        self.process = own_process(
            "server", json.dumps(settings), self.environment, stderr=self.log
        )
        assert self.process.stdout is not None
        if not self.process.stdout.readline():
            raise BenchError(f"a server did not start: {self.said()}")

    @property
    def is_there(self) -> bool:
        """Whether its process lives."""
        return self.process is not None and self.process.poll() is None

    def family(self) -> list[psutil.Process]:
        """Its processes."""
        assert self.process is not None
        return family_of(psutil.Process(self.process.pid))

    def memory_mib(self) -> float:
        """What they hold in memory."""
        return memory_mib(self.family())

    def said(self) -> str:
        """The end of its log."""
        self.log.flush()
        return Path(self.log.name).read_text(encoding="utf-8", errors="replace")[-2000:]

    def kill(self) -> None:
        """SIGKILL: no word to anybody."""
        assert self.process is not None
        self.process.kill()
        self._ended()

    def stop(self) -> None:
        """SIGTERM, and by force if it does not go in time. Raises BenchError then."""
        if not self.is_there:
            return
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise BenchError(f"a server did not stop in {STOP_TIMEOUT_S:g} s") from None
        self._ended()

    def _ended(self) -> None:
        assert self.process is not None
        assert self.process.stdout is not None
        self.process.wait()
        self.process.stdout.close()


@contextmanager
def serving(
    settings: Mapping[str, object], environment: Mapping[str, str] | None = None
) -> Iterator[Child]:
    """A server that serves; it is stopped on leaving."""
    with tempfile.NamedTemporaryFile("w+", suffix=".log") as log:
        child = Child(settings, log, environment or {})
        child.start()
        try:
            yield child
        finally:
            child.stop()
