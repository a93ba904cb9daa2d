"""A calibration from what a model has read of labelled claims, and how well it does.

Knows the fit and the operating points. Does not know who asked the model, nor files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from groundwire_verifier.domain.evidence import DEFAULT_MARKER, Evidence, Removal
from groundwire_verifier.numbers.calibration import Calibration, Strictness
from groundwire_verifier.numbers.feature_fit import Judgement, Sources
from groundwire_verifier.numbers.features import Feature
from groundwire_verifier.numbers.metrics import Bools, Floats
from groundwire_verifier.numbers.operating_point import (
    STRICT_FALSE_POSITIVE_RATE,
    LabelledReadings,
    OperatingPoint,
    Rate,
    best_form,
    choose_points,
    operating_point,
    out_of_fold,
)
from groundwire_verifier.verdicts.policy import Thresholds, supported_up_to
from groundwire_verifier.verdicts.score_thresholds import ScoreThresholds


@dataclass(frozen=True, slots=True)
class ReadRows:
    """The rows that the model gave probabilities, as arrays of one length.

    `rows` are read with their contexts, `raw_prior` without; `prior_values` (rows, features) are
    the features on what is left without. `skipped` rows got none, the first of them for
    `first_error`.
    """

    rows: LabelledReadings
    raw_prior: Floats
    prior_values: Floats
    skipped: int = 0
    first_error: str = ""

    def without_features(self) -> "ReadRows":
        """The same, of which no feature is known."""
        plain = replace(self.rows, values=self.rows.values[:, :0])
        return replace(self, rows=plain, prior_values=self.prior_values[:, :0])


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """A calibration and its figures. `calibrated` are from fits that did not see their row, and so
    are `calibrated_prior`, without the contexts.

    `wanted` is what the strict operating point keeps to; `points` has those that were found.
    `judgement` is that of the features that were tried, None where none was; `sources` are the
    numbers of each row's source among `source_names`.
    """

    calibration: Calibration
    raw: Floats
    calibrated: Floats
    calibrated_prior: Floats
    labels: Bools
    skipped: int
    first_error: str
    wanted: Mapping[Rate, float]
    points: Mapping[Strictness, OperatingPoint]
    judgement: Judgement | None = None
    source_names: tuple[str, ...] = ()
    sources: Sources = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    score_thresholds: ScoreThresholds | None = None


def without_evidence(context: str) -> str:
    """What a verification reads for the prior of a claim on this context as one source."""
    evidence = Evidence.of_context(context)
    removed = evidence.without(evidence.ids, Removal.REPLACE, DEFAULT_MARKER)
    return removed or ""


def fit_report(
    read: ReadRows, data: str, wanted: Mapping[Rate, float], features: Sequence[Feature] = ()
) -> CalibrationReport:
    """Fit a calibration on readings; `data` says in words what the rows are.

    `wanted` is what the strict operating point keeps to; empty: STRICT_FALSE_POSITIVE_RATE.
    `features` are those of the columns of the rows' values. Raises CalibrationError if the rows
    allow no fit.
    """
    rows = read.rows
    form = best_form(rows)
    unseen, unseen_prior = out_of_fold(
        rows, form, np.stack([rows.raw, read.raw_prior]), np.stack([rows.values, read.prior_values])
    )
    scores = supported_up_to(unseen, unseen_prior, Thresholds())
    wanted = wanted or {Rate.FALSE_POSITIVES: STRICT_FALSE_POSITIVE_RATE}
    chosen = choose_points(scores, rows.labels, Thresholds().min_posterior, wanted)
    curve, weights = rows.fitted(form)
    return CalibrationReport(
        calibration=Calibration(
            curve,
            len(rows.labels),
            data,
            chosen,
            dict(zip(features, map(float, weights), strict=True)),
        ),
        raw=rows.raw,
        calibrated=unseen,
        calibrated_prior=unseen_prior,
        labels=rows.labels,
        skipped=read.skipped,
        first_error=read.first_error,
        wanted=wanted,
        points={
            name: operating_point(threshold, scores, rows.labels, rows.contexts)
            for name, threshold in chosen.items()
        },
    )
