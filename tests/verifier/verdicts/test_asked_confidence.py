"""What a claim is asked for, by the words that it was said with."""

import pytest

from groundwire_verifier.checks.answers import asked_confidence
from groundwire_verifier.domain.claims import Confidence, ConfidenceSource, Span

WORDS, NUMBER = ConfidenceSource.INFERRED, ConfidenceSource.STATED


def of(value: float, source: ConfidenceSource = WORDS) -> Confidence:
    return Confidence(value, source, Span(0, 1))


@pytest.mark.parametrize("plain", [0.0, 0.6, 0.95])
def test_a_plain_claim_is_asked_for_the_plain_confidence(plain: float) -> None:
    assert asked_confidence(None, plain) == plain
    assert asked_confidence(of(0.95), plain) == pytest.approx(plain)


@pytest.mark.parametrize("value", [0.2, 0.75, 0.97])
def test_words_are_worth_what_they_are_where_a_plain_claim_is(value: float) -> None:
    assert asked_confidence(of(value), 0.95) == pytest.approx(value)


@pytest.mark.parametrize("plain", [0.5, 0.7, 0.95])
@pytest.mark.parametrize("source", [WORDS, NUMBER])
def test_a_hedge_never_asks_for_more_than_no_hedge(plain: float, source: ConfidenceSource) -> None:
    for value in (0.2, 0.6, 0.75, 0.9):
        assert asked_confidence(of(value, source), plain) == min(value, plain)


@pytest.mark.parametrize("plain", [0.5, 0.7, 0.95])
def test_certainty_asks_for_more_than_a_plain_claim(plain: float) -> None:
    assert plain < asked_confidence(of(0.97), plain) <= max(0.97, plain) < 1.0


def test_a_number_above_is_taken_as_it_is_stated() -> None:
    assert asked_confidence(of(0.99, NUMBER), 0.5) == 0.99
