"""Whether the mean of a period differs from that of the periods before by more than chance.

Detections are what is counted, not their claims: those of one answer stand or fall together. If
nothing changed, each way to choose the period's detections from all of them is as likely as any
other, whatever their distribution. So such choices are drawn, and it is counted how many differ as
much.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

LEVEL = 0.01
"""The most that the chance may be that anything is called drift where there is none, all looks
together: each look has its equal part of it."""
LEAST_DETECTIONS = 30
"""What a period needs, and the periods before it together, to be looked at."""
PERIODS_BEFORE = 8
"""How many periods before one it is compared with."""

_STEPS = 100
_DRAWS_AT_A_TIME = 10_000
_DRAWS_FOR_A_HIT = 5
"""Draws for each one that may differ as much by chance."""
_FAR_DEVIATIONS = 3.0
"""Below it nothing is drawn: what is nearer is never rare enough."""
_SEED = 41


@dataclass(slots=True)
class Values:
    """Values in [0, 1], one a detection, kept as counts in steps of .01, and their exact sum."""

    counts: npt.NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(_STEPS + 1, dtype=np.int64)
    )
    total: float = 0.0

    def add(self, value: float) -> None:
        """Count a value in [0, 1]."""
        self.counts[round(value * _STEPS)] += 1
        self.total += value

    @property
    def size(self) -> int:
        """How many there are."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float | None:
        """Their mean; None without any."""
        return self.total / self.size if self.size else None


@dataclass(frozen=True, slots=True)
class Drift:
    """The mean of the periods before, how much a period's is above it, and how likely that is."""

    before: float
    difference: float
    chance: float


def find_drift(
    series: Sequence[Sequence[Values]], least: Sequence[float]
) -> list[list[Drift | None]]:
    """What drifts in each series, period by period; None where nothing does, or too few are there.

    A series has the values of one kind in each period, in order, and `least` the smallest
    difference of its means that counts. All series together keep to LEVEL.
    """
    looks = [
        (which, at, before)
        for which, periods in enumerate(series)
        for at in range(1, len(periods))
        if periods[at].size >= LEAST_DETECTIONS
        and (before := _together(periods[max(0, at - PERIODS_BEFORE) : at])).size
        >= LEAST_DETECTIONS
    ]
    found: list[list[Drift | None]] = [[None] * len(periods) for periods in series]
    for which, at, before in looks:
        found[which][at] = _drift(series[which][at], before, least[which], LEVEL / len(looks))
    return found


def _together(periods: Sequence[Values]) -> Values:
    counts = np.array([each.counts for each in periods]).sum(axis=0)
    return Values(counts, math.fsum(each.total for each in periods))


def _drift(now: Values, before: Values, least: float, level: float) -> Drift | None:
    before_mean = before.total / before.size
    difference = now.total / now.size - before_mean
    if abs(difference) < least:
        return None
    chance = _chance(now, before, level)
    return Drift(before_mean, difference, chance) if chance <= level else None


def _chance(now: Values, before: Values, level: float) -> float:
    """How likely a difference as large is by chance; 1 where it is too small to be worth drawing.

    The observed choice counts as one that was drawn, so that the chance is never told too small.
    """
    all_counts = now.counts + before.counts
    steps = np.flatnonzero(all_counts)
    colours = all_counts[steps]
    size, total = now.size, int(colours.sum())
    mean = float(colours @ steps) / total
    variance = float(colours @ (steps - mean) ** 2) / (total - 1)
    deviation = math.sqrt(variance / size * (1 - size / total))
    far = abs(float(now.counts[steps] @ steps) / size - mean)
    if far < _FAR_DEVIATIONS * deviation or deviation == 0.0:
        return 1.0
    random = np.random.default_rng(_SEED)
    draws, hits = math.ceil(_DRAWS_FOR_A_HIT / level), 0
    for begin in range(0, draws, _DRAWS_AT_A_TIME):
        count = min(_DRAWS_AT_A_TIME, draws - begin)
        drawn = random.multivariate_hypergeometric(colours, size, size=count)
        # Sums of whole steps are exact, so a tie is one.
        hits += int(np.count_nonzero(np.abs(drawn @ steps - size * mean) >= far * size - 1e-6))
    return (hits + 1) / (draws + 1)
