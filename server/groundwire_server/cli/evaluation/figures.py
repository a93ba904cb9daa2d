"""From what a server said of labelled rows to how often it is right.

A row without a probability stays in: it counts as .5 and as not SUPPORTED, which is what a program
makes of it that acts on verdicts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from groundwire import Verdict
from groundwire_server.cli.evaluation.asking import Outcome, Said
from groundwire_server.cli.evaluation.rows import LabelledRow
from groundwire_verifier.numbers import metrics
from groundwire_verifier.numbers.metrics import Bars, Bin, Bools, Figure, Floats, bars

RESAMPLES = 1000
SEED = 20
UNREAD = 0.5
"""What a row without a probability counts as."""
SMALLEST_GROUP = 10
"""Rows that a kind or a language needs for a line of its own."""
PLOT_BINS = 10

Indexes: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Figures:
    """How often verdicts and probabilities of some rows are right.

    The shares are in [0, 1], with 95 % intervals over resampled contexts. `precision` is the share
    of the rows that come out SUPPORTED that are, `recall` the share of the supported rows that come
    out SUPPORTED, and `false_supported` that of the unsupported ones. `contradicted` counts the
    rows that come out CONTRADICTED, `rightly` those of them that are not supported. `overlap_auroc`
    is the AUROC of word overlap. `ece` is the calibration error of p1, `chance_ece` what a perfect
    calibration would show on so few rows.
    """

    name: str
    rows: int
    supported: int
    contexts: int
    precision: Figure
    recall: Figure
    false_supported: Figure
    contradicted: int
    rightly: int
    auroc: Figure
    overlap_auroc: Figure
    ece: float
    chance_ece: float


@dataclass(frozen=True, slots=True)
class VerdictRows:
    """The rows that got one verdict, by their labels.

    `contradicted` counts those of the unsupported ones that their label calls contradicted, and
    `told` those of which the label says whether they are.
    """

    verdict: str
    supported: int
    unsupported: int
    contradicted: int
    told: int


@dataclass(frozen=True, slots=True)
class Latency:
    """How long the calls took that a model read for, in milliseconds; None where there is none."""

    calls: int
    p50_ms: float | None
    p95_ms: float | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All that is told of one server on the rows of a file."""

    whole: Figures
    kinds: tuple[Figures, ...]
    languages: tuple[Figures, ...]
    verdicts: tuple[VerdictRows, ...]
    latency: Latency
    failures: dict[str, tuple[str, ...]]
    """The names of the rows without a probability, by why."""


