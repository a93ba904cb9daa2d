"""Time grows with a text and no faster."""

import time
from collections.abc import Iterator
from itertools import islice

import pytest

from groundwire_verifier.domain.checks import VisibleOffsets
from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.claims.extract import extract_claims
from tests.soak.hostile_texts import (
    PARSERS,
    WORST,
    Search,
    Shape,
    random_shapes,
    simple_shapes,
    without_garbage_collection,
)

UNITS = [
    "[", "a.", "`", "and ", "\n", '"', "“", "http://", " ", "1.2", 'ש"ח ', "](", "a@", "x", "[S0]",
    "I think ", "'", "?! ", "- a\n", "|a|\n", "`` ` ", "(a", "A was b and was c, ", "> a\n",
    "[S0-S99]",
]  # fmt: skip
SEED = 20_261_123
RANDOM_SHAPES = 50


@pytest.fixture(autouse=True, scope="module")
def _no_garbage_collection() -> Iterator[None]:
    with without_garbage_collection():
        yield


@pytest.mark.parametrize("parser", PARSERS)
def test_no_fragment_repeated_takes_longer_than_its_length_explains(parser: str) -> None:
    assert [*map(str, Search(parser).at_first_sight(simple_shapes()))] == []


@pytest.mark.parametrize("parser", PARSERS)
def test_nor_do_several(parser: str) -> None:
    shapes = islice(random_shapes(SEED), RANDOM_SHAPES)
    assert [*map(str, Search(parser).by_growth(shapes))] == []


@pytest.mark.parametrize("name", WORST)
def test_the_worst_texts_take_as_long_as_their_length_explains(name: str) -> None:
    assert [*map(str, Search("claims").examined(WORST[name]))] == []


def test_the_search_tells_growth() -> None:
    class Quadratic(Search):
        def seconds(self, shape: Shape, characters: int, repeats: int = 1) -> float:
            return 1e-9 * characters**2

    (fault,) = Quadratic("claims").examined(Shape("", "x", ""))
    assert fault.exponent == pytest.approx(2.0)


@pytest.mark.parametrize("unit", UNITS)
def test_time_grows_with_the_text_and_no_faster(unit: str) -> None:
    def seconds(characters: int) -> float:
        text = (unit * characters)[:characters]
        start = time.process_time()
        extract_claims(text)
        return time.process_time() - start

    small = min(seconds(20_000) for _ in range(3))
    # Four times the text takes sixteen times as long if anything is quadratic. Other work can make
    # one reading longer than it is, but not all of them.
    assert any(seconds(80_000) <= 9 * small + 0.02 for _ in range(3))


def test_a_blank_text_is_read_once_for_all_its_spans() -> None:
    def cpu_s(spans: int) -> float:
        places = VisibleOffsets(" " * 50_000)
        began_s = time.process_time()
        assert not any(places.any_in(Span(i, 50_000)) for i in range(spans))
        return time.process_time() - began_s

    # A text that was read for each span would take a thousand times as long.
    assert cpu_s(1000) <= 50 * min(cpu_s(1) for _ in range(3)) + 0.05
