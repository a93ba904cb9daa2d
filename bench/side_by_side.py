"""Every way to have claims read with vLLM, side by side: the same model, prompts and claims.

Measured: seconds of one batch of N claims on one context, cold (a context that nobody has seen) and
warm (the context was read before), through this server over gRPC, through vLLM's offline
`LLM.generate`, through one completion a claim over vLLM's HTTP server, and through its
`/generative_scoring`. All run at the same time with the same engine settings, and take turns in an
order drawn anew, with the same claims on contexts of one length. Reported as ratios.

Not measured: calls side by side (see bench.load), and what other settings would do.
"""

import argparse
import asyncio
import contextlib
import json
import random
import statistics
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from bench.tools.common import (
    ROOT,
    BenchError,
    Run,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    say,
    write_results,
)
from bench.tools.contenders import (
    CompletionsContender,
    Contender,
    ScoringContender,
    add_model_flags,
    engine_arguments,
    engine_environment,
    groundwire_contender,
    vllm_session,
)
from bench.tools.corpus import Corpus

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

CONTEXT_TOKENS = 300
FULL_REPEATS = {1: 12, 16: 8, 64: 4}
QUICK_REPEATS = {1: 2, 16: 2}
WARM_UPS = 2
CALL_TIMEOUT_S = 120.0
SEED = 3
SETTLE_S = 0.5
"""Before each batch: the threads of an engine that has just finished spin on for a while."""


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


def report(run: Run, model: str, context_tokens: int, cells: Sequence[Cell]) -> str:
    """The whole result as markdown."""
    lines = ["# This server beside every other way with vLLM", "", *run.lines()]
    lines += [
        f"- model: {model}; contexts of {context_tokens} tokens",
        "",
        _table(cells),
        "",
        _wanted(cells),
    ]
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


class OfflineEngine:
    """A process with vLLM's `LLM`. The seconds are taken inside it, without the pipe.

    It has its model after `start`.
    """

    def __init__(self, process: asyncio.subprocess.Process, corpus: Corpus) -> None:
        self._process = process
        self._corpus = corpus

    async def start(self, load_format: str) -> None:
        """Have the model loaded. Raises BenchError."""
        arguments = {**engine_arguments(self._corpus), "load_format": load_format}
        wanted = [form.token_id for form in self._corpus.label_forms()]
        await self._send({"arguments": arguments, "wanted": wanted})
        await self._answer()

    async def seconds(self, claims: Sequence[str], context: str) -> float:
        """Read a batch; the seconds that it took."""
        prompts = self._corpus.prompts(claims, context)
        return await self.seconds_of([prompt.token_ids for prompt in prompts])

    async def seconds_of(self, prompts: Sequence[Sequence[int]]) -> float:
        """The same for prompts that are tokens already."""
        await self._send([list(token_ids) for token_ids in prompts])
        return (await self._answer())["elapsed_s"]

    async def _send(self, value: object) -> None:
        if self._process.stdin is None:
            raise BenchError("the engine's process has no pipes")
        self._process.stdin.write(json.dumps(value).encode() + b"\n")
        await self._process.stdin.drain()

    async def _answer(self) -> Mapping[str, float]:
        if self._process.stdout is None:
            raise BenchError("the engine's process has no pipes")
        # What vLLM prints itself is not a JSON object.
        while line := await self._process.stdout.readline():
            if line.startswith(b"{"):
                found: Mapping[str, float] = json.loads(line)
                return found
        raise BenchError("the engine's process ended; its error stands above")


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("bench.side_by_side", "This server beside every other way with vLLM.")
    add_model_flags(parser)
    arguments = parser.parse_args()
    return guarded(lambda: asyncio.run(_bench(arguments)))


async def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    corpus = Corpus(arguments.model)
    repeats = QUICK_REPEATS if arguments.quick else FULL_REPEATS
    async with (
        groundwire_contender(arguments.model, arguments.load_format) as ours,
        vllm_session(corpus, arguments.load_format) as session,
        offline_engine(corpus, arguments.load_format) as engine,
    ):
        ways: dict[str, Contender] = {
            OURS: ours,
            "completions": CompletionsContender(session, corpus),
            "scoring": ScoringContender(session, corpus),
        }
        samples = await _measure(ways, engine, corpus, repeats)
    cells = summarise(samples)
    data = {
        "run": asdict(run),
        "model": arguments.model,
        "context_tokens": CONTEXT_TOKENS,
        "cells": [asdict(cell) for cell in cells],
        "samples": [asdict(sample) for sample in samples],
    }
    folder = results_folder("side-by-side", arguments.out, run)
    text = report(run, arguments.model, CONTEXT_TOKENS, cells)
    write_results(folder, "side_by_side", data, text)


@contextlib.asynccontextmanager
async def offline_engine(corpus: Corpus, load_format: str) -> AsyncIterator[OfflineEngine]:
    """A process with vLLM's `LLM`, with its model."""
    say("starting vLLM's offline engine")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.tools.offline_engine"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=engine_environment(),
        cwd=ROOT,
        limit=1 << 24,
    )
    try:
        engine = OfflineEngine(process, corpus)
        await engine.start(load_format)
        yield engine
    finally:
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(CALL_TIMEOUT_S):
                await process.wait()
        except TimeoutError:
            process.kill()


async def _measure(
    ways: Mapping[str, Contender],
    engine: OfflineEngine,
    corpus: Corpus,
    repeats: Mapping[int, int],
) -> list[Sample]:
    samples: list[Sample] = []
    shuffle = random.Random(SEED)  # noqa: S311 - a fixed order
    for claims, count in repeats.items():
        say(f"{count} batches, N = {claims}, cold and warm")
        for number in range(WARM_UPS + count):
            # Each its own: two of the ways are one server, which has one cache.
            contexts = {way: corpus.context(CONTEXT_TOKENS) for way in (*ways, ENGINE)}
            for kind in (COLD, WARM):
                found = await _batch(ways, engine, corpus.claims(claims), contexts, shuffle)
                if number >= WARM_UPS:
                    samples += [
                        Sample(way, kind, claims, number, seconds) for way, seconds in found.items()
                    ]
    return samples


async def _batch(
    ways: Mapping[str, Contender],
    engine: OfflineEngine,
    claims: Sequence[str],
    contexts: Mapping[str, str],
    shuffle: random.Random,
) -> dict[str, float]:
    """The seconds that each way takes for the same claims, in an order drawn anew."""
    found: dict[str, float] = {}
    for name in shuffle.sample([*ways, ENGINE], k=len(ways) + 1):
        await asyncio.sleep(SETTLE_S)
        if name == ENGINE:
            found[name] = await engine.seconds(claims, contexts[name])
            continue
        began_s = time.perf_counter()
        await ways[name].ask(claims, contexts[name], CALL_TIMEOUT_S)
        found[name] = time.perf_counter() - began_s
    return found


if __name__ == "__main__":
    sys.exit(main())
