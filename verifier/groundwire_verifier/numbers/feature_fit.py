"""What features are worth: their weights, and whether they help on kinds of claims not seen.

Rows have a source, such as the data set that they are from. A feature that tells much on the
sources of a fit may mislead on another, so each source is judged by a fit on all others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from groundwire_verifier.numbers.budget import CLIP
from groundwire_verifier.numbers.calibration import (
    CalibrationError,
    fit_logistic,
    fit_platt,
    log_odds,
    sigmoid,
)
from groundwire_verifier.numbers.intervals import Z_95
from groundwire_verifier.numbers.metrics import Bools, Floats, auroc

PULL = 1.0
"""How strongly a weight is drawn towards 0, for a feature that varies by 1."""
MIN_SOURCES = 3
"""Sources from which one can be left out: a fit on one other tells little of the next."""
MIN_ROWS_OF_A_SOURCE = 20
"""Rows of a source, some of each label, from which it is judged by itself."""
GUARDED_FROM_ROWS = 250
MOST_AUROC_LOST = 0.01
"""What a source with so many rows may lose at most."""

Sources = npt.NDArray[np.int64]
"""The number of each row's source, (rows,)."""


@dataclass(frozen=True, slots=True)
class SourceFigures:
    """One source, by fits on all others: without features, and with them.

    `plain_auroc` and `auroc` are in [0, 1]; the log losses are in nats, the mean of its rows, and
    `saved_error` is the standard error of the first less the second.
    """

    source: int
    rows: int
    plain_auroc: float
    auroc: float
    plain_log_loss: float
    log_loss: float
    saved_error: float

    @property
    def auroc_gained(self) -> float:
        """What the features add to the AUROC; below 0 where they cost some."""
        return self.auroc - self.plain_auroc


@dataclass(frozen=True, slots=True)
class Judgement:
    """What features do on sources that their weights were not fitted on.

    `against` says in words why they are not to be used; empty where they help.
    """

    sources: tuple[SourceFigures, ...]
    against: str

    @property
    def auroc_gained(self) -> float:
        """The mean gain over the sources."""
        return float(np.mean([each.auroc_gained for each in self.sources]))

    @property
    def log_loss_saved(self) -> float:
        """The mean over the sources, in nats."""
        return float(np.mean([each.plain_log_loss - each.log_loss for each in self.sources]))

    @property
    def saved_error(self) -> float:
        """The standard error of `log_loss_saved`: another draw of rows moves it so far."""
        errors = np.array([each.saved_error for each in self.sources])
        return float(np.sqrt(np.sum(errors**2)) / len(errors))


def fit_weights(raw: Floats, values: Floats, labels: Bools) -> Floats:
    """How far each unit of a feature moves the raw log-odds, in nats, (features,).

    `raw` (rows,) are probabilities in [0, 1], `values` (rows, features) those of the features,
    `labels` (rows,) true where a claim is supported. Raises CalibrationError.
    """
    if not values.shape[1]:
        return np.empty(0)
    centred = values - values.mean(axis=0)
    spread = centred.std(axis=0)
    scale = np.where(spread > CLIP, spread, 1.0)
    columns = np.column_stack([log_odds(raw), centred / scale, np.ones(len(raw))])
    pulls = np.array([0.0, *[PULL] * values.shape[1], 0.0])
    slope, *weights, _ = fit_logistic(columns, labels, pulls)
    return np.asarray(np.array(weights) / scale / slope)


def moved(raw: Floats, shifts_nats: Floats) -> Floats:
    """Raw probabilities, in [0, 1], whose log-odds are moved so far: what a curve is fitted on."""
    return sigmoid(log_odds(raw) + shifts_nats)


def judge(
    raw: Floats, values: Floats, labels: Bools, sources: Sources, guarded: Sequence[int] = ()
) -> Judgement:
    """What features do on each source by a fit on all others, and whether they are to be used.

    They are if the mean AUROC rises and the mean log loss falls over the sources, by more than the
    draw of the rows explains (Z_95 standard errors), and no source loses more than MOST_AUROC_LOST
    that has GUARDED_FROM_ROWS or is `guarded`.

    Raises CalibrationError where there are too few sources, or a fit fails.
    """
    found = []
    for source in np.unique(sources):
        inside = sources == source
        if inside.sum() < MIN_ROWS_OF_A_SOURCE or len(np.unique(labels[inside])) < len((0, 1)):
            continue
        plain = fit_platt(raw[~inside], labels[~inside]).apply(raw[inside])
        shifts = values @ fit_weights(raw[~inside], values[~inside], labels[~inside])
        curve = fit_platt(moved(raw, shifts)[~inside], labels[~inside])
        said = curve.apply(raw[inside], shifts[inside])
        kept = labels[inside]
        plain_losses, losses = log_losses(plain, kept), log_losses(said, kept)
        found.append(
            SourceFigures(
                source=int(source),
                rows=int(inside.sum()),
                plain_auroc=float(auroc(plain, kept)),
                auroc=float(auroc(said, kept)),
                plain_log_loss=float(np.mean(plain_losses)),
                log_loss=float(np.mean(losses)),
                saved_error=float(np.std(plain_losses - losses, ddof=1) / np.sqrt(len(kept))),
            )
        )
    if len(found) < MIN_SOURCES:
        raise CalibrationError(
            f"features are judged by leaving a source out, and {len(found)} sources are too few: "
            f"give at least {MIN_SOURCES} with {MIN_ROWS_OF_A_SOURCE} rows and both labels each, "
            "as `source` of each row"
        )
    return _judged(tuple(found), guarded)


def _judged(found: tuple[SourceFigures, ...], guarded: Sequence[int]) -> Judgement:
    judgement = Judgement(found, "")
    losing = [
        each
        for each in found
        if (each.rows >= GUARDED_FROM_ROWS or each.source in guarded)
        and each.auroc_gained < -MOST_AUROC_LOST
    ]
    against = ""
    if judgement.auroc_gained <= 0.0:
        against = "the mean AUROC does not rise"
    elif judgement.log_loss_saved <= Z_95 * judgement.saved_error:
        against = "the mean log loss does not fall by more than chance"
    elif losing:
        against = f"{len(losing)} guarded sources lose more than {MOST_AUROC_LOST:g} AUROC"
    return Judgement(found, against)


def log_losses(said: Floats, labels: Bools) -> Floats:
    """Of each row, in nats, (rows,)."""
    right = np.clip(np.where(labels, said, 1 - said), CLIP, 1.0)
    return np.asarray(-np.log(right))
