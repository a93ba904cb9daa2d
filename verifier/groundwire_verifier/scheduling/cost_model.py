"""How long an engine takes for prompts, learnt from what it did.

Linear in what has to be computed and in the steps that it takes, with weights that are fitted to
the last observations. Knows numbers of tokens and seconds. Does not know prompts or engines.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

OBSERVATIONS = 128
MIN_OBSERVATIONS = 6
"""Below it nothing is predicted."""

RIDGE = 1e-3
ACTIVE_SET_ROUNDS = 4
STEP_TOKENS = 256
"""Tokens that a step has at least if there is work for more, as long as no larger one was seen."""

_WEIGHTS = 4


@dataclass(frozen=True, slots=True)
class Work:
    """What has to be computed.

    `attention` counts, for every token to compute, the thousands of tokens that it looks at.
    """

    prompts: float = 0.0
    tokens: float = 0.0
    attention: float = 0.0

    @classmethod
    def of(cls, uncached_tokens: int, prompt_tokens: int) -> "Work":
        """The work of one prompt, of whose tokens the last `uncached_tokens` are to compute."""
        seen = prompt_tokens - uncached_tokens / 2
        return cls(1.0, float(uncached_tokens), uncached_tokens * seen / 1000)

    def __add__(self, other: "Work") -> "Work":
        """Both."""
        return Work(
            self.prompts + other.prompts,
            self.tokens + other.tokens,
            self.attention + other.attention,
        )

    def __sub__(self, other: "Work") -> "Work":
        """Without the other, which is a part of it."""
        return Work(
            self.prompts - other.prompts,
            self.tokens - other.tokens,
            max(0.0, self.attention - other.attention),
        )


def total(works: Iterable[Work]) -> Work:
    """All of them."""
    return sum(works, Work())


class CostModel:
    """Seconds for work. The weights are never negative."""

    def __init__(self) -> None:
        """Know nothing."""
        self._seen: deque[tuple[float, ...]] = deque(maxlen=OBSERVATIONS)
        self._weights = np.zeros(_WEIGHTS)
        self._step_tokens = float(STEP_TOKENS)
        self._stale = False

    @property
    def ready(self) -> bool:
        """Whether enough was observed."""
        return len(self._seen) >= MIN_OBSERVATIONS

    def observe(self, work: Work, steps: int, seconds: float) -> None:
        """Learn that so much work took so many steps and so long, with nothing else going on."""
        if work.prompts > 0.0 and steps > 0 and seconds > 0.0:
            self._seen.append((*_row(work, steps), seconds))
            self._stale = True

    def seconds(self, work: Work) -> float:
        """How long this work takes in as few steps as it can; 0 for none, and unless `ready`."""
        if not self.ready or work.prompts <= 0.0:
            return 0.0
        if self._stale:
            self._fit()
        steps = max(1.0, work.tokens / self._step_tokens)
        return float(np.dot(_row(work, steps), self._weights))

    def forget(self) -> None:
        """Drop what was observed, such as steps that were slow only once."""
        self._seen.clear()

    def _fit(self) -> None:
        """Least squares on relative errors, so that short work counts as much as long."""
        self._stale = False
        rows = np.array(self._seen)
        steps, _, tokens, _, seconds = rows.T
        self._step_tokens = max(STEP_TOKENS, float((tokens / steps).max()))
        rows = rows[:, :_WEIGHTS] / seconds[:, None]
        scale = np.maximum(rows.max(axis=0), 1e-12)
        rows /= scale
        weights, free = np.zeros(_WEIGHTS), np.ones(_WEIGHTS, dtype=bool)
        # A weight that comes out negative is noise: it is zero, and the others are fitted again.
        for _ in range(ACTIVE_SET_ROUNDS):
            kept = rows[:, free]
            gram = kept.T @ kept + RIDGE * len(rows) * np.eye(int(free.sum()))
            weights[:] = 0.0
            weights[free] = np.linalg.solve(gram, kept.sum(axis=0))
            if (weights >= 0.0).all():
                break
            free &= weights > 0.0
        self._weights = np.maximum(weights, 0.0) / scale


def _row(work: Work, steps: float) -> tuple[float, float, float, float]:
    """What the weights are for."""
    return (steps, work.prompts, work.tokens, work.attention)
