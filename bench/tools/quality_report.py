"""What the quality bench tells, as markdown and as plots, a panel for each set."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.tools.common import Run, markdown_table
from bench.tools.quality_figures import (
    DIFFERENCE,
    FAILED,
    GAP,
    OVERLAP,
    P1,
    Mean,
    SetFigures,
)
from bench.tools.written.figures import Slice, slice_tables
from groundwire_verifier.numbers.metrics import CONFIDENCE, ECE_BINS, Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 3
PANEL_INCHES = 3.4
MOST_ERRORS = 40
MOST_IDS = 5
VERDICTS = (
    "SUPPORTED",
    "UNCERTAIN",
    "UNSUPPORTED",
    "CONTRADICTED",
    "MISCITED",
    "PRIOR_KNOWLEDGE",
    "NOT_VERIFIED",
)
RULES = f"""\
AUROC: the chance that a supported row scores above an unsupported one, ties half. For all four
scores, higher means more supported: p1 (the probability with the evidence), p1 - p0 (less the one
with the cited evidence removed), -gap_bits (the budget's gap, negated; by itself it does not know
for a claim from against it), and word overlap (the share of the claim's words that are in the
context), which needs no model. In fm2 a claim cites the sentences that the data names as its
evidence; in the other sets it cites the whole context.
Brackets: {CONFIDENCE:.0%} percentile bootstrap over whole contexts. "Over p1": that AUROC less the
one of p1, on the same resamples.

Balanced accuracy: the mean of the shares of supported rows with p1 >= .5 and of unsupported rows
with p1 < .5. ECE: {ECE_BINS} bins of p1 of equal width. Brier: the mean squared distance of p1 from
the label. The ECE "of a perfect one" is what the same p1 would show in the mean if each meant what
it says: so few rows differ from their probability by chance. Means of p1, p0 and label mass are
over the rows that have them.

By kind, language and length: over all rows that have it, whatever their set. False SUPPORTED: the
share of unsupported rows that are told SUPPORTED; recall: that of supported rows. CONTRADICTED: how
many rows are told so, which share of them is not supported, and which share the data calls
contradicted, of those of which it says so.

Not verified: rows whose call failed, or that have no probability since the label mass is below the
floor. None is left out: a missing p1 or p0 counts as .5, and the row as told unsupported."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A run and its figures."""

    run: Run
    server: str
    split: str
    limit: int | None
    resamples: int
    took_s: float
    sets: tuple[SetFigures, ...]
    mean: Mean | None
    slices: Mapping[str, Sequence[Slice]]


def report(measured: Measured) -> str:
    """The whole result as markdown."""
    rows = sum(figures.rows for figures in measured.sets)
    which = "all rows" if measured.limit is None else f"at least {measured.limit} rows a set"
    lines = [
        "# Quality of VerifyClaims on labelled rows",
        "",
        *measured.run.lines(),
        f"- server: {measured.server}",
        f"- rows: {rows:,} ({measured.split} split, {which}) in {measured.took_s:.0f} s; "
        f"{measured.resamples:,} bootstrap resamples",
        "",
        ranking(measured.sets, measured.mean),
        "",
        _calibration(measured.sets),
        "",
        _movement(measured.sets),
        "",
        _verdicts(measured.sets),
        "",
        *slice_tables(measured.slices),
        RULES,
        "",
        *_errors(measured.sets),
    ]
    return "\n".join(lines).rstrip()


def ranking(sets: Sequence[SetFigures], mean: Mean | None) -> str:
    """The table of how well each score ranks the rows of each set."""
    header = ["set", "rows", "contexts", "share supported", "AUROC of p1", "of p1 - p0", "over p1"]
    header += ["of -gap_bits", "over p1", "of word overlap", "balanced accuracy"]
    lines = [
        [
            figures.name,
            f"{figures.rows:,}",
            f"{figures.contexts:,}",
            f"{figures.prevalence:.0%}",
            *_scores(figures.auroc, figures.auroc_gain),
            _interval(figures.balanced_accuracy),
        ]
        for figures in sets
    ]
    if mean is not None:
        scores = _scores(mean.auroc, mean.auroc_gain)
        name = f"**mean of {len(mean.sets)}**"
        lines.append([name, "", "", "", *scores, _interval(mean.balanced_accuracy)])
    table = markdown_table(header, lines)
    if mean is None:
        return table
    return f"{table}\n\nMean: of {', '.join(mean.sets)}, each with the same weight."


def _scores(auroc: Mapping[str, Figure], gain: Mapping[str, Figure]) -> list[str]:
    cells = []
    for score in (P1, DIFFERENCE, GAP):
        cells.append(_interval(auroc[score]))
        if score in gain:
            cells.append(_interval(gain[score], signed=True))
    return [*cells, _number(auroc[OVERLAP].value)]


def _calibration(sets: Sequence[SetFigures]) -> str:
    header = ["set", "ECE", "before calibration", "of a perfect one", "Brier", "verified"]
    header += ["label mass with evidence", "without"]
    return markdown_table(
        header,
        [
            [
                figures.name,
                _number(figures.ece),
                _number(figures.raw_ece),
                _number(figures.chance_ece),
                _number(figures.brier),
                f"{figures.read:,} of {figures.rows:,}",
                _number(figures.means["label_mass_p1"]),
                _number(figures.means["label_mass_p0"]),
            ]
            for figures in sets
        ],
    )


