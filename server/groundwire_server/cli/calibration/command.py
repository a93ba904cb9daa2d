"""`groundwire calibrate`: fits a calibration on labelled claims that a running server has read."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.console import Console

from groundwire import GroundwireError
from groundwire_server.cli import flags
from groundwire_server.cli.calibration.concerns import calibrate_concerns
from groundwire_server.cli.calibration.readings import Asked, Readings
from groundwire_server.cli.calibration.report import draw, plot_beside, print_report
from groundwire_server.client_connection import connect, failed
from groundwire_server.config.settings import ClientSettings
from groundwire_server.config.sources import ConfigError, load_server_settings
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_server.models import calibrations
from groundwire_server.models.fitting import (
    CalibrationReport,
    ReadRows,
    fit_report,
    with_contradictions,
)
from groundwire_server.models.labelled_file import LabelledClaim, in_words, read_labelled
from groundwire_verifier.numbers.calibration import CalibrationError
from groundwire_verifier.numbers.finding_bars import Contradictions
from groundwire_verifier.numbers.operating_point import LabelledReadings, Rate
from groundwire_verifier.verdicts.policy import Thresholds
from groundwire_verifier.verdicts.score_thresholds import choose_score_thresholds


@dataclass(frozen=True, slots=True)
class CalibrateArguments:
    """What to fit on, and which rates are wanted."""

    data: Path
    out: Path | None
    """Where the calibration is written; None: where a server on this machine finds it."""
    cache_dir: Path
    model_folder: Path
    """Where the server's model may lie, with a calibration beside its weights."""
    wanted: Mapping[Rate, float]
    """What the strict operating point keeps to; empty: its promise."""
    backend: str
    readings: Path | None
    """The file that keeps what the model has said; None: it is not kept."""
    chooses_score: bool
    """Whether the thresholds of the grounding score are chosen, too."""


