"""An evaluation as one page that needs nothing else: its plots are SVG within it."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from groundwire_server.cli.evaluation.report import (
    Report,
    Server,
    comparison_lines,
    failure_lines,
    figures_table,
    flip_table,
    latency_line,
    verdict_table,
    whole_table,
)
from groundwire_server.reports.pages import figure_style, page
from groundwire_server.reports.plots import SIZE, Dot, bin_dots
from groundwire_verifier.numbers.metrics import Bars, Bin, Figure, Floats

MOST_POINTS = 400
"""Points of one line; a line of more looks the same."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a plot: the class that styles it, its name, and its points in pixels."""

    style: str
    name: str
    points: str


@dataclass(frozen=True, slots=True)
class Plot:
    """A square whose axes both go from 0 to 1."""

    title: str
    x_axis: str
    y_axis: str
    lines: tuple[Line, ...]
    dots: tuple[Dot, ...]
    diagonal: bool


def html_page(report: Report) -> str:
    """The page. No claim and no evidence stands in it."""
    comparison = report.comparison
    return page(
        __package__,
        "page.html",
        figure_style(),
        language="en",
        direction="ltr",
        title=f"Evaluation of {report.file}",
        report=report,
        servers=[_server(server) for server in report.servers],
        comparison=comparison_lines(report),
        flips=flip_table(report, comparison.flips) if comparison and comparison.flips else None,
        size=SIZE,
    )


def _server(server: Server) -> dict[str, object]:
    evaluation = server.evaluation
    groups = (("kind", evaluation.kinds), ("language", evaluation.languages))
    return {
        "name": server.in_words,
        "tables": [
            whole_table(evaluation.whole),
            verdict_table(evaluation.verdicts),
            *(figures_table(name, of) for name, of in groups if of),
        ],
        "plots": _plots(server),
        "lines": [latency_line(server), *failure_lines(server)],
    }


def _plots(server: Server) -> list[Plot]:
    curves, whole = server.curves, server.evaluation.whole
    p1, overlap = curves.p1, curves.overlap
    return [
        Plot(
            "ROC",
            "false SUPPORTED: share of the unsupported rows",
            "recall: share of the supported rows",
            (
                _line("soft", "word overlap", _from_origin(overlap)),
                _line("main", "p1", _from_origin(p1)),
            ),
            tuple(_dot(whole.false_supported, whole.recall, "the verdicts as they came")),
            diagonal=True,
        ),
        Plot(
            "Reliability",
            "mean p1 of the rows in a tenth",
            "share of them that are supported",
            (),
            bin_dots(curves.bins, _bin_in_words),
            diagonal=True,
        ),
        Plot(
            "Operating points",
            "bar: p1 from which a row would be accepted",
            "share",
            (
                _line("main", "precision", (p1.at, p1.precision)),
                _line("soft", "recall", (p1.at, p1.recall)),
                _line("warn", "false SUPPORTED", (p1.at, p1.false_accepted)),
            ),
            (),
            diagonal=False,
        ),
    ]


def _from_origin(bars: Bars) -> tuple[Floats, Floats]:
    return np.append(0.0, bars.false_accepted), np.append(0.0, bars.recall)


def _line(style: str, name: str, xy: tuple[Floats, Floats]) -> Line:
    x, y = xy
    chosen = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_POINTS)).astype(int))
    return Line(style, name, " ".join(f"{a:.1f},{b:.1f}" for a, b in _pixels(x[chosen], y[chosen])))


def _pixels(x: Floats, y: Floats) -> Iterable[tuple[float, float]]:
    return zip((x * SIZE).tolist(), ((1 - y) * SIZE).tolist(), strict=True)


def _dot(x: Figure, y: Figure, text: str) -> Iterable[Dot]:
    if x.value is not None and y.value is not None:
        told = f"{text}: false SUPPORTED {x.value:.2f}, recall {y.value:.2f}"
        yield Dot(round(x.value * SIZE, 1), round((1 - y.value) * SIZE, 1), 5.0, told)


def _bin_in_words(each: Bin) -> str:
    shares = f"mean p1 {each.mean_probability:.2f}, supported {each.share_supported:.2f}"
    return f"{each.rows} rows: {shares}"
