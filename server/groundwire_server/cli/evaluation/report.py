"""What a terminal and a page tell of an evaluation, and the words that both use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groundwire_server.cli.evaluation.figures import (
    Comparison,
    Curves,
    Evaluation,
    Figures,
    Flip,
    VerdictRows,
)
from groundwire_server.reports.content import one_line
from groundwire_verifier.numbers.metrics import Figure

Table = tuple[Sequence[str], Sequence[Sequence[str]]]
"""The names of the columns, and the rows."""

SHOWN_NAMES = 10
"""Rows that a line names; the file of --json has all."""


@dataclass(frozen=True, slots=True)
class Server:
    """One server and what is told of it."""

    target: str
    """The address of the server, or the model that was loaded."""
    versions: Mapping[str, str]
    evaluation: Evaluation
    curves: Curves

    @property
    def in_words(self) -> str:
        """Where it is, which model, and how that is computed."""
        told = self.versions
        calibration = told["calibration"] or "none"
        return f"{self.target}: {told['model']}, {told['dtype']}, calibration: {calibration}"


@dataclass(frozen=True, slots=True)
class Report:
    """An evaluation of one server, or of two on the same rows."""

    file: str
    strictness: str
    servers: tuple[Server, ...]
    comparison: Comparison | None


def figures_table(of: str, figures: Sequence[Figures]) -> Table:
    """Figures, a line for each group of rows; of the AUROC with its interval.

    How many rows come out CONTRADICTED, and how many of these are not supported.
    """
    header = (
        of,
        "rows",
        "label 1",
        "precision",
        "recall",
        "false SUPP.",
        "CONTR., right",
        "AUROC",
        "overlap",
        "ECE",
    )
    return header, [
        (
            one_line(each.name),
            f"{each.rows:,}",
            f"{each.supported:,}",
            *map(_value, (each.precision, each.recall, each.false_supported)),
            f"{each.contradicted:,}, {each.rightly:,}" if each.contradicted else "-",
            figure_text(each.auroc),
            _value(each.overlap_auroc),
            f"{each.ece:.3f}",
        )
        for each in figures
    ]


def whole_table(figures: Figures) -> Table:
    """The figures of all rows with their intervals, a line for each figure."""
    rows = f"{figures.rows:,} rows, {figures.supported:,} with label 1"
    return (f"{rows}, on {figures.contexts:,} contexts", "share [95 %]"), [
        ("precision: SUPPORTED rows that have label 1", figure_text(figures.precision)),
        ("recall: rows with label 1 that come out SUPPORTED", figure_text(figures.recall)),
        (
            "false SUPPORTED: rows with label 0 that come out SUPPORTED",
            figure_text(figures.false_supported),
        ),
        ("AUROC of p1", figure_text(figures.auroc)),
        ("AUROC of word overlap", figure_text(figures.overlap_auroc)),
        (
            "calibration error (ECE) of p1; by chance alone",
            f"{figures.ece:.3f}; {figures.chance_ece:.3f}",
        ),
    ]


def verdict_table(verdicts: Sequence[VerdictRows]) -> Table:
    header = ("verdict", "label 1", "label 0", "of label 0: contradicted")
    return header, [
        (
            each.verdict,
            f"{each.supported:,}",
            f"{each.unsupported:,}",
            f"{each.contradicted:,} of {each.told:,}" if each.told else "-",
        )
        for each in verdicts
    ]


def flip_table(report: Report, flips: Sequence[Flip]) -> Table:
    """These rows, which come out SUPPORTED at one server only."""
    one, other = (server.target for server in report.servers)
    header = ("row", "label", one, "p1", other, "p1", "right")
    return header, [
        (
            one_line(flip.name),
            str(flip.label),
            flip.here.verdict or "call failed",
            _probability(flip.here.p1),
            flip.there.verdict or "call failed",
            _probability(flip.there.p1),
            one if flip.is_better_here else other,
        )
        for flip in flips
    ]


def comparison_lines(report: Report) -> list[str]:
    """The differences of two servers in words; nothing where there is one."""
    comparison = report.comparison
    if comparison is None:
        return []
    one, other = (server.target for server in report.servers)
    flips = comparison.flips
    better = sum(flip.is_better_here for flip in flips)
    return [
        f"{one} less {other}: AUROC {difference_text(comparison.auroc)}; recall "
        f"{difference_text(comparison.recall)}; false SUPPORTED "
        f"{difference_text(comparison.false_supported)}",
        f"{len(flips):,} rows come out SUPPORTED at one of them only: {one} is right about "
        f"{better:,}, {other} about {len(flips) - better:,}",
    ]


def latency_line(server: Server) -> str:
    """How long calls took, for what that is worth."""
    latency = server.evaluation.latency
    if latency.p50_ms is None or latency.p95_ms is None:
        return "no latency: no call was answered, or the server had all readings in its cache"
    return (
        f"{latency.calls:,} calls, each with all claims on the same evidence: "
        f"p50 {latency.p50_ms:,.0f} ms, p95 {latency.p95_ms:,.0f} ms"
    )


def failure_lines(server: Server) -> list[str]:
    """The rows without a probability, by why. They count as not SUPPORTED, with a p1 of .5."""
    failures = server.evaluation.failures
    if not failures:
        return []
    count = sum(map(len, failures.values()))
    lines = [f"{count:,} rows have no probability; they count as .5 and as not SUPPORTED:"]
    for failure, names in failures.items():
        shown = ", ".join(one_line(name) for name in names[:SHOWN_NAMES])
        more = f" and {len(names) - SHOWN_NAMES:,} more" if len(names) > SHOWN_NAMES else ""
        lines.append(f"{one_line(failure)}: {shown}{more}")
    return lines


def figure_text(figure: Figure) -> str:
    """A share with its interval."""
    if figure.value is None:
        return "-"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} [{figure.low:.2f}, {figure.high:.2f}]"


def difference_text(figure: Figure) -> str:
    """A difference of shares with its interval and signs."""
    if figure.value is None:
        return "-"
    if figure.low is None or figure.high is None:
        return f"{figure.value:+.3f}"
    return f"{figure.value:+.3f} [{figure.low:+.2f}, {figure.high:+.2f}]"


def _value(figure: Figure) -> str:
    return "-" if figure.value is None else f"{figure.value:.3f}"


def _probability(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
