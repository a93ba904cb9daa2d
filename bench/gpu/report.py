"""What the bench on a GPU says: one table, and what is not in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.gpu.measuring import Alone, Loaded
from bench.gpu.plan import BF16, FP8, Cell, Setup
from bench.tools.common import Run, markdown_table
from bench.tools.shapes import SHAPES, Shape, Work, layer_operations

_TERA = 1e12
# A100: vLLM keeps the weights in fp8, and computes in bfloat16.
_PEAKS = (
    (r"H100 NVL", 835.5, 1671.0),
    (r"H100 PCIe", 756.0, 1513.0),
    (r"H100 80GB HBM3", 989.4, 1978.9),
    (r"H200 NVL", 835.5, 1671.0),
    (r"H200", 989.4, 1978.9),
    (r"A100\b.*", 312.0, 312.0),
    (r"L40S", 362.05, 733.0),
    (r"L4", 121.0, 242.5),
)


def peak(gpu: str, weights: str) -> float | None:
    """Operations a second of a GPU, by the name that `nvidia-smi` gives; None if unknown."""
    for pattern, bf16, fp8 in _PEAKS:
        if re.fullmatch(f"(?:NVIDIA )?{pattern}", gpu.strip()):
            return {BF16: bf16, FP8: fp8}[weights] * _TERA
    return None


def operations(shape: Shape, context_tokens: int, computed_tokens: float) -> float:
    """Operations of the layers in a call that computes so many tokens, its new context among them.

    Without the head, which is computed in float32, once a claim.
    """
    # A new context's tokens look back on half of it in the mean, those of claims on all of it.
    in_context = min(float(context_tokens), computed_tokens)
    looks_back = context_tokens * (1.0 - 0.5 * in_context / max(1.0, computed_tokens))
    return layer_operations(shape, Work(round(computed_tokens), looks_back, 0))


RULES = """\
Weights are random: speed does not depend on them. Every context is new to the servers. Target: 500
ms + N x 100 ms. p50 and p95 are of calls one after the other, and **bold** misses the target.
Goodput: calls a second that met their target, at the best of a few rates at which calls arrived at
random; beside it that of vLLM's own server at its best. Share of peak: the operations of the layers
over what the GPU can do at most by its data sheet, one call after the other, and at the rate of the
goodput; the head and both clients are in the time, but not in the operations. Ratio: the seconds
of vLLM's own server by ours for the same claims, median; above 1 this server is faster. Of its two
ways, one completion a claim and `/generative_scoring`, it is the faster one, which is named. Both
servers lie on the GPU at the same time, and one of them is asked at a time."""


@dataclass(slots=True)
class Row:
    """One cell of one setup. `loaded` is None until it is measured, and where time did not do."""

    setup: Setup
    cell: Cell
    alone: Alone
    loaded: Loaded | None = None
    other_loaded: Loaded | None = None


@dataclass(slots=True)
class Result:
    """All that was measured so far, and in words what was not."""

    run: Run
    rows: list[Row] = field(default_factory=list)
    starts_s: dict[str, float] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    @property
    def gpu(self) -> str:
        """The name of the first GPU; empty without one."""
        return self.run.machine.gpus.partition("\n")[0]


def shares(gpu: str, row: Row) -> tuple[float | None, float | None]:
    """The share of the GPU's peak that a row takes, alone and loaded; None where it is unknown."""
    most = peak(gpu, row.setup.weights)
    if most is None:
        return None, None
    shape, context = SHAPES[row.setup.shape], row.cell.context_tokens
    alone = operations(shape, context, row.alone.computed_tokens) / row.alone.p50_s / most
    if row.loaded is None:
        return alone, None
    a_call = operations(shape, context, row.loaded.computed_tokens)
    return alone, a_call * row.loaded.answered_s / most


def report(result: Result) -> str:
    """The whole result as markdown."""
    lines = ["# Speed on one GPU", "", *result.run.lines()]
    if result.starts_s:
        starts = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in result.starts_s.items())
        lines.append(f"- start of both servers: {starts}")
    lines += [f"- left out: {what}" for what in _all_left_out(result)]
    return "\n".join([*lines, "", table(result.gpu, result.rows), "", RULES])


def table(gpu: str, rows: Sequence[Row]) -> str:
    """A line a cell."""
    header = ["shape", "type", "context", "N", "p50 / p95 of target, ms", "goodput, calls/s"]
    header += ["vLLM's", "share of peak", "share, loaded", "ratio to vLLM's server"]
    return markdown_table(header, [_cells(gpu, row) for row in rows])


def _all_left_out(result: Result) -> list[str]:
    if not result.gpu:
        return [*result.left_out, "share of peak: there is no GPU"]
    if peak(result.gpu, "bf16") is None:
        return [*result.left_out, f"share of peak: that of {result.gpu} is not known"]
    return result.left_out


def _cells(gpu: str, row: Row) -> list[str]:
    alone, target_s = row.alone, row.cell.target_s
    times = f"{alone.p50_s * 1000:,.1f} / {alone.p95_s * 1000:,.1f}"
    if alone.p95_s > target_s:
        times = f"**{times}**"
    ratio = "-" if alone.ratio is None else f"{alone.ratio:.2f} ({alone.other})"
    return [
        row.setup.shape,
        row.setup.weights,
        f"{row.cell.context_tokens:,}",
        str(row.cell.claims),
        f"{times} of {target_s * 1000:,.0f}",
        *(
            "-" if each is None else f"{each.goodput:.1f}"
            for each in (row.loaded, row.other_loaded)
        ),
        *("-" if share is None else f"{share:.1%}" for share in shares(gpu, row)),
        ratio,
    ]
