"""How long the claims of hostile texts take: `python -m tests.soak.parser`.

Measured: the claims of a text as a call gets them (`first_claims`), in one process and thread, for
the worst texts known, at a quarter, a half and all of the characters that a text may have. A text
beyond the limit on claims or cited ids is refused as soon as the limit is reached, so its time
counts until then. With `--search-minutes`, more texts are searched for first, with another seed
each time; what is found is told, and the run fails.

Not measured: a server, its queue and its threads.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from bench.tools.common import (
    BenchError,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    say,
    write_results,
)
from groundwire_verifier.checks.answers import MAX_EXTRACTED_CLAIMS, MAX_TEXT_IDS, check_extracted
from groundwire_verifier.domain.claims import ClaimOptions
from groundwire_verifier.domain.errors import InvalidInputError
from groundwire_verifier.text.claims.extract import first_claims
from tests.soak.hostile_texts import (
    PARSERS,
    WORST,
    Search,
    cpu_s,
    random_shapes,
    without_garbage_collection,
)

CHARACTERS = (50_000, 100_000, 200_000)
TARGET_S = 2.0
"""For the longest text that the default limits allow."""

BUSY = 0.5
"""The load average from which the machine was shared."""


@dataclass(frozen=True, slots=True)
class Row:
    """CPU seconds of one shape at each of CHARACTERS; `outcome` is that of the longest text."""

    name: str
    shape: str
    seconds: tuple[float, ...]
    outcome: str


def main() -> int:
    """Parse the flags, search, measure, write."""
    parser = bench_parser("tests.soak.parser", "How long the claims of hostile texts take.")
    parser.add_argument("--search-minutes", type=float, default=0.0, metavar="M")
    return guarded(lambda: _bench(parser.parse_args()))


def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    with without_garbage_collection():
        if arguments.search_minutes > 0:
            _search(arguments.search_minutes)
        rows = [_row(name, 1 if arguments.quick else 5) for name in WORST]
    folder = results_folder("parser", arguments.out, run)
    data = {"run": asdict(run), "characters": CHARACTERS, "rows": [asdict(row) for row in rows]}
    text = ["# The claim parser on hostile texts", "", *run.lines()]
    if run.load_average > BUSY:
        text.append("- other work shared the machine: what counts is how times grow")
    text += ["", report(rows)]
    write_results(folder, "parser", data, "\n".join(text))


def _search(minutes: float) -> None:
    """Try random shapes until the time is up. Raises BenchError if one is at fault."""
    end_s = time.monotonic() + minutes * 60
    seed = time.time_ns()
    say(f"searching with seed {seed}")
    searches = [Search(parser) for parser in PARSERS]
    for tried, shape in enumerate(random_shapes(seed)):
        faults = [fault for search in searches for fault in search.by_growth([shape])]
        if faults:
            raise BenchError(f"after {tried} shapes: {'; '.join(map(str, faults))}")
        if time.monotonic() > end_s:
            say(f"{tried} shapes tried, none at fault")
            return


def _row(name: str, repeats: int) -> Row:
    shape = WORST[name]
    seconds = tuple(cpu_s(_extract, shape, characters, repeats) for characters in CHARACTERS)
    return Row(name, str(shape), seconds, _extract(shape.text(CHARACTERS[-1])))


def _extract(text: str) -> str:
    claims = first_claims(text, ClaimOptions(), MAX_EXTRACTED_CLAIMS + 1, MAX_TEXT_IDS)
    try:
        return f"{len(check_extracted(claims, 'text')):,} claims"
    except InvalidInputError as error:
        return f"refused: {error.violations[0].reason}"


def report(rows: Sequence[Row]) -> str:
    """A row a shape, and whether the target is kept."""
    longest = max(row.seconds[-1] for row in rows)
    header = ["text", *(f"{n:,} characters" for n in CHARACTERS), "at doubling", "outcome"]
    lines = [
        [
            row.name,
            *(f"{seconds:.3f} s" for seconds in row.seconds),
            ", ".join(f"x {b / a:.1f}" for a, b in zip(row.seconds, row.seconds[1:], strict=False)),
            row.outcome,
        ]
        for row in rows
    ]
    kept = "which keeps" if longest < TARGET_S else "which misses"
    return (
        f"CPU time of the process, the best of all repeats. The longest takes {longest:.2f} s, "
        f"{kept} the target of {TARGET_S:g} s.\n\n" + markdown_table(header, lines)
    )


if __name__ == "__main__":
    sys.exit(main())
