"""The least time that reads can take, and how near the server is: `python -m bench.studies.floor`.

Measured: the rate of this machine's matrix products at the model's own shapes and its memory's
bandwidth; then calls to the server, each kind's computed tokens, and its time over the floor: the
operations at that rate, or the bytes of the weights at that bandwidth, whichever takes longer.
Then the same floor for an H100, on paper.

Operations are counted as `bench.tools.shapes` says. The head is computed at the end of each prompt
only.

Not measured: a GPU.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch

from bench.tools.common import (
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    write_results,
)
from bench.tools.corpus import Corpus
from bench.tools.serving import serving
from bench.tools.shapes import (
    SHAPES,
    Shape,
    Work,
    layer_operations,
    layer_weights,
    matrices,
)
from groundwire import BatchResult, Client
from groundwire_server.config.settings import ServerSettings
from groundwire_verifier.backends.native_dtype import native_dtype

CALL_TIMEOUT_S = 120.0
CASES = (
    *(("cold", 300, 1), ("cold", 600, 1), ("cold", 600, 16), ("cold", 300, 64)),
    *(("warm", 300, 1), ("warm", 300, 16), ("warm", 300, 64)),
)
RATE_S = 3.0
"""How long a rate is measured, before the calls and after them."""
STEP_TOKENS = 512
"""Rows of the matrix products that the rate is measured with."""
BF16, FLOAT32 = 2, 4
PAPER_CASES = (("cold", 600, 1), ("cold", 600, 64), ("warm", 600, 64))
CLAIM_TOKENS, HEAD_TOKENS = 30, 60
"""On paper: tokens of a claim with its question, and of the template before the context."""


def head_operations(shape: Shape, work: Work) -> float:
    """Operations of the output head."""
    return 2.0 * work.reads * shape.hidden * shape.vocabulary


def bytes_read(shape: Shape, bytes_a_weight: float, bytes_a_head_weight: float) -> float:
    """Bytes of weights that one step has to read at least."""
    head = shape.hidden * shape.vocabulary
    return layer_weights(shape) * bytes_a_weight + head * bytes_a_head_weight


@dataclass(frozen=True, slots=True)
class Rates:
    """What a machine can do: operations a second of layers and head, and bytes a second.

    `layer_bytes` and `head_bytes` are those of a weight.
    """

    name: str
    layers_s: float
    head_s: float
    bytes_s: float
    layer_bytes: int
    head_bytes: int

    def floor_s(self, shape: Shape, work: Work) -> float:
        """The least seconds for this work."""
        operations_s = layer_operations(shape, work) / self.layers_s
        operations_s += head_operations(shape, work) / self.head_s
        return max(
            operations_s, bytes_read(shape, self.layer_bytes, self.head_bytes) / self.bytes_s
        )


H100 = Rates("H100 SXM, on paper", 989e12, 989e12, 3.35e12, BF16, BF16)
"""NVIDIA H100 data sheet: dense bfloat16 and memory bandwidth of the SXM5 module."""


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of call. Times in seconds, medians; `outside_s` is the call less the engine."""

    kind: str
    context_tokens: int
    claims: int
    computed_tokens: float
    floor_s: float
    elapsed_s: float
    outside_s: float


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser(
        "studies.floor", "The least time that reads can take, and what they take."
    )
    return guarded(lambda: _bench(parser.parse_args()))


def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    model = ServerSettings().model
    corpus = Corpus(model)
    shape = _shape_of(Path(corpus.model_path))
    torch.set_num_threads(run.threads)
    before = measured_rates(shape)
    repeats = 3 if arguments.quick else 9
    with serving(model) as target, Client(target, timeout_s=CALL_TIMEOUT_S) as client:
        calls = [_calls(client, corpus, case, repeats) for case in CASES]
    # A shared machine's speed changes by the minute: the best that was seen is what it can do.
    rates = best(before, measured_rates(shape))
    rows = [row(*made, lambda work: rates.floor_s(shape, work)) for made in calls]
    folder = results_folder("floor", arguments.out, run)
    data = {"run": asdict(run), "rates": asdict(rates), "rows": [asdict(row) for row in rows]}
    text = ["# The floor", "", *run.lines(), "", report(rates, rows), "", on_paper(H100)]
    write_results(folder, "floor", data, "\n".join(text))


def _shape_of(folder: Path) -> Shape:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return Shape(
        hidden=config["hidden_size"],
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        kv_heads=config["num_key_value_heads"],
        inner=config["intermediate_size"],
        ties_head=config["tie_word_embeddings"],
        head_width=config["hidden_size"] // config["num_attention_heads"],
        vocabulary=config["vocab_size"],
    )


