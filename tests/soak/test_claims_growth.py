"""A search for texts that the parser takes too long for. For longer: `tests.soak.parser`."""

from collections.abc import Iterator
from itertools import islice

import pytest

from tests.soak.hostile_texts import (
    PARSERS,
    WORST,
    Search,
    Shape,
    random_shapes,
    simple_shapes,
    without_garbage_collection,
)

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
