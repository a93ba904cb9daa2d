"""Rules of inputs that are asked many times about one text."""

import time

from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.domain.checks import GLANCE, VisiblePlaces, has_visible_character
from groundwire_verifier.domain.claims import Span


@given(
    st.lists(st.sampled_from(["a", " ", "\n", "\u200f", " " * GLANCE])).map("".join),
    st.integers(min_value=0, max_value=300),
    st.integers(min_value=0, max_value=300),
)
def test_a_span_is_visible_if_a_character_of_it_is(text: str, start: int, size: int) -> None:
    span = Span(start, start + size)
    assert VisiblePlaces(text).any_in(span) == has_visible_character(span.of(text))


def test_a_blank_text_is_read_once_for_all_its_spans() -> None:
    def cpu_s(spans: int) -> float:
        places = VisiblePlaces(" " * 50_000)
        began_s = time.process_time()
        assert not any(places.any_in(Span(i, 50_000)) for i in range(spans))
        return time.process_time() - began_s

    # A text that was read for each span would take a thousand times as long.
    assert cpu_s(1000) <= 50 * min(cpu_s(1) for _ in range(3)) + 0.05
