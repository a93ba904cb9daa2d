"""Sentences of an answer against the texts that it was given, by the cosine of their vectors.

A high cosine says that two texts are about the same, not that one carries the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from groundwire_verifier.checks.corpus.passages import Vectors
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.claims import CitationSyntax, Span
from groundwire_verifier.domain.errors import ImplausibleAnswerError, InvalidReason, Violation
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.engine.chunking import ChunkSize, SizedSpan, halves, pack, sentences_of
from groundwire_verifier.text.claims.markup.blocks import BlockKind, find_blocks
from groundwire_verifier.text.claims.markup.boundaries import find_sentences
from groundwire_verifier.text.claims.markup.canvas import Canvas
from groundwire_verifier.text.claims.markup.citations import CitationReader
from groundwire_verifier.text.claims.wording.sentence import language_of

MIN_SENTENCE_CHARACTERS = 10
"""Shorter sentences are left out: a vector of two words says little."""

PASSAGE_CHARACTERS = 1000
"""The most characters of a passage. The vector of a longer text is a mean of all that it says, and
near to no sentence of it; MiniLM reads 256 tokens at once, about as many of English prose."""

OVERLAP_CHARACTERS = 200
"""The most that a passage repeats of the one before, so that no two sentences are torn apart."""

_NO_CITATIONS = CitationSyntax(prefixes=(), styles=frozenset())
_ONE_SENTENCE = (BlockKind.HEADING, BlockKind.ROW, BlockKind.REFERENCE)


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A sentence of an answer, with single spaces, and where it stands in there."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class ComparisonTexts:
    """All that has to be embedded for one answer.

    `short` counts sentences that were left out. `context_of` has the index of the context that each
    passage is from.
    """

    sentences: tuple[AnswerSentence, ...]
    short: int
    passages: tuple[str, ...]
    context_of: tuple[int, ...]

    @property
    def texts(self) -> list[str]:
        """The sentences and the passages, equal ones once."""
        return list(dict.fromkeys([*(each.text for each in self.sentences), *self.passages]))


def split_into_sentences(text: str) -> list[str]:
    """The sentences of a text in their order, with single spaces; the short ones, too."""
    return [sentence.text for sentence in find_answer_sentences(text)]


def find_answer_sentences(text: str) -> list[AnswerSentence]:
    """The sentences of a text with their places; code is none, nor is what holds no word."""
    reader = CitationReader(text, _NO_CITATIONS, len(text))
    return [
        sentence
        for block in find_blocks(text)
        if block.kind is not BlockKind.CODE
        for sentence in _sentences_in(Canvas.of_block(text, block, reader), block.kind)
    ]


def _sentences_in(canvas: Canvas, kind: BlockKind) -> Iterator[AnswerSentence]:
    whole = Span(0, len(canvas.masked))
    language = language_of(canvas.masked)
    places = [whole] if kind in _ONE_SENTENCE else find_sentences(canvas.masked, language)
    for place in places:
        span = Span(canvas.start + place.start, canvas.start + place.end)
        own = canvas.own(span)
        if own is not None:
            yield AnswerSentence(canvas.content(span), own)


def passages_of(text: str) -> list[str]:
    """A text as passages of at most PASSAGE_CHARACTERS that end with sentences; itself if short."""
    if len(text) <= PASSAGE_CHARACTERS:
        return [text]
    parts: list[SizedSpan] = []
    waiting = sentences_of(text)[::-1]
    while waiting:
        span = waiting.pop()
        size = span.end - span.start
        if size > PASSAGE_CHARACTERS:
            waiting += halves(text, span)[::-1]
        else:
            parts.append(SizedSpan(span, size))
    spans = pack(parts, ChunkSize(PASSAGE_CHARACTERS, OVERLAP_CHARACTERS))
    return [passage for span in spans if (passage := span.of(text).strip())]


def comparison_texts(answer: str, contexts: Sequence[str]) -> ComparisonTexts:
    """What has to be embedded to compare an answer with contexts."""
    found = find_answer_sentences(answer)
    long = tuple(each for each in found if len(each.text) >= MIN_SENTENCE_CHARACTERS)
    passages = [(passage, i) for i, text in enumerate(contexts) for passage in passages_of(text)]
    return ComparisonTexts(
        sentences=long,
        short=len(found) - len(long),
        passages=tuple(passage for passage, _ in passages),
        context_of=tuple(i for _, i in passages),
    )


def check_comparison(
    answer: str, contexts: Sequence[str], threshold: float, limits: Limits
) -> None:
    """Raise InvalidInputError where an answer cannot be compared with these contexts."""
    found = checks.visible_text(answer, limits, "answer")
    if not contexts:
        text = "is empty; send at least one text to compare with"
        found.append(Violation("contexts", InvalidReason.INVALID_SOURCE, text))
    if len(contexts) > limits.sources:
        text = f"holds {len(contexts):,} texts; the limit is {limits.sources:,}: send fewer"
        found.append(Violation("contexts", InvalidReason.INVALID_SOURCE, text))
    for i, context in enumerate(contexts[: limits.sources]):
        found += checks.visible_text(context, limits, f"contexts[{i}]")
    size = sum(map(len, contexts))
    if size > limits.evidence_characters:
        text = checks.too_long(size, limits.evidence_characters, "characters", "the texts")
        found.append(Violation("contexts", InvalidReason.CONTEXT_TOO_LONG, text))
    checks.raise_any([*found, *checks.shares({"threshold": threshold})])


def check_count(texts: ComparisonTexts, most: int) -> None:
    """Raise InvalidInputError for more sentences and passages than may be embedded in one call."""
    sentences, passages = len(texts.sentences), len(texts.passages)
    if sentences + passages <= most:
        return
    field = "answer" if sentences > passages else "contexts"
    text = (
        f"makes {sentences:,} sentences and {passages:,} passages to compare; the limit is "
        f"{most:,} together: shorten the texts"
    )
    checks.raise_any([Violation(field, InvalidReason.TEXT_TOO_LONG, text)])


DEFAULT_THRESHOLD = 0.60
"""The cosine from which a sentence counts as supported; sensible values are .55 to .70."""

BLOCK_ROWS = 1024
"""Sentences that are compared at once, so that 10,000 of them need 40 MB and no 400."""


@dataclass(frozen=True, slots=True)
class SentenceSupport:
    """A sentence with its largest cosine, in [-1, 1], and the index of the context that has it."""

    sentence: AnswerSentence
    similarity: float
    context_index: int
    supported: bool


@dataclass(frozen=True, slots=True)
class SimilarityReport:
    """What was found for the sentences of an answer. `short` counts those that were left out."""

    sentences: tuple[SentenceSupport, ...]
    short: int
    threshold: float

    @property
    def unsupported(self) -> tuple[SentenceSupport, ...]:
        """The sentences below the threshold."""
        return tuple(each for each in self.sentences if not each.supported)

    @property
    def hallucination_score(self) -> float | None:
        """The share of sentences that is not supported, in [0, 1]; None if none was compared."""
        return len(self.unsupported) / len(self.sentences) if self.sentences else None


def nearest(
    claims: Vectors, contexts: Vectors
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """For each claim its largest cosine, in [-1, 1], and the row of `contexts` that has it.

    Vectors have length 1 and the shapes (claims, size) and (contexts, size), with at least one
    context. Raises ImplausibleAnswerError for vectors that are none.
    """
    if not (np.isfinite(claims).all() and np.isfinite(contexts).all()):
        raise ImplausibleAnswerError("the embedder gave a vector with a number that is none")
    similarities = np.empty(len(claims), np.float32)
    rows = np.empty(len(claims), np.int64)
    for start in range(0, len(claims), BLOCK_ROWS):
        cosines = claims[start : start + BLOCK_ROWS] @ contexts.T
        best = cosines.argmax(axis=1)
        rows[start : start + len(best)] = best
        similarities[start : start + len(best)] = cosines[np.arange(len(best)), best]
    # The product of two vectors of length 1 may be 1.0000001.
    return similarities.clip(-1.0, 1.0), rows


def report_on_similarity(
    texts: ComparisonTexts, vectors: Vectors, threshold: float
) -> SimilarityReport:
    """The report on an answer. `vectors` are those of `texts.texts`, shape (texts, size).

    Raises ImplausibleAnswerError for vectors that are none.
    """
    place = {text: row for row, text in enumerate(texts.texts)}
    if len(vectors) != len(place):
        raise ImplausibleAnswerError(f"{len(vectors)} vectors came for {len(place)} texts")
    claims = vectors[[place[sentence.text] for sentence in texts.sentences]]
    similarities, rows = nearest(claims, vectors[[place[text] for text in texts.passages]])
    return SimilarityReport(
        sentences=tuple(
            # As Python compares them: NumPy would round the threshold to the cosine's precision.
            SentenceSupport(sentence, cosine, texts.context_of[row], cosine >= threshold)
            for sentence, cosine, row in zip(
                texts.sentences, similarities.tolist(), rows, strict=True
            )
        ),
        short=texts.short,
        threshold=threshold,
    )
