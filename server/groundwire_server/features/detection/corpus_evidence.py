"""The passages of a corpus as the evidence of an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import zip_longest

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.features.detection.messages import message
from groundwire_verifier.checks.corpus.passages import (
    EvidenceProvider,
    Passage,
    RetrievalFailedError,
    retrieved,
)
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import CorpusUnavailableError, InvalidReason, Violation
from groundwire_verifier.domain.evidence import Document, Evidence
from groundwire_verifier.domain.tasks import in_thread
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.verification import VerificationInput


@dataclass(frozen=True, slots=True)
class RetrievalRules:
    """Most passages of a claim. What is near enough is the provider's to say."""

    top_k: int


class CorpusEvidence:
    """Finds evidence in the corpora that the operator names."""

    def __init__(self, corpora: Mapping[str, EvidenceProvider], rules: RetrievalRules) -> None:
        self._corpora = corpora
        self._rules = rules

    def check(self, corpus: str, field: str) -> None:
        """Raises InvalidInputError for a corpus, named in `field`, that there is not."""
        if corpus not in self._corpora:
            text = (
                "names no corpus of this server; use a name that its operator gave to one"
                if self._corpora
                else "can name none: this server has no corpus; its operator sets retrieval_corpora"
            )
            checks.raise_any([Violation(field, InvalidReason.UNKNOWN_CORPUS, text)])

    async def found(
        self, corpus: str, batch: VerificationInput, limits: Limits
    ) -> tuple[VerificationInput, tuple[Passage, ...]]:
        """The batch with passages for its claims as its documents, and those passages.

        A passage that is found for several claims is there once. Those that are best for a claim
        come first, and what is beyond `limits` is left out from the end. Raises
        CorpusUnavailableError.
        """
        rules, provider = self._rules, self._corpora[corpus]
        # One after the other: each has all threads of the embedder, and a call has few claims.
        lists: list[Sequence[Passage]] = []
        try:
            for claim in dict.fromkeys(task.text for task in batch.tasks):
                lists.append(await retrieved(provider, claim, rules.top_k))
        except RetrievalFailedError as error:
            raise CorpusUnavailableError(str(error)) from error
        passages = _within(_best_first(lists), limits)
        documents = [
            Document(source_id(i), passage.text, passage.title)
            for i, passage in enumerate(passages)
        ]
        evidence = await in_thread(Evidence.of_documents, documents)
        return replace(batch, evidence=evidence), passages


def source_id(index: int) -> str:
    """The id of a passage as a source: P1 for the first."""
    return f"P{index + 1}"


def source_days(passages: Sequence[Passage]) -> dict[str, date]:
    """The days of passages that have one, by their ids as sources."""
    return {source_id(i): each.dated for i, each in enumerate(passages) if each.dated is not None}


def retrieved_source(index: int, passage: Passage) -> pb.RetrievedSource:
    return message(
        pb.RetrievedSource,
        passage,
        id=source_id(index),
        span=pb.Span(start=passage.start, end=passage.end),
        dated=passage.dated.isoformat() if passage.dated else "",
    )


def _best_first(lists: Sequence[Sequence[Passage]]) -> list[Passage]:
    """The first passage of each claim, then the second, each with its largest similarity."""
    found: dict[tuple[str, int, int], Passage] = {}
    for rank in zip_longest(*lists):
        for passage in rank:
            if passage is not None:
                place = passage.document, passage.start, passage.end
                known = found.setdefault(place, passage)
                if (passage.similarity or -1.0) > (known.similarity or -1.0):
                    found[place] = passage
    return list(found.values())


def _within(passages: Sequence[Passage], limits: Limits) -> tuple[Passage, ...]:
    kept: list[Passage] = []
    left = limits.text_characters
    for passage in passages[: limits.sources]:
        left -= len(passage.text) + len(passage.title)
        if left < 0:
            break
        kept.append(passage)
    return tuple(kept)
