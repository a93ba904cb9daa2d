"""The largest cosine of labelled claims with their contexts, and its figures beside those of p1."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from groundwire_server.cli.evaluation.figures import SEED, UNREAD
from groundwire_server.cli.evaluation.rows import LabelledRow
from groundwire_verifier.checks.corpus.passages import Embedder, Vectors
from groundwire_verifier.checks.similarity.support import DEFAULT_THRESHOLD, nearest
from groundwire_verifier.checks.similarity.texts import passages_of, split_into_sentences
from groundwire_verifier.numbers import metrics
from groundwire_verifier.numbers.metrics import Bools, Figure, Floats

PASSAGES, WHOLE, SENTENCES = "passages", "whole text", "sentences"
WAYS: Mapping[str, Callable[[str], list[str]]] = {
    PASSAGES: passages_of,
    WHOLE: lambda text: [text],
    SENTENCES: lambda text: split_into_sentences(text) or [text],
}
"""What of a context a claim is compared with; the first is what the product does."""


@dataclass(frozen=True, slots=True)
class SetSimilarity:
    """The figures of one set. `cosine` goes by WAYS; AUROC is told, and `p1` is that of the reads.

    `supported_told` and `unsupported_told` are the shares of the rows that people labelled so whose
    cosine is at least .60, by PASSAGES. `best_threshold` has the best balanced accuracy, chosen on
    these rows, so it flatters.
    """

    name: str
    rows: int
    cosine: Mapping[str, Figure]
    p1: Figure
    word_overlap: Figure
    supported_told: float
    unsupported_told: float
    balanced_accuracy: float
    best_threshold: float
    best_balanced_accuracy: float
    read_balanced_accuracy: float


class RememberedVectors:
    """An embedder that embeds each text once: what is short is the same in all WAYS."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vectors] = {}

    def of(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, shape (texts, size)."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])


def largest_cosines(
    vectors: RememberedVectors, contexts: Sequence[str], claims: Sequence[str], way: str
) -> Floats:
    """The largest cosine of each claim with a part of its own context, shape (claims,)."""
    distinct = list(dict.fromkeys(contexts))
    parts = {context: WAYS[way](context) for context in distinct}
    flat = list(dict.fromkeys(part for context in distinct for part in parts[context]))
    place = {part: i for i, part in enumerate(flat)}
    part_vectors, claim_vectors = vectors.of(flat), vectors.of(claims)
    found = np.empty(len(claims))
    for i, context in enumerate(contexts):
        rows = [place[part] for part in parts[context]]
        similarities, _ = nearest(claim_vectors[i : i + 1], part_vectors[rows])
        found[i] = similarities[0]
    return found


def compare_set(
    name: str,
    rows: Sequence[LabelledRow],
    p1: Mapping[str, float | None],
    cosines: Mapping[str, Floats],
    resamples: int,
) -> SetSimilarity:
    """The figures of a set. `p1` goes by the rows' ids, `cosines` by WAYS."""
    labels = np.array([row.supported for row in rows], dtype=np.bool_)
    _, contexts = np.unique([row.context for row in rows], return_inverse=True)
    weights = metrics.cluster_weights(contexts.astype(np.int64), resamples, SEED)
    read = np.array([UNREAD if (value := p1[row.name]) is None else value for row in rows])

    def auroc(of: Floats) -> Figure:
        return metrics.interval(metrics.auroc(of, labels), metrics.auroc(of, labels, weights))

    scores = cosines[PASSAGES]
    told = scores >= DEFAULT_THRESHOLD
    best = max(np.unique(scores), key=lambda least: _balanced(scores >= least, labels))
    return SetSimilarity(
        name=name,
        rows=len(rows),
        cosine={way: auroc(scores) for way, scores in cosines.items()},
        p1=auroc(read),
        word_overlap=auroc(np.array([row.word_overlap for row in rows])),
        supported_told=float(told[labels].mean()),
        unsupported_told=float(told[~labels].mean()),
        balanced_accuracy=_balanced(told, labels),
        best_threshold=float(best),
        best_balanced_accuracy=_balanced(scores >= best, labels),
        read_balanced_accuracy=_balanced(read >= metrics.THRESHOLD, labels),
    )


def _balanced(said: Bools, labels: Bools) -> float:
    return float(metrics.balanced_accuracy(said, labels))
