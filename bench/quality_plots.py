"""The plots of the quality bench: reliability and risk against coverage, a panel for each set.

Knows figures only.
"""

import math
from pathlib import Path
from typing import TYPE_CHECKING

from bench.tools.quality_figures import P1, SetFigures
from bench.tools.quality_report import Measured
from groundwire_verifier.numbers.metrics import ECE_BINS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 3
PANEL_INCHES = 3.4


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
