"""Rules of inputs that are asked many times about one text."""

from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.domain.checks import GLANCE, VisibleOffsets, has_visible_character
from groundwire_verifier.domain.claims import Span


@given(
    st.lists(st.sampled_from(["a", " ", "\n", "\u200f", " " * GLANCE])).map("".join),
    st.integers(min_value=0, max_value=300),
    st.integers(min_value=0, max_value=300),
)
def test_a_span_is_visible_if_a_character_of_it_is(text: str, start: int, size: int) -> None:
    span = Span(start, start + size)
    assert VisibleOffsets(text).any_in(span) == has_visible_character(span.of(text))
