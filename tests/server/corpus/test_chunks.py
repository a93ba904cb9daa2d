"""Texts in chunks that end at the ends of sentences."""

import re

from hypothesis import given
from hypothesis import strategies as st

from groundwire_server.corpus.chunks import ChunkSize, chunks

SENTENCES = ["One two three. ", "Four five six! ", "Seven eight nine? "]


def words(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(r"\w+|[^\w\s]", text)]


def cut(text: str, size: ChunkSize) -> list[str]:
    return [text[start:end].strip() for start, end in chunks(text, words(text), size)]


def test_chunks_end_at_sentences_and_overlap_by_whole_ones() -> None:
    assert cut("".join(SENTENCES), ChunkSize(8, 4)) == [
        "One two three. Four five six!",
        "Four five six! Seven eight nine?",
    ]


def test_a_sentence_that_is_longer_than_a_chunk_is_cut_between_words() -> None:
    assert cut("One two three four five six.", ChunkSize(3, 1)) == [
        "One two three",
        "four five six",
        ".",
    ]


@given(
    st.lists(st.sampled_from([*SENTENCES, "word " * 15, "\n\n", "שלום עולם. "]), max_size=30),
    st.integers(3, 20),
    st.integers(0, 10),
)
def test_every_word_is_in_a_chunk_and_no_chunk_is_too_long(
    parts: list[str], tokens: int, overlap: int
) -> None:
    text = "".join(parts)
    size = ChunkSize(tokens, min(overlap, tokens // 2))
    found = list(chunks(text, words(text), size))
    covered = {at for start, end in found for at in range(start, end)}
    assert all(set(range(*span)) <= covered for span in words(text))
    assert all(len(words(text[start:end])) <= tokens for start, end in found)
    assert found == sorted(found)
