"""The figures of a run by what its rows are: the kind of claim, the language, the
source's length."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.tools.common import markdown_table
from bench.tools.quality_figures import OVERLAP, P1, SEED, Figures, scores_of
from bench.tools.written.kinds import OTHER_KIND, kind_groups
from groundwire_verifier.numbers import metrics
from groundwire_verifier.numbers.metrics import Figure

CROSS = "source and claim differ"
LENGTHS = (500, 1500, 4000)
"""Bounds of the source's length, in characters."""
KINDS, LANGUAGE, LENGTH = "kinds", "language", "length of the source (characters)"

Key = Callable[[Figures], str | None]
"""What a row is counted under; None leaves it out."""


@dataclass(frozen=True, slots=True)
class Slice:
    """The figures of some rows.

    `false_supported` is the share of unsupported rows that come out SUPPORTED, `recall` that of
    supported ones. Of the rows that come out CONTRADICTED, `contradicted` in number, `not_borne`
    are not supported, and `against` are contradicted by their own label where they have one.
    """

    name: str
    rows: int
    supported: int
    auroc: Figure
    overlap_auroc: Figure
    false_supported: float | None
    recall: float | None
    contradicted: int
    not_borne: float | None
    against: float | None


def slices_of(
    found: Mapping[str, Sequence[Figures]], resamples: int
) -> dict[str, tuple[Slice, ...]]:
    """The slices by KINDS, LANGUAGE and LENGTH; the largest of the first two come first."""
    keys: Mapping[str, Key] = {KINDS: _kind, LANGUAGE: _language, LENGTH: _length}
    rows = [(name, row) for name, of_set in found.items() for row in of_set]
    return {by: _slices(rows, key, resamples) for by, key in keys.items()}


def _slices(rows: Sequence[tuple[str, Figures]], key: Key, resamples: int) -> tuple[Slice, ...]:
    grouped: dict[str, list[tuple[str, Figures]]] = defaultdict(list)
    for name, row in rows:
        value = key(row)
        if value is not None:
            grouped[value].append((name, row))
    order = (
        [*_length_names()] if key is _length else sorted(grouped, key=lambda g: -len(grouped[g]))
    )
    return tuple(_slice(name, grouped[name], resamples) for name in order if grouped[name])


def _slice(name: str, rows: Sequence[tuple[str, Figures]], resamples: int) -> Slice:
    figures = [row for _, row in rows]
    numbers = {place: i for i, place in enumerate(dict.fromkeys((s, r.context) for s, r in rows))}
    contexts = np.array([numbers[s, r.context] for s, r in rows], dtype=np.int64)
    labels = np.array([row.supported for row in figures], dtype=np.bool_)
    weights = metrics.cluster_weights(contexts, resamples, SEED)
    scores = scores_of(figures)
    auroc = {
        score: metrics.interval(
            metrics.auroc(scores[score], labels), metrics.auroc(scores[score], labels, weights)
        )
        for score in (P1, OVERLAP)
    }
    against = [row for row in figures if row.verdict == "CONTRADICTED"]
    return Slice(
        name=name,
        rows=len(figures),
        supported=int(labels.sum()),
        auroc=auroc[P1],
        overlap_auroc=auroc[OVERLAP],
        false_supported=_share([_is_supported(row) for row in figures if not row.supported]),
        recall=_share([_is_supported(row) for row in figures if row.supported]),
        contradicted=len(against),
        not_borne=_share([not row.supported for row in against]),
        against=_share([row.contradicted for row in against if row.contradicted is not None]),
    )


def _is_supported(row: Figures) -> bool:
    return row.verdict == "SUPPORTED"


def _share(of: Sequence[bool]) -> float | None:
    return sum(of) / len(of) if of else None


def _kind(row: Figures) -> str | None:
    return kind_groups().get(row.kind, OTHER_KIND) if row.kind else None


def _language(row: Figures) -> str | None:
    return CROSS if "-" in row.language else row.language


def _length(row: Figures) -> str | None:
    return _length_names()[sum(row.context_characters > bound for bound in LENGTHS)]


def _length_names() -> list[str]:
    return [*(f"up to {bound:,}" for bound in LENGTHS), f"above {LENGTHS[-1]:,}"]


def slice_tables(slices: Mapping[str, Sequence[Slice]]) -> list[str]:
    """A table for each way of slicing that has rows, with a blank line behind it."""
    header = ["rows", "supported", "AUROC of p1", "of word overlap", "false SUPPORTED", "recall"]
    header += ["CONTRADICTED", "of these not supported", "of these contradicted"]
    lines: list[str] = []
    for by, each in slices.items():
        if each:
            lines += [markdown_table([by, *header], [_cells(part) for part in each]), ""]
    return lines


def _cells(part: Slice) -> list[str]:
    return [
        part.name,
        f"{part.rows:,}",
        f"{part.supported:,}",
        *(_figure(figure) for figure in (part.auroc, part.overlap_auroc)),
        _number(part.false_supported),
        _number(part.recall),
        f"{part.contradicted:,}",
        _number(part.not_borne),
        _number(part.against),
    ]


def _figure(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return _number(figure.value)
    return f"{_number(figure.value)} [{figure.low:.2f}, {figure.high:.2f}]"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