def measured_rates(shape: Shape) -> Rates:
    """This machine's rates at the shapes of this model."""
    dtype = native_dtype()
    weights = [torch.randn(rows, columns).to(dtype) for rows, columns in matrices(shape)]
    inputs = [torch.randn(STEP_TOKENS, weight.shape[1]).to(dtype) for weight in weights]
    layers = sum(2.0 * STEP_TOKENS * weight.numel() for weight in weights)
    head, ends = torch.randn(shape.vocabulary, shape.hidden), torch.randn(64, shape.hidden)
    source = torch.zeros(1 << 29, dtype=torch.uint8)
    target = torch.empty_like(source)
    linear = torch.nn.functional.linear

    def multiply() -> None:
        for weight, values in zip(weights, inputs, strict=True):
            linear(values, weight)

    with torch.inference_mode():
        return Rates(
            "this machine",
            layers / _best_s(multiply),
            2.0 * head.numel() * len(ends) / _best_s(lambda: linear(ends, head)),
            2.0 * source.numel() / _best_s(lambda: target.copy_(source)),
            dtype.itemsize,
            FLOAT32,
        )


def best(one: Rates, other: Rates) -> Rates:
    """The higher of each rate."""
    return replace(
        one,
        layers_s=max(one.layers_s, other.layers_s),
        head_s=max(one.head_s, other.head_s),
        bytes_s=max(one.bytes_s, other.bytes_s),
    )


def _best_s(work: Callable[[], object]) -> float:
    """The shortest of as many times as fit into RATE_S, in seconds."""
    work()
    times_s = []
    end_s = time.perf_counter() + RATE_S
    while time.perf_counter() < end_s:
        began_s = time.perf_counter()
        work()
        times_s.append(time.perf_counter() - began_s)
    return min(times_s)


def _calls(
    client: Client, corpus: Corpus, case: tuple[str, int, int], repeats: int
) -> tuple[tuple[str, int, int], list[float], list[BatchResult]]:
    """The case, and the seconds and results of its calls."""
    kind, context_tokens, claims = case
    context = corpus.context(context_tokens)
    client.batch_estimate(corpus.claims(claims), context)
    times_s: list[float] = []
    results: list[BatchResult] = []
    for _ in range(repeats):
        context = corpus.context(context_tokens) if kind == "cold" else context
        asked = corpus.claims(claims)
        began_s = time.perf_counter()
        results.append(client.batch_estimate(asked, context))
        times_s.append(time.perf_counter() - began_s)
    return case, times_s, results


def row(
    case: tuple[str, int, int],
    times_s: Sequence[float],
    results: Sequence[BatchResult],
    floor_s: Callable[[Work], float],
) -> Row:
    """What calls of one kind took, and the least that they could."""
    kind, context_tokens, claims = case
    computed = statistics.median(r.usage.prompt_tokens - r.usage.cached_tokens for r in results)
    # A new context's tokens look back on half of it in the mean, a claim's on all of it.
    back = context_tokens if kind == "warm" else context_tokens / 2
    outside = [
        s - r.timing.queue_s - r.timing.inference_s for s, r in zip(times_s, results, strict=True)
    ]
    return Row(
        kind,
        context_tokens,
        claims,
        computed,
        floor_s(Work(round(computed), back, claims)),
        statistics.median(times_s),
        statistics.median(outside),
    )


def report(rates: Rates, rows: Sequence[Row]) -> str:
    """The rates, and a row a kind of call."""
    header = ["context", "N", "tokens computed", "floor", "call", "call / floor", "outside engine"]
    lines = [
        [
            f"{row.kind}, {row.context_tokens}",
            str(row.claims),
            f"{row.computed_tokens:,.0f}",
            f"{row.floor_s * 1e3:,.0f} ms",
            f"{row.elapsed_s * 1e3:,.0f} ms",
            f"{row.elapsed_s / row.floor_s:.2f}",
            f"{row.outside_s * 1e3:,.1f} ms",
        ]
        for row in rows
    ]
    dtype = "bfloat16" if rates.layer_bytes == BF16 else "float32"
    return (
        f"Matrix products of {STEP_TOKENS} rows at the model's shapes, {dtype}: "
        f"{rates.layers_s / 1e9:,.0f} GFLOP/s; its head in float32, 64 rows: "
        f"{rates.head_s / 1e9:,.0f} GFLOP/s; copying memory: {rates.bytes_s / 1e9:.1f} GB/s. "
        "The best seen before and after the calls, which are medians.\n\n"
        + markdown_table(header, lines)
    )


def on_paper(rates: Rates) -> str:
    """The floor of models of the usual shapes on another machine, from its data sheet."""
    header = ["", *(f"{kind}, context of {c}, N = {n}" for kind, c, n in PAPER_CASES)]
    lines = [
        [name, *(f"{rates.floor_s(shape, _paper_work(case)) * 1e3:.2f} ms" for case in PAPER_CASES)]
        for name, shape in SHAPES.items()
        if name != "tiny"
    ]
    return (
        f"{rates.name}: {rates.layers_s / 1e12:,.0f} TFLOP/s dense bfloat16, "
        f"{rates.bytes_s / 1e12:.2f} TB/s.\n\n" + markdown_table(header, lines)
    )


def _paper_work(case: tuple[str, int, int]) -> Work:
    kind, context_tokens, claims = case
    shared = HEAD_TOKENS + context_tokens if kind == "cold" else 0
    back = context_tokens if kind == "warm" else context_tokens / 2
    return Work(shared + claims * CLAIM_TOKENS, back, claims)


if __name__ == "__main__":
    sys.exit(main())
