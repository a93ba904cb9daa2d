"""From the rows of a set to its figures.

A row without a probability, because its call failed or the label mass was below the floor, stays
in: a missing p1 or p0 counts as .5 and is told as not supported, which is what the server makes of
it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from groundwire_verifier.numbers import metrics
from groundwire_verifier.numbers.budget import budget
from groundwire_verifier.numbers.metrics import Bools, Figure, Floats
from groundwire_verifier.verdicts.policy import Thresholds

UNKNOWN = 0.5
SEED = 20
MEAN_SETS = ("fm2", "halueval_qa", "attributionbench", "factscore", "summedits")
"""The sets that the mean is taken over: the English ones."""
FAILED = "call failed"
P1, DIFFERENCE, GAP, OVERLAP = "p1", "p1 - p0", "-gap_bits", "word overlap"
SCORES = (P1, DIFFERENCE, GAP, OVERLAP)
"""Each is higher for a row that should be supported."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a row is and what was read for it; its texts are left out.

    `p1` and `p0` are None where there is no probability, and `error` says why its call failed.
    `raw_p1` is p1 before calibration. The last four are the row's own.
    """

    id: str
    context: int
    supported: bool
    word_overlap: float
    p1: float | None = None
    p0: float | None = None
    raw_p1: float | None = None
    gap_bits: float | None = None
    label_mass_p1: float | None = None
    label_mass_p0: float | None = None
    verdict: str | None = None
    reason: str | None = None
    error: str | None = None
    contradicted: bool | None = None
    kind: str = ""
    language: str = "en"
    context_characters: int = 0

    @property
    def is_read(self) -> bool:
        """Whether both probabilities are there."""
        return self.p1 is not None and self.p0 is not None


@dataclass(frozen=True, slots=True)
class SetFigures:
    """The figures of one set.

    `auroc` goes by SCORES, `auroc_gain` by those with a prior: it is the AUROC less that of p1 on
    the same resamples. `raw_ece` is the one of p1 before calibration, `chance_ece` what a perfect
    one would show. `means` are over the rows that have the number. `verdicts` counts supported and
    unsupported rows by verdict.
    """

    name: str
    rows: int
    contexts: int
    prevalence: float
    read: int
    auroc: Mapping[str, Figure]
    auroc_gain: Mapping[str, Figure]
    balanced_accuracy: Figure
    ece: float
    raw_ece: float
    chance_ece: float
    brier: float
    means: Mapping[str, float | None]
    verdicts: Mapping[str, tuple[int, int]]
    errors: Mapping[str, tuple[str, ...]]
    bins: tuple[metrics.Bin, ...]
    risk_coverage: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Mean:
    """The means over `sets`, each set with the same weight."""

    sets: tuple[str, ...]
    auroc: Mapping[str, Figure]
    auroc_gain: Mapping[str, Figure]
    balanced_accuracy: Figure


class _Sampled:
    """A figure of one set and the same on each resample."""

    def __init__(self, value: Floats, resampled: Floats) -> None:
        self.value, self.resampled = value, resampled

    def less(self, other: "_Sampled") -> "_Sampled":
        return _Sampled(self.value - other.value, self.resampled - other.resampled)

    def interval(self) -> Figure:
        return metrics.interval(self.value, self.resampled)


@dataclass(frozen=True, slots=True)
class _Sampling:
    auroc: Mapping[str, _Sampled]
    balanced_accuracy: _Sampled

    @property
    def gain(self) -> dict[str, _Sampled]:
        return {name: self.auroc[name].less(self.auroc[P1]) for name in (DIFFERENCE, GAP)}


def summarise(
    found: Mapping[str, Sequence[Figures]], resamples: int
) -> tuple[list[SetFigures], Mean | None]:
    """The figures of each set, and their mean if all of MEAN_SETS are there."""
    samplings = {name: _sample(rows, resamples) for name, rows in found.items()}
    sets = [_set_figures(name, rows, samplings[name]) for name, rows in found.items()]
    if not set(MEAN_SETS) <= set(found):
        return sets, None
    meant = [samplings[name] for name in MEAN_SETS]
    mean = Mean(
        MEAN_SETS,
        {name: _mean([s.auroc[name] for s in meant]) for name in SCORES},
        {name: _mean([s.gain[name] for s in meant]) for name in (DIFFERENCE, GAP)},
        _mean([s.balanced_accuracy for s in meant]),
    )
    return sets, mean


def scores_of(rows: Sequence[Figures]) -> dict[str, Floats]:
    """The scores of rows, by SCORES; all of them are numbers."""
    p1 = _filled([row.p1 for row in rows])
    p0 = _filled([row.p0 for row in rows])
    # A row without a budget gets the one of its filled probabilities.
    unread = budget(p1, p0, Thresholds().default_confidence).gap_bits
    known = np.array([np.nan if row.gap_bits is None else row.gap_bits for row in rows])
    return {
        P1: p1,
        DIFFERENCE: p1 - p0,
        GAP: -np.where(np.isnan(known), unread, known),
        OVERLAP: np.array([row.word_overlap for row in rows]),
    }


def _filled(values: Sequence[float | None]) -> Floats:
    return np.array([UNKNOWN if value is None else value for value in values])


def _labels(rows: Sequence[Figures]) -> Bools:
    return np.array([row.supported for row in rows], dtype=np.bool_)


def _sample(rows: Sequence[Figures], resamples: int) -> _Sampling:
    labels, scores = _labels(rows), scores_of(rows)
    contexts = np.array([row.context for row in rows], dtype=np.int64)
    weights = metrics.cluster_weights(contexts, resamples, SEED)
    said = np.array([row.p1 is not None and row.p1 >= metrics.THRESHOLD for row in rows])
    return _Sampling(
        {
            name: _Sampled(metrics.auroc(s, labels), metrics.auroc(s, labels, weights))
            for name, s in scores.items()
        },
        _Sampled(
            metrics.balanced_accuracy(said, labels),
            metrics.balanced_accuracy(said, labels, weights),
        ),
    )


def _mean(values: Sequence[_Sampled]) -> Figure:
    count = np.float64(len(values))
    value = np.asarray(sum(v.value for v in values) / count)
    resampled = np.asarray(sum(v.resampled for v in values) / count)
    return metrics.interval(value, resampled)


def _set_figures(name: str, rows: Sequence[Figures], sampling: _Sampling) -> SetFigures:
    labels, p1 = _labels(rows), scores_of(rows)[P1]
    raw = _filled([row.raw_p1 for row in rows])
    coverage, risk = metrics.risk_coverage(p1, labels)
    return SetFigures(
        name=name,
        rows=len(rows),
        contexts=len({row.context for row in rows}),
        prevalence=float(labels.mean()),
        read=sum(row.is_read for row in rows),
        auroc={score: sampled.interval() for score, sampled in sampling.auroc.items()},
        auroc_gain={score: sampled.interval() for score, sampled in sampling.gain.items()},
        balanced_accuracy=sampling.balanced_accuracy.interval(),
        ece=metrics.expected_calibration_error(p1, labels),
        raw_ece=metrics.expected_calibration_error(raw, labels),
        chance_ece=metrics.chance_calibration_error(p1),
        brier=metrics.brier(p1, labels),
        means=_means(rows),
        verdicts=_verdicts(rows),
        errors=_errors(rows),
        bins=tuple(metrics.reliability(p1, labels)),
        risk_coverage=tuple(zip(coverage.tolist(), risk.tolist(), strict=True)),
    )


def _means(rows: Sequence[Figures]) -> dict[str, float | None]:
    means = {
        "label_mass_p1": _mean_known([row.label_mass_p1 for row in rows]),
        "label_mass_p0": _mean_known([row.label_mass_p0 for row in rows]),
    }
    for kind, supported in (("supported", True), ("unsupported", False)):
        of_kind = [row for row in rows if row.supported is supported]
        means[f"p1_{kind}"] = _mean_known([row.p1 for row in of_kind])
        means[f"p0_{kind}"] = _mean_known([row.p0 for row in of_kind])
        # Both from the same rows, so that it is a fall and not a change of rows.
        falls = [r.p1 - r.p0 for r in of_kind if r.p1 is not None and r.p0 is not None]
        means[f"fall_{kind}"] = _mean_known(falls)
    return means


def _mean_known(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _verdicts(rows: Sequence[Figures]) -> dict[str, tuple[int, int]]:
    counts = Counter((row.verdict or FAILED, row.supported) for row in rows)
    names = dict.fromkeys(row.verdict or FAILED for row in rows)
    return {name: (counts[name, True], counts[name, False]) for name in names}


def _errors(rows: Sequence[Figures]) -> dict[str, tuple[str, ...]]:
    """The ids of the rows that were not verified, by what stood in the way."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row.error is not None:
            found.setdefault(row.error, []).append(row.id)
        elif row.verdict == "NOT_VERIFIED":
            found.setdefault(f"NOT_VERIFIED, {row.reason}", []).append(row.id)
    return {error: tuple(ids) for error, ids in found.items()}
