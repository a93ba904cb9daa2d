"""Long contexts, read in overlapping chunks of whole sentences where their questions allow it.

The reading of a question is that of the chunk which supports the claim most; a context without its
evidence is read in the same way, so that prior and posterior stay comparable.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.errors import TooManyPromptsError
from groundwire_verifier.domain.sharing import sharing_order
from groundwire_verifier.domain.tasks import in_thread
from groundwire_verifier.domain.types import Chunk, Limits, Prompt, Question, Reading, TimedReadings
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.engine.base import Backend, OnReading, Reader
from groundwire_verifier.text.claims.markup.boundaries import find_sentences
from groundwire_verifier.text.claims.wording.sentence import language_of

CHUNK_TOKENS = 1200
"""Of a context that a request has split."""
OVERLAP_SHARE = 8
"""A chunk repeats an eighth of the one before: a few sentences, so that what is cut in two at its
end stands whole in the next one."""


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """Tokens of a chunk at most, and of what it repeats of the one before."""

    tokens: int
    overlap_tokens: int


@dataclass(frozen=True, slots=True)
class SizedSpan:
    """A part of a text with its tokens."""

    span: Span
    tokens: int


def sentences_of(text: str) -> list[Span]:
    """The sentences of a text, which cover it without a gap."""
    return find_sentences(text, language_of(text)) or [Span(0, len(text))]


def halves(text: str, span: Span) -> list[Span]:
    """A part that is too long, cut near its middle, at white space if there is some."""
    middle = (span.start + span.end) // 2
    at = max(text.rfind(" ", span.start + 1, middle), text.rfind("\n", span.start + 1, middle))
    # A cut far from the middle would not make it shorter.
    if at < span.start + (span.end - span.start) // 4:
        at = middle
    return [Span(span.start, at), Span(at, span.end)]


def pack(parts: Sequence[SizedSpan], size: ChunkSize) -> list[Span]:
    """The fewest chunks of whole parts, each of at most `size.tokens`, in order.

    A chunk begins with the last parts of the one before that fit into `size.overlap_tokens`. A
    part that is longer than a chunk is one by itself.
    """
    chunks: list[Span] = []
    first = 0
    while first < len(parts):
        end, tokens = first, 0
        while end < len(parts) and (end == first or tokens + parts[end].tokens <= size.tokens):
            tokens += parts[end].tokens
            end += 1
        chunks.append(Span(parts[first].span.start, parts[end - 1].span.end))
        if end == len(parts):
            break
        first = _overlapping(parts, first, end, size)
    return chunks


def _overlapping(parts: Sequence[SizedSpan], first: int, end: int, size: ChunkSize) -> int:
    """Where the next chunk begins: it repeats what fits, and still holds the part at `end`."""
    room = min(size.overlap_tokens, size.tokens - parts[end].tokens)
    at = end
    while at - 1 > first and parts[at - 1].tokens <= room:
        at -= 1
        room -= parts[at].tokens
    return at


async def encode_in_chunks(
    backend: Backend, questions: Sequence[Question], limits: Limits
) -> list[Prompt]:
    """Turn questions into prompts, with chunks where a context is beyond the limits.

    Raises BackendUnavailableError, or TooManyPromptsError before any is made beyond the limit.
    """
    # One question a context: a long context is not to be a part of every claim's prompt.
    one_each = list({q.context: q for q in questions if q.splits}.values())
    limit = limits.context_tokens(backend.info)
    size = ChunkSize(min(CHUNK_TOKENS, limit), CHUNK_TOKENS // OVERLAP_SHARE)
    least = {
        question.context: math.ceil(prompt.context_tokens / size.tokens)
        for question, prompt in zip(one_each, await backend.encode(one_each), strict=True)
        if prompt.context_tokens > limit
    }
    _check_count(sum(least.get(q.context, 1) for q in questions), limits)
    chunks_of = {
        q.context: await _chunks(backend, _asking_nothing(q), size)
        for q in one_each
        if q.context in least
    }
    _check_count(sum(len(chunks_of.get(q.context, (None,))) for q in questions), limits)
    whole = iter(await backend.encode([q for q in questions if q.context not in chunks_of]))
    return [
        await _split(backend, q, chunks_of[q.context]) if q.context in chunks_of else next(whole)
        for q in questions
    ]


async def read_in_chunks(
    reader: Reader,
    prompts: Sequence[Prompt],
    trace_headers: Mapping[str, str],
    urgency: Urgency,
    on_reading: OnReading | None = None,
) -> TimedReadings:
    """Read all chunks of all prompts as one call. Each prompt has, and is told, one reading."""
    parts = [part for prompt in prompts for part in prompt.parts]
    places = [(i, k) for i, prompt in enumerate(prompts) for k in range(len(prompt.parts))]
    # All claims on one chunk together, so that it is computed once.
    order = await in_thread(sharing_order, parts)
    known: list[dict[int, Reading]] = [{} for _ in prompts]

    def take(index: int, reading: Reading) -> None:
        owner, part = places[order[index]]
        known[owner][part] = reading
        if on_reading is not None and len(known[owner]) == len(prompts[owner].parts):
            on_reading(owner, _combined(prompts[owner], known[owner]))

    done = await reader.read([parts[i] for i in order], trace_headers, urgency, take)
    found = [_combined(prompt, read) for prompt, read in zip(prompts, known, strict=True)]
    return replace(done, readings=tuple(found))


def _check_count(prompts: int, limits: Limits) -> None:
    if prompts > limits.prompts:
        raise TooManyPromptsError(prompts)


async def _chunks(backend: Backend, question: Question, size: ChunkSize) -> list[Span]:
    context = question.context
    spans = await in_thread(sentences_of, context)
    sized: list[SizedSpan] = []
    while spans:
        prompts = await _on_each(backend, question, spans)
        counted = [
            SizedSpan(span, prompt.context_tokens)
            for span, prompt in zip(spans, prompts, strict=True)
        ]
        spans = []
        for part in counted:
            if part.tokens <= size.tokens or part.span.end - part.span.start < 2:  # noqa: PLR2004
                sized.append(part)
            else:
                spans += halves(context, part.span)
    sized.sort(key=lambda part: part.span.start)
    return pack(sized, size)


async def _on_each(backend: Backend, question: Question, spans: Sequence[Span]) -> list[Prompt]:
    """The prompts of a question on each of these parts of its context."""
    return await backend.encode(
        [replace(question, context=span.of(question.context)) for span in spans]
    )


async def _split(backend: Backend, question: Question, spans: Sequence[Span]) -> Prompt:
    prompts = await _on_each(backend, question, spans)
    longest = max(prompts, key=lambda prompt: prompt.context_tokens)
    chunks = tuple(
        (prompt, Chunk(i, len(spans), span.start, span.end))
        for i, (prompt, span) in enumerate(zip(prompts, spans, strict=True))
    )
    return replace(prompts[0], context_tokens=longest.context_tokens, chunks=chunks)


def _asking_nothing(question: Question) -> Question:
    """The same on any claim: what a context's chunks depend on."""
    return Question("x", question.context, cache_salt=question.cache_salt)


def _combined(prompt: Prompt, readings: Mapping[int, Reading]) -> Reading:
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
