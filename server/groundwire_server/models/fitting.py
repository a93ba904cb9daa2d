"""A calibration from what a model has read of labelled claims, and how well it does."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from groundwire_verifier.domain.evidence import DEFAULT_MARKER, Evidence
from groundwire_verifier.numbers.calibration import Bar, Calibration, Strictness
from groundwire_verifier.numbers.finding_bars import (
    Contradictions,
    FindingBar,
    contradiction_bar,
    unsupported_bar,
)
from groundwire_verifier.numbers.metrics import Bools, Floats
from groundwire_verifier.numbers.operating_point import (
    ContextNumbers,
    LabelledReadings,
    OperatingPoint,
    Rate,
    Sources,
    best_form,
    choose_points,
    equal_sets,
    operating_point,
    out_of_fold,
)
from groundwire_verifier.verdicts.policy import Thresholds, grounding_score, supported_up_to
from groundwire_verifier.verdicts.score_thresholds import ScoreThresholds


@dataclass(frozen=True, slots=True)
class ReadRows:
    """The rows that the model gave probabilities, as arrays of one length.

    `rows` are read with their contexts, `raw_prior` without. `sources` are the numbers of the sets
    that they are from. `skipped` rows got none, the first of them for `first_error`.
    """

    rows: LabelledReadings
    raw_prior: Floats
    sources: Sources
    skipped: int = 0
    first_error: str = ""


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """A calibration and its figures. `calibrated` are from fits that did not see their row, and so
    are `calibrated_prior`, without the contexts.

    `wanted` is what the strict operating point keeps to in place of its promise; `points` has those
    that were found, and `score_point` is that of the grounding score's own threshold. Every set has
    equal weight in them and in `bars`, by `weights`. `sources` are the numbers of each row's source
    among `source_names`.
    """

    calibration: Calibration
    raw: Floats
    calibrated: Floats
    calibrated_prior: Floats
    labels: Bools
    contexts: ContextNumbers
    sources: Sources
    weights: Floats
    skipped: int
    first_error: str
    wanted: Mapping[Rate, float]
    points: Mapping[Strictness, OperatingPoint]
    score_point: OperatingPoint
    bars: Mapping[Bar, FindingBar]
    source_names: tuple[str, ...] = ()
    score_thresholds: ScoreThresholds | None = None


def without_evidence(context: str) -> str:
    """What a verification reads for the prior of a claim on this context as one source."""
    evidence = Evidence.of_context(context)
    return evidence.without(evidence.ids, DEFAULT_MARKER)


def fit_report(read: ReadRows, data: str, wanted: Mapping[Rate, float]) -> CalibrationReport:
    """Fit a calibration on readings; `data` says in words what the rows are.

    `wanted` is what the strict operating point keeps to; empty: its promise. Raises
    CalibrationError if the rows allow no fit.
    """
    rows = read.rows
    form = best_form(rows)
    unseen, unseen_prior = out_of_fold(rows, form, np.stack([rows.raw, read.raw_prior]))
    thresholds = Thresholds()
    scores = supported_up_to(unseen, unseen_prior, thresholds)
    counted = equal_sets(read.sources, rows.labels)
    chosen = choose_points(scores, rows.labels, counted, thresholds.min_posterior, wanted)
    unsupported = unsupported_bar(
        unseen, rows.labels, rows.contexts, counted, thresholds.min_posterior
    )
    return CalibrationReport(
        calibration=Calibration(
            form(rows.raw, rows.labels),
            len(rows.labels),
            data,
            chosen,
            {Bar.UNSUPPORTED: unsupported.at},
        ),
        raw=rows.raw,
        calibrated=unseen,
        calibrated_prior=unseen_prior,
        labels=rows.labels,
        contexts=rows.contexts,
        sources=read.sources,
        weights=counted,
        skipped=read.skipped,
        first_error=read.first_error,
        wanted=wanted,
        points={
            name: operating_point(threshold, scores, rows.labels, rows.contexts, counted)
            for name, threshold in chosen.items()
        },
        score_point=operating_point(
            thresholds.min_grounding_score,
            _grounded_scores(unseen, unseen_prior, thresholds),
            rows.labels,
            rows.contexts,
            counted,
        ),
        bars={Bar.UNSUPPORTED: unsupported},
    )


def with_contradictions(
    report: CalibrationReport, contradictions: Contradictions
) -> CalibrationReport:
    """The report with the bar of CONTRADICTED, from what was said of its rows."""
    bar = contradiction_bar(contradictions, report.labels, report.contexts, report.weights)
    bars = {**report.calibration.bars, Bar.CONTRADICTION: bar.at}
    return replace(
        report,
        calibration=replace(report.calibration, bars=bars),
        bars={**report.bars, Bar.CONTRADICTION: bar},
    )


def _grounded_scores(p1: Floats, p0: Floats, thresholds: Thresholds) -> Floats:
    """The grounding scores of cited claims, (rows,); 0 where one is not grounded by it."""
    found = np.array(
        [
            grounding_score(a, b, citing=True, thresholds=thresholds)
            for a, b in zip(p1, p0, strict=True)
        ]
    )
    is_used = p1 - p0 > thresholds.min_evidence_use
    return np.where(is_used & (found > thresholds.min_grounding_score), found, 0.0)
