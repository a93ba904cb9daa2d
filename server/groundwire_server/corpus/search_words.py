"""The words of a text as a sparse vector, for BM25: English by their stems, Hebrew by its
prefixes.

Qdrant's own BM25 makes stems of English words and numbers of all words; what is done about Hebrew
first stands here.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import qdrant_edge as qdrant

PREFIXES = "הובלמשכ"
MOST_PREFIXES = 3
SHORTEST = 2
"""Letters that have to be left of a Hebrew word."""

VERSION = "1"
"""Another one asks for new indexes."""

_POINTS = re.compile("[\u0591-\u05c7]")
_HEBREW_WORD = re.compile("[\u05d0-\u05ea][\u05d0-\u05ea\"'״׳]*")
_WORD = re.compile(r"[^\W_]+(?:[.,:'’\"״׳-][^\W_]+)*")
_MARKS = re.compile("[\"'״׳]")


@dataclass(frozen=True, slots=True)
class SparseWords:
    """A sparse vector: numbers of words, each once, and their weights."""

    indices: Sequence[int]
    values: Sequence[float]


class WordEncoder:
    """Makes sparse vectors. Frequent English words count for nothing."""

    def __init__(self) -> None:
        self._bm25 = qdrant.Bm25()

    def document(self, text: str) -> SparseWords:
        """The words of a chunk with their BM25 weights (k 1.2, b 0.75, a mean of 256 words).

        How rare a word is comes in when the index is searched.
        """
        return _words(self._bm25.embed_document(with_bases(text)))

    def query(self, text: str) -> SparseWords:
        """The words of a claim, each with the weight 1."""
        return _words(self._bm25.embed_query(with_bases(text)))

    def terms(self, text: str) -> list[frozenset[int]]:
        """The numbers that each different word of a claim goes by; frequent words have none."""
        words = dict.fromkeys(each.group().lower() for each in _WORD.finditer(_plain(text)))
        found = (frozenset(self.query(word).indices) for word in words)
        return list(dict.fromkeys(each for each in found if each))


def with_bases(text: str) -> str:
    """A text in which each Hebrew word is followed by what is left of it without its prefixes.

    `ושבבית` is also `שבבית`, `בבית` and `בית`: which letters are prefixes only its meaning tells,
    so all of them are tried, and a claim and a passage meet in one.
    """
    return _HEBREW_WORD.sub(lambda found: " ".join(bases(found.group())), _plain(text))


def bases(word: str) -> Iterator[str]:
    """A Hebrew word, then without its first prefix, its first two, and its first three."""
    bare = _MARKS.sub("", word)
    yield bare
    for _ in range(MOST_PREFIXES):
        if bare[:1] not in PREFIXES or len(bare) <= SHORTEST:
            return
        bare = bare[1:]
        yield bare


def _plain(text: str) -> str:
    return _POINTS.sub("", unicodedata.normalize("NFKC", text))


def _words(vector: qdrant.SparseVector) -> SparseWords:
    return SparseWords(vector.indices, vector.values)
