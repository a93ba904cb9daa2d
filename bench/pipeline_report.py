"""What the pipeline bench tells: its figures as tables.

Knows the target. Does not know how the figures were taken.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.common import Run, markdown_table, nearest_rank
from bench.latency_report import target_s

ANSWER, STREAM = "VerifyAnswer", "VerifyAnswerStream"
COLD, OTHER, SAME = "cold", "warm, other answer", "warm, same answer"
KINDS = (COLD, OTHER, SAME)


@dataclass(frozen=True, slots=True)
class Sample:
    """One call. `elapsed_s` and `first_verdict_s` are what the client waited, the latter in a
    stream only; the other times are the server's.
    """

    form: str
    kind: str
    elapsed_s: float
    first_verdict_s: float | None
    server_s: float
    queue_s: float
    inference_s: float
    supported: int
    prompts: int
    prompt_tokens: int
    computed_tokens: int
    minimal_tokens: int


@dataclass(frozen=True, slots=True)
class Cell:
    """All calls of one form and kind; tokens, prompts and supported claims are means a call."""

    form: str
    kind: str
    n: int
    p50_s: float
    p95_s: float
    max_s: float
    first_verdict_p50_s: float | None
    first_verdict_p95_s: float | None
    outside_inference_p50_s: float
    target_s: float
    is_within_target: bool
    supported: float
    prompts: float
    prompt_tokens: float
    computed_tokens: float
    minimal_tokens: float

    @property
    def computed_to_minimal(self) -> float:
        """Computed tokens, in those that an empty cache needs at least."""
        return self.computed_tokens / self.minimal_tokens


@dataclass(frozen=True, slots=True)
class Measured:
    """A run and its cells. `claims` and `sources` are those of every call."""

    run: Run
    server: str
    claims: int
    sources: int
    cells: tuple[Cell, ...]
    took_s: float


def summarise(samples: Sequence[Sample], claims: int) -> tuple[Cell, ...]:
    """One cell for each form and kind that was called."""
    groups = [
        [s for s in samples if (s.form, s.kind) == (form, kind)]
        for form in (ANSWER, STREAM)
        for kind in KINDS
    ]
    return tuple(_cell(group, claims) for group in groups if group)


def _cell(samples: Sequence[Sample], claims: int) -> Cell:
    elapsed_s = [sample.elapsed_s for sample in samples]
    first_s = [s.first_verdict_s for s in samples if s.first_verdict_s is not None]
    p95_s, target = nearest_rank(elapsed_s, 0.95), target_s(claims)

    def mean(number: Callable[[Sample], int]) -> float:
        return sum(number(sample) for sample in samples) / len(samples)

    return Cell(
        form=samples[0].form,
        kind=samples[0].kind,
        n=len(samples),
        p50_s=nearest_rank(elapsed_s, 0.5),
        p95_s=p95_s,
        max_s=max(elapsed_s),
        first_verdict_p50_s=nearest_rank(first_s, 0.5) if first_s else None,
        first_verdict_p95_s=nearest_rank(first_s, 0.95) if first_s else None,
        outside_inference_p50_s=nearest_rank([s.elapsed_s - s.inference_s for s in samples], 0.5),
        target_s=target,
        is_within_target=p95_s <= target,
        supported=mean(lambda s: s.supported),
        prompts=mean(lambda s: s.prompts),
        prompt_tokens=mean(lambda s: s.prompt_tokens),
        computed_tokens=mean(lambda s: s.computed_tokens),
        minimal_tokens=mean(lambda s: s.minimal_tokens),
    )


def report(measured: Measured) -> str:
    """The whole result as markdown."""
    cells, claims = measured.cells, measured.claims
    within = sum(cell.is_within_target for cell in cells)
    lines = [
        "# Latency of VerifyAnswer: from an answer to its verdicts",
        "",
        *measured.run.lines(),
        f"- server: {measured.server}",
        f"- calls: {sum(cell.n for cell in cells)} in {measured.took_s:.0f} s, one at a time, "
        "order shuffled with a fixed seed",
        f"- each call: an answer with {claims} claims on {measured.sources} sources of about 60 to "
        "150 tokens; all claims of every call were read",
        "",
        f"p95 within 500 ms + {claims} x 100 ms in {within} of {len(cells)} cells.",
        "",
        _times(cells),
        "",
        _tokens(cells),
        "",
        "Milliseconds, as the client on the same machine sees them. Cold: the server never saw the "
        "sources; warm: the same sources again, with another answer, and then with that answer "
        "again. First verdict: until the first claim of a stream was judged. Quantiles are "
        "nearest-rank: of n = 20 calls the p95 is the second slowest, of fewer than 20 the "
        "slowest. Outside: the median of what is not inference: the wire, finding the claims, "
        "tokenising and waiting. Tokens and prompts are means of a call. Prompts: distinct ones, "
        "of which each claim has two, and a third where p1 does not speak for it. Minimal: the "
        "fewest tokens that an engine with an empty cache could compute.",
    ]
    return "\n".join(lines)


def _times(cells: Sequence[Cell]) -> str:
    header = ["call", "sources", "target", "p50", "p95", "max", "n", "p95 within target"]
    header += ["first verdict p50", "p95", "outside"]
    return markdown_table(
        header,
        [
            [
                cell.form,
                cell.kind,
                *(_ms(s) for s in (cell.target_s, cell.p50_s, cell.p95_s, cell.max_s)),
                str(cell.n),
                "yes" if cell.is_within_target else "**no**",
                _ms(cell.first_verdict_p50_s),
                _ms(cell.first_verdict_p95_s),
                _ms(cell.outside_inference_p50_s),
            ]
            for cell in cells
        ],
    )


def _tokens(cells: Sequence[Cell]) -> str:
    header = ["call", "sources", "prompts", "prompt tokens", "computed", "of all", "minimal"]
    header += ["computed / minimal", "claims supported"]
    return markdown_table(
        header,
        [
            [
                cell.form,
                cell.kind,
                f"{cell.prompts:.1f}",
                f"{cell.prompt_tokens:,.0f}",
                f"{cell.computed_tokens:,.0f}",
                f"{cell.computed_tokens / cell.prompt_tokens:.0%}",
                f"{cell.minimal_tokens:,.0f}",
                f"{cell.computed_to_minimal:.2f}",
                f"{cell.supported:.1f}",
            ]
            for cell in cells
        ],
    )


def _ms(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1000:,.0f}"
