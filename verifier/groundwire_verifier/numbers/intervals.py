"""Intervals of probabilities: what is known where a value was not read exactly."""

import math
from dataclasses import dataclass

Z_95 = 1.959963984540054
"""The normal quantile of a two-sided interval of 95 %."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed range of a share; both ends in [0, 1].

    Raises ValueError if an end is outside, no number, or the low end above the high one.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        # Written so that NaN is refused, too.
        if not 0.0 <= self.low <= self.high <= 1.0:
            raise ValueError(f"no interval of shares: [{self.low}, {self.high}]")

    @property
    def center(self) -> float:
        return (self.low + self.high) / 2.0


def wilson(successes: int, trials: int) -> Interval:
    """The interval of Wilson for a share that was counted in `trials` independent trials.

    Without any trial nothing is known: [0, 1]. Its center is the share, drawn towards one half by
    as much as few trials call for, so it is never 0 or 1.

    E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", 1927.
    Raises ValueError unless 0 <= successes <= trials.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials")
    if trials == 0:
        return Interval(0.0, 1.0)
    share, weight = successes / trials, Z_95 * Z_95 / trials
    center = (share + weight / 2.0) / (1.0 + weight)
    variance = share * (1.0 - share) / trials + weight / (4.0 * trials)
    half = Z_95 * math.sqrt(variance) / (1.0 + weight)
    # At the ends the formula is exactly 0 or 1 but for rounding.
    low = 0.0 if successes == 0 else max(0.0, center - half)
    high = 1.0 if successes == trials else min(1.0, center + half)
    return Interval(low, high)
