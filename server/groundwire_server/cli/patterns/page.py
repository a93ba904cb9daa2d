"""Patterns as one page that needs nothing else: its plot is SVG within it."""

from dataclasses import dataclass

from groundwire_server.cli.patterns.report import (
    SHOWN_THINGS,
    PeriodLine,
    Report,
    drift_words,
    heading,
    period_table,
    shortened,
    sort_notes,
    sort_table,
)
from groundwire_server.reports.pages import figure_style, page

WIDTH, HEIGHT = 720, 240
"""Of the plot, in pixels."""


@dataclass(frozen=True, slots=True)
class _Dot:
    x: float
    y: float
    text: str


def html_page(report: Report) -> str:
    """The page. It has texts of questions and names of sources only where the record has them."""
    return page(
        __package__,
        "page.html",
        figure_style(),
        language="en",
        direction="ltr",
        title=f"Patterns by {report.by}",
        heading=heading(report),
        by=report.by,
        periods=period_table(report),
        sorts=[
            {
                "name": name,
                "table": sort_table(report, name, things),
                "notes": sort_notes(name, things),
                "rows": [
                    (shortened(key), thing.detections, thing.ids)
                    for key, thing in things.most(SHOWN_THINGS)
                    if thing.wrong
                ],
            }
            for name, things in report.shown
        ],
        lines=_lines(report),
        dots=_dots(report),
        first=report.periods[0].name if report.periods else "",
        last=report.periods[-1].name if report.periods else "",
        width=WIDTH,
        height=HEIGHT,
    )


def _lines(report: Report) -> list[tuple[str, str, str]]:
    """The class, the name and the points of each line. One point makes none."""
    periods = list(enumerate(report.periods))
    values = {
        ("main", "share grounded"): [(i, each.period.shares.mean) for i, each in periods],
        ("soft", "label mass"): [(i, each.period.masses.mean) for i, each in periods],
    }
    return [
        (
            style,
            name,
            " ".join(
                f"{_x(report, i):.1f},{_y(value):.1f}" for i, value in of if value is not None
            ),
        )
        for (style, name), of in values.items()
        if sum(value is not None for _, value in of) > 1
    ]


def _dots(report: Report) -> list[_Dot]:
    """Where something drifts."""
    return [
        _Dot(_x(report, i), _y(value), f"{each.name}: {words}")
        for i, each in enumerate(report.periods)
        for value, words in zip(_drifting(each), drift_words(each), strict=True)
    ]


def _drifting(each: PeriodLine) -> list[float]:
    told = ((each.share_drift, each.period.shares), (each.mass_drift, each.period.masses))
    return [values.mean or 0.0 for drift, values in told if drift]


def _x(report: Report, index: int) -> float:
    return round(WIDTH * index / max(1, len(report.periods) - 1), 1)


def _y(value: float) -> float:
    return round(HEIGHT * (1 - value), 1)
