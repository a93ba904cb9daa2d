"""The latency of BatchEstimate over gRPC, as a client on the same machine sees it.

Measured: the wall time of one call of the Python client to `groundwire serve` on loopback, one call
at a time, for five context lengths and four batch sizes. Cold: a context that the server never saw.
Warm: the same context again with other claims. Whether a call was cold or warm is checked with the
cached tokens that the server reports. The target is 500 ms + N x 100 ms for N claims, at the p95.

Not measured: calls side by side, a network, TLS, the quality of the answers.
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from bench.tools.common import (
    BenchError,
    Run,
    begun_within,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    nearest_rank,
    results_folder,
    say,
    target_s,
    write_results,
)
from bench.tools.corpus import Corpus
from bench.tools.serving import add_server_flags, client_at, server_in_words
from groundwire import BatchResult, Client
from groundwire_server.config.environment import prepare_engine_environment

COLD, WARM = "cold", "warm"

MORE_CORES = (4, 8)

SEED = 1

CALL_TIMEOUT_S = 120.0


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
    computed_tokens: float


@dataclass(frozen=True, slots=True)
class Measured:
    """A run and its cells. `s_per_token` is the slope of the inference time over the tokens."""

    run: Run
    server: str
    cells: tuple[Cell, ...]
    took_s: float
    s_per_token: float

    def on_cores(self, cell: Cell, cores: int) -> float:
        """The p95 of a cell in seconds, if more cores share the work on the tokens evenly.

        Reading the weights, the wire and the waiting take as long as they did.
        """
        share = 1 - self.run.machine.cores / cores
        return cell.p95_s - cell.computed_tokens * self.s_per_token * share


def seconds_per_token(samples: Sequence[Sample]) -> float:
    """What one more computed token adds to the inference time, by a line of least squares."""
    tokens = [sample.prompt_tokens - sample.cached_tokens for sample in samples]
    return statistics.linear_regression(tokens, [s.inference_s for s in samples]).slope


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
        computed_tokens=statistics.mean(s.prompt_tokens - s.cached_tokens for s in samples),
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
        "",
        "## On more cores: computed, not measured",
        "",
        _on_more_cores(measured),
        "",
        f"The p95 above in milliseconds. A computed token costs {measured.s_per_token * 1000:.2f} "
        "ms here, by a line of least squares through all calls; more cores would share that "
        "evenly, and the rest would stay. **Bold** misses the target.",
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


def _on_more_cores(measured: Measured) -> str:
    here = measured.run.machine.cores
    cores = (here, *(count for count in MORE_CORES if count > here))
    header = ["context", "tokens", "N", "computed tokens", *(f"{count} cores" for count in cores)]
    rows = [
        [
            cell.kind,
            f"{cell.context_tokens:,}",
            str(cell.claims),
            f"{cell.computed_tokens:,.0f}",
            *(_against_target(measured.on_cores(cell, n), cell.target_s) for n in cores),
        ]
        for cell in measured.cells
    ]
    return markdown_table(header, rows)


def _against_target(time_s: float, target: float) -> str:
    text = f"{time_s * 1000:,.0f}"
    return text if time_s <= target else f"**{text}**"


def _columns(cell: Cell) -> list[str]:
    times_s = (cell.p50_s, cell.p95_s, cell.max_s, cell.outside_inference_p50_s)
    within = "yes" if cell.is_within_target else "**no**"
    return [*(f"{value * 1000:,.0f}" for value in times_s), str(cell.n), within]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is called how often. A visit is a cold call and then warm calls on its context.

    `visits` and `warm_calls` (in one visit) go by context length. After `limit_s` no visit begins.
    """

    claims: tuple[int, ...]
    visits: Mapping[int, int]
    warm_calls: Mapping[int, int]
    limit_s: float

    def order(self) -> list[tuple[int, int]]:
        """Context length and batch size of every visit, shuffled with a fixed seed."""
        cells = [
            (context_tokens, claims)
            for context_tokens, visits in self.visits.items()
            for claims in self.claims
            for _ in range(visits)
        ]
        random.Random(SEED).shuffle(cells)  # noqa: S311 - a fixed order, not a secret
        return cells


