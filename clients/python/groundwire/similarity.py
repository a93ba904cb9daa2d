"""What a server found for the sentences of an answer by similarity alone, which is no verdict."""

from collections.abc import Iterator
from dataclasses import dataclass

from groundwire.claims import Span


@dataclass(frozen=True, slots=True)
class ComparedSentence:
    """A sentence with what is nearest to it."""

    text: str
    """The sentence, with single spaces, without marks of emphasis."""
    span: Span
    """Where it stands in the answer."""
    similarity: float
    """The largest cosine of its vector with that of a context, in [-1, 1]."""
    context_index: int
    """The index of that context in the call, from 0."""
    supported: bool
    """Whether the similarity is at least the threshold. It does not say that the context carries
    the sentence."""


@dataclass(frozen=True, slots=True)
class SimilarityResult:
    """The answer to `check_similarity`. Iterating gives the sentences that were compared."""

    sentences: tuple[ComparedSentence, ...]
    """Those of at least 10 characters, in their order."""
    short_sentences: int
    """How many were left out, since they are shorter."""
    hallucination_score: float | None
    """The share of the compared sentences that is not supported, in [0, 1]. None: no sentence was
    compared, and nothing is known."""
    threshold: float
    """The cosine from which a sentence counted as supported."""
    embedder: str
    """What made the vectors. Cosines of two embedders do not compare."""
    total_s: float
    """How long the call took in the server, in seconds."""

    def __iter__(self) -> Iterator[ComparedSentence]:
        return iter(self.sentences)

    @property
    def unsupported(self) -> tuple[ComparedSentence, ...]:
        """The sentences below the threshold."""
        return tuple(each for each in self.sentences if not each.supported)
