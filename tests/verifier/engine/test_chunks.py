"""How a long text is cut: whole sentences, all of them, overlapping, never too long."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.engine.chunking import ChunkSize, SizedSpan, pack, sentences_of

SIZE = ChunkSize(tokens=10, overlap_tokens=4)


def parts(*tokens: int) -> list[SizedSpan]:
    found, at = [], 0
    for count in tokens:
        found.append(SizedSpan(Span(at, at + count), count))
        at += count
    return found


def test_a_chunk_begins_with_the_end_of_the_one_before() -> None:
    assert pack(parts(4, 4, 2, 4, 4), SIZE) == [Span(0, 10), Span(8, 18)]


def test_what_is_too_long_to_repeat_is_not_repeated() -> None:
    assert pack(parts(5, 5, 5, 5), SIZE) == [Span(0, 10), Span(10, 20)]


def test_a_part_that_is_longer_than_a_chunk_is_one() -> None:
    assert pack(parts(3, 25, 3), SIZE) == [Span(0, 3), Span(3, 28), Span(28, 31)]


@given(st.lists(st.integers(1, 12), min_size=1, max_size=60))
def test_chunks_cover_everything_in_order(tokens: list[int]) -> None:
    chunks = pack(parts(*tokens), SIZE)
    assert (chunks[0].start, chunks[-1].end) == (0, sum(tokens))
    for first, second in itertools.pairwise(chunks):
        assert first.start < second.start <= first.end < second.end
        assert first.end - second.start <= SIZE.overlap_tokens
    longest = max(tokens)
    assert max(chunk.end - chunk.start for chunk in chunks) <= max(SIZE.tokens, longest)


@given(st.text(max_size=300))
def test_the_sentences_of_any_text_cover_it(text: str) -> None:
    spans = sentences_of(text)
    assert (spans[0].start, spans[-1].end) == (0, len(text))
    for first, second in itertools.pairwise(spans):
        assert first.end == second.start


def test_sentences_are_those_of_a_reader() -> None:
    text = "It rained. Dr. Moreno stayed at home. He slept."
    assert [span.of(text).strip() for span in sentences_of(text)] == [
        "It rained.",
        "Dr. Moreno stayed at home.",
        "He slept.",
    ]
