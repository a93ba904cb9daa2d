"""What `groundwire calibrate` found: a table, and a reliability plot as SVG."""

from importlib import resources
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from rich.console import Console
from rich.table import Table

from groundwire_server.config.sources import ConfigError
from groundwire_server.models.fitting import CalibrationReport
from groundwire_server.reports.plots import SIZE, bin_dots
from groundwire_verifier.numbers.calibration import Bar, Platt, Strictness
from groundwire_verifier.numbers.finding_bars import (
    CONTRADICTED_RIGHT,
    UNSUPPORTED_RIGHT,
    FindingBar,
)
from groundwire_verifier.numbers.metrics import (
    Bin,
    Figure,
    auroc,
    brier,
    expected_calibration_error,
    reliability,
)
from groundwire_verifier.numbers.operating_point import MIN_ACCEPTED, PROMISES, OperatingPoint
from groundwire_verifier.verdicts.policy import Thresholds
from groundwire_verifier.verdicts.score_thresholds import ScoreThresholds

PLOT_BINS = 10


def print_report(report: CalibrationReport, path: Path, console: Console) -> None:
    """Print the figures, and where the calibration was written."""
    labels = report.labels
    curve = report.calibration.curve
    form = (
        f"Platt scaling, slope {curve.slope:.3f}, intercept {curve.intercept:+.3f}"
        if isinstance(curve, Platt)
        else f"isotonic regression, {len(curve.log_odds)} steps"
    )
    console.print(f"{form}, fitted on {report.calibration.data}", soft_wrap=True)
    if report.skipped:
        console.print(f"! {report.skipped} rows got no probability and are left out.")
        if report.first_error:
            console.print(f"! The first refusal: {report.first_error}", markup=False)
    table = Table("on rows that the fit did not see", "before", "after")
    for name, figure in (("calibration error (ECE)", expected_calibration_error), ("Brier", brier)):
        before, after = figure(report.raw, labels), figure(report.calibrated, labels)
        table.add_row(name, f"{before:.3f}", f"{after:.3f}")
    table.add_row("AUROC (the order stays)", f"{float(auroc(report.raw, labels)):.3f}", "")
    console.print(table)
    if len(report.source_names) > 1:
        _print_sources(report, console)
        console.print("In the rates below every source has equal weight.")
    _print_points(report, console)
    _print_bars(report, console)
    if report.score_thresholds is not None:
        _print_score(report.score_thresholds, console)
    console.print(f"Written: {path}\nReliability plot: {plot_beside(path)}", soft_wrap=True)


def plot_beside(path: Path) -> Path:
    """Where the plot of a calibration's file belongs."""
    return path.with_suffix(".svg")


def draw(report: CalibrationReport, path: Path) -> None:
    """Write the reliability plot, before and after. Raises ConfigError."""
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        resources.files(__package__).joinpath("reliability.svg").read_text(encoding="utf-8")
    )
    panels = [
        {
            "title": title,
            "dots": bin_dots(reliability(values, report.labels, PLOT_BINS), _bin_in_words),
        }
        for title, values in (("before", report.raw), ("after", report.calibrated))
    ]
    try:
        path.write_text(template.render(panels=panels, size=SIZE), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"plot {path} cannot be written: {error.strerror}") from error


def _bin_in_words(each: Bin) -> str:
    shares = f"said {each.mean_probability:.2f}, true {each.share_supported:.2f}"
    return f"{each.rows} claims: {shares}"


def _print_sources(report: CalibrationReport, console: Console) -> None:
    table = Table("source", "rows", "ECE before", "after")
    for number, name in enumerate(report.source_names):
        inside = report.sources == number
        errors = (
            expected_calibration_error(values[inside], report.labels[inside])
            for values in (report.raw, report.calibrated)
        )
        table.add_row(name or "(none)", str(inside.sum()), *(f"{error:.3f}" for error in errors))
    console.print(table)


