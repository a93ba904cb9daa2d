"""What is measured on a GPU, the most important first, and how the minutes are shared out."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bench.tools.common import target_s

BF16, FP8 = "bf16", "fp8"
TYPES = (BF16, FP8)
DEFAULT_SHAPES = ("0.6B", "4B", "8B")

LEAST_S = 20.0
"""What a pair of servers that has started may measure at least, however long the start took."""


@dataclass(frozen=True, slots=True)
class Setup:
    """One model in one type: what a pair of servers is started for."""

    shape: str
    weights: str

    @property
    def quantization(self) -> str | None:
        """The setting of the same name, of this server and of vLLM's."""
        return "fp8_per_tensor" if self.weights == FP8 else None

    def __str__(self) -> str:
        """The shape and the type."""
        return f"{self.shape} {self.weights}"


@dataclass(frozen=True, slots=True)
class Cell:
    """A size of call: a context that nobody has seen, and so many claims."""

    context_tokens: int
    claims: int

    @property
    def target_s(self) -> float:
        """The most seconds that such a call may take."""
        return target_s(self.claims)

    def __str__(self) -> str:
        """The context and the claims."""
        return f"context {self.context_tokens:,}, N = {self.claims}"


CELLS = tuple(
    Cell(context, claims)
    for context, claims in (
        # The corners, then the middle, then what lies between.
        *((300, 1), (300, 64), (4000, 1), (4000, 64), (1000, 16)),
        *((1000, 1), (300, 16), (4000, 16), (1000, 64), (300, 4), (1000, 4), (4000, 4)),
    )
)


def setups(shapes: Sequence[str], types: Iterable[str]) -> list[Setup]:
    """All shapes in bf16, then in fp8 from the last: it is worth the most for the largest."""
    wanted = set(types)
    first = [Setup(shape, BF16) for shape in shapes if BF16 in wanted]
    return first + [Setup(shape, FP8) for shape in reversed(shapes) if FP8 in wanted]


class Budget:
    """The time of the whole run. A setup gets an equal share of what is left."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """The time runs from now."""
        self._clock = clock
        self._end_s = clock() + seconds
        self._longest_start_s = 0.0

    @property
    def left_s(self) -> float:
        """Seconds until nothing is begun any more."""
        return self._end_s - self._clock()

    def has_room_for_a_start(self) -> bool:
        """Whether servers would be up in time, if they take as long as any did so far."""
        return self.left_s > self._longest_start_s

    def share(self, setups_left: int) -> "Share":
        """The share of the next of so many setups."""
        return Share(self, self._clock, self.left_s / setups_left)

    def started(self, seconds: float) -> None:
        """Takes note of how long servers took to start."""
        self._longest_start_s = max(self._longest_start_s, seconds)


class Share:
    """One setup's part of the time, from now; its servers' start counts."""

    def __init__(self, budget: Budget, clock: Callable[[], float], seconds: float) -> None:
        self._budget = budget
        self._clock = clock
        self._began_s = clock()
        self._end_s = self._began_s + seconds

    def started(self) -> float:
        """The servers are up; the seconds that it took."""
        took_s = self._clock() - self._began_s
        self._budget.started(took_s)
        self._end_s = max(self._end_s, self._clock() + LEAST_S)
        return took_s

    def is_open(self) -> bool:
        """Whether another measurement may begin."""
        return self._budget.left_s > 0.0 and self._clock() < self._end_s
