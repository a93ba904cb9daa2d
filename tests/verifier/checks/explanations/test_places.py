"""Where words of a claim stand in its answer."""

from groundwire_verifier.checks.explanations.in_answer import place_in
from groundwire_verifier.domain.claims import Span


def span_of(text: str, words: str, nth: int = 0) -> Span:
    at = -1
    for _ in range(nth + 1):
        at = text.index(words, at + 1)
    return Span(at, at + len(words))


def test_words_are_found_within_their_claim_only() -> None:
    answer = "It has four wheels. It has four seats."
    own = span_of(answer, "It has four seats.")
    found = place_in(answer, own, "It has four seats.", Span(7, 11))
    assert found == span_of(answer, "four", 1)


def test_the_second_of_two_equal_words_is_the_second_in_the_answer() -> None:
    content = "It has four wheels and four seats."
    answer = f"So: {content}"
    own = span_of(answer, content)
    assert place_in(answer, own, content, span_of(content, "four", 1)) == span_of(answer, "four", 1)


def test_the_address_of_a_link_is_no_place() -> None:
    answer = "See [the guide](https://a.example/440/the) for the 440 m tower."
    content = "See the guide for the 440 m tower."
    found = place_in(answer, Span(0, len(answer)), content, span_of(content, "440"))
    assert found == span_of(answer, "440", 1)


def test_beside_the_address_of_a_link_the_second_of_two_is_the_second() -> None:
    answer = "See [the 440 m mast](https://a.example/440) and the 440 m mast."
    content = "See the 440 m mast and the 440 m mast."
    for nth, there in ((0, 0), (1, 2)):
        found = place_in(answer, Span(0, len(answer)), content, span_of(content, "440", nth))
        assert found == span_of(answer, "440", there)


def test_words_with_a_citation_between_them_are_found() -> None:
    answer = "The plan was **approved** [S1] by Ada."
    own = Span(0, len(answer))
    content = "The plan was approved by Ada."
    found = place_in(answer, own, content, span_of(content, "approved by Ada"))
    assert found == span_of(answer, "approved** [S1] by Ada")


def test_words_that_the_answer_does_not_hold_have_no_place() -> None:
    answer = "Ada wrote it and left."
    own = span_of(answer, "left")
    assert place_in(answer, own, "Ada left", Span(0, 3)) is None
