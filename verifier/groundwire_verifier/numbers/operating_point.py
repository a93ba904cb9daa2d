"""Where to draw the line: figures of a calibration on claims that it was not fitted on.

`contexts` number the evidence of each row: rows on one are no independent evidence, so folds and
resamples take whole contexts. `scores` are the highest confidence, in [0, 1], at which a row is
accepted, and 0 where none accepts it; a threshold is a confidence that is asked for. `weights`
(rows,) say what each row counts for in a rate, see `equal_sets`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial

import numpy as np
import numpy.typing as npt

from groundwire_verifier.numbers.budget import CLIP
from groundwire_verifier.numbers.calibration import (
    MIN_ROWS_OF_A_LABEL,
    CalibrationError,
    Curve,
    Strictness,
    fit_isotonic,
    fit_platt,
)
from groundwire_verifier.numbers.metrics import Bools, Figure, Floats, cluster_weights, interval

FOLDS = 5
ISOTONIC_FROM_ROWS = 1000
"""Rows from which isotonic regression is tried; with fewer it follows their noise."""
MIN_ACCEPTED = 10
"""Rows that a threshold has to accept: the rate of fewer is luck."""

PROMISES: Mapping[Strictness, float] = {
    Strictness.BALANCED: 0.15,
    Strictness.STRICT: 0.05,
    Strictness.LENIENT: 0.30,
}
"""At most this share of the unsupported claims is accepted at each point."""

RESAMPLES = 1000
SEED = 7

ContextNumbers = npt.NDArray[np.int64]
Sources = npt.NDArray[np.int64]
"""The number of each row's source, such as the data set that it is from, (rows,)."""
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
    recall: Figure
    precision: Figure
    false_positive_rate: Figure


@dataclass(frozen=True, slots=True)
class LabelledReadings:
    """Rows that a calibration is fitted on, as arrays.

    `raw` (rows,) are probabilities in [0, 1] as they were read; `labels` (rows,) are true where a
    claim is supported.
    """

    raw: Floats
    labels: Bools
    contexts: ContextNumbers


def best_form(rows: LabelledReadings) -> Fitting:
    """Platt scaling, or isotonic regression where that tells more of contexts it has not seen.

    By the log loss of fits on the other folds, from ISOTONIC_FROM_ROWS rows. Raises
    CalibrationError.
    """
    if len(rows.raw) < ISOTONIC_FROM_ROWS:
        return fit_platt
    platt, isotonic = (
        _log_loss(out_of_fold(rows, form), rows.labels) for form in (fit_platt, fit_isotonic)
    )
    return fit_isotonic if isotonic < platt else fit_platt


def _log_loss(said: Floats, labels: Bools) -> float:
    """The mean over the rows, in nats."""
    return float(-np.log(np.clip(np.where(labels, said, 1 - said), CLIP, 1.0)).mean())


def out_of_fold(
    rows: LabelledReadings, form: Fitting = fit_platt, asked: Floats | None = None
) -> Floats:
    """Calibrated probabilities of rows, each from a fit of this form on the other folds.

    `asked` (..., rows) are the probabilities to calibrate by them, of any shape that ends in the
    rows; those of `rows` themselves if it is None.

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
    calibrated = np.empty(given.shape)
    for i in range(FOLDS):
        held_out = fold == i
        curve = form(rows.raw[~held_out], rows.labels[~held_out])
        calibrated[..., held_out] = curve.apply(given[..., held_out])
    return calibrated


def equal_sets(sources: Sources, labels: Bools) -> Floats:
    """Weights (rows,) with which every set counts as much as any other, among each label's rows.

    `sources` (rows,) are the numbers of the sets. The rows of a label that are fewer than
    MIN_ROWS_OF_A_LABEL in their set count together as one set. Each label weighs as much as it has
    rows, so that the weights of a single set are 1.
    """
    weights = np.ones(len(labels))
    for of in (labels, ~labels):
        _, number, sizes = np.unique(sources[of], return_inverse=True, return_counts=True)
        is_small = (sizes < MIN_ROWS_OF_A_LABEL)[number]
        _, number, sizes = np.unique(
            np.where(is_small, len(sizes), number), return_inverse=True, return_counts=True
        )
        weights[of] = len(number) / (len(sizes) * sizes[number]) if len(number) else 1.0
    return weights


def choose_points(
    scores: Floats, labels: Bools, weights: Floats, lowest: float, wanted: Mapping[Rate, float]
) -> dict[Strictness, float]:
    """The thresholds by name, those whose promise can be held; a stricter one is never lower.

    Those but the lenient one are at least `lowest`. `wanted` are the rates that the strict one
    keeps to in place of its promise; empty: the promise.
    """

    def keeping(rates: Mapping[Rate, float], least: float) -> float | None:
        kept = [keeping_to(scores, labels, weights, each, least) for each in rates.items()]
        found = [threshold for threshold in kept if threshold is not None]
        # A rate that cannot be kept leaves the choice open.
        return max(found) if len(found) == len(kept) else None

    promised = {name: {Rate.FALSE_POSITIVES: share} for name, share in PROMISES.items()}
    balanced = keeping(promised[Strictness.BALANCED], lowest)
    strict = keeping(wanted or promised[Strictness.STRICT], lowest)
    lenient = keeping(promised[Strictness.LENIENT], 0.0)
    chosen: dict[Strictness, float] = {}
    if balanced is not None:
        chosen[Strictness.BALANCED] = balanced
    if strict is not None:
        chosen[Strictness.STRICT] = max([strict, *chosen.values()])
    if lenient is not None:
        chosen[Strictness.LENIENT] = min([lenient, *chosen.values()])
    return chosen


def keeping_to(
    scores: Floats,
    labels: Bools,
    weights: Floats,
    wanted: tuple[Rate, float],
    lowest: float = 0.0,
) -> float | None:
    """The lowest threshold from `lowest` up at which the rate is no more than wanted, in [0, 1].

    None where no threshold that accepts at least MIN_ACCEPTED rows keeps to it.
    """
    rate, most = wanted
    # 0 accepts what nothing accepts.
    for threshold in np.unique(scores[(scores >= lowest) & (scores > 0.0)]):
        accepted = scores >= threshold
        if accepted.sum() < MIN_ACCEPTED:
            break
        if _rate(accepted, labels, rate, weights) <= most:
            return float(threshold)
    return None


def operating_point(
    threshold: float,
    scores: Floats,
    labels: Bools,
    contexts: ContextNumbers,
    weights: Floats,
) -> OperatingPoint:
    """The figures of a threshold on these rows, each with its interval."""
    accepted = scores >= threshold
    resampled = cluster_weights(contexts, RESAMPLES, SEED) * weights

    def figure(of: Callable[[Floats], Floats]) -> Figure:
        return interval(of(weights), of(resampled))

    return OperatingPoint(
        threshold=threshold,
        recall=figure(partial(part, accepted, labels)),
        precision=figure(partial(part, labels, accepted)),
        false_positive_rate=figure(partial(part, accepted, ~labels)),
    )


def _rate(accepted: Bools, labels: Bools, rate: Rate, weights: Floats) -> Floats:
    if rate is Rate.RISK:
        return part(~labels, accepted, weights)
    return part(accepted, ~labels, weights)


def part(inside: Bools, of: Bools, weights: Floats) -> Floats:
    """The weight (...,) of the rows that are `inside` among those `of`; NaN where there are none.

    `weights` are (..., rows).
    """
    whole = (weights * of).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return np.asarray((weights * (inside & of)).sum(axis=-1) / whole)
