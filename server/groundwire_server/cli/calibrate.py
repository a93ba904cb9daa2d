"""`groundwire calibrate`: fits a calibration on labelled claims that a running server has read.

Knows the Python client, the fit and the exit codes. Does not know what a report looks like.
"""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from groundwire import (
    Client,
    ConfigurationError,
    GroundwireError,
    InvalidRequestError,
    ServerInfo,
)
from groundwire_server.cli.reports.calibration import (
    draw,
    plot_beside,
    print_report,
)
from groundwire_server.client_connection import connect, failed
from groundwire_server.config.settings import ClientSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_server.models import calibrations
from groundwire_server.models.fitting import Readings, fit_report, without_evidence
from groundwire_server.models.labelled_file import LabelledClaim, in_words, read_labelled
from groundwire_verifier.numbers.calibration import CalibrationError
from groundwire_verifier.numbers.operating_point import (
    Rate,
)


@dataclass(frozen=True, slots=True)
class CalibrateArguments:
    """What to fit on, and which rates are wanted."""

    data: Path
    out: Path | None
    """Where the calibration is written; None: where a server on this machine finds it."""
    cache_dir: Path
    wanted: Mapping[Rate, float]
    """What the strict operating point keeps to; empty: STRICT_FALSE_POSITIVE_RATE."""
    backend: str


def calibrate(settings: ClientSettings, arguments: CalibrateArguments) -> int:
    """Read the rows, fit, write, print, and return the exit code.

    Raises ConfigError if a file cannot be used or the connection is misconfigured.
    """
    for rate, wanted in arguments.wanted.items():
        if not 0.0 < wanted < 1.0:
            raise ConfigError(f"the wanted {rate.value}, {wanted:g}, is not between 0 and 1")
    rows = read_labelled(arguments.data)
    try:
        with connect(settings) as client:
            info = client.server_info(backend=arguments.backend)
            if not info.identity:
                raise ConfigError("the server is still loading its model; try again")
            read = _ask(client, info, rows, arguments.backend)
    except ConfigurationError as error:
        raise ConfigError(str(error)) from error
    except GroundwireError as error:
        return failed(error)
    try:
        report = fit_report(read, in_words(rows, arguments.data.name), arguments.wanted)
    except CalibrationError as error:
        print(f"groundwire: {error}", file=sys.stderr)
        return EXIT_BELOW
    path = arguments.out or calibrations.path_for(info.identity, arguments.cache_dir)
    file = calibrations.CalibrationFile.of(
        report.calibration, info.identity, info.model, info.prompt_version
    )
    calibrations.write(file, path)
    draw(report, plot_beside(path))
    console = Console(highlight=False)
    print_report(report, path, console)
    if arguments.out is None:
        console.print("A server that is started with this model from now on uses it.")
    else:
        console.print(f"To use it: groundwire serve --calibration {path}", soft_wrap=True)
    return EXIT_OK


def _ask(client: Client, info: ServerInfo, rows: list[LabelledClaim], backend: str) -> Readings:
    by_context: dict[str, list[LabelledClaim]] = {}
    for row in rows:
        by_context.setdefault(row.context, []).append(row)
    found: list[tuple[float, float, bool, int]] = []
    first_error = ""
    for number, (context, group) in enumerate(_shown(by_context)):
        for part in _parts(group, info.limits.max_claims):
            claims = [row.claim for row in part]
            try:
                posteriors, priors = (
                    client.batch_estimate(claims, text, backend=backend).estimates
                    for text in (context, without_evidence(context))
                )
            except InvalidRequestError as error:
                # One text that is too long must not cost the others.
                first_error = first_error or str(error)
                continue
            for row, posterior, prior in zip(part, posteriors, priors, strict=True):
                raw, raw_prior = posterior.raw_probability, prior.raw_probability
                if raw is not None and raw_prior is not None:
                    found.append((raw, raw_prior, row.supported, number))
    columns = list(zip(*found, strict=True)) or [(), (), (), ()]
    return Readings(
        np.array(columns[0], dtype=np.float64),
        np.array(columns[1], dtype=np.float64),
        np.array(columns[2], dtype=np.bool_),
        np.array(columns[3], dtype=np.int64),
        len(rows) - len(found),
        first_error,
    )


def _shown(
    groups: Mapping[str, list[LabelledClaim]],
) -> Iterable[tuple[str, list[LabelledClaim]]]:
    console = Console(stderr=True)
    return track(
        groups.items(), "reading", console=console, transient=True, disable=not console.is_terminal
    )


def _parts(group: list[LabelledClaim], size: int) -> Iterable[list[LabelledClaim]]:
    return (group[start : start + size] for start in range(0, len(group), size))
