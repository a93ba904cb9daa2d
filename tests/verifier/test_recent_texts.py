"""Which texts are tokenised again, and which are not."""

from collections.abc import Sequence

from verifier.recent_texts import BATCH_CHARACTERS, RecentTexts


class Encoder:
    """Gives the characters' code points, and keeps what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[list[int]]:
        self.asked += texts
        return [[ord(character) for character in text] for text in texts]


def test_a_text_is_tokenised_once() -> None:
    encode = Encoder()
    recent = RecentTexts(encode)
    first = recent.tokens(["ab", "c", "ab"])
    assert recent.tokens(["c", "ab"]) == first == {"ab": (97, 98), "c": (99,)}
    assert encode.asked == ["ab", "c"]


def test_what_was_used_longest_ago_is_forgotten_first() -> None:
    encode = Encoder()
    recent = RecentTexts(encode, max_characters=4)
    recent.tokens(["ab", "cd"])
    recent.tokens(["ab"])
    recent.tokens(["ef"])
    encode.asked.clear()
    recent.tokens(["ab", "ef"])
    recent.tokens(["cd"])
    assert encode.asked == ["cd"]


def test_a_text_beyond_the_limit_is_tokenised_and_not_kept() -> None:
    encode = Encoder()
    recent = RecentTexts(encode, max_characters=4)
    assert len(recent.tokens(["abcdef"])["abcdef"]) == 6
    recent.tokens(["abcdef"])
    assert encode.asked == ["abcdef", "abcdef"]


def test_few_characters_are_tokenised_at_one_time() -> None:
    sizes: list[int] = []

    def encode(texts: Sequence[str]) -> list[list[int]]:
        sizes.append(sum(map(len, texts)))
        return [[len(text)] for text in texts]

    texts = [str(i) * (BATCH_CHARACTERS // 4) for i in range(10)]
    tokens = RecentTexts(encode).tokens([*texts, "a" * (2 * BATCH_CHARACTERS)])
    assert [tokens[text] for text in texts] == [(len(text),) for text in texts]
    # A text is never cut: its tokens would be others.
    assert sizes == [
        BATCH_CHARACTERS,
        BATCH_CHARACTERS,
        BATCH_CHARACTERS // 2,
        2 * BATCH_CHARACTERS,
    ]


def test_equal_tokens_are_one_object() -> None:
    recent = RecentTexts(lambda texts: [[int("1000")] for _ in texts])
    tokens = recent.tokens(["a", "b"])
    assert tokens["a"][0] is tokens["b"][0]
