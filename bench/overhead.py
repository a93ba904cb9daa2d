"""What the server adds to the engine: the same prompts through gRPC and through vLLM alone.

Measured: in one process with one engine, alternately, a BatchEstimate over real loopback gRPC from
a client in another process, and AsyncLLM.generate on the same token ids with the same sampling
parameters, all N prompts submitted together. The cache is emptied before every run of either; for
a warm run the server is then asked about the context with another claim. The first step of a shape
that the engine has not computed yet is slower, so each pair begins with a run that is not counted,
and every second pair begins with the engine's side.

Not measured: vLLM's own OpenAI-style server, a network, TLS, calls side by side. The direct side
has its token ids ready, so tokenising counts as the server's overhead.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from bench.tools.common import (
    ROOT,
    BenchError,
    Run,
    bare_environment,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    nearest_rank,
    results_folder,
    say,
    write_results,
)
from groundwire_server.config.environment import prepare_engine_environment
from groundwire_server.config.settings import ServerSettings
from groundwire_verifier.domain.types import Prompt

if TYPE_CHECKING:
    from vllm.v1.engine.async_llm import AsyncLLM

    from bench.tools.corpus import Corpus
    from groundwire_verifier.backends.local import LocalBackend


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


CONTEXT_TOKENS = 300
FULL_PAIRS = {1: 24, 10: 16, 32: 16}
QUICK_PAIRS = {1: 3, 10: 3, 32: 3}
WARM_UP_PAIRS = 2
COLD, WARM = "cold", "warm"


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("bench.overhead", "Overhead of the server over the engine.")
    parser.add_argument("--model", default=ServerSettings().model, help="the model to serve")
    arguments = parser.parse_args()
    return guarded(lambda: asyncio.run(_bench(arguments)))


async def _bench(arguments: argparse.Namespace) -> None:
    # Both before vLLM or torch is imported.
    prepare_engine_environment(None, None)
    from bench.tools.corpus import Corpus

    run = describe_run(arguments.quick)
    corpus = Corpus(arguments.model)
    counts = QUICK_PAIRS if arguments.quick else FULL_PAIRS
    settings = ServerSettings(listen="127.0.0.1:0", metrics_listen="", model=arguments.model)
    say(f"starting a server with {settings.model} in this process")
    async with _both_sides(settings) as sides:
        pairs = await _measure(sides, corpus, counts)
    cells = summarise(pairs)
    data = {
        "run": asdict(run),
        "model": settings.model,
        "context_tokens": CONTEXT_TOKENS,
        "cells": [asdict(cell) for cell in cells],
        "pairs": [asdict(pair) for pair in pairs],
    }
    folder = results_folder("overhead", arguments.out, run)
    write_results(folder, "overhead", data, report(run, settings.model, CONTEXT_TOKENS, cells))


@dataclass(frozen=True, slots=True)
class Sides:
    """The two ways to the one engine."""

    backend: "LocalBackend"
    engine: "AsyncLLM"
    client: asyncio.subprocess.Process

    async def call_server(self, claims: Sequence[str], context: str) -> Mapping[str, float]:
        """Have the client process make one call; its answer."""
        if self.client.stdin is None or self.client.stdout is None:
            raise BenchError("the client process has no pipes")
        request = json.dumps({"claims": claims, "context": context})
        self.client.stdin.write(request.encode() + b"\n")
        line = await self.client.stdout.readline()
        if not line:
            raise BenchError("the client process ended; its error stands above")
        answer: dict[str, float] = json.loads(line)
        return answer

    async def call_engine(self, prompts: Sequence[Prompt]) -> tuple[float, int]:
        """Submit all prompts to vLLM at once; the seconds it took and the cached tokens."""
        wanted = [form.token_id for form in self.backend.info.label_forms]
        began_s = time.perf_counter()
        cached = await asyncio.gather(
            *(_generate(self.engine, prompt, wanted, i) for i, prompt in enumerate(prompts))
        )
        return time.perf_counter() - began_s, sum(cached)


@asynccontextmanager
async def _both_sides(settings: ServerSettings) -> AsyncIterator[Sides]:
    from groundwire_server.app import start_server
    from groundwire_server.backends import create_backend

    backend = create_backend(settings, say)
    backends = {settings.backend_name: backend}
    async with start_server(settings, backends, metadata.version("groundwire-server")) as running:
        await backend.start()
        try:
            running.set_serving(True)
            client = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bench.tools.overhead_client", running.target),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=bare_environment(),
                cwd=ROOT,
            )
            try:
                yield Sides(backend, _engine_of(backend), client)
            finally:
                if client.stdin is not None:
                    client.stdin.close()
                await client.wait()
        finally:
            await backend.stop()


def _engine_of(backend: "LocalBackend") -> "AsyncLLM":
    # The engine is private to the backend, and only a bench has a reason to reach behind it.
    from groundwire_verifier.vllm.engine import VllmEngine

    loaded = backend._ready()
    if not isinstance(loaded.engine, VllmEngine):
        raise BenchError("the backend does not run on vLLM")
    return loaded.engine._engine


async def _generate(engine: "AsyncLLM", prompt: Prompt, wanted: list[int], number: int) -> int:
    from vllm import SamplingParams
    from vllm.inputs.engine import tokens_input

    parameters = SamplingParams(
        max_tokens=1,
        temperature=0.0,
        detokenize=False,
        logprob_token_ids=wanted,
        skip_clone=True,
    )
    cached = 0
    tokens = tokens_input(list(prompt.token_ids))
    async for output in engine.generate(tokens, parameters, f"direct-{number}"):
        cached = output.num_cached_tokens or 0
    return cached


async def _measure(sides: Sides, corpus: "Corpus", counts: Mapping[int, int]) -> list[Pair]:
    pairs = []
    for kind in (COLD, WARM):
        for claims, count in counts.items():
            say(f"{count} pairs, {kind}, N = {claims}")
            measured = [
                await _pair(sides, corpus, kind, claims, engine_first=number % 2 == 1)
                for number in range(WARM_UP_PAIRS + count)
            ]
            pairs += measured[WARM_UP_PAIRS:]
    return pairs


async def _pair(sides: Sides, corpus: "Corpus", kind: str, count: int, engine_first: bool) -> Pair:
    context, claims = corpus.context(CONTEXT_TOKENS), corpus.claims(count)
    prompts = corpus.prompts(claims, context)
    await _prepare(sides, corpus, kind, context)
    await sides.call_engine(prompts)
    await _prepare(sides, corpus, kind, context)
    if engine_first:
        direct_s, direct_cached = await sides.call_engine(prompts)
        await _prepare(sides, corpus, kind, context)
        answer = await sides.call_server(claims, context)
    else:
        answer = await sides.call_server(claims, context)
        await _prepare(sides, corpus, kind, context)
        direct_s, direct_cached = await sides.call_engine(prompts)
    if answer["prompt_tokens"] != sum(len(prompt.token_ids) for prompt in prompts):
        raise BenchError("the server made other prompts of the claims than the bench")
    return Pair(
        kind=kind,
        claims=count,
        server_call_s=answer["elapsed_s"],
        in_server_s=answer["server_s"],
        in_engine_s=answer["queue_s"] + answer["inference_s"],
        direct_s=direct_s,
        server_cached_tokens=int(answer["cached_tokens"]),
        direct_cached_tokens=direct_cached,
    )


async def _prepare(sides: Sides, corpus: "Corpus", kind: str, context: str) -> None:
    await sides.backend.clear_cache()
    if kind == WARM:
        # A new claim each time: the result cache would know an old one, and nothing be read.
        await sides.call_server(corpus.claims(1), context)


if __name__ == "__main__":
    sys.exit(main())
