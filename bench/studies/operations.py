"""What reading prompts costs at least: operations and bytes, from a model's sizes.

A token takes two operations a weight of the linear layers (one product, one sum), and attention
four a dimension of every head and token that it looks back on (Hoffmann et al., "Training
Compute-Optimal Large Language Models", 2022, appendix F, without what is small). The head is
computed at the end of each prompt only. Knows sizes. Does not know machines.
"""

from dataclasses import dataclass

from bench.tools.shapes import Shape


@dataclass(frozen=True, slots=True)
class Work:
    """Tokens that are computed, how many each looks back on in the mean, and prompts."""

    tokens: int
    looks_back: float
    reads: int


def layer_operations(shape: Shape, work: Work) -> float:
    """Operations of all layers."""
    attention = 4.0 * shape.heads * shape.head_width * work.looks_back * shape.layers
    return work.tokens * (2.0 * layer_weights(shape) + attention)


def head_operations(shape: Shape, work: Work) -> float:
    """Operations of the output head."""
    return 2.0 * work.reads * shape.hidden * shape.vocabulary


def layer_weights(shape: Shape) -> int:
    """Weights of the linear layers."""
    return shape.layers * sum(rows * columns for rows, columns in matrices(shape))


def matrices(shape: Shape) -> list[tuple[int, int]]:
    """Outputs and inputs of one layer's matrices, as vLLM has them joined."""
    attended = shape.heads * shape.head_width
    joined = attended + 2 * shape.kv_heads * shape.head_width
    return [
        (joined, shape.hidden),
        (shape.hidden, attended),
        (2 * shape.inner, shape.hidden),
        (shape.hidden, shape.inner),
    ]


def bytes_read(shape: Shape, bytes_a_weight: float, bytes_a_head_weight: float) -> float:
    """Bytes of weights that one step has to read at least."""
    head = shape.hidden * shape.vocabulary
    return layer_weights(shape) * bytes_a_weight + head * bytes_a_head_weight
