"""Calibration: from the probability that a model gives to the share of claims that turn out true.

A curve is a function that never falls, so it changes no order. Fitted on labelled claims, a
calibration holds for one model asked with one prompt.

Platt scaling is from Platt, "Probabilistic Outputs for Support Vector Machines", 1999; isotonic
regression for this use from Zadrozny and Elkan, "Transforming Classifier Scores into Accurate
Multiclass Probability Estimates", 2002.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import numpy.typing as npt

from groundwire_verifier.numbers.budget import CLIP
from groundwire_verifier.numbers.metrics import Bools, Floats

MIN_ROWS_OF_A_LABEL = 10
NEWTON_STEPS = 100
NEWTON_TOLERANCE = 1e-10


class CalibrationError(ValueError):
    """No calibration can be fitted on these rows; the text says why."""


@dataclass(frozen=True, slots=True)
class Platt:
    """`slope` times the log-odds (natural) plus `intercept` are the calibrated log-odds."""

    slope: float
    intercept: float

    def apply(self, raw: npt.ArrayLike) -> Floats:
        """Calibrated probabilities, in [0, 1] and of the same shape."""
        return sigmoid(self.slope * log_odds(raw) + self.intercept)


@dataclass(frozen=True, slots=True)
class Isotonic:
    """Probabilities at ascending log-odds, linear between them and constant beyond."""

    log_odds: tuple[float, ...]
    probabilities: tuple[float, ...]

    def apply(self, raw: npt.ArrayLike) -> Floats:
        """Calibrated probabilities, in [0, 1] and of the same shape."""
        return np.asarray(np.interp(log_odds(raw), self.log_odds, self.probabilities))


Curve = Platt | Isotonic


class Strictness(Enum):
    """The operating points by name. What each promises stands in `operating_point`."""

    BALANCED = "balanced"
    STRICT = "strict"
    LENIENT = "lenient"


class Bar(Enum):
    """From where on a finding against a claim can be believed, by the finding."""

    UNSUPPORTED = "unsupported"
    """The p1 up to which a claim is UNSUPPORTED."""
    CONTRADICTION = "contradiction"
    """P(NO) among YES, NO and UNSURE from which a claim is CONTRADICTED."""
    MISCITATION = "miscitation"
    """p0 less the closed-book probability above which a claim is MISCITED."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A fitted curve, the number of rows that it was fitted on, and what they were in words.

    `operating_points` are confidences, in [0, 1], one of which a claim is asked for where nothing
    else is asked for; none that was not chosen is in it. `bars`, in [0, 1], are those that were
    chosen of the findings against claims. `concerns` has the curve of a question of common sense
    by its name: from the concern that an answer shows to the share of such answers that are one. A
    question without a curve is taken as it is answered.
    """

    curve: Curve
    rows: int
    data: str
    operating_points: Mapping[Strictness, float] = field(default_factory=dict, hash=False)
    bars: Mapping[Bar, float] = field(default_factory=dict, hash=False)
    concerns: Mapping[str, Platt] = field(default_factory=dict, hash=False)


def fit_platt(raw: Floats, labels: Bools) -> Platt:
    """The slope and intercept of the greatest likelihood, by Newton's method.

    The labels are drawn towards each other as Platt does, so that separable rows have an optimum.
    Raises CalibrationError, also where a higher probability does not mean a truer claim.
    """
    check_labels(labels)
    positive, negative = int(labels.sum()), int((~labels).sum())
    targets = np.where(labels, (positive + 1) / (positive + 2), 1 / (negative + 2))
    columns = np.stack([log_odds(raw), np.ones(len(raw))], axis=1)
    weights = np.array([1.0, 0.0])
    for _ in range(NEWTON_STEPS):
        said = sigmoid(columns @ weights)
        gradient = columns.T @ (said - targets)
        curvature = (columns * (said * (1 - said))[:, None]).T @ columns
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        weights = weights - step * min(1.0, 2.0 / (np.abs(step).max() + CLIP))
        if np.abs(step).max() < NEWTON_TOLERANCE:
            break
    if not weights[0] > 0:
        raise CalibrationError(
            "supported claims do not get higher probabilities than unsupported ones, so no "
            "calibration can fix this model; see `groundwire doctor`"
        )
    return Platt(float(weights[0]), float(weights[1]))


def fit_isotonic(raw: Floats, labels: Bools) -> Isotonic:
    """The closest function that never falls, by pooling adjacent violators.

    A pool of n rows is kept half a row away from 0 and 1: no finite sample shows certainty.
    Raises CalibrationError.
    """
    check_labels(labels)
    levels, level = np.unique(log_odds(raw), return_inverse=True)
    counts = np.bincount(level)
    supported = np.bincount(level, weights=labels)
    pools: list[tuple[float, float, float]] = []  # rows, supported rows, sum of log-odds
    for at, count, hits in zip(levels, counts, supported, strict=True):
        pools.append((float(count), float(hits), float(at * count)))
        while len(pools) > 1 and _share(pools[-2]) >= _share(pools[-1]):
            last, before = pools.pop(), pools.pop()
            pools.append((before[0] + last[0], before[1] + last[1], before[2] + last[2]))
    shares = [min(max(_share(p), 0.5 / p[0]), 1 - 0.5 / p[0]) for p in pools]
    return Isotonic(
        tuple(total / rows for rows, _, total in pools),
        tuple(float(share) for share in np.maximum.accumulate(shares)),
    )


def log_odds(raw: npt.ArrayLike) -> Floats:
    """Natural log-odds of probabilities, which are kept CLIP away from 0 and 1."""
    clipped = np.clip(np.asarray(raw, dtype=np.float64), CLIP, 1 - CLIP)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def sigmoid(values: Floats) -> Floats:
    """The probabilities of natural log-odds."""
    return np.asarray(np.exp(-np.logaddexp(0.0, -values)))


def _share(pool: tuple[float, float, float]) -> float:
    return pool[1] / pool[0]


def check_labels(labels: Bools) -> None:
    """Raises CalibrationError where a label has too few rows."""
    positive, negative = int(labels.sum()), int((~labels).sum())
    if min(positive, negative) < MIN_ROWS_OF_A_LABEL:
        raise CalibrationError(
            f"{positive} supported and {negative} unsupported claims are too few: a calibration "
            f"needs at least {MIN_ROWS_OF_A_LABEL} of each"
        )
