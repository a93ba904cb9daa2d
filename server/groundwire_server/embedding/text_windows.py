"""Texts as pieces that a model can read, and batches of pieces of like length."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

BATCH_TOKENS = 256
"""Tokens of one batch with its padding, or one piece. What a layer makes of them stays in the cache
of a core: batches of 2,048 give the same vectors and take longer."""


@dataclass(frozen=True, slots=True)
class PieceBatch:
    """Pieces that are read together. `ids` and `mask` have the shape (pieces, longest of them).

    `owners` says for each piece which text it is of.
    """

    ids: npt.NDArray[np.int64]
    mask: npt.NDArray[np.int64]
    owners: npt.NDArray[np.intp]


class PieceTokenizer:
    """Cuts texts into pieces of at most `window` tokens, those that the model adds among them."""

    def __init__(self, tokenizer: Tokenizer, window: int) -> None:
        """Takes the tokenizer over: how it cuts and fills up is set anew."""
        tokenizer.no_padding()
        tokenizer.enable_truncation(window)
        self._tokenizer = tokenizer

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where each token of a text begins and ends, in characters."""
        whole = self._tokenizer.encode(text, add_special_tokens=False)
        return [span for piece in _pieces(whole) for span in piece.offsets]

    def batches(self, texts: Sequence[str]) -> Iterator[PieceBatch]:
        """All pieces of all texts, the longest first. An empty text has one, too."""
        found = [
            (owner, piece.ids)
            for owner, whole in enumerate(self._tokenizer.encode_batch(texts))
            for piece in _pieces(whole)
        ]
        found.sort(key=lambda piece: -len(piece[1]))
        start = 0
        while start < len(found):
            end = start + max(1, BATCH_TOKENS // len(found[start][1]))
            yield _batch(found[start:end])
            start = end


def _pieces(whole: Encoding) -> list[Encoding]:
    return [whole, *whole.overflowing]


def _batch(pieces: Sequence[tuple[int, Sequence[int]]]) -> PieceBatch:
    ids = np.zeros((len(pieces), len(pieces[0][1])), np.int64)
    mask = np.zeros_like(ids)
    for row, (_, tokens) in enumerate(pieces):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return PieceBatch(ids, mask, np.array([owner for owner, _ in pieces], np.intp))
