"""What a verifier says to rows that it has not learnt, and how good that is."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from groundwire_server.models.fitting import ReadRows, without_evidence
from groundwire_training.data.rows import Row
from groundwire_training.examples.recipe import MAX_LEAVES
from groundwire_training.examples.trees import Tree, ask
from groundwire_training.learning.packing import LABELS, Packed, batches, pack
from groundwire_training.learning.reading import LabelReader
from groundwire_verifier.domain.labels import probability_and_mass
from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.domain.types import Label
from groundwire_verifier.numbers import metrics
from groundwire_verifier.numbers.metrics import Bools, Figure, Floats
from groundwire_verifier.numbers.operating_point import LabelledReadings

RESAMPLES, SEED = 1000, 5
MAX_TOKENS = 4000
_ASKED = "asked"


@dataclass(frozen=True, slots=True)
class Measured:
    """What was read of rows; arrays are (rows,), those of `readings`, too.

    `label_mass` is that with the context, in [0, 1]; `overlap` the share of a claim's words that
    are in the context. `log_odds` of YES to NO, in nats, with `labels` and a number for each of the
    `contexts`, are of all rows that were short enough, whether or not they got mass on the labels.
    """

    readings: ReadRows
    label_mass: Floats
    overlap: Floats
    log_odds: Floats
    labels: Bools
    contexts: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Change:
    """AUROC on the same rows before and after, and what was gained, with 95 % intervals."""

    rows: int
    before: Figure
    after: Figure
    gained: Figure


@dataclass(frozen=True, slots=True)
class PartFigures:
    """How good readings are, with 95 % intervals over contexts.

    Calibrated probabilities are from fits that did not see their row; None where there is no fit.
    `above_floor` is the share of rows whose label mass is not below the floor.
    """

    rows: int
    supported: int
    contexts: int
    skipped: int
    auroc: Figure
    overlap_auroc: Figure
    balanced_accuracy: Figure
    ece_before: float
    ece_after: float | None
    label_mass: float
    above_floor: float


def measure(
    reader: LabelReader,
    encoder: PromptEncoder,
    rows: Sequence[Row],
    max_context_tokens: int,
) -> Measured:
    """Read each row with its context and with that removed; longer ones are left out.

    Raises ValueError if none is left.
    """
    kept, packed = _packed(encoder, rows, max_context_tokens)
    found: list[torch.Tensor] = []
    with torch.inference_mode():
        for batch in batches(packed, MAX_TOKENS):
            found.append(reader.label_nats(batch).cpu())
    if not kept:
        raise ValueError("no row has a context that is short enough to be read")
    nats = torch.cat(found).double().numpy()
    (raw, mass), (raw_prior, _) = (
        probability_and_mass(part) for part in (nats[: len(kept)], nats[len(kept) :])
    )
    numbers = {context: i for i, context in enumerate(dict.fromkeys(r.context for r in kept))}
    names = {source: i for i, source in enumerate(dict.fromkeys(r.source for r in kept))}
    labels = np.array([row.supported for row in kept], dtype=np.bool_)
    contexts = np.array([numbers[row.context] for row in kept], dtype=np.int64)
    known = ~(np.isnan(raw) | np.isnan(raw_prior))
    readings = ReadRows(
        rows=LabelledReadings(raw=raw[known], labels=labels[known], contexts=contexts[known]),
        raw_prior=raw_prior[known],
        sources=np.array([names[row.source] for row in kept], dtype=np.int64)[known],
        skipped=len(rows) - int(known.sum()),
        first_error="" if known.all() else "a row got no mass on YES and NO",
    )
    overlap = np.array([row.word_overlap for row in kept])
    yes, no = (nats[: len(kept), LABELS.index(label)] for label in (Label.YES, Label.NO))
    return Measured(readings, mass[known], overlap[known], yes - no, labels, contexts)


def change(before: Sequence[Measured], after: Sequence[Measured]) -> Change:
    """What the AUROC over all parts was and is; the same rows in both, in the same order."""
    labels = np.concatenate([part.labels for part in after])
    starts = np.cumsum([0, *(len(part.contexts) for part in after)])
    # A part has no more contexts than rows, so no number comes twice.
    contexts = np.concatenate(
        [part.contexts + start for part, start in zip(after, starts, strict=False)]
    )
    weights = metrics.cluster_weights(contexts, RESAMPLES, SEED)
    (was, was_resampled), (now, now_resampled) = (
        (metrics.auroc(odds, labels), metrics.auroc(odds, labels, weights))
        for odds in (np.concatenate([part.log_odds for part in parts]) for parts in (before, after))
    )
    return Change(
        rows=len(labels),
        before=metrics.interval(was, was_resampled),
        after=metrics.interval(now, now_resampled),
        gained=metrics.interval(now - was, now_resampled - was_resampled),
    )


def figures(measured: Measured, calibrated: Floats | None, floor: float) -> PartFigures:
    """The figures of readings. `calibrated` (rows,) are their calibrated probabilities."""
    rows = measured.readings.rows
    labels, raw = rows.labels, rows.raw
    weights = metrics.cluster_weights(rows.contexts, RESAMPLES, SEED)
    said = (raw if calibrated is None else calibrated) >= metrics.THRESHOLD
    return PartFigures(
        rows=len(labels),
        supported=int(labels.sum()),
        contexts=len(set(rows.contexts.tolist())),
        skipped=measured.readings.skipped,
        auroc=metrics.interval(metrics.auroc(raw, labels), metrics.auroc(raw, labels, weights)),
        overlap_auroc=metrics.interval(
            metrics.auroc(measured.overlap, labels),
            metrics.auroc(measured.overlap, labels, weights),
        ),
        balanced_accuracy=metrics.interval(
            metrics.balanced_accuracy(said, labels),
            metrics.balanced_accuracy(said, labels, weights),
        ),
        ece_before=metrics.expected_calibration_error(raw, labels),
        ece_after=None
        if calibrated is None
        else metrics.expected_calibration_error(calibrated, labels),
        label_mass=float(measured.label_mass.mean()),
        above_floor=float((measured.label_mass >= floor).mean()),
    )


def _packed(
    encoder: PromptEncoder, rows: Sequence[Row], max_context_tokens: int
) -> tuple[list[Row], list[Packed]]:
    """The rows in the order that they are asked in, and their questions.

    First all with their contexts, then all with them removed.
    """
    kept: list[Row] = []
    packed: list[Packed] = []
    for group, tree in _trees(rows, lambda row: row.context):
        made = pack(tree, encoder, max_context_tokens)
        if made is not None:
            kept += group
            packed.append(made)
    for _, tree in _trees(kept, lambda row: without_evidence(row.context)):
        made = pack(tree, encoder, max_context_tokens)
        if made is None:
            raise ValueError("the text that stands for removed evidence is too long")
        packed.append(made)
    return kept, packed


def _trees(
    rows: Sequence[Row], context_of: Callable[[Row], str]
) -> Iterator[tuple[Sequence[Row], Tree]]:
    """Trees of at most MAX_LEAVES rows that follow each other and share a context."""
    start = 0
    contexts = [context_of(row) for row in rows]
    for end in range(1, len(rows) + 1):
        full = end - start == MAX_LEAVES
        if end == len(rows) or contexts[end] != contexts[start] or full:
            leaves = tuple(ask(row.claim, row.supported, _ASKED) for row in rows[start:end])
            yield rows[start:end], Tree(contexts[start], leaves, _ASKED)
            start = end