class Session:
    """One run of a plan against one server."""

    def __init__(self, client: Client, corpus: Corpus, plan: Plan) -> None:
        self._client = client
        self._corpus = corpus
        self._plan = plan

    def measure(self) -> list[Sample]:
        """Call the server as planned. Raises BenchError when a call was not what was planned."""
        self._warm_up()
        order = self._plan.order()
        samples: list[Sample] = []
        made = begun_within(self._plan.limit_s, order)
        for number, (context_tokens, claims) in enumerate(made, start=1):
            samples += self._visit(context_tokens, claims)
            if number % 20 == 0:
                say(f"{number} of {len(order)} visits")
        return samples

    def _warm_up(self) -> None:
        # The first call of each shape is slower than the next ones; these are not counted.
        for context_tokens in (min(self._plan.visits), max(self._plan.visits)):
            for claims in (min(self._plan.claims), max(self._plan.claims)):
                self._visit(context_tokens, claims)

    def _visit(self, context_tokens: int, claims: int) -> list[Sample]:
        context = self._corpus.context(context_tokens)
        kinds = [COLD] + [WARM] * self._plan.warm_calls[context_tokens]
        return [self._call(kind, context, context_tokens, claims) for kind in kinds]

    def _call(self, kind: str, context: str, context_tokens: int, count: int) -> Sample:
        claims = self._corpus.claims(count)
        began_s = time.perf_counter()
        result = self._client.batch_estimate(claims, context)
        elapsed_s = time.perf_counter() - began_s
        self._check(kind, result, claims, context, context_tokens)
        return Sample(
            kind=kind,
            context_tokens=context_tokens,
            claims=count,
            elapsed_s=elapsed_s,
            server_s=result.timing.total_s,
            queue_s=result.timing.queue_s,
            inference_s=result.timing.inference_s,
            prompt_tokens=result.usage.prompt_tokens,
            cached_tokens=result.usage.cached_tokens,
        )

    def _check(
        self, kind: str, result: BatchResult, claims: list[str], context: str, context_tokens: int
    ) -> None:
        usage = result.usage
        if usage.context_tokens != context_tokens or usage.distinct_prompts != len(claims):
            raise BenchError(
                f"the server counts {usage.context_tokens} tokens in a context of "
                f"{context_tokens}: it serves another model; name it with --model"
            )
        if kind == COLD:
            most = self._corpus.most_cached_tokens_cold(self._corpus.prompts(claims, context))
            if usage.cached_tokens > most:
                raise BenchError(
                    f"a cold call had {usage.cached_tokens} cached tokens, more than the {most} "
                    "that its own prompts can share: the server knew the context"
                )
        else:
            least = len(claims) * self._corpus.shared_tokens(context_tokens)
            if usage.cached_tokens < least:
                raise BenchError(
                    f"a warm call had {usage.cached_tokens} cached tokens of at least {least}: "
                    "the server had forgotten the context"
                )


FULL = Plan(
    claims=(1, 4, 10, 32),
    visits={100: 20, 300: 20, 600: 20, 1200: 10, 2400: 10},
    warm_calls={100: 1, 300: 1, 600: 1, 1200: 2, 2400: 2},
    limit_s=900.0,
)
QUICK = Plan(claims=(1, 10), visits={100: 2, 300: 2}, warm_calls={100: 1, 300: 1}, limit_s=60.0)


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("bench.latency", "Latency of BatchEstimate against its target.")
    add_server_flags(parser)
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    prepare_engine_environment(None)  # the tokeniser's library reads some of it too
    from bench.tools.corpus import Corpus

    plan = QUICK if arguments.quick else FULL
    run = describe_run(arguments.quick)
    corpus = Corpus(arguments.model)
    with client_at(arguments.target, arguments.model, CALL_TIMEOUT_S) as client:
        info = client.server_info()
        began_s = time.monotonic()
        samples = Session(client, corpus, plan).measure()
        took_s = time.monotonic() - began_s
    server = server_in_words(info, arguments.target)
    measured = Measured(run, server, summarise(samples), took_s, seconds_per_token(samples))
    folder = results_folder("latency", arguments.out, run)
    data = {**asdict(measured), "samples": [asdict(sample) for sample in samples]}
    write_results(folder, "latency", data, report(measured))


if __name__ == "__main__":
    sys.exit(main())
