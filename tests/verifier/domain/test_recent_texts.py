"""Which texts are tokenised again, and which are not."""

from collections.abc import Sequence

from groundwire_verifier.domain.prompts import (
    BATCH_CHARACTERS,
    ENTRY_CHARACTERS,
    RecentTexts,
)


class Encoder:
    """Gives the characters' code points, and keeps what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[list[int]]:
        self.asked += texts
        return [[ord(character) for character in text] for text in texts]


def salted(*texts: str) -> list[tuple[str, str]]:
    return [("salt", text) for text in texts]


def test_a_text_is_tokenised_once() -> None:
    encode = Encoder()
    recent = RecentTexts(encode)
    first = recent.tokens(salted("ab", "c", "ab"))
    assert recent.tokens(salted("c", "ab")) == first
    assert first == {("salt", "ab"): (97, 98), ("salt", "c"): (99,)}
    assert encode.asked == ["ab", "c"]


def test_a_text_is_tokenised_anew_for_another_salt() -> None:
    encode = Encoder()
    recent = RecentTexts(encode)
    recent.tokens([("one", "ab")])
    recent.tokens([("another", "ab")])
    assert encode.asked == ["ab", "ab"]


def test_what_was_used_longest_ago_is_forgotten_first() -> None:
    encode = Encoder()
    recent = RecentTexts(encode, max_characters=2 * (2 + ENTRY_CHARACTERS))
    recent.tokens(salted("ab", "cd"))
    recent.tokens(salted("ab"))
    recent.tokens(salted("ef"))
    encode.asked.clear()
    recent.tokens(salted("ab", "ef"))
    recent.tokens(salted("cd"))
    assert encode.asked == ["cd"]


def test_many_texts_of_one_character_are_bounded_by_what_an_entry_takes() -> None:
    encode = Encoder()
    recent = RecentTexts(encode, max_characters=3 * (1 + ENTRY_CHARACTERS))
    texts = [chr(ord("a") + i) for i in range(20)]
    recent.tokens(salted(*texts))
    encode.asked.clear()
    recent.tokens(salted(*reversed(texts)))
    assert encode.asked == texts[-4::-1]


def test_a_text_beyond_the_limit_is_tokenised_and_not_kept() -> None:
    encode = Encoder()
    recent = RecentTexts(encode, max_characters=4)
    (tokens,) = recent.tokens(salted("abcdef")).values()
    assert len(tokens) == 6
    recent.tokens(salted("abcdef"))
    assert encode.asked == ["abcdef", "abcdef"]


def test_few_characters_are_tokenised_at_one_time() -> None:
    sizes: list[int] = []

    def encode(texts: Sequence[str]) -> list[list[int]]:
        sizes.append(sum(map(len, texts)))
        return [[len(text)] for text in texts]

    texts = [str(i) * (BATCH_CHARACTERS // 4) for i in range(10)]
    tokens = RecentTexts(encode).tokens(salted(*texts, "a" * (2 * BATCH_CHARACTERS)))
    assert [tokens[key] for key in salted(*texts)] == [(len(text),) for text in texts]
    # A text is never cut: its tokens would be others.
    assert sizes == [
        BATCH_CHARACTERS,
        BATCH_CHARACTERS,
        BATCH_CHARACTERS // 2,
        2 * BATCH_CHARACTERS,
    ]
