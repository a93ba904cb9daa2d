"""Where to draw the line: figures of a calibration on claims that it was not fitted on.

Knows arrays. `contexts` number the evidence of each row: rows on one are no independent evidence,
so folds and resamples take whole contexts. `scores` are the highest confidence, in [0, 1], at which
a row is accepted, and 0 where none accepts it; a threshold is a confidence that is asked for.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial

import numpy as np
import numpy.typing as npt

from groundwire_verifier.numbers import metrics
from groundwire_verifier.numbers.calibration import (
    CalibrationError,
    Curve,
    Strictness,
    fit_isotonic,
    fit_platt,
)
from groundwire_verifier.numbers.feature_fit import fit_weights, log_losses, moved
from groundwire_verifier.numbers.metrics import Bools, Figure, Floats, cluster_weights, interval

FOLDS = 5
ISOTONIC_FROM_ROWS = 1000
"""Rows from which isotonic regression is tried; with fewer it follows their noise."""
MIN_ACCEPTED = 10
"""Rows that a threshold has to accept: the rate of fewer is luck."""

STRICT_FALSE_POSITIVE_RATE = 0.05
LENIENT_RECALL = 0.9
"""What the points `strict` and `lenient` are chosen for."""

RESAMPLES = 1000
SEED = 7

ContextNumbers = npt.NDArray[np.int64]
Fitting = Callable[[Floats, Bools], Curve]
"""Fits a curve of one form to probabilities, in [0, 1], and labels, both (rows,)."""


class Rate(Enum):
    """What a strict threshold bounds."""

    FALSE_POSITIVES = "false-positive rate"
    """The share of the unsupported claims that are accepted."""
    RISK = "risk"
    """The share of the accepted claims that are unsupported."""


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A confidence that is asked for, in [0, 1], and what it does on labelled rows.

    The shares are in [0, 1]; their 95 % intervals are over resampled contexts, with the threshold
    held fixed. `recall` is the share of the supported claims that are accepted, `precision` that of
    the accepted ones that are supported.
    """

    threshold: float
    balanced_accuracy: Figure
    recall: Figure
    precision: Figure
    false_positive_rate: Figure


@dataclass(frozen=True, slots=True)
class LabelledReadings:
    """Rows that a calibration is fitted on, as arrays.

    `raw` (rows,) are probabilities in [0, 1] as they were read, `values` (rows, features) those of
    the features; `labels` (rows,) are true where a claim is supported.
    """

    raw: Floats
    values: Floats
    labels: Bools
    contexts: ContextNumbers

    def fitted(
        self, form: Fitting = fit_platt, inside: Bools | slice = slice(None)
    ) -> tuple[Curve, Floats]:
        """The curve of this form and the weights of these rows. Raises CalibrationError."""
        raw, values, labels = self.raw[inside], self.values[inside], self.labels[inside]
        weights = fit_weights(raw, values, labels)
        return form(moved(raw, values @ weights), labels), weights


def best_form(rows: LabelledReadings) -> Fitting:
    """Platt scaling, or isotonic regression where that tells more of contexts it has not seen.

    By the log loss of fits on the other folds, from ISOTONIC_FROM_ROWS rows. Raises
    CalibrationError.
    """
    if len(rows.raw) < ISOTONIC_FROM_ROWS:
        return fit_platt
    platt, isotonic = (
        log_losses(out_of_fold(rows, form), rows.labels).mean()
        for form in (fit_platt, fit_isotonic)
    )
    return fit_isotonic if isotonic < platt else fit_platt


def out_of_fold(
    rows: LabelledReadings,
    form: Fitting = fit_platt,
    asked: Floats | None = None,
    asked_values: Floats | None = None,
) -> Floats:
    """Calibrated probabilities of rows, each from a fit of this form on the other folds.

    `asked` (..., rows) are the probabilities to calibrate by them, of any shape that ends in the
    rows, and `asked_values` (..., rows, features) their features; those of `rows` themselves if
    they are None.

    Raises CalibrationError if a fold cannot be fitted.
    """
    distinct, number = np.unique(rows.contexts, return_inverse=True)
    if len(distinct) < FOLDS:
        raise CalibrationError(
            f"{len(distinct)} contexts are too few to tell how a calibration does on new ones: "
            f"it takes at least {FOLDS}"
        )
    fold = np.random.default_rng(SEED).permutation(len(distinct))[number] % FOLDS
    given = rows.raw if asked is None else asked
    values = rows.values if asked_values is None else asked_values
    calibrated = np.empty(given.shape)
    for i in range(FOLDS):
        held_out = fold == i
        curve, weights = rows.fitted(form, ~held_out)
        shifts = values[..., held_out, :] @ weights
        calibrated[..., held_out] = curve.apply(given[..., held_out], shifts)
    return calibrated