def _movement(sets: Sequence[SetFigures]) -> str:
    kinds = ("supported", "unsupported")
    header = ["set"]
    for kind in kinds:
        header += [f"{kind}: p1", "p0", "p1 - p0"]
    return markdown_table(
        header,
        [
            [
                figures.name,
                *(
                    _number(figures.means[f"{number}_{kind}"], signed=number == "fall")
                    for kind in kinds
                    for number in ("p1", "p0", "fall")
                ),
            ]
            for figures in sets
        ],
    )


def _verdicts(sets: Sequence[SetFigures]) -> str:
    others = dict.fromkeys(name for figures in sets for name in figures.verdicts)
    names = list(dict.fromkeys((*VERDICTS, *others, FAILED)))
    lines = [
        [figures.name, *(_counts(figures.verdicts.get(name, (0, 0))) for name in names)]
        for figures in sets
    ]
    table = markdown_table(["verdict", *names], lines)
    return f"{table}\n\nCounts of supported / unsupported rows."


def _counts(counts: tuple[int, int]) -> str:
    return f"{counts[0]} / {counts[1]}" if any(counts) else "-"


def _errors(sets: Sequence[SetFigures]) -> list[str]:
    found = [
        f"- {figures.name}: {error} (rows: {len(ids)}, {_ids(ids)})"
        for figures in sets
        for error, ids in figures.errors.items()
    ]
    if not found:
        return ["Every row was verified."]
    shown = found[:MOST_ERRORS]
    if len(found) > len(shown):
        shown.append(f"- and {len(found) - len(shown)} more; quality.json has all of them")
    return ["Rows that were not verified:", "", *shown]


def _ids(ids: Sequence[str]) -> str:
    return ", ".join(ids[:MOST_IDS]) + (", ..." if len(ids) > MOST_IDS else "")


def _interval(value: Figure, *, signed: bool = False) -> str:
    text = _number(value.value, signed=signed)
    if value.low is None or value.high is None:
        return text
    low, high = (_number(bound, signed=signed) for bound in (value.low, value.high))
    return f"{text} [{low}, {high}]"


def _number(value: float | None, *, signed: bool = False) -> str:
    if value is None:
        return "-"
    return f"{value:+.3f}" if signed else f"{value:.3f}"


def draw(measured: Measured, folder: Path) -> None:
    """Write reliability.png and risk_coverage.png."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    for name, title, panel in (
        ("reliability", f"Reliability of p1, {ECE_BINS} bins of equal width", _reliability),
        ("risk_coverage", "Risk when only the surest rows are answered", _risk_coverage),
    ):
        columns = min(COLUMNS, len(measured.sets))
        lines = math.ceil(len(measured.sets) / columns)
        size = (PANEL_INCHES * columns, PANEL_INCHES * lines + 0.6)
        figure, axes = plt.subplots(
            lines, columns, figsize=size, squeeze=False, layout="constrained"
        )
        for axis in axes.flat[len(measured.sets) :]:
            axis.set_axis_off()
        for axis, figures in zip(axes.flat, measured.sets, strict=False):
            panel(axis, figures)
        figure.suptitle(f"{title}\n{measured.server}", fontsize=8)
        figure.savefig(folder / f"{name}.png", dpi=130)
        plt.close(figure)


def _reliability(axis: "Axes", figures: SetFigures) -> None:
    most = max(b.rows for b in figures.bins)
    axis.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle="--")
    # The bars say how many rows a point stands for.
    axis.bar(
        [b.low for b in figures.bins],
        [0.25 * b.rows / most for b in figures.bins],
        width=1 / ECE_BINS,
        align="edge",
        color="0.88",
        label=f"rows (most: {most})",
    )
    axis.plot(
        [b.mean_probability for b in figures.bins],
        [b.share_supported for b in figures.bins],
        marker="o",
        markersize=4,
        label=f"ECE {figures.ece:.3f}",
    )
    axis.set(xlim=(0, 1), ylim=(0, 1), xlabel="mean p1", ylabel="share supported")
    axis.set_title(f"{figures.name} (n = {figures.rows:,})", fontsize=9)
    axis.legend(fontsize=7, loc="upper left")


def _risk_coverage(axis: "Axes", figures: SetFigures) -> None:
    coverage = [point[0] for point in figures.risk_coverage]
    risk = [point[1] for point in figures.risk_coverage]
    rarer = min(figures.prevalence, 1 - figures.prevalence)
    axis.axhline(rarer, color="0.6", linewidth=1, linestyle="--", label="always the commoner label")
    value = figures.auroc[P1].value
    label = "p1" if value is None else f"p1, AUROC {value:.3f}"
    marker = "o" if len(risk) == 1 else None
    axis.plot(coverage, risk, linewidth=1.4, marker=marker, label=label)
    axis.set(xlim=(0, 1), ylim=(0, 1), xlabel="share of rows answered", ylabel="share wrong")
    axis.set_title(f"{figures.name} (n = {figures.rows:,})", fontsize=9)
    axis.grid(alpha=0.3)
    axis.legend(fontsize=7, loc="upper left")
