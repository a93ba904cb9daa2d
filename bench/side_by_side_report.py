"""What the side-by-side bench tells.

Knows the wanted ratios. Does not know how the figures were taken.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bench.common import Run, markdown_table

COLD, WARM = "cold", "warm"
OURS, ENGINE = "groundwire", "engine"
LEAST_OF_ENGINE, FROM_CLAIMS = 0.95, 16
"""The wanted throughput over the engine's own, for batches from so many claims."""

MOST_ADDED_S = 0.003
"""The wanted median that a warm call with one claim may take longer than the engine alone."""

RULES = """\
Ratio: the way's seconds by ours for the same claims, median (quartiles); above 1
this server is faster. Engine: `LLM.generate` with the whole batch, timed inside its
process, with token ids ready. Completions and scoring get token ids as well, which
spares their server the tokenising that ours does."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One batch through one way. `number` is the same for all ways that read the same batch."""

    way: str
    kind: str
    claims: int
    number: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Cell:
    """All batches of one kind and size through one way.

    `ratio` is the median, over batches, of its seconds by ours: above 1 we are faster. The
    quartiles are of the same. `added_s` is the median of our seconds less its.
    """

    way: str
    kind: str
    claims: int
    batches: int
    median_s: float
    claims_per_s: float
    ratio: float
    ratio_p25: float
    ratio_p75: float
    added_s: float


def summarise(samples: Sequence[Sample]) -> list[Cell]:
    """One cell for each way, kind and size, in the order of the samples."""
    keys = dict.fromkeys((s.kind, s.claims, s.way) for s in samples)
    seconds = {(s.kind, s.claims, s.number, s.way): s.seconds for s in samples}
    cells = []
    for kind, claims, way in sorted(keys):
        numbers = sorted({s.number for s in samples if (s.kind, s.claims) == (kind, claims)})
        own = [seconds[kind, claims, number, way] for number in numbers]
        ours = [seconds[kind, claims, number, OURS] for number in numbers]
        ratios = [a / b for a, b in zip(own, ours, strict=True)]
        quartiles = statistics.quantiles(ratios, n=4, method="inclusive") if ratios[1:] else ()
        low, _, high = quartiles or ratios * 3
        cells.append(
            Cell(
                way=way,
                kind=kind,
                claims=claims,
                batches=len(numbers),
                median_s=statistics.median(own),
                claims_per_s=claims / statistics.median(own),
                ratio=statistics.median(ratios),
                ratio_p25=low,
                ratio_p75=high,
                added_s=statistics.median(b - a for a, b in zip(own, ours, strict=True)),
            )
        )
    return cells


def report(run: Run, model: str, context_tokens: int, cells: Sequence[Cell], decisions: str) -> str:
    """The whole result as markdown."""
    lines = ["# This server beside every other way with vLLM", "", *run.lines()]
    lines += [f"- model: {model}; contexts of {context_tokens} tokens"]
    lines += [f"- vLLM's structured decisions: {decisions}", "", _table(cells), "", _wanted(cells)]
    return "\n".join([*lines, "", RULES])


def _table(cells: Sequence[Cell]) -> str:
    header = ["kind", "N", "way", "median, ms", "claims/s", "ratio", "ours less its, ms"]
    return markdown_table(
        header,
        [
            [
                cell.kind,
                str(cell.claims),
                cell.way,
                f"{cell.median_s * 1000:,.1f}",
                f"{cell.claims_per_s:,.1f}",
                f"{cell.ratio:.3f} ({cell.ratio_p25:.3f} to {cell.ratio_p75:.3f})",
                f"{cell.added_s * 1000:+,.1f}",
            ]
            for cell in cells
        ],
    )


def _wanted(cells: Sequence[Cell]) -> str:
    engine = [cell for cell in cells if cell.way == ENGINE]
    large = [cell.ratio for cell in engine if cell.claims >= FROM_CLAIMS]
    single = [cell.added_s for cell in engine if (cell.kind, cell.claims) == (WARM, 1)]
    lines = []
    if large:
        lines.append(
            f"Of the engine's claims a second from N = {FROM_CLAIMS}: {min(large):.3f} at least "
            f"(wanted {LEAST_OF_ENGINE})."
        )
    if single:
        lines.append(
            f"Added to the engine, N = 1, warm: {single[0] * 1000:.1f} ms (wanted below "
            f"{MOST_ADDED_S * 1000:.0f} ms)."
        )
    return "\n".join(lines)