def choose_points(
    scores: Floats, labels: Bools, lowest: float, wanted: Mapping[Rate, float]
) -> dict[Strictness, float]:
    """The thresholds by name, those that there are; a stricter one is never below another.

    Those but the lenient one are at least `lowest`; the strict one keeps to every rate of `wanted`.
    """
    balanced = most_balanced(scores, labels, lowest)
    strict = [keeping_to(scores, labels, rate, value) for rate, value in wanted.items()]
    lenient = recalling(scores, labels, LENIENT_RECALL)
    chosen: dict[Strictness, float] = {}
    if balanced is not None:
        chosen[Strictness.BALANCED] = balanced
    kept = [threshold for threshold in strict if threshold is not None]
    # A rate that cannot be kept leaves the choice open.
    if len(kept) == len(strict):
        chosen[Strictness.STRICT] = max([lowest, *chosen.values(), *kept])
    if lenient is not None:
        chosen[Strictness.LENIENT] = min([lenient, *chosen.values()])
    return chosen


def most_balanced(scores: Floats, labels: Bools, lowest: float) -> float | None:
    """The threshold from `lowest` up with the best balanced accuracy; of equal ones the highest.

    None where nothing is accepted from there up.
    """
    thresholds = _thresholds(scores[scores >= lowest])
    found = [(float(metrics.balanced_accuracy(scores >= t, labels)), t) for t in thresholds]
    return max(found)[1] if found else None


def keeping_to(scores: Floats, labels: Bools, rate: Rate, wanted: float) -> float | None:
    """The lowest threshold at which the rate is no more than `wanted`, in [0, 1].

    None where no threshold that accepts at least MIN_ACCEPTED rows keeps to it.
    """
    once = np.ones(len(labels))
    for threshold in _thresholds(scores):
        accepted = scores >= threshold
        if accepted.sum() < MIN_ACCEPTED:
            break
        if _rate(accepted, labels, rate, once) <= wanted:
            return threshold
    return None


def recalling(scores: Floats, labels: Bools, wanted: float) -> float | None:
    """The highest threshold that accepts this share of the supported rows, or as many as any.

    None where no supported row is ever accepted.
    """
    supported = np.sort(scores[labels])[::-1]
    accepted = supported[supported > 0.0]
    if not len(accepted):
        return None
    enough = int(np.ceil(wanted * len(supported)))
    return float(accepted[min(enough, len(accepted)) - 1])


def operating_point(
    threshold: float, scores: Floats, labels: Bools, contexts: ContextNumbers
) -> OperatingPoint:
    """The figures of a threshold on these rows, each with its interval."""
    accepted = scores >= threshold
    weights = cluster_weights(contexts, RESAMPLES, SEED)

    def figure(of: Callable[[Floats], Floats]) -> Figure:
        return interval(of(np.ones(len(labels))), of(weights))

    return OperatingPoint(
        threshold=threshold,
        balanced_accuracy=figure(partial(metrics.balanced_accuracy, accepted, labels)),
        recall=figure(partial(_part, accepted, labels)),
        precision=figure(partial(_part, labels, accepted)),
        false_positive_rate=figure(partial(_part, accepted, ~labels)),
    )


def _thresholds(scores: Floats) -> list[float]:
    """Every threshold that accepts other rows, ascending. 0 accepts what nothing accepts."""
    return [float(score) for score in np.unique(scores) if score > 0.0]


def _rate(accepted: Bools, labels: Bools, rate: Rate, weights: Floats) -> Floats:
    if rate is Rate.RISK:
        return _part(~labels, accepted, weights)
    return _part(accepted, ~labels, weights)


def _part(inside: Bools, of: Bools, weights: Floats) -> Floats:
    """The weight of the rows that are `inside` among those `of`; NaN where there are none."""
    whole = (weights * of).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return np.asarray((weights * (inside & of)).sum(axis=-1) / whole)
