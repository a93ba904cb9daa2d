"""What the settings of an engine on the CPU are worth: `python -m bench.studies.cpu_settings`.

Measured: the server as it is, and with one thing changed at a time (how its memory is had, how its
threads wait and where they run, the KV cache, the steps, the weights), in turn, some rounds. For
each the seconds to SERVING, what is resident then, and a few calls over loopback gRPC.

Not measured: answers. `bench.quality` does that for other weights.
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil

from bench.tools.common import (
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    say,
    write_results,
)
from bench.tools.corpus import Corpus
from bench.tools.serving import serving
from groundwire import Client
from groundwire_server.config.settings import ServerSettings

SEED = 3
CALL_TIMEOUT_S = 120.0
TCMALLOC = "/usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4"
MIB = 1 << 20
AS_IT_IS = "as it is"


@dataclass(frozen=True, slots=True)
class Variant:
    """One change: flags of `groundwire serve`, and variables that its environment keeps."""

    name: str
    flags: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    model: str = ServerSettings().model


VARIANTS = (
    Variant(AS_IT_IS),
    Variant("small pages", environment={"THP_MEM_ALLOC_ENABLE": "0"}),
    Variant(
        "freed memory kept (glibc)",
        environment={
            "MALLOC_ARENA_MAX": "1",
            "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
            "MALLOC_TRIM_THRESHOLD_": str(1 << 31),
        },
    ),
    Variant("tcmalloc", environment={"LD_PRELOAD": TCMALLOC}),
    Variant("each thread on its core", environment={"VLLM_CPU_OMP_THREADS_BIND": "0-1"}),
    Variant("threads that spin", environment={"OMP_WAIT_POLICY": "ACTIVE"}),
    Variant("one core for the model", ("--cpu-threads", "1")),
    Variant("KV cache of 0.5 GiB", ("--kv-memory-gib", "0.5")),
    Variant("KV cache of 6 GiB", ("--kv-memory-gib", "6")),
    Variant("blocks of 64", ("--kv-block-tokens", "64")),
    Variant("blocks of 128", ("--kv-block-tokens", "128")),
    Variant("steps of 1,024", ("--batch-tokens", "1024")),
    Variant("steps of 4,096", ("--batch-tokens", "4096")),
    Variant("weights in bfloat16", ("--dtype", "bfloat16")),
    Variant("weights in float32", ("--dtype", "float32")),
)


@dataclass(frozen=True, slots=True)
class Visit:
    """One server's figures: seconds, tokens a second, and MiB."""

    variant: str
    start_s: float
    resident_mib: float
    cold_tokens_s: float
    cold_single_s: float
    warm_single_s: float
    warm_64_s: float


BETTER_IF_HIGHER = ("cold_tokens_s",)
FIGURES = ("start_s", "cold_tokens_s", "cold_single_s", "warm_single_s", "warm_64_s")


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser(
        "studies.cpu_settings", "What settings of an engine on the CPU are worth."
    )
    names = [variant.name for variant in VARIANTS]
    parser.add_argument("--variants", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--model", nargs="+", type=Path, default=[], metavar="DIR", help="other weights to try"
    )
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    corpus = Corpus(ServerSettings().model)
    chosen = [v for v in VARIANTS if v.name in {AS_IT_IS, *arguments.variants}]
    chosen = [v for v in chosen if v.name != "tcmalloc" or Path(TCMALLOC).exists()]
    chosen += [Variant(folder.name, model=str(folder)) for folder in arguments.model]
    shuffle = random.Random(SEED)  # noqa: S311 - a fixed order, not a secret
    visits: list[list[Visit]] = []
    for number in range(1 if arguments.quick else arguments.rounds):
        order = shuffle.sample(chosen, len(chosen))
        visits.append([_visit(variant, corpus) for variant in order])
        say(f"round {number + 1} is done")
    data = {"run": asdict(run), "rounds": [[asdict(v) for v in visit] for visit in visits]}
    folder = results_folder("cpu-settings", arguments.out, run)
    names = [variant.name for variant in chosen]
    text = ["# What settings of an engine on the CPU are worth", "", *run.lines(), ""]
    write_results(folder, "cpu_settings", data, "\n".join([*text, report(names, visits)]))


def _visit(variant: Variant, corpus: Corpus) -> Visit:
    say(variant.name)
    began_s = time.perf_counter()
    with (
        serving(variant.model, *variant.flags, environment=variant.environment) as target,
        Client(target, timeout_s=CALL_TIMEOUT_S) as client,
    ):
        start_s = time.perf_counter() - began_s

        def call(count: int, context: str) -> tuple[float, int]:
            began_s = time.perf_counter()
            usage = client.batch_estimate(corpus.claims(count), context).usage
            return time.perf_counter() - began_s, usage.prompt_tokens - usage.cached_tokens

        for _ in range(2):
            call(4, corpus.context(300))
        cold = [call(16, corpus.context(600)) for _ in range(3)]
        singles = [call(1, corpus.context(300))[0] for _ in range(6)]
        context = corpus.context(300)
        call(1, context)
        return Visit(
            variant.name,
            start_s,
            _resident_mib(),
            sum(tokens for _, tokens in cold) / sum(seconds for seconds, _ in cold),
            statistics.median(singles),
            statistics.median(call(1, context)[0] for _ in range(15)),
            statistics.median(call(64, context)[0] for _ in range(3)),
        )


def _resident_mib() -> float:
    """Memory of the server's processes, pages that they share counted once."""
    own = psutil.Process().children(recursive=True)
    return float(sum(process.memory_full_info().pss for process in own)) / MIB


def report(names: Sequence[str], rounds: Sequence[Sequence[Visit]]) -> str:
    """A row a variant: medians of the ratios to the server as it is, round by round."""
    header = ["", "start", "resident", "cold, 16 claims", "cold, 1", "warm, 1", "warm, 64"]
    by_round = [{visit.variant: visit for visit in visits} for visits in rounds]
    rows = []
    for name in names:
        ratios = [
            statistics.median(_ratio(figure, visits, name) for visits in by_round)
            for figure in FIGURES
        ]
        mib = statistics.median(visits[name].resident_mib for visits in by_round)
        start, *rest = (f"{ratio:.2f}" for ratio in ratios)
        rows.append([name, start, f"{mib:,.0f} MiB", *rest])
    own = [visits[AS_IT_IS] for visits in by_round]
    medians = {figure: statistics.median(getattr(v, figure) for v in own) for figure in FIGURES}
    return "\n".join(
        [
            markdown_table(header, rows),
            "",
            f"Times as fast as the server as it is, median of {len(rounds)} rounds; above 1 is "
            "faster. Resident: proportional set size of all its processes, after the calls. The "
            f"server as it is: {medians['start_s']:.1f} s to SERVING, "
            f"{medians['cold_tokens_s']:,.0f} tokens/s for 16 claims on new contexts of 600 "
            f"tokens, one claim on a new context of 300 {medians['cold_single_s'] * 1e3:.0f} ms, "
            f"on a known one {medians['warm_single_s'] * 1e3:.0f} ms, 64 claims "
            f"{medians['warm_64_s'] * 1e3:,.0f} ms.",
        ]
    )


def _ratio(figure: str, visits: Mapping[str, Visit], name: str) -> float:
    own = float(getattr(visits[AS_IT_IS], figure))
    other = float(getattr(visits[name], figure))
    return other / own if figure in BETTER_IF_HIGHER else own / other


if __name__ == "__main__":
    sys.exit(main())
