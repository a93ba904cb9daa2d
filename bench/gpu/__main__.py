"""Speed on one GPU in ten minutes: `python -m bench.gpu`, for models of 0.6B, 4B and 8B parameters.

Measured: calls on new contexts of 300 to 4,000 tokens with 1 to 64 claims, in bf16 and fp8, beside
vLLM's own server with the same weights: their time against 500 ms + N x 100 ms, goodput, and the
share of the GPU's peak. The most important comes first. Nothing begins once the time is over, and
results are written after each cell. Nothing is downloaded: what has to be there is what
`requirements/gpu.txt` installs, the embedded model, prepared, and `shared/data`.

Without a GPU, `--shapes tiny` tries all of this but fp8.

Not measured: what real weights answer, on which speed does not depend; known contexts; how long
either server holds its goodput; GPUs that do not hold the model twice.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from bench.gpu.measuring import OURS, RATES, REPEATS, alone, loaded
from bench.gpu.plan import CELLS, DEFAULT_SHAPES, FP8, TYPES, Budget, Cell, Setup, Share, setups
from bench.gpu.report import Result, Row, report
from bench.tools.common import (
    BenchError,
    bench_parser,
    describe_run,
    guarded,
    results_folder,
    save_results,
    say,
    write_results,
)
from bench.tools.contenders import Contender, both_servers
from bench.tools.corpus import Corpus
from bench.tools.serving import START_TIMEOUT_S
from bench.tools.shapes import SHAPES, write_shape
from groundwire_server.config.environment import has_cpu_build

MINUTES = 9.5
"""The rest of ten is for what is under way then, and for the servers to stop."""
QUICK_CELLS, QUICK_REPEATS, QUICK_RATES = 2, 2, 2


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("bench.gpu", "Speed on one GPU, with models of the usual shapes.")
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=DEFAULT_SHAPES)
    parser.add_argument("--types", nargs="+", choices=TYPES, default=TYPES)
    parser.add_argument(
        "--minutes", type=float, default=MINUTES, help="after which nothing is begun"
    )
    arguments = parser.parse_args()
    # For the servers, which inherit it.
    os.environ["HF_HUB_OFFLINE"] = "1"
    return guarded(lambda: asyncio.run(_bench(arguments)))


async def _bench(arguments: argparse.Namespace) -> None:
    budget = Budget(60.0 * arguments.minutes)
    run = describe_run(arguments.quick)
    bench = _Bench(Result(run), results_folder("gpu", arguments.out, run))
    types = [each for each in arguments.types if each != FP8 or not has_cpu_build()]
    if len(types) < len(arguments.types):
        bench.leave_out("fp8: a CPU does not compute it")
    wanted = setups(arguments.shapes, types)
    with tempfile.TemporaryDirectory(prefix="groundwire-shapes-") as models:
        for number, setup in enumerate(wanted):
            if not budget.has_room_for_a_start():
                bench.leave_out(f"{setup}: no time was left")
                continue
            share = budget.share(len(wanted) - number)
            corpus = Corpus(str(write_shape(setup.shape, Path(models))))
            try:
                await bench.measure(setup, corpus, share, min(START_TIMEOUT_S, budget.left_s))
            except BenchError as error:
                bench.leave_out(f"{setup}: {error}")
    bench.end()


class _Bench:
    """The run under way. What it has found so far is always written."""

    def __init__(self, result: Result, folder: Path) -> None:
        self._result = result
        self._folder = folder
        quick = result.run.quick
        self._cells = CELLS[:QUICK_CELLS] if quick else CELLS
        self._repeats = QUICK_REPEATS if quick else REPEATS
        self._rates = QUICK_RATES if quick else RATES

    async def measure(
        self, setup: Setup, corpus: Corpus, share: Share, start_timeout_s: float
    ) -> None:
        """All cells one call after the other, then under load, as far as the time goes."""
        say(f"{setup}: starting both servers")
        async with both_servers(corpus, setup.quantization, start_timeout_s) as ways:
            self._result.starts_s[str(setup)] = share.started()
            if set(ways) == {OURS}:
                self.leave_out(f"{setup}: vLLM's own server, which did not start")
            rows = await self._all_alone(setup, ways, corpus, share)
            await self._all_loaded(rows, ways, corpus, share)

    def leave_out(self, what: str) -> None:
        """Tell what is not measured, and why. The result has the first line of it."""
        say(f"left out: {what}")
        self._result.left_out.append(what.partition("\n")[0])
        self._save()

    def end(self) -> None:
        """Write and print the result. Raises BenchError if nothing was measured."""
        write_results(self._folder, "gpu", asdict(self._result), report(self._result))
        if not self._result.rows:
            raise BenchError("nothing was measured")

    async def _all_alone(
        self, setup: Setup, ways: Mapping[str, Contender], corpus: Corpus, share: Share
    ) -> list[Row]:
        rows: list[Row] = []
        for number, cell in enumerate(self._cells):
            if not share.is_open():
                self.leave_out(f"{setup}: {_named(self._cells[number:])}: no time was left")
                break
            try:
                found = await alone(ways, corpus, cell, self._repeats)
            except BenchError as error:
                self.leave_out(f"{setup}: {error}")
                continue
            say(f"{setup}, {cell}: {found.p50_s * 1000:,.1f} ms of {cell.target_s * 1000:,.0f}")
            rows.append(Row(setup, cell, found))
            self._result.rows.append(rows[-1])
            self._save()
        return rows

    async def _all_loaded(
        self, rows: Sequence[Row], ways: Mapping[str, Contender], corpus: Corpus, share: Share
    ) -> None:
        for number, row in enumerate(rows):
            if not share.is_open():
                cells = _named([each.cell for each in rows[number:]])
                self.leave_out(f"{row.setup}: goodput of {cells}: no time was left")
                break
            alone_s, rates = row.alone.p50_s, self._rates
            row.loaded = await loaded(ways[OURS], corpus, row.cell, alone_s, rates)
            if row.alone.other is not None:
                other = ways[row.alone.other]
                row.other_loaded = await loaded(other, corpus, row.cell, alone_s, rates)
            say(f"{row.setup}, {row.cell}: goodput {row.loaded.goodput:.1f} calls/s")
            self._save()

    def _save(self) -> None:
        save_results(self._folder, "gpu", asdict(self._result), report(self._result))


def _named(cells: Sequence[Cell]) -> str:
    return "; ".join(map(str, cells))


if __name__ == "__main__":
    sys.exit(main())
