"""Where to draw the line: figures of a calibration on claims that it was not fitted on.

Knows arrays. `contexts` number the evidence of each row: rows on one are no independent evidence,
so folds and resamples take whole contexts.
"""

from dataclasses import dataclass
from enum import Enum
from functools import partial

import numpy as np
import numpy.typing as npt

from groundwire_verifier.numbers.calibration import CalibrationError, fitting_for
from groundwire_verifier.numbers.metrics import Bools, Floats, Interval, cluster_weights, interval

FOLDS = 5
MIN_ACCEPTED = 10
"""Rows that a threshold has to accept: the rate of fewer is luck."""

RESAMPLES = 1000
SEED = 7

ContextNumbers = npt.NDArray[np.int64]


class Rate(Enum):
    """What is bounded."""

    FALSE_POSITIVES = "false-positive rate"
    """The share of the unsupported claims that are accepted."""
    RISK = "risk"
    """The share of the accepted claims that are unsupported."""


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A claim is accepted if its calibrated probability is at least `threshold`, in [0, 1].

    The shares are in [0, 1]; their 95 % intervals are over resampled contexts, with the threshold
    held fixed.
    """

    rate: Rate
    wanted: float
    threshold: float
    found: Interval
    supported_accepted: Interval
    all_accepted: Interval


def out_of_fold(raw: Floats, labels: Bools, contexts: ContextNumbers) -> Floats:
    """Calibrated probabilities of rows, each from a fit on the other folds; shape (rows,).

    The fits have the form that one on all the rows has.

    Raises CalibrationError if a fold cannot be fitted.
    """
    distinct, number = np.unique(contexts, return_inverse=True)
    if len(distinct) < FOLDS:
        raise CalibrationError(
            f"{len(distinct)} contexts are too few to tell how a calibration does on new ones: "
            f"it takes at least {FOLDS}"
        )
    fold = np.random.default_rng(SEED).permutation(len(distinct))[number] % FOLDS
    calibrated = np.empty(len(raw))
    fitting = fitting_for(len(raw))
    for i in range(FOLDS):
        held_out = fold == i
        calibrated[held_out] = fitting(raw[~held_out], labels[~held_out]).apply(raw[held_out])
    return calibrated


def operating_point(
    probabilities: Floats, labels: Bools, contexts: ContextNumbers, rate: Rate, wanted: float
) -> OperatingPoint | None:
    """The lowest threshold at which the rate is no more than `wanted`, in [0, 1].

    None where no threshold that accepts at least MIN_ACCEPTED rows keeps to it.
    """
    once, everything = np.ones(len(labels)), np.ones_like(labels)
    for threshold in np.unique(probabilities):
        accepted = probabilities >= threshold
        if accepted.sum() < MIN_ACCEPTED:
            break
        if _share(accepted, labels, rate, once) <= wanted:
            resampled = cluster_weights(contexts, RESAMPLES, SEED)
            shares = (
                interval(part(once), part(resampled))
                for part in (
                    partial(_share, accepted, labels, rate),
                    partial(_part, accepted, labels),
                    partial(_part, accepted, everything),
                )
            )
            return OperatingPoint(rate, wanted, float(threshold), *shares)
    return None


def _share(accepted: Bools, labels: Bools, rate: Rate, weights: Floats) -> Floats:
    if rate is Rate.RISK:
        return _part(~labels, accepted, weights)
    return _part(accepted, ~labels, weights)


def _part(inside: Bools, of: Bools, weights: Floats) -> Floats:
    """The weight of the rows that are `inside` among those `of`; NaN where there are none."""
    whole = (weights * of).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return np.asarray((weights * (inside & of)).sum(axis=-1) / whole)
