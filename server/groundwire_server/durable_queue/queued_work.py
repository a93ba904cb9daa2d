"""Pieces of work that outlive their process, as others see them."""

import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

Work = Callable[[str, str, float], Awaitable[str]]
"""What is done with a piece: its key, its text and when it came, in seconds since 1970, to a
result. It never raises. It is cancelled when the queue is closed, and then done again."""


class Stage(Enum):
    """How far a piece is."""

    WAITING = "waiting"
    TAKEN = "taken"
    DONE = "done"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Stored:
    """A piece as the store has it; `result` exactly if it is DONE. LOST is over without one."""

    stage: Stage
    result: str | None = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long results are kept, in seconds, and how many of them."""

    retention_s: float
    results: int


_WALL_LESS_MONOTONIC_S = time.time() - time.monotonic()


def now_s() -> float:
    """Seconds since 1970 as the wall clock had them at the start, by a clock that never jumps.

    So the age of a piece is right however the wall clock jumps while the process runs.
    """
    return _WALL_LESS_MONOTONIC_S + time.monotonic()


def key_of(owner: str, own_id: str) -> str:
    return f"{owner}.{own_id}"


def owner_of(key: str) -> str:
    """Whose a piece is: what stands in its key before the first dot."""
    return key.partition(".")[0]


def own_id_of(key: str) -> str:
    """The id that the owner knows it by."""
    return key.partition(".")[2]


class Pieces(Protocol):
    """A queue of pieces. `pieces_of` are those without a result, as of late, by whose they are,
    and `bytes_of` the bytes of their texts."""

    pieces_of: Counter[str]
    bytes_of: Counter[str]

    @property
    def pieces(self) -> int:
        """All of them."""

    @property
    def bytes(self) -> int:
        """All bytes of their texts."""

    async def add(self, key: str, backend: str, text: str) -> None:
        """Keep a piece, which is done from then on whatever happens.

        Of the pieces for one `backend` only so many are done at one time.

        Raises QueueUnavailableError.
        """

    def begin(self, backend: str) -> None:
        """Take the pieces for a backend. Until then they are accepted, and none is handed out."""

    async def find(self, key: str) -> Stored | None:
        """A piece, None if there is none. Raises QueueUnavailableError."""

    async def erase(self, owner: str, is_gone: Callable[[str], bool]) -> list[str]:
        """Delete pieces of an owner by their own ids, with their results, and stop their work.

        Gives their keys. Raises QueueUnavailableError.
        """

    async def close(self) -> None:
        """Leave what is not done to the next start."""