def _print_score(chosen: ScoreThresholds, console: Console) -> None:
    """The thresholds of the grounding score, and whether they are worth a change."""
    for name, figure in (
        ("verify_min_evidence_use", chosen.min_evidence_use),
        ("verify_min_grounding_score", chosen.min_grounding_score),
    ):
        console.print(f"grounding score, {name}: {_share(figure)}", soft_wrap=True)
    console.print(
        f"  balanced accuracy on contexts that they were not chosen on "
        f"{_share(chosen.balanced_accuracy)}; more than with the defaults by "
        f"{_share(chosen.gained)}",
        soft_wrap=True,
    )
    if not chosen.is_better:
        console.print("! That is no better than the defaults for sure: leave them.")


def _print_points(report: CalibrationReport, console: Console) -> None:
    """The operating points with their promises and what each does, and those there are none of."""
    for name, share in PROMISES.items():
        rates = report.wanted if name is Strictness.STRICT else {}
        promise = (
            " and ".join(f"a {rate.value} of at most {most:g}" for rate, most in rates.items())
            or f"at most {share:.0%} of the unsupported claims are SUPPORTED"
        )
        point = report.points.get(name)
        if point is None:
            console.print(
                f"! {name.value}: no confidence keeps the promise ({promise}) with at least "
                f"{MIN_ACCEPTED} claims SUPPORTED. A server that is asked for it takes "
                f"{Thresholds().default_confidence:g}.",
                soft_wrap=True,
            )
            continue
        console.print(
            f"{name.value}: a confidence of {point.threshold:.4f}, so that {promise}",
            soft_wrap=True,
        )
        console.print(f"  {_rates(point)}", soft_wrap=True)
    if report.points:
        console.print(
            "A claim that states no confidence is asked for the one that verify_strictness names, "
            "unless verify_default_confidence is set.",
            soft_wrap=True,
        )
    console.print(
        "grounding score, which the chatbot asks for, at its own thresholds:\n"
        f"  {_rates(report.score_point)}",
        soft_wrap=True,
    )


def _print_bars(report: CalibrationReport, console: Console) -> None:
    """The bar of a finding, and how often the finding is right."""
    unsupported = report.bars[Bar.UNSUPPORTED]
    found = f"UNSUPPORTED: p1 up to {unsupported.at:.4f}; above it UNCERTAIN"
    if not unsupported.rows:
        found = (
            f"! UNSUPPORTED: no p1 is such that {UNSUPPORTED_RIGHT:.0%} of the claims up to it are "
            "not supported when one in five is wrong: they are UNCERTAIN"
        )
    _print_bar(found, unsupported, console)
    contradicted = report.bars.get(Bar.CONTRADICTION)
    if contradicted is None:
        console.print(
            "CONTRADICTED: no row has contradicted: true, so no bar is chosen.", soft_wrap=True
        )
    elif contradicted.rows:
        _print_bar(f"CONTRADICTED: P(NO) from {contradicted.at:.4f}", contradicted, console)
    else:
        console.print(
            f"! CONTRADICTED: at no P(NO) are {CONTRADICTED_RIGHT:.0%} of at least {MIN_ACCEPTED} "
            "such claims not supported and most of them contradicted: none will be CONTRADICTED.",
            soft_wrap=True,
        )


def _print_bar(text: str, bar: FindingBar, console: Console) -> None:
    figures = (
        f"\n  {bar.rows} rows; not supported {_share(bar.right)}, "
        f"and when one claim in five is wrong {_share(bar.right_in_use)}"
    )
    console.print(f"{text}{figures if bar.rows else ''}", soft_wrap=True)


def _rates(point: OperatingPoint) -> str:
    return (
        f"false SUPPORTED {_share(point.false_positive_rate)}; recall {_share(point.recall)}; "
        f"precision {_share(point.precision)}"
    )


def _share(share: Figure) -> str:
    if share.value is None or share.low is None or share.high is None:
        return "unknown"
    return f"{share.value:.3f} (95 %: {share.low:.3f} to {share.high:.3f})"
