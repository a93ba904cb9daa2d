"""The Similarity service: an answer and its contexts to vectors, and a report to a response.

The texts of calls are embedded beside each other, batch by batch: calls take turns.
"""

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

import numpy as np

from groundwire.v1 import similarity_pb2 as pb
from groundwire.v1 import similarity_pb2_grpc as pb_grpc
from groundwire_server.access.round_robin import RoundRobin
from groundwire_server.features.detection.messages import duration, message, writes
from groundwire_server.features.detection.parts import Parts
from groundwire_server.rpc.admission import PendingLimit
from groundwire_server.rpc.calls import Calls, Context
from groundwire_server.text_work.pool import TextTimeoutError, TextWorks
from groundwire_verifier.checks.answers import extract_took_too_long
from groundwire_verifier.checks.corpus.passages import Embedder, Vectors
from groundwire_verifier.checks.similarity.texts import (
    ComparisonTexts,
    SentenceSupport,
    SimilarityReport,
    check_comparison,
    check_count,
    comparison_texts,
    report_on_similarity,
)
from groundwire_verifier.domain.tasks import in_thread
from groundwire_verifier.domain.types import Limits

BATCH_TEXTS = 128
"""Texts that are embedded in one go, in about a second at most: so long a call that is cancelled
still computes, and others wait."""

UNIT = "sentences and passages"

MAX_TEXTS = 12_000
"""Most sentences and passages of one call."""
CALLS_OF_MOST_TEXTS = 4
"""How many calls with the most texts may wait or run at one time; of smaller ones more."""


@runtime_checkable
class Closing(Protocol):
    """An embedder that holds something."""

    def close(self) -> None:
        """Give it back."""


class TextEmbedding:
    """Makes the vectors of many calls with one embedder, in a thread, one batch at a time."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._places = PendingLimit(UNIT, CALLS_OF_MOST_TEXTS * MAX_TEXTS)
        # Those of one caller get it in the order of asking: its calls take turns as well.
        self._turns = RoundRobin()

    async def close(self) -> None:
        """Give back what the embedder holds, such as connections. No call may run."""
        if isinstance(self._embedder, Closing):
            await in_thread(self._embedder.close)

    @property
    def name(self) -> str:
        """The embedder's."""
        return self._embedder.name

    @property
    def places(self) -> int:
        """How many texts may wait or run, of all calls."""
        return self._places.limit

    def hold(self, texts: int) -> AbstractContextManager[None]:
        """Hold places for so many texts, at most MAX_TEXTS. Raises QueueFullError."""
        return self._places.hold(texts)

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, of which there is at least one, shape (texts, size).

        Raises BackendUnavailableError where the embedder is elsewhere and gives none.
        """
        batches: list[Vectors] = []
        for start in range(0, len(texts), BATCH_TEXTS):
            async with self._turns.one():
                batch = texts[start : start + BATCH_TEXTS]
                batches.append(await in_thread(self._embedder.embed, batch))
        return np.concatenate(batches)


class SimilarityService(pb_grpc.SimilarityServicer):
    """Answers the call of the contract."""

    def __init__(self, parts: Parts, embedding: TextEmbedding) -> None:
        self._calls: Calls = parts.calls
        self._texts: TextWorks = parts.texts
        self._limits: Limits = parts.verifier.limits
        self._embedding = embedding
        self._parts = parts
        self._settings = parts.settings

    async def CheckSimilarity(  # noqa: N802 - named by the contract
        self, request: pb.CheckSimilarityRequest, context: Context
    ) -> pb.CheckSimilarityResponse:
        """Compare the sentences of an answer with its contexts."""
        embedding = self._embedding
        began_s = time.monotonic()
        threshold = (
            request.threshold
            if request.HasField("threshold")
            else self._settings.similarity_threshold
        )
        contexts = list(request.contexts)
        check_comparison(request.answer, contexts, threshold, self._limits)
        self._calls.admission.raise_if_draining()
        texts = await self._split(request.answer, contexts)
        check_count(texts, MAX_TEXTS)
        counts = {"groundwire.sentences": len(texts.sentences)}
        count, admission = len(texts.texts), self._calls.admission
        with (
            admission.admit_part(UNIT, count, embedding.places, embedding.hold(count)),
            self._calls.telemetry.span("groundwire.similarity", {**counts}),
        ):
            vectors = await embedding.vectors(texts.texts)
            report = await in_thread(report_on_similarity, texts, vectors, threshold)
        self._calls.telemetry.record_similarity(len(report.sentences), len(report.unsupported))
        return _response(report, embedding.name, time.monotonic() - began_s)

    async def _split(self, answer: str, contexts: list[str]) -> ComparisonTexts:
        """What is to be compared. Raises InvalidInputError if that takes too long."""
        # Which of the two kinds of process it takes is a matter of all texts.
        work = self._texts.for_text("".join((answer, *contexts)))
        with self._calls.telemetry.span("groundwire.extract", {}):
            try:
                return await work.run(comparison_texts, answer, contexts)
            except TextTimeoutError as error:
                raise extract_took_too_long("answer", error.limit_s) from None


def _response(
    report: SimilarityReport, embedder: str, total_s: float
) -> pb.CheckSimilarityResponse:
    return message(
        pb.CheckSimilarityResponse,
        report,
        short_sentences=report.short,
        embedder=embedder,
        total_duration=duration(total_s),
    )


@writes(SentenceSupport)
def _sentence(support: SentenceSupport) -> pb.ComparedSentence:
    sentence = support.sentence
    return message(pb.ComparedSentence, support, text=sentence.text, span=sentence.span)
