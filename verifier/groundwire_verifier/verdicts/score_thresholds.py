"""The two thresholds of the grounding score, chosen on labelled claims.

Rows on one context are no independent evidence, so resamples take whole contexts: how far the
choice wanders over them is its interval, and what it is worth is measured on the contexts that its
resample left out.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from groundwire_verifier.numbers.metrics import (
    Bools,
    Figure,
    Floats,
    cluster_weights,
    interval,
)
from groundwire_verifier.numbers.operating_point import RESAMPLES, SEED, ContextNumbers
from groundwire_verifier.verdicts.policy import Thresholds, grounding_score

STEP = 0.05
MOST_EVIDENCE_USE = 0.5
"""More than half of the range is no least use: most supported claims would fall below."""


@dataclass(frozen=True, slots=True)
class ScoreThresholds:
    """The thresholds with the best balanced accuracy of "grounded", with 95 % intervals.

    `balanced_accuracy` is of choices on contexts that they were not made on, `gained` what that is
    above the thresholds that were in force, on the same contexts.
    """

    min_evidence_use: Figure
    min_grounding_score: Figure
    balanced_accuracy: Figure
    gained: Figure

    @property
    def is_better(self) -> bool:
        """Whether the choice beats the thresholds that were in force on contexts not seen."""
        return self.gained.low is not None and self.gained.low > 0.0


def choose_score_thresholds(
    p1: Floats, p0: Floats, labels: Bools, contexts: ContextNumbers, in_force: Thresholds
) -> ScoreThresholds:
    """The choice for cited claims with these calibrated probabilities in [0, 1], all (rows,).

    Of equally good pairs it is the one nearest to `in_force`, whose bonus it keeps.
    """
    uses = np.arange(0.0, MOST_EVIDENCE_USE + STEP / 2, STEP)
    lines = np.arange(STEP, 1.0, STEP)
    pairs = np.array([(use, line) for use in uses for line in lines])
    now = np.array([in_force.min_evidence_use, in_force.min_grounding_score])
    pairs = np.concatenate([[now], pairs[np.argsort(np.abs(pairs - now).sum(axis=1))]])
    scores = np.array(
        [
            grounding_score(a, b, citing=True, thresholds=in_force)
            for a, b in zip(p1, p0, strict=True)
        ]
    )
    accepted = (p1 - p0 > pairs[:, :1]) & (scores > pairs[:, 1:])
    accuracy = partial(_balanced, accepted, labels)
    weights = cluster_weights(contexts, RESAMPLES, SEED)
    chosen = pairs[np.nanargmax(accuracy(np.ones((1, len(labels))))[:, 0])]
    resampled = np.nanargmax(accuracy(weights), axis=0)
    left_out = accuracy((weights == 0).astype(np.float64))
    at = np.arange(len(weights))
    own, before = left_out[resampled, at], left_out[0, at]
    return ScoreThresholds(
        min_evidence_use=interval(chosen[0], pairs[resampled, 0]),
        min_grounding_score=interval(chosen[1], pairs[resampled, 1]),
        balanced_accuracy=interval(np.nanmean(own), own),
        gained=interval(np.nanmean(own - before), own - before),
    )


def _balanced(accepted: Bools, labels: Bools, weights: Floats) -> Floats:
    """Balanced accuracies, (pairs, resamples)."""
    right = accepted.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        recall = (right[:, labels] @ weights[:, labels].T) / weights[:, labels].sum(axis=1)
        alarm = (right[:, ~labels] @ weights[:, ~labels].T) / weights[:, ~labels].sum(axis=1)
    return np.asarray((recall + 1.0 - alarm) / 2)
