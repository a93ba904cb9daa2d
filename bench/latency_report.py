"""What the latency bench tells: its figures as a table and as a plot.

Knows the target. Does not know how the figures were taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.common import Run, markdown_table, nearest_rank

COLD, WARM = "cold", "warm"
TARGET_BASE_S = 0.5
TARGET_PER_CLAIM_S = 0.1


@dataclass(frozen=True, slots=True)
class Sample:
    """One call. `elapsed_s` is what the client waited; the other times are the server's."""

    kind: str
    context_tokens: int
    claims: int
    elapsed_s: float
    server_s: float
    queue_s: float
    inference_s: float
    prompt_tokens: int
    cached_tokens: int


@dataclass(frozen=True, slots=True)
class Cell:
    """All calls of one kind, context length and batch size."""

    kind: str
    context_tokens: int
    claims: int
    n: int
    p50_s: float
    p95_s: float
    max_s: float
    outside_inference_p50_s: float
    target_s: float
    is_within_target: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """A run and its cells."""

    run: Run
    server: str
    cells: tuple[Cell, ...]
    took_s: float


def target_s(claims: int) -> float:
    """The most seconds that a batch may take at the p95."""
    return TARGET_BASE_S + TARGET_PER_CLAIM_S * claims


def summarise(samples: Sequence[Sample]) -> tuple[Cell, ...]:
    """One cell for each kind, context length and batch size that was called."""
    keys = sorted({(s.kind, s.context_tokens, s.claims) for s in samples})
    return tuple(
        _cell([s for s in samples if (s.kind, s.context_tokens, s.claims) == key]) for key in keys
    )


def _cell(samples: Sequence[Sample]) -> Cell:
    first = samples[0]
    elapsed_s = [sample.elapsed_s for sample in samples]
    p95_s, target = nearest_rank(elapsed_s, 0.95), target_s(first.claims)
    return Cell(
        kind=first.kind,
        context_tokens=first.context_tokens,
        claims=first.claims,
        n=len(samples),
        p50_s=nearest_rank(elapsed_s, 0.5),
        p95_s=p95_s,
        max_s=max(elapsed_s),
        outside_inference_p50_s=nearest_rank([s.elapsed_s - s.inference_s for s in samples], 0.5),
        target_s=target,
        is_within_target=p95_s <= target,
    )


def report(measured: Measured) -> str:
    """The whole result as markdown."""
    cells = measured.cells
    within = sum(cell.is_within_target for cell in cells)
    lines = [
        "# Latency of BatchEstimate over gRPC",
        "",
        *measured.run.lines(),
        f"- server: {measured.server}",
        f"- calls: {sum(cell.n for cell in cells)} in {measured.took_s:.0f} s, one at a time, "
        "order shuffled with a fixed seed",
        "",
        f"p95 within 500 ms + N x 100 ms in {within} of {len(cells)} cells.",
        "",
        _table(cells),
        "",
        "Milliseconds, as the client on the same machine sees them. Cold: the server never saw the "
        "context; warm: the same context again with other claims. Quantiles are nearest-rank: of "
        "n = 20 calls the p95 is the second slowest, of fewer than 20 the slowest. Outside: the "
        "median of what is not inference, which is the wire, tokenising and waiting.",
    ]
    return "\n".join(lines)


def _table(cells: Sequence[Cell]) -> str:
    header = ["context tokens", "N", "target"]
    for kind in (COLD, WARM):
        header += [f"{kind} p50", "p95", "max", "outside", "n", "p95 within target"]
    rows = []
    for context_tokens, claims in sorted({(c.context_tokens, c.claims) for c in cells}):
        row = [f"{context_tokens:,}", str(claims), f"{target_s(claims) * 1000:,.0f}"]
        for kind in (COLD, WARM):
            found = [
                c
                for c in cells
                if (c.kind, c.context_tokens, c.claims) == (kind, context_tokens, claims)
            ]
            row += _columns(found[0]) if found else ["-"] * 6
        rows.append(row)
    return markdown_table(header, rows)


def _columns(cell: Cell) -> list[str]:
    times_s = (cell.p50_s, cell.p95_s, cell.max_s, cell.outside_inference_p50_s)
    within = "yes" if cell.is_within_target else "**no**"
    return [*(f"{value * 1000:,.0f}" for value in times_s), str(cell.n), within]


def draw(measured: Measured, path: Path) -> None:
    """Plot the p95 against N, a line for each context length, with the target."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), sharey=True, layout="constrained")
    for axis, kind in zip(axes, (COLD, WARM), strict=True):
        cells = [cell for cell in measured.cells if cell.kind == kind]
        for context_tokens in sorted({cell.context_tokens for cell in cells}):
            line = [cell for cell in cells if cell.context_tokens == context_tokens]
            label = f"{context_tokens:,} tokens (n = {min(cell.n for cell in line)})"
            axis.plot([c.claims for c in line], [c.p95_s for c in line], marker="o", label=label)
        counts = sorted({cell.claims for cell in cells})
        goals_s = [target_s(count) for count in counts]
        axis.plot(counts, goals_s, "k--", label="target: 0.5 s + N x 0.1 s")
        axis.set(title=f"{kind} context", xlabel="claims in the batch (N)", ylim=(0, None))
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    axes[0].set_ylabel("p95 latency, s")
    figure.suptitle(f"{measured.server}\n{measured.run.machine}", fontsize=8)
    figure.savefig(path, dpi=130)
    plt.close(figure)
