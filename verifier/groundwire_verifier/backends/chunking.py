"""A backend whose long contexts, where a question allows it, are read in chunks.

Implements `backends.base.Backend` around another one. The reading of a question is that of
the chunk which supports the claim most; a context without its evidence is read in the same way, so
that prior and posterior stay comparable. Knows prompts and readings. Does not know engines.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from groundwire_verifier.backends.base import Backend, OnReading
from groundwire_verifier.backends.chunks import ChunkSize, SizedSpan, halves, pack, sentences_of
from groundwire_verifier.backends.wrapped import WrappedBackend
from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.errors import TooManyPromptsError
from groundwire_verifier.domain.sharing import sharing_order
from groundwire_verifier.domain.threads import in_thread
from groundwire_verifier.domain.types import Chunk, Limits, Prompt, Question, Reading, TimedReadings
from groundwire_verifier.domain.urgency import Urgency


class ChunkingBackend(WrappedBackend):
    """Reads with `inner`; a context beyond the limits is split if its question says so."""

    def __init__(self, inner: Backend, limits: Limits, size: ChunkSize) -> None:
        """Keep the parts."""
        super().__init__(inner)
        self._limits = limits
        self._size = size

    @property
    def direct(self) -> Backend:
        """The same without a memory of readings."""
        return ChunkingBackend(self._inner.direct, self._limits, self._size)

    async def encode(self, questions: Sequence[Question]) -> list[Prompt]:
        """Turn questions into prompts, with chunks where a context has to be split.

        Raises TooManyPromptsError before any is made that is beyond the limit.
        """
        # One question a context: a long context is not to be a part of every claim's prompt.
        one_each = list({q.context: q for q in questions if q.splits}.values())
        if not one_each:
            return await self._inner.encode(questions)
        limit = self._limits.context_tokens(self.info)
        tokens_of = {
            question.context: prompt.context_tokens
            for question, prompt in zip(one_each, await self._inner.encode(one_each), strict=True)
        }
        size = ChunkSize(min(self._size.tokens, limit), self._size.overlap_tokens)
        least = {
            context: math.ceil(tokens / size.tokens)
            for context, tokens in tokens_of.items()
            if tokens > limit
        }
        self._check_count(sum(least.get(q.context, 1) for q in questions))
        chunks_of = {
            q.context: await self._chunks(_asking_nothing(q), size)
            for q in one_each
            if q.context in least
        }
        self._check_count(sum(len(chunks_of.get(q.context, (None,))) for q in questions))
        whole = iter(await self._inner.encode([q for q in questions if q.context not in chunks_of]))
        return [
            await self._split(q, chunks_of[q.context]) if q.context in chunks_of else next(whole)
            for q in questions
        ]

    def _check_count(self, prompts: int) -> None:
        if prompts > self._limits.prompts:
            raise TooManyPromptsError(prompts)

    async def read(
        self,
        prompts: Sequence[Prompt],
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_reading: OnReading | None = None,
    ) -> TimedReadings:
        """Read all chunks of all prompts as one call; each prompt is told once. See the protocol"""
        if not any(prompt.chunks for prompt in prompts):
            return await self._inner.read(prompts, trace_headers, urgency, on_reading)
        parts = [part for prompt in prompts for part in prompt.parts]
        places = [(i, k) for i, prompt in enumerate(prompts) for k in range(len(prompt.parts))]
        # All claims on one chunk together, so that it is computed once.
        order = await in_thread(sharing_order, parts)
        known: list[dict[int, Reading]] = [{} for _ in prompts]

        def take(index: int, reading: Reading) -> None:
            owner, part = places[order[index]]
            known[owner][part] = reading
            if on_reading is not None and len(known[owner]) == len(prompts[owner].parts):
                on_reading(owner, combined(prompts[owner], known[owner]))

        done = await self._inner.read([parts[i] for i in order], trace_headers, urgency, take)
        found = [combined(prompt, read) for prompt, read in zip(prompts, known, strict=True)]
        return replace(done, readings=tuple(found))

    async def _chunks(self, question: Question, size: ChunkSize) -> list[Span]:
        context = question.context
        spans = await in_thread(sentences_of, context)
        sized: list[SizedSpan] = []
        while spans:
            counted = await self._counted(question, spans)
            spans = []
            for part in counted:
                if part.tokens <= size.tokens or part.span.end - part.span.start < 2:  # noqa: PLR2004
                    sized.append(part)
                else:
                    spans += halves(context, part.span)
        sized.sort(key=lambda part: part.span.start)
        return pack(sized, size)

    async def _counted(self, question: Question, spans: Sequence[Span]) -> list[SizedSpan]:
        prompts = await self._inner.encode(
            [replace(question, context=span.of(question.context)) for span in spans]
        )
        return [
            SizedSpan(span, prompt.context_tokens)
            for span, prompt in zip(spans, prompts, strict=True)
        ]

    async def _split(self, question: Question, spans: Sequence[Span]) -> Prompt:
        prompts = await self._inner.encode(
            [replace(question, context=span.of(question.context)) for span in spans]
        )
        longest = max(prompts, key=lambda prompt: prompt.context_tokens)
        chunks = tuple(
            (prompt, Chunk(i, len(spans), span.start, span.end))
            for i, (prompt, span) in enumerate(zip(prompts, spans, strict=True))
        )
        return replace(prompts[0], context_tokens=longest.context_tokens, chunks=chunks)


def _asking_nothing(question: Question) -> Question:
    """The same on any claim: what a context's chunks depend on."""
    return Question("x", question.context, cache_salt=question.cache_salt)


def combined(prompt: Prompt, readings: Mapping[int, Reading]) -> Reading:
    """Of the readings of a prompt's parts the one that supports the claim most, and all costs."""
    if not prompt.chunks:
        return readings[0]
    best = max(sorted(readings), key=lambda part: _support(readings[part]))
    return replace(
        readings[best],
        prompt_tokens=sum(reading.prompt_tokens for reading in readings.values()),
        cached_tokens=sum(reading.cached_tokens for reading in readings.values()),
        chunk=prompt.chunks[best][1],
    )


def _support(reading: Reading) -> float:
    """The log-odds of YES, in nats; without any mass on it there is no support."""
    return -math.inf if math.isinf(reading.yes_nats) else reading.yes_nats - reading.no_nats
