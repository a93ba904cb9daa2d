"""The speed of a batch job beside that of the bare engine, on the same prompts.

Measured: in one process, by turns, `groundwire run` over a file of rows that nobody has seen, from
its first row to its last result on disk, and vLLM's offline `LLM.generate` in a process of its own
on the very prompts that the job's engine read, all at once and in the same order. Both have the
same engine settings and an empty cache for these prompts. Tokens are those of the prompts, before
any sharing. Reported as ratios of tokens a second.

Not measured: the start of either engine, the first pass over the file, a server elsewhere, Ray.
"""

import argparse
import asyncio
import contextlib
import io
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.side_by_side import SETTLE_S, OfflineEngine, offline_engine
from bench.tools.common import (
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
from bench.tools.contenders import add_model_flags
from bench.tools.corpus import Corpus
from groundwire_server.cli.main import main as groundwire
from groundwire_server.config.settings import ServerSettings
from groundwire_server.in_process import in_process
from groundwire_verifier.engine.queue.engine import EngineTurn, TokenReading

CONTEXT_TOKENS = 300
ROWS_A_CONTEXT, CLAIMS_A_ROW = 4, 3
FULL_ROUNDS, FULL_CONTEXTS = 5, 10
QUICK_ROUNDS, QUICK_CONTEXTS = 1, 3
WARM_UP_ROUNDS = 1
WANTED = 0.95
"""Of the bare engine's tokens a second."""


Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Round:
    """One file through both. `prompts` and `tokens` are those that the engine of the job read."""

    rows: int
    prompts: int
    tokens: int
    job_s: float
    engine_s: float

    @property
    def ratio(self) -> float:
        """The job's tokens a second by the engine's."""
        return self.engine_s / self.job_s


def report(run: Run, model: str, rounds: Sequence[Round]) -> str:
    """The whole result as markdown."""
    header = ["rows", "prompts", "tokens", "job, tokens/s", "engine, tokens/s", "ratio"]
    table = markdown_table(
        header,
        [
            [
                str(each.rows),
                str(each.prompts),
                f"{each.tokens:,}",
                f"{each.tokens / each.job_s:,.0f}",
                f"{each.tokens / each.engine_s:,.0f}",
                f"{each.ratio:.3f}",
            ]
            for each in rounds
        ],
    )
    ratios = [each.ratio for each in rounds]
    lines = [
        "# A batch job beside the bare engine",
        "",
        *run.lines(),
        f"- model: {model}; {ROWS_A_CONTEXT} rows of {CLAIMS_A_ROW} claims on each context of "
        f"{CONTEXT_TOKENS} tokens",
        "",
        table,
        "",
        f"Ratio: median {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}), "
        f"wanted {WANTED}.",
    ]
    return "\n".join(lines)


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("bench.batch", "A batch job beside the bare engine.")
    add_model_flags(parser)
    return guarded(lambda: asyncio.run(_bench(parser.parse_args())))


async def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    corpus = Corpus(arguments.model)
    settings = ServerSettings(model=arguments.model, load_format=arguments.load_format)
    count, contexts = (
        (QUICK_ROUNDS, QUICK_CONTEXTS) if arguments.quick else (FULL_ROUNDS, FULL_CONTEXTS)
    )
    async with offline_engine(corpus, arguments.load_format) as engine:
        say("starting a server in this process")
        with in_process(settings) as client, _recorded() as prompts:
            target = client._settings.target
            rounds = []
            for number in range(WARM_UP_ROUNDS + count):
                rows = list(_rows(corpus, contexts))
                found = await _round(rows, target, engine, prompts)
                say(f"ratio {found.ratio:.3f}")
                if number >= WARM_UP_ROUNDS:
                    rounds.append(found)
    data = {
        "run": asdict(run),
        "model": arguments.model,
        "context_tokens": CONTEXT_TOKENS,
        "rounds": [asdict(each) for each in rounds],
    }
    folder = results_folder("batch", arguments.out, run)
    write_results(folder, "batch", data, report(run, arguments.model, rounds))


@contextlib.contextmanager
def _recorded() -> Iterator[list[Sequence[int]]]:
    """The prompts that the engine of this process reads, as they come."""
    # It reads the environment, which is that of an engine only now.
    from groundwire_verifier.engine.vllm.engine import VllmEngine

    read, prompts = VllmEngine.read, list[Sequence[int]]()

    async def recording(  # noqa: PLR0917 - as the one whose place it takes
        self: VllmEngine,
        prompt_ids: Sequence[int],
        wanted_ids: Sequence[int],
        trace_headers: Mapping[str, str],
        turn: EngineTurn,
        cache_salt: str,
    ) -> TokenReading:
        prompts.append(prompt_ids)
        return await read(self, prompt_ids, wanted_ids, trace_headers, turn, cache_salt)

    VllmEngine.read = recording  # type: ignore[method-assign]
    try:
        yield prompts
    finally:
        VllmEngine.read = read  # type: ignore[method-assign]


async def _round(
    rows: Sequence[Row], target: str, engine: OfflineEngine, prompts: list[Sequence[int]]
) -> Round:
    prompts.clear()
    await asyncio.sleep(SETTLE_S)
    job_s = await asyncio.to_thread(_job, rows, target)
    read = list(prompts)
    await asyncio.sleep(SETTLE_S)
    return Round(
        rows=len(rows),
        prompts=len(read),
        tokens=sum(map(len, read)),
        job_s=job_s,
        engine_s=await engine.seconds_of(read),
    )


def _rows(corpus: Corpus, contexts: int) -> Iterator[Row]:
    for _ in range(contexts):
        context = corpus.context(CONTEXT_TOKENS)
        for _ in range(ROWS_A_CONTEXT):
            yield {"answer": " ".join(corpus.claims(CLAIMS_A_ROW)), "sources": [context]}


def _job(rows: Sequence[Row], target: str) -> float:
    """Run the command; the seconds that its summary tells."""
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed):
        file = Path(folder, "rows.jsonl")
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        command = ["run", str(file), "--out", str(Path(folder, "out.jsonl"))]
        code = groundwire([*command, "--target", target, "--json"])
    summary = json.loads(printed.getvalue()) if code == 0 else {}
    if summary.get("rows") != len(rows):
        raise BenchError(f"not every row has a report; groundwire run ended with {code}")
    return float(summary["seconds"])


if __name__ == "__main__":
    sys.exit(main())
