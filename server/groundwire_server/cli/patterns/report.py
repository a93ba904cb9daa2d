"""What a terminal, a page and a file of JSON tell of patterns."""

from collections.abc import Sequence
from dataclasses import dataclass

from groundwire_server.cli.evaluation.report import Table
from groundwire_server.cli.patterns.tally import Period, Tally, Things
from groundwire_server.reports.content import one_line
from groundwire_verifier.numbers.drift import Drift, find_drift

LEAST_SHARE, LEAST_MASS = 0.05, 0.02
"""The smallest differences of the share grounded and of the label mass that count as drift."""
SHOWN_THINGS, SHOWN_PERIODS = 10, 6
"""What a terminal and a page show of each sort, and the newest periods that have a column."""
KEPT_THINGS = 100
"""What the file of JSON has of each sort."""
MOST_CHARACTERS = 60
"""Of a name in a table."""


@dataclass(frozen=True, slots=True)
class PeriodLine:
    """A period, and its drift from those before: of the share grounded, and of the label mass."""

    name: str
    period: Period
    share_drift: Drift | None
    mass_drift: Drift | None


@dataclass(frozen=True, slots=True)
class Report:
    """The patterns of some files, in periods that are weeks or days."""

    files: tuple[str, ...]
    by: str
    periods: tuple[PeriodLine, ...]
    sorts: tuple[tuple[str, Things], ...]
    """Kinds of error, sources, questions and models."""

    @property
    def shown(self) -> list[tuple[str, Things]]:
        """The sorts that have something wrong."""
        return [(name, things) for name, things in self.sorts if things.has_wrong]

    @property
    def drifts(self) -> bool:
        return any(each.share_drift or each.mass_drift for each in self.periods)


def report_of(files: Sequence[str], by: str, tally: Tally) -> Report:
    """What was counted, with its drift."""
    periods = tally.periods
    shares, masses = find_drift(
        [
            [period.shares for period in periods.values()],
            [period.masses for period in periods.values()],
        ],
        (LEAST_SHARE, LEAST_MASS),
    )
    sorts = (
        ("kind of error", tally.kinds),
        ("source", tally.sources),
        ("question", tally.questions),
        ("model", tally.models),
    )
    return Report(
        tuple(files),
        by,
        tuple(
            PeriodLine(name, period, share, mass)
            for (name, period), share, mass in zip(periods.items(), shares, masses, strict=True)
        ),
        sorts,
    )


def heading(report: Report) -> str:
    """What was counted, on one line."""
    periods = [each.period for each in report.periods]
    unread = sum(each.unread for each in periods)
    return (
        f"{', '.join(report.files)}: {sum(each.detections for each in periods):,} detections, "
        f"{sum(each.claims for each in periods):,} claims, "
        f"{sum(each.wrong for each in periods):,} of them wrong"
        + (f"; {unread:,} that nobody has read are left out" if unread else "")
    )


def period_table(report: Report) -> Table:
    """A line for each period."""
    header = (report.by, "detections", "claims", "wrong", "grounded", "label mass", "drift")
    return header, [
        (
            each.name,
            f"{each.period.detections:,}",
            f"{each.period.claims:,}",
            f"{each.period.wrong:,}",
            _mean(each.period.shares.mean),
            _mean(each.period.masses.mean),
            "; ".join(drift_words(each)),
        )
        for each in report.periods
    ]


def drift_words(each: PeriodLine) -> list[str]:
    """What drifts in a period, in words."""
    told = (("grounded", each.share_drift), ("label mass", each.mass_drift))
    return [
        f"{name} {drift.difference:+.2f} from {drift.before:.2f}" for name, drift in told if drift
    ]


def sort_table(report: Report, name: str, things: Things) -> Table:
    """The things of one sort that come up most, with the newest periods and the newest row."""
    newest = [each.name for each in report.periods[-SHOWN_PERIODS:]]
    header = (name, "wrong", "claims", *newest, "newest row")
    return header, [
        (
            shortened(key),
            f"{thing.wrong:,}",
            f"{thing.claims:,}",
            *(f"{thing.by_period.get(period, 0):,}" for period in newest),
            one_line(thing.ids[0]),
        )
        for key, thing in things.most(SHOWN_THINGS)
        if thing.wrong
    ]


def sort_notes(name: str, things: Things) -> list[str]:
    """What a table of a sort leaves out."""
    wrong = sum(bool(thing.wrong) for thing in things.by_name.values())
    notes = []
    if wrong > SHOWN_THINGS:
        notes.append(f"and {wrong - SHOWN_THINGS:,} more: --json has {min(wrong, KEPT_THINGS)}")
    if things.forgotten:
        notes.append(
            f"{things.forgotten:,} rare ones of the sort {name} were forgotten on the way, since "
            "there are too many: choose a shorter time with --since and --until"
        )
    return notes


def shortened(name: str) -> str:
    """A name on one line, cut where it is long."""
    text = one_line(name)
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"


def as_data(report: Report) -> dict[str, object]:
    return {
        "files": list(report.files),
        "by": report.by,
        "periods": [
            {
                "period": each.name,
                "detections": each.period.detections,
                "claims": each.period.claims,
                "wrong": each.period.wrong,
                "unread": each.period.unread,
                "grounded_share": each.period.shares.mean,
                "label_mass": each.period.masses.mean,
                "grounded_drift": _drift_data(each.share_drift),
                "label_mass_drift": _drift_data(each.mass_drift),
            }
            for each in report.periods
        ],
        **{
            f"{name.partition(' ')[0]}s": [
                {
                    "name": key,
                    "wrong": thing.wrong,
                    "claims": thing.claims,
                    "detections": thing.detections,
                    "wrong_by_period": dict(thing.by_period),
                    "newest_rows": thing.ids,
                }
                for key, thing in things.most(KEPT_THINGS)
            ]
            for name, things in report.sorts
        },
        "forgotten": {f"{name.partition(' ')[0]}s": t.forgotten for name, t in report.sorts},
    }


def _drift_data(drift: Drift | None) -> dict[str, float] | None:
    if drift is None:
        return None
    return {"before": drift.before, "difference": drift.difference, "chance": drift.chance}


def _mean(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
