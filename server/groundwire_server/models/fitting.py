"""A calibration from what a model has read of labelled claims, and how well it does.

Knows the fit and the operating points. Does not know who asked the model, nor files.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from groundwire_verifier.domain.evidence import DEFAULT_MARKER, Evidence, Removal
from groundwire_verifier.numbers.calibration import Calibration, Strictness, fit
from groundwire_verifier.numbers.metrics import Bools, Floats
from groundwire_verifier.numbers.operating_point import (
    STRICT_FALSE_POSITIVE_RATE,
    ContextNumbers,
    OperatingPoint,
    Rate,
    choose_points,
    operating_point,
    out_of_fold,
)
from groundwire_verifier.verdicts.policy import Thresholds, supported_up_to


@dataclass(frozen=True, slots=True)
class Readings:
    """The rows that the model gave probabilities, as arrays of one length.

    `raw` is with the context, `raw_prior` with the context removed. `skipped` rows got none, the
    first of them for `first_error`.
    """

    raw: Floats
    raw_prior: Floats
    labels: Bools
    contexts: ContextNumbers
    skipped: int = 0
    first_error: str = ""


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """A calibration and its figures. `calibrated` are from fits that did not see their row.

    `wanted` is what the strict operating point keeps to; `points` has those that were found.
    """

    calibration: Calibration
    raw: Floats
    calibrated: Floats
    labels: Bools
    skipped: int
    first_error: str
    wanted: Mapping[Rate, float]
    points: Mapping[Strictness, OperatingPoint]


def without_evidence(context: str) -> str:
    """What a verification reads for the prior of a claim on this context as one source."""
    evidence = Evidence.of_context(context)
    removed = evidence.without(evidence.ids, Removal.REPLACE, DEFAULT_MARKER)
    return removed or ""


def fit_report(read: Readings, data: str, wanted: Mapping[Rate, float]) -> CalibrationReport:
    """Fit a calibration on readings; `data` says in words what the rows are.

    `wanted` is what the strict operating point keeps to; empty: STRICT_FALSE_POSITIVE_RATE. Raises
    CalibrationError if the rows allow no fit.
    """
    unseen, unseen_prior = out_of_fold(
        read.raw, read.labels, read.contexts, np.stack([read.raw, read.raw_prior])
    )
    scores = supported_up_to(unseen, unseen_prior, Thresholds())
    wanted = wanted or {Rate.FALSE_POSITIVES: STRICT_FALSE_POSITIVE_RATE}
    chosen = choose_points(scores, read.labels, Thresholds().min_posterior, wanted)
    return CalibrationReport(
        calibration=Calibration(fit(read.raw, read.labels), len(read.labels), data, chosen),
        raw=read.raw,
        calibrated=unseen,
        labels=read.labels,
        skipped=read.skipped,
        first_error=read.first_error,
        wanted=wanted,
        points={
            name: operating_point(threshold, scores, read.labels, read.contexts)
            for name, threshold in chosen.items()
        },
    )