@dataclass(frozen=True, slots=True)
class Curves:
    """What is drawn of one server: bars on p1 and on word overlap, and the bins of p1."""

    p1: Bars
    overlap: Bars
    bins: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class Flip:
    """A row that comes out SUPPORTED at one server alone."""

    name: str
    number: int
    label: int
    here: Outcome
    there: Outcome

    @property
    def is_better_here(self) -> bool:
        """Whether the first server is right about it."""
        return self.here.is_supported == bool(self.label)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two servers on the same rows: the first less the second, on the same resamples."""

    auroc: Figure
    recall: Figure
    false_supported: Figure
    flips: tuple[Flip, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """The figures of each server on the rows of a file, in the order of the servers.

    `comparison` is None where there is one server.
    """

    evaluations: tuple[Evaluation, ...]
    curves: tuple[Curves, ...]
    comparison: Comparison | None


def _p1(outcomes: Sequence[Outcome]) -> Floats:
    return np.array([UNREAD if each.p1 is None else each.p1 for each in outcomes])


def _said(outcomes: Sequence[Outcome]) -> Bools:
    return np.array([each.is_supported for each in outcomes], dtype=np.bool_)


def _against(outcomes: Sequence[Outcome]) -> Bools:
    return np.array([each.verdict == Verdict.CONTRADICTED for each in outcomes], dtype=np.bool_)


class _Sample:
    """Rows as arrays, and their resamples, whatever servers said of them."""

    def __init__(self, rows: Sequence[LabelledRow]) -> None:
        self.labels: Bools = np.array([row.supported for row in rows], dtype=np.bool_)
        self.overlap: Floats = np.array([row.word_overlap for row in rows])
        numbers: dict[object, int] = {}
        self.contexts: Indexes = np.array(
            [numbers.setdefault(row.evidence_key, len(numbers)) for row in rows], dtype=np.int64
        )

    @cached_property
    def _weights(self) -> Floats:
        return metrics.cluster_weights(self.contexts, RESAMPLES, SEED)

    def auroc(self, scores: Floats) -> tuple[Floats, Floats]:
        return (
            metrics.auroc(scores, self.labels),
            metrics.auroc(scores, self.labels, self._weights),
        )

    def share(self, of: Bools, among: Bools) -> tuple[Floats, Floats]:
        return metrics.mean(of[among]), metrics.mean(of[among], self._weights[:, among])


def evaluate(rows: Sequence[LabelledRow], servers: Sequence[Said]) -> Findings:
    """The figures of one server, or of two, on the same resamples."""
    sample = _Sample(rows)
    outcomes = [said.outcomes for said in servers]
    whole = _figures("all rows", sample, outcomes)
    kinds = _groups(rows, outcomes, lambda row: row.kind)
    languages = _groups(rows, outcomes, lambda row: row.language)
    overlap = bars(sample.overlap, sample.labels)
    return Findings(
        evaluations=tuple(
            Evaluation(
                whole=whole[i],
                kinds=tuple(group[i] for group in kinds),
                languages=tuple(group[i] for group in languages),
                verdicts=_verdicts(rows, said.outcomes),
                latency=_latency(said.seconds),
                failures=_failures(rows, said.outcomes),
            )
            for i, said in enumerate(servers)
        ),
        curves=tuple(_curves(sample, overlap, each) for each in outcomes),
        comparison=_compared(rows, sample, *outcomes) if len(servers) > 1 else None,
    )


def _curves(sample: _Sample, overlap: Bars, outcomes: Sequence[Outcome]) -> Curves:
    p1 = _p1(outcomes)
    bins = tuple(metrics.reliability(p1, sample.labels, PLOT_BINS))
    return Curves(bars(p1, sample.labels), overlap, bins)


def _compared(
    rows: Sequence[LabelledRow], sample: _Sample, here: Sequence[Outcome], there: Sequence[Outcome]
) -> Comparison:
    labels, one, other = sample.labels, _said(here), _said(there)
    return Comparison(
        auroc=_difference(sample.auroc(_p1(here)), sample.auroc(_p1(there))),
        recall=_difference(sample.share(one, labels), sample.share(other, labels)),
        false_supported=_difference(sample.share(one, ~labels), sample.share(other, ~labels)),
        flips=tuple(
            Flip(row.name, row.number, int(row.supported), first, second)
            for row, first, second in zip(rows, here, there, strict=True)
            if first.is_supported != second.is_supported
        ),
    )


def _difference(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> Figure:
    return metrics.interval(one[0] - other[0], one[1] - other[1])


def _figures(
    name: str, sample: _Sample, outcomes: Sequence[Sequence[Outcome]]
) -> tuple[Figures, ...]:
    """The figures of a sample, for each server."""
    labels = sample.labels
    overlap_auroc = metrics.interval(*sample.auroc(sample.overlap))
    return tuple(
        Figures(
            name=name,
            rows=len(labels),
            supported=int(labels.sum()),
            contexts=len(np.unique(sample.contexts)),
            precision=metrics.interval(*sample.share(labels, said)),
            recall=metrics.interval(*sample.share(said, labels)),
            false_supported=metrics.interval(*sample.share(said, ~labels)),
            contradicted=int(against.sum()),
            rightly=int((against & ~labels).sum()),
            auroc=metrics.interval(*sample.auroc(p1)),
            overlap_auroc=overlap_auroc,
            ece=metrics.expected_calibration_error(p1, labels),
            chance_ece=metrics.chance_calibration_error(p1),
        )
        for p1, said, against in ((_p1(each), _said(each), _against(each)) for each in outcomes)
    )


def _groups(
    rows: Sequence[LabelledRow],
    outcomes: Sequence[Sequence[Outcome]],
    key: Callable[[LabelledRow], str],
) -> tuple[tuple[Figures, ...], ...]:
    """The figures by what rows are, the largest group first, and small ones together at the end.

    Nothing where all groups are small.
    """
    members: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        if name := key(row):
            members.setdefault(name, []).append(i)
    large = {name: group for name, group in members.items() if len(group) >= SMALLEST_GROUP}
    small = [group for name, group in members.items() if name not in large]
    groups = sorted(large.items(), key=lambda item: -len(item[1]))
    if large and small:
        groups.append((f"{len(small)} others", [i for group in small for i in group]))
    return tuple(
        _figures(
            name,
            _Sample([rows[i] for i in group]),
            [[each[i] for i in group] for each in outcomes],
        )
        for name, group in groups
    )


def _verdicts(rows: Sequence[LabelledRow], outcomes: Sequence[Outcome]) -> tuple[VerdictRows, ...]:
    given: dict[str, list[LabelledRow]] = {}
    for row, outcome in zip(rows, outcomes, strict=True):
        given.setdefault(outcome.verdict or "call failed", []).append(row)
    found = []
    for verdict, of_verdict in sorted(given.items(), key=lambda item: -len(item[1])):
        unsupported = [row for row in of_verdict if not row.supported]
        found.append(
            VerdictRows(
                verdict=verdict,
                supported=len(of_verdict) - len(unsupported),
                unsupported=len(unsupported),
                contradicted=sum(row.contradicted is True for row in unsupported),
                told=sum(row.contradicted is not None for row in unsupported),
            )
        )
    return tuple(found)


def _latency(seconds: Sequence[float]) -> Latency:
    if not seconds:
        return Latency(0, None, None)
    p50, p95 = np.quantile(np.array(seconds) * 1000, (0.5, 0.95))
    return Latency(len(seconds), float(p50), float(p95))


def _failures(
    rows: Sequence[LabelledRow], outcomes: Sequence[Outcome]
) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for row, outcome in zip(rows, outcomes, strict=True):
        if outcome.failure:
            found.setdefault(outcome.failure, []).append(row.name)
    return {failure: tuple(names) for failure, names in found.items()}
