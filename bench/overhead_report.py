"""What the overhead bench tells.

Knows the limit. Does not know how the figures were taken.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bench.common import Run, markdown_table, nearest_rank

MOST_RATIO = 1.10
RATIO_CLAIMS = 32
"""The batch size for which the overhead is limited."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The same prompts through the server and then through the engine alone.

    `server_call_s` is the whole call as its client sees it; `in_server_s` and `in_engine_s` are
    the parts of it that the server reports.
    """

    kind: str
    claims: int
    server_call_s: float
    in_server_s: float
    in_engine_s: float
    direct_s: float
    server_cached_tokens: int
    direct_cached_tokens: int


@dataclass(frozen=True, slots=True)
class Cell:
    """All pairs of one kind and batch size; the ratios are server by engine.

    `added_median_s` is the median of what the server took more than the engine.
    """

    kind: str
    claims: int
    n: int
    server_median_s: float
    direct_median_s: float
    ratio_of_medians: float
    pair_ratio_median: float
    pair_ratio_p25: float
    pair_ratio_p75: float
    added_median_s: float
    wire_median_s: float
    server_work_median_s: float
    is_within_limit: bool | None


def summarise(pairs: Sequence[Pair]) -> tuple[Cell, ...]:
    """One cell for each kind and batch size; only the largest batch has a limit."""
    keys = sorted({(pair.kind, pair.claims) for pair in pairs})
    return tuple(_cell([p for p in pairs if (p.kind, p.claims) == key]) for key in keys)


def _cell(pairs: Sequence[Pair]) -> Cell:
    first = pairs[0]
    server_s = statistics.median(pair.server_call_s for pair in pairs)
    direct_s = statistics.median(pair.direct_s for pair in pairs)
    ratios = [pair.server_call_s / pair.direct_s for pair in pairs]
    ratio = statistics.median(ratios)
    return Cell(
        kind=first.kind,
        claims=first.claims,
        n=len(pairs),
        server_median_s=server_s,
        direct_median_s=direct_s,
        ratio_of_medians=server_s / direct_s,
        pair_ratio_median=ratio,
        pair_ratio_p25=nearest_rank(ratios, 0.25),
        pair_ratio_p75=nearest_rank(ratios, 0.75),
        added_median_s=statistics.median(p.server_call_s - p.direct_s for p in pairs),
        wire_median_s=statistics.median(p.server_call_s - p.in_server_s for p in pairs),
        server_work_median_s=statistics.median(p.in_server_s - p.in_engine_s for p in pairs),
        is_within_limit=ratio <= MOST_RATIO if first.claims == RATIO_CLAIMS else None,
    )


def report(run: Run, model: str, context_tokens: int, cells: Sequence[Cell]) -> str:
    """The whole result as markdown."""
    header = ["context", "N", "pairs", "server median", "engine median", "ratio of medians"]
    header += ["median ratio of pairs", "p25 to p75", "added", "wire", "server's work"]
    header += ["within 1.10"]
    lines = [
        "# Overhead of the server over the engine",
        "",
        *run.lines(),
        f"- model: {model}; context of {context_tokens} tokens; one engine for both",
        "",
        markdown_table(header, [_row(cell) for cell in cells]),
        "",
        "Times in milliseconds. Server: one BatchEstimate over loopback gRPC from another process. "
        "Engine: the same token ids to AsyncLLM.generate, all N at once. Every run starts from an "
        "emptied cache; before a warm run the server answers another claim on the context. Added: "
        "the median of what the server's call took more than the engine's. Wire: what the client "
        "waits beyond the server's own time; server's work: what the server adds to its engine's "
        "queue and inference (tokenising, checking, building the answer). "
        f"Wanted: a median ratio of at most {MOST_RATIO:.2f} at N = {RATIO_CLAIMS}.",
    ]
    return "\n".join(lines)


def _row(cell: Cell) -> list[str]:
    within = {True: "yes", False: "**no**", None: "-"}[cell.is_within_limit]
    return [
        cell.kind,
        str(cell.claims),
        str(cell.n),
        f"{cell.server_median_s * 1000:,.1f}",
        f"{cell.direct_median_s * 1000:,.1f}",
        f"{cell.ratio_of_medians:.3f}",
        f"{cell.pair_ratio_median:.3f}",
        f"{cell.pair_ratio_p25:.3f} to {cell.pair_ratio_p75:.3f}",
        f"{cell.added_median_s * 1000:+,.1f}",
        f"{cell.wire_median_s * 1000:,.1f}",
        f"{cell.server_work_median_s * 1000:,.1f}",
        within,
    ]
