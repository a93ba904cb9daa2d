"""Whether the mean of a period differs from that of the periods before by more than chance.

Detections are what is counted, not their claims: those of one answer stand or fall together. If
nothing changed, each way to choose the period's detections from all of them is as likely as any
other, whatever their distribution. So such choices are drawn, and it is counted how many differ as
much, where a bound on that does not say enough.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

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
_DRAWS_AT_A_TIME = 2_000
_DRAWS_FOR_A_HIT = 5
"""Draws for each one that may differ as much by chance."""
_MOST_DRAWS = 1_000_000
"""For all looks together, some 30 s. The farthest come first; what is left is not called drift."""
_TILTS = np.linspace(0.0, 2.0, 201)[1:]
"""Where the bound is looked for, by step of a value."""
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


@dataclass(frozen=True, slots=True)
class _Choice:
    """A period's detections as a choice of all, its own and those before it.

    `colours` is how many of all have each value in `steps`, of which the mean is taken off; the sum
    of the `size` chosen ones is `far` from zero, in steps, on either side.
    """

    steps: npt.NDArray[np.floating]
    colours: npt.NDArray[np.int64]
    size: int
    far: float


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
    far: list[tuple[float, int, int, _Choice, Drift]] = []
    for which, at, before in looks:
        now, mean = series[which][at], before.total / before.size
        difference, choice = now.total / now.size - mean, _choice(now, before)
        if abs(difference) >= least[which] and _is_far(choice):
            bound = _bound(choice)
            far.append((bound, which, at, choice, Drift(mean, difference, bound)))
    found: list[list[Drift | None]] = [[None] * len(periods) for periods in series]
    level, draws_left = LEVEL / max(1, len(looks)), _MOST_DRAWS
    for bound, which, at, choice, drift in sorted(far, key=lambda each: each[0]):
        chance = bound
        if bound > level:
            chance, drawn = _drawn_chance(choice, level, draws_left)
            draws_left -= drawn
        if chance <= level:
            found[which][at] = replace(drift, chance=chance)
    return found


def _together(periods: Sequence[Values]) -> Values:
    counts = np.array([each.counts for each in periods]).sum(axis=0)
    return Values(counts, math.fsum(each.total for each in periods))


def _choice(now: Values, before: Values) -> _Choice:
    all_counts = now.counts + before.counts
    steps = np.flatnonzero(all_counts)
    colours = all_counts[steps]
    apart = steps - float(colours @ steps) / float(colours.sum())
    return _Choice(apart, colours, now.size, abs(float(now.counts[steps] @ apart)))


def _is_far(choice: _Choice) -> bool:
    """Whether a difference is far enough to be worth a closer look."""
    total = float(choice.colours.sum())
    variance = float(choice.colours @ choice.steps**2) / (total - 1)
    deviation = math.sqrt(variance * choice.size * (1 - choice.size / total))
    return choice.far >= _FAR_DEVIATIONS * deviation > 0.0


def _bound(choice: _Choice) -> float:
    """What the chance of a difference as large is not above (Chernoff).

    That holds for choices that are put back each time, and for others too (Hoeffding 1963).
    """
    shares = choice.colours / choice.colours.sum()
    sides = [
        np.log(np.exp(np.outer(tilts, choice.steps)) @ shares) - _TILTS * choice.far / choice.size
        for tilts in (_TILTS, -_TILTS)
    ]
    return min(1.0, sum(math.exp(choice.size * float(each.min())) for each in sides))


def _drawn_chance(choice: _Choice, level: float, most: int) -> tuple[float, int]:
    """How likely a difference as large is by chance, and how many draws that took.

    1 where it is above `level`, or would take more than `most`. The observed choice counts as one
    that was drawn, so that the chance is never told too small.
    """
    random = np.random.default_rng(_SEED)
    draws, hits = math.ceil(_DRAWS_FOR_A_HIT / level), 0
    if draws > most:
        return 1.0, 0
    for begin in range(0, draws, _DRAWS_AT_A_TIME):
        count = min(_DRAWS_AT_A_TIME, draws - begin)
        drawn = random.multivariate_hypergeometric(choice.colours, choice.size, size=count)
        # Sums differ by whole steps or not at all, so a tie is one.
        hits += int(np.count_nonzero(np.abs(drawn @ choice.steps) >= choice.far - 1e-6))
        if hits + 1 > level * (draws + 1):
            return 1.0, begin + count
    return (hits + 1) / (draws + 1), draws