def add(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    either = parser.add_mutually_exclusive_group(required=True)
    either.add_argument(
        "--data",
        type=Path,
        metavar="FILE",
        help="labelled claims: JSON lines with context, claim, and label 1 (supported) or 0",
    )
    either.add_argument(
        "--exchanges",
        type=Path,
        metavar="FILE",
        help="labelled exchanges, which add curves for the questions of common sense to the "
        "calibration that is there: JSON lines with question, response, tool_calls, and labels, a "
        "letter (Y, N, U, or - for unknown) for each question",
    )
    add(
        "--readings",
        type=Path,
        metavar="FILE",
        help="keep the model's readings in this file, and use those that are there",
    )
    add("--score", action="store_true", help="choose thresholds of the grounding score, too")
    add(
        "--max-false-positive-rate",
        type=float,
        metavar="R",
        help="strict: at most this share of unsupported claims is SUPPORTED; default: .05",
    )
    add(
        "--max-risk",
        type=float,
        metavar="R",
        help="strict: at most this share of the claims that are SUPPORTED is unsupported",
    )
    add(
        "--out",
        type=Path,
        metavar="FILE",
        help="where to write it; by default where a server on this machine finds it",
    )
    add("--cache-dir", type=Path, metavar="DIR", help="the server's cache_dir, if it has its own")
    add("--model", type=Path, metavar="FOLDER", help="the server's model, if it lies in a folder")
    flags.add_backend(parser)
    flags.add_client_settings(parser)


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Fit on claims, or on exchanges."""
    settings = flags.client(arguments, environment)
    served = load_server_settings({}, environment, None)
    cache_dir = arguments.cache_dir or served.cache_dir
    model_folder = arguments.model or Path(served.model)
    if arguments.exchanges is not None:
        return calibrate_concerns(
            settings,
            arguments.exchanges,
            arguments.out,
            cache_dir=cache_dir,
            model_folder=model_folder,
            backend=arguments.backend,
        )
    wanted = {
        Rate.FALSE_POSITIVES: arguments.max_false_positive_rate,
        Rate.RISK: arguments.max_risk,
    }
    return calibrate(
        settings,
        CalibrateArguments(
            data=arguments.data,
            out=arguments.out,
            cache_dir=cache_dir,
            model_folder=model_folder,
            wanted={rate: value for rate, value in wanted.items() if value is not None},
            backend=arguments.backend,
            readings=arguments.readings,
            chooses_score=arguments.score,
        ),
    )


def calibrate(settings: ClientSettings, arguments: CalibrateArguments) -> int:
    """Read the rows, fit, write, print, and return the exit code.

    Raises ConfigError if a file cannot be used or the connection is misconfigured.
    """
    for rate, wanted in arguments.wanted.items():
        if not 0.0 < wanted < 1.0:
            raise ConfigError(f"the wanted {rate.value}, {wanted:g}, is not between 0 and 1")
    rows = read_labelled(arguments.data)
    try:
        readings, first_error = _readings(settings, arguments, rows)
    except GroundwireError as error:
        return failed(error, settings)
    claims, read = _read(readings, rows, first_error)
    try:
        report = _fit(claims, read, arguments)
    except CalibrationError as error:
        print(f"groundwire: {error}", file=sys.stderr)
        return EXIT_BELOW
    try:
        report = _contradictions(settings, arguments, readings, claims, report)
    except GroundwireError as error:
        return failed(error, settings)
    path = arguments.out or calibrations.path_for(readings.identity, arguments.cache_dir)
    before, said_before = _before(readings.identity, arguments)
    kept = {} if before is None else before.file.calibration.bars
    file = calibrations.CalibrationFile.of(
        replace(
            report.calibration,
            concerns={} if before is None else before.file.calibration.concerns,
            # What these rows cannot tell stays as it was.
            bars={**kept, **report.calibration.bars},
        ),
        readings.identity,
        readings.model,
        readings.prompt_version,
    )
    calibrations.write(file, path)
    draw(report, plot_beside(path))
    console = Console(highlight=False)
    print_report(report, path, console)
    for line in said_before:
        console.print(line, soft_wrap=True, markup=False)
    if arguments.out is None:
        console.print("A server that is started with this model from now on uses it.")
    else:
        console.print(f"To use it: groundwire serve --calibration {path}", soft_wrap=True)
    return EXIT_OK


def _before(
    identity: str, arguments: CalibrateArguments
) -> tuple[calibrations.Found | None, list[str]]:
    """The calibration that the model has until now, and what to say of what is kept of it.

    A file that is no calibration does not keep another from being fitted, which may replace it.
    """
    try:
        found = calibrations.found_for(
            identity, arguments.cache_dir, arguments.model_folder, arguments.out
        )
    except ConfigError as error:
        return None, [f"! {error}. No curves for the questions of common sense are kept."]
    said = []
    if found is None or not found.file.concerns:
        said.append(
            "It has no curves for the questions of common sense: none were found here. "
            "`groundwire calibrate --exchanges` fits them."
        )
    else:
        names = ", ".join(found.file.concerns)
        said.append(
            f"The curves for the questions of common sense are kept from {found.path}: {names}"
        )
    if found is not None and found.file.bars:
        said.append(f"A bar that these rows do not choose is kept from {found.path}.")
    return found, said


def _contradictions(
    settings: ClientSettings,
    arguments: CalibrateArguments,
    readings: Readings,
    claims: Sequence[LabelledClaim],
    report: CalibrationReport,
) -> CalibrationReport:
    """The report with the bar of CONTRADICTED, if the rows say what is contradicted.

    The model is asked for its stance as a server does it: on claims below `min_posterior`. Raises
    ConfigError or GroundwireError; what was read until then is kept.
    """
    contradicted = np.array([row.contradicted is True for row in claims], dtype=np.bool_)
    if not contradicted.any():
        return report
    is_asked = report.calibrated < Thresholds().min_posterior
    asked = [row for row, is_one in zip(claims, is_asked, strict=True) if is_one]
    if missing := readings.without_stance(asked):
        with connect(settings) as client:
            info = client.server_info(backend=arguments.backend)
            if Asked.of(info) != readings.asked:
                raise ConfigError("the server serves another model than the readings are of")
            try:
                readings.ask_stances(client, missing, arguments.backend, info.limits.max_claims)
            finally:
                if arguments.readings is not None:
                    readings.keep_in(arguments.readings)
    said = np.array([readings.says_no(row) for row in claims])
    # The evidence does not speak against what it supports.
    is_told = np.array(
        [row.supported or row.contradicted is not None for row in claims], dtype=np.bool_
    )
    return with_contradictions(
        report, Contradictions(np.where(is_asked, said, 0.0), contradicted, is_told)
    )


def _readings(
    settings: ClientSettings, arguments: CalibrateArguments, rows: list[LabelledClaim]
) -> tuple[Readings, str]:
    """What the model says of the rows, and the first refusal; only of new rows it is asked.

    Raises ConfigError or GroundwireError; what was read until then is kept.
    """
    path = arguments.readings
    kept = None if path is None else Readings.kept_in(path)
    if kept is not None and not kept.missing(rows):
        return kept, ""
    with connect(settings) as client:
        info = client.server_info(backend=arguments.backend)
        asked = Asked.of(info)
        readings = kept or Readings(
            identity=asked.identity, model=asked.model, prompt_version=asked.prompt_version
        )
        if readings.asked != asked:
            raise ConfigError(
                f"--readings: {path} is of {readings.model}, asked with "
                f"{readings.prompt_version}, and not of what is being served; name another file"
            )
        try:
            missing = readings.missing(rows)
            first_error = readings.ask(client, missing, arguments.backend, info.limits.max_claims)
        finally:
            if path is not None:
                readings.keep_in(path)
    return readings, first_error


def _read(
    readings: Readings, rows: Sequence[LabelledClaim], first_error: str
) -> tuple[list[LabelledClaim], ReadRows]:
    """The rows that the model gave probabilities, and what it said of them."""
    found = [(row, both) for row in rows if (both := readings.of(row)) is not None]
    raw, raw_prior = np.array([both for _, both in found], dtype=np.float64).reshape(-1, 2).T
    numbers: dict[str, int] = {}
    contexts = [numbers.setdefault(row.context, len(numbers)) for row, _ in found]
    names = _source_names([row for row, _ in found])
    return [row for row, _ in found], ReadRows(
        rows=LabelledReadings(
            raw=raw,
            labels=np.array([row.supported for row, _ in found], dtype=np.bool_),
            contexts=np.array(contexts, dtype=np.int64),
        ),
        raw_prior=raw_prior,
        sources=np.array([names.index(row.source) for row, _ in found], dtype=np.int64),
        skipped=len(rows) - len(found),
        first_error=first_error,
    )


def _source_names(rows: Sequence[LabelledClaim]) -> list[str]:
    return sorted({row.source for row in rows})


def _fit(
    claims: Sequence[LabelledClaim], read: ReadRows, arguments: CalibrateArguments
) -> CalibrationReport:
    report = fit_report(read, in_words(claims, arguments.data.name), arguments.wanted)
    thresholds = (
        choose_score_thresholds(
            report.calibrated,
            report.calibrated_prior,
            report.labels,
            read.rows.contexts,
            Thresholds(),
        )
        if arguments.chooses_score
        else None
    )
    return replace(
        report,
        source_names=tuple(_source_names(claims)),
        score_thresholds=thresholds,
    )
