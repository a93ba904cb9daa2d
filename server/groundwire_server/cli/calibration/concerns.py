"""`groundwire calibrate --exchanges`: curves for the questions of common sense."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from groundwire import (
    AssessmentLayer,
    Client,
    GroundwireError,
    InvalidRequestError,
)
from groundwire_server.cli.calibration.readings import Asked, shown
from groundwire_server.cli.exchange_file import FIELDS, ExchangeFile, exchange_in
from groundwire_server.client_connection import connect, failed
from groundwire_server.config.settings import ClientSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_server.models import calibrations
from groundwire_server.models.labelled_file import json_objects
from groundwire_verifier.checks.assessment.common_sense import CONCERNS, CommonSense, labels_of
from groundwire_verifier.checks.assessment.scores import CONCERN_THRESHOLD, raw_concern
from groundwire_verifier.domain.types import Label
from groundwire_verifier.numbers import metrics
from groundwire_verifier.numbers.calibration import (
    MIN_ROWS_OF_A_LABEL,
    CalibrationError,
    Platt,
    fit_platt,
)
from groundwire_verifier.numbers.metrics import Bools, Floats

_FOLDS = 5


@dataclass(frozen=True, slots=True)
class LabelledExchange:
    """An exchange, and the right answer to each question; None where nobody knows."""

    exchange: ExchangeFile
    answers: tuple[Label | None, ...]


def calibrate_concerns(
    settings: ClientSettings,
    exchanges: Path,
    out: Path | None,
    *,
    cache_dir: Path,
    model_folder: Path,
    backend: str,
) -> int:
    """Read the exchanges, fit, write, print, and return the exit code.

    `out` is where the calibration is written; None: where a server on this machine finds it. In
    `model_folder` the server's model may lie, with a calibration beside its weights.
    Raises ConfigError if a file cannot be used or the connection is misconfigured.
    """
    rows = read_labelled_exchanges(exchanges)
    try:
        with connect(settings) as client:
            asked = Asked.of(client.server_info(backend=backend))
            found = calibrations.found_for(asked.identity, cache_dir, model_folder, out)
            if found is None:
                raise ConfigError(
                    "no calibration of the server's model is found here that the curves could "
                    "join; name its folder with --model if it has one, or fit one with "
                    "`groundwire calibrate --data` first"
                )
            concerns = _ask(client, rows, backend)
    except GroundwireError as error:
        return failed(error, settings)
    console = Console(highlight=False)
    curves = _fit(concerns, rows, console)
    path = out or calibrations.path_for(asked.identity, cache_dir)
    joined = replace(found.file.calibration, concerns=curves)
    file = calibrations.CalibrationFile.of(
        joined, asked.identity, found.file.model, found.file.prompt_version
    )
    calibrations.write(file, path)
    console.print(
        f"{len(curves)} curves join the calibration of {found.path}. Written: {path}",
        soft_wrap=True,
        markup=False,
    )
    return EXIT_OK if curves else EXIT_BELOW


def read_labelled_exchanges(path: Path) -> list[LabelledExchange]:
    """The exchanges of a file, in its order. Raises ConfigError that names the line."""
    meant = "a row is one object with question, response, tool_calls and labels"
    return [_row(found, place) for place, found in json_objects(path, "--exchanges", meant)]


def _row(found: dict[str, Any], place: str) -> LabelledExchange:
    letters = found.get("labels")
    try:
        answers = labels_of(letters) if isinstance(letters, str) else ()
    except KeyError:
        answers = ()
    if len(answers) != len(CommonSense):
        raise ConfigError(
            f"{place}: labels must have {len(CommonSense)} letters, each Y, N, U or -, for: "
            + " ".join(question.value for question in CommonSense)
        )
    exchange = exchange_in({key: found[key] for key in FIELDS if key in found}, place)
    return LabelledExchange(exchange, answers)


def _ask(client: Client, rows: list[LabelledExchange], backend: str) -> Floats:
    """The raw concern of each exchange by each question, (rows, questions); NaN: not answered."""
    found = np.full((len(rows), len(CommonSense)), np.nan)
    for number, row in enumerate(shown(rows)):
        try:
            report = client.assess_response(
                row.exchange.response,
                row.exchange.tool_calls,
                question=row.exchange.question,
                layers=[AssessmentLayer.COMMON_SENSE],
                backend=backend,
            ).common_sense
        except InvalidRequestError as error:
            raise ConfigError(f"exchange {number + 1}: {error}") from error
        if report is None:
            continue
        for i, (question, answer) in enumerate(zip(CommonSense, report.answers, strict=True)):
            shares = answer.shares
            if answer.answered and shares is not None:
                found[number, i] = raw_concern(question, shares.yes, shares.no, shares.unsure)
    return found


def _fit(concerns: Floats, rows: list[LabelledExchange], console: Console) -> dict[str, Platt]:
    """A curve for each question that has enough answers of both kinds, and what each does."""
    table = Table("question", "exchanges", "concerns", "AUROC", "precision", "recall")
    curves: dict[str, Platt] = {}
    for i, question in enumerate(CommonSense):
        known = np.array([row.answers[i] in {Label.YES, Label.NO} for row in rows])
        is_one = np.array([row.answers[i] is CONCERNS[question] for row in rows])
        at = known & ~np.isnan(concerns[:, i])
        raw, labels = concerns[at, i], is_one[at]
        cells = [question.name, str(len(labels)), str(int(labels.sum()))]
        if min(labels.sum(), (~labels).sum()) < MIN_ROWS_OF_A_LABEL:
            table.add_row(*cells, "", "too few", "")
            continue
        told_apart = f"{metrics.auroc(raw, labels):.2f}"
        try:
            curves[question.name] = fit_platt(raw, labels)
        except CalibrationError:
            table.add_row(*cells, told_apart, "not told apart", "")
            continue
        table.add_row(*cells, told_apart, *_unseen_figures(raw, labels))
    console.print(table)
    console.print("Precision and recall from 0.5, each exchange by a fit that did not see it.")
    return curves


def _unseen_figures(raw: Floats, labels: Bools) -> tuple[str, str]:
    """Precision and recall of what is flagged by fits that did not see it."""
    try:
        flagged = _unseen(raw, labels) >= CONCERN_THRESHOLD
    except CalibrationError:
        return "too few to tell", ""
    hits = int((flagged & labels).sum())
    precision = f"{hits / flagged.sum():.2f}" if flagged.any() else "-"
    return precision, f"{hits / labels.sum():.2f}"


def _unseen(raw: Floats, labels: Bools) -> Floats:
    """Each calibrated by a fit on the other folds, which have as many of both kinds."""
    found = np.empty(len(raw))
    rank = np.empty(len(raw), dtype=np.int64)
    for kind in (labels, ~labels):
        rank[kind] = np.arange(int(kind.sum())) % _FOLDS
    for fold in range(_FOLDS):
        out = rank == fold
        found[out] = fit_platt(raw[~out], labels[~out]).apply(raw[out])
    return found
