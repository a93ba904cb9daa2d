"""The arithmetic of the least time that reads can take."""

import pytest

from bench.studies.floor import Rates
from bench.studies.operations import (
    Work,
    bytes_read,
    head_operations,
    layer_operations,
    layer_weights,
)
from bench.tools.shapes import SHAPES, Shape

SMALL = Shape(hidden=8, layers=2, heads=2, kv_heads=1, inner=16, ties_head=True, head_width=4)


def test_a_layer_has_the_weights_of_its_matrices() -> None:
    attention = 8 * 8 + 2 * 4 * 8 + 8 * 8
    mlp = 3 * 8 * 16
    assert layer_weights(SMALL) == 2 * (attention + mlp)


def test_the_layers_of_the_0_6b_shape_have_its_weights_without_the_embedding() -> None:
    assert layer_weights(SHAPES["0.6B"]) == pytest.approx(440e6, rel=0.01)


def test_a_token_takes_two_operations_a_weight_and_four_a_dimension_looked_back_on() -> None:
    alone = layer_operations(SMALL, Work(tokens=1, looks_back=0.0, reads=1))
    looking = layer_operations(SMALL, Work(tokens=1, looks_back=10.0, reads=1))
    assert alone == 2 * layer_weights(SMALL)
    assert looking - alone == 4 * 10 * 8 * 2


def test_the_head_is_computed_once_a_read() -> None:
    work = Work(tokens=100, looks_back=0.0, reads=3)
    assert head_operations(SMALL, work) == 2 * 3 * 8 * SMALL.vocabulary


def test_the_floor_is_the_longer_of_operations_and_bytes() -> None:
    work = Work(tokens=10, looks_back=0.0, reads=1)
    slow_memory = Rates("", layers_s=1e18, head_s=1e18, bytes_s=1e6, layer_bytes=2, head_bytes=4)
    slow_products = Rates("", layers_s=1e6, head_s=1e6, bytes_s=1e18, layer_bytes=2, head_bytes=4)
    operations = layer_operations(SMALL, work) + head_operations(SMALL, work)
    assert slow_memory.floor_s(SMALL, work) == pytest.approx(bytes_read(SMALL, 2, 4) / 1e6)
    assert slow_products.floor_s(SMALL, work) == pytest.approx(operations / 1e6)
