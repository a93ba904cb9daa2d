"""How well probabilities tell supported rows from unsupported ones, in NumPy.

Scores are higher where a row should be supported; labels are true where it is. `weights` counts how
often a row is in a sample, so one call measures many resamples: with weights of the shape
(resamples, rows) the result has one value a resample. NaN where a sample has no row of a class.
"""

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ECE_BINS = 15
CHANCE_DRAWS = 500
THRESHOLD = 0.5
CONFIDENCE = 0.95

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with the interval that 95 % of its resamples lie in; None where it is undefined."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Bin:
    """The rows whose probability falls into one bin; means are over these rows."""

    low: float
    high: float
    rows: int
    mean_probability: float
    share_supported: float


def auroc(scores: Floats, labels: Bools, weights: Floats | None = None) -> Floats:
    """The chance that a supported row scores above an unsupported one; ties count half."""
    sample = np.ones(len(scores)) if weights is None else weights
    levels, level = np.unique(scores, return_inverse=True)
    order = np.argsort(level, kind="stable")
    starts = np.searchsorted(level[order], np.arange(len(levels)))
    ordered = sample[..., order]
    supported = np.add.reduceat(ordered * labels[order], starts, axis=-1)
    unsupported = np.add.reduceat(ordered * ~labels[order], starts, axis=-1)
    # For each level: the unsupported rows below it, and half of those that are on it.
    beaten = np.cumsum(unsupported, axis=-1) - unsupported / 2
    pairs = supported.sum(axis=-1) * unsupported.sum(axis=-1)
    return _ratio((supported * beaten).sum(axis=-1), pairs)


def balanced_accuracy(said: Bools, labels: Bools, weights: Floats | None = None) -> Floats:
    """The mean of the shares of supported and of unsupported rows that were told as what they are.

    `said` is true where a row was told to be supported.
    """
    sample = np.ones(len(labels)) if weights is None else weights
    shares = [
        mean(right[kind], sample[..., kind]) for right, kind in ((said, labels), (~said, ~labels))
    ]
    return (shares[0] + shares[1]) / 2


def mean(values: Floats | Bools, weights: Floats | None = None) -> Floats:
    """The mean of the values, shape (rows,)."""
    sample = np.ones(len(values)) if weights is None else weights
    return _ratio((sample * values).sum(axis=-1), sample.sum(axis=-1))


def brier(probabilities: Floats, labels: Bools) -> float:
    """The mean squared distance of the probability from 1 (supported) or 0."""
    return float(np.mean((probabilities - labels) ** 2))


def reliability(probabilities: Floats, labels: Bools, bins: int = ECE_BINS) -> list[Bin]:
    """The bins of equal width that hold rows. A probability on an edge is in the upper bin."""
    edges = np.arange(bins + 1) / bins
    # By the edges and not by a product, which would put 0.2 x 15 = 3.0000000000000004 elsewhere.
    index = np.clip(np.searchsorted(edges, probabilities, side="right") - 1, 0, bins - 1)
    found = []
    for i in np.unique(index):
        inside = index == i
        found.append(
            Bin(
                low=float(edges[i]),
                high=float(edges[i + 1]),
                rows=int(inside.sum()),
                mean_probability=float(probabilities[inside].mean()),
                share_supported=float(labels[inside].mean()),
            )
        )
    return found


def expected_calibration_error(probabilities: Floats, labels: Bools, bins: int = ECE_BINS) -> float:
    """How far the mean probability of a bin is from its share of supported rows, by rows."""
    found = reliability(probabilities, labels, bins)
    apart = sum(b.rows * abs(b.mean_probability - b.share_supported) for b in found)
    return apart / len(labels)


def chance_calibration_error(probabilities: Floats) -> float:
    """The error that a perfect calibration shows in the mean, for so few rows are in each bin.

    Labels are drawn with the very probabilities, shape (rows,). What an error has above this is
    the calibration's own.
    """
    rng = np.random.default_rng(0)
    drawn = rng.random((CHANCE_DRAWS, len(probabilities))) < probabilities
    errors = [expected_calibration_error(probabilities, labels) for labels in drawn]
    return float(np.mean(errors))


def cluster_weights(clusters: npt.NDArray[np.int64], resamples: int, seed: int) -> Floats:
    """How often each row is in each resample, when whole clusters are drawn with replacement.

    One cluster says nothing of how clusters differ: its resamples are empty.
    """
    _, index = np.unique(clusters, return_inverse=True)
    count = int(index.max()) + 1
    if count == 1:
        return np.zeros((resamples, len(clusters)))
    draws = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), resamples)
    return draws[:, index].astype(np.float64)


def interval(value: Floats, resampled: Floats) -> Figure:
    """The percentile interval. Resamples without a value are left out."""
    known = resampled[~np.isnan(resampled)]
    if np.isnan(value) or not len(known):
        return Figure(None if np.isnan(value) else float(value), None, None)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(known, (tail, 1 - tail))
    return Figure(float(value), float(low), float(high))


def _ratio(top: Floats, bottom: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(bottom > 0, top / bottom, np.nan))


_WORD = re.compile(r"\w+")


def word_overlap(claim: str, context: str) -> float:
    """The share of a claim's words that are in a context, in [0, 1]."""
    words = _WORD.findall(claim.lower())
    known = set(_WORD.findall(context.lower()))
    return sum(word in known for word in words) / max(1, len(words))


@dataclass(frozen=True, slots=True)
class Bars:
    """The bars from the highest score to the lowest, one for each distinct score.

    A row at or above a bar is accepted. All arrays have the shape (bars,); the shares are in
    [0, 1], and NaN where there is no row of the label.
    """

    at: Floats
    recall: Floats
    """The share of the supported rows that are accepted."""
    false_accepted: Floats
    """The share of the unsupported rows that are accepted."""
    precision: Floats
    """The share of the accepted rows that are supported."""


def bars(scores: Floats, labels: Bools) -> Bars:
    """Every bar on these scores, shape (rows,); labels are true where a row is supported."""
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    last_of_level = np.append(np.diff(ordered) != 0, True)
    supported = np.cumsum(labels[order])[last_of_level]
    unsupported = np.cumsum(~labels[order])[last_of_level]
    with np.errstate(invalid="ignore"):
        return Bars(
            at=ordered[last_of_level],
            recall=supported / labels.sum(),
            false_accepted=unsupported / (~labels).sum(),
            precision=supported / (supported + unsupported),
        )
