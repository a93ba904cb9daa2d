"""What one tenant's calls wait while another asks for more than its share, by the clock.

Measured: the latency of a light tenant's calls (N = 1), while a heavy one (N = 4) sends nothing, as
much as its share, and ten times that. Two servers run at once and are asked in turn, so that they
meet the same machine: one with weights alone, where the heavy tenant's backlog waits, and one with
a quota for the heavy tenant, which refuses what is beyond. All contexts are known. Every call is
sent when it is due, whether or not earlier ones are done.

Not measured: the light tenant's own overload, and shares in computed tokens, which a test counts.
"""

import argparse
import asyncio
import contextlib
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.load import OK, Mix, Sample, Traffic, send
from bench.tools.common import (
    Run,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    nearest_rank,
    results_folder,
    say,
    write_results,
)
from bench.tools.contenders import GroundwireContender
from bench.tools.corpus import Corpus
from bench.tools.serving import add_server_flags, serving
from groundwire import AsyncClient
from groundwire_server.config.access import new_token

LIGHT, HEAVY = "light", "heavy"
LIGHT_RATE, SHARE_RATE, TIMES = 2.0, 1.0, 10.0
"""Calls a second: of the light tenant, and of the heavy one at its share."""
HEAVY_CLAIMS = 4
LEVELS: Mapping[str, float] = {
    "nothing": 0.0,
    "its share": SHARE_RATE,
    f"{TIMES:g} times": SHARE_RATE * TIMES,
}
TENANTS_FILES = {
    "weights": "defaults: {weight: 1}\n",
    "quota": f"tenants: {{{HEAVY}: {{claims_per_s: {SHARE_RATE * HEAVY_CLAIMS:g}}}}}\n",
}
SMALL = ("--kv-memory-gib", "0.5")
CONTEXT_TOKENS = (300,)
WARM_UP_TIMEOUT_S = 60.0
SEED = 8
RULES = f"""\
The light tenant sends {LIGHT_RATE:g} calls a second with one claim, which have 600 ms; the heavy
one sends {SHARE_RATE:g} calls a second with {HEAVY_CLAIMS} claims as its share. In time: of all
calls of the light tenant. p50 and p95: of those that were answered. The program that sends the
calls shares the cores, too."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One server with one level of the heavy tenant, in one round."""

    server: str
    level: str
    round_number: int
    light: list[Sample]
    heavy: list[Sample]


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser(
        "tests.soak.tenants", "What one tenant waits while another asks for too much."
    )
    add_server_flags(parser)
    parser.add_argument("--seconds", type=float, default=15.0, help="of each visit")
    parser.add_argument("--rounds", type=int, default=4)
    arguments = parser.parse_args()
    return guarded(lambda: asyncio.run(_bench(arguments)))


async def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    corpus = Corpus(arguments.model)
    traffic = {
        LIGHT: Traffic(corpus, Mix("1", {1: 1.0}), warm=True, lengths=CONTEXT_TOKENS),
        HEAVY: Traffic(
            corpus, Mix("heavy", {HEAVY_CLAIMS: 1.0}), warm=True, lengths=CONTEXT_TOKENS
        ),
    }
    made = {name: new_token(name) for name in (LIGHT, HEAVY)}
    tokens = {name: token for name, (token, _) in made.items()}
    lines = "\n".join(line for _, line in made.values())
    seconds, rounds = (3.0, 1) if arguments.quick else (arguments.seconds, arguments.rounds)
    visits: list[Visit] = []
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = {
            name: await _start(stack, _files(folder / name, text, lines), arguments.model, tokens)
            for name, text in TENANTS_FILES.items()
        }
        for clients in servers.values():
            for name, client in clients.items():
                for context, claims in traffic[name].to_warm_up():
                    await client.ask(claims, context, WARM_UP_TIMEOUT_S)
        dice = random.Random(SEED)  # noqa: S311 - a fixed order, not a secret
        for number in range(rounds):
            for level in dice.sample(list(LEVELS), len(LEVELS)):
                for name in dice.sample(list(servers), len(servers)):
                    light, heavy = await _visit(
                        servers[name], traffic, LEVELS[level], seconds, SEED + number
                    )
                    visits.append(Visit(name, level, number, light, heavy))
                    say(f"{name}, {level}: {sum(s.met for s in light)} of {len(light)} in time")
    data = {"run": asdict(run), "visits": [asdict(visit) for visit in visits]}
    folder = results_folder("tenants", arguments.out, run)
    write_results(folder, "tenants", data, report(run, visits))


def _files(folder: Path, tenants: str, tokens: str) -> list[str]:
    """The flags of a server that knows these tenants, with these lines of tokens."""
    folder.mkdir()
    (folder / "tokens").write_text(tokens)
    (folder / "tenants.yaml").write_text(tenants)
    files = {"--auth-token-file": folder / "tokens", "--tenants-file": folder / "tenants.yaml"}
    return [str(part) for flag in files.items() for part in flag]


async def _start(
    stack: contextlib.AsyncExitStack, files: Sequence[str], model: str, tokens: Mapping[str, str]
) -> dict[str, GroundwireContender]:
    """A server with these files, and a client for each tenant."""
    say("starting a server")
    target = stack.enter_context(serving(model, *SMALL, *files, token=tokens[LIGHT]))
    return {
        name: GroundwireContender(await stack.enter_async_context(AsyncClient(target, token=token)))
        for name, token in tokens.items()
    }


async def _visit(
    clients: Mapping[str, GroundwireContender],
    traffic: Mapping[str, Traffic],
    heavy_rate: float,
    seconds: float,
    seed: int,
) -> tuple[list[Sample], list[Sample]]:
    """What became of the calls of the light and of the heavy tenant."""
    light = traffic[LIGHT].arrivals(LIGHT_RATE, seconds, seed)
    heavy = traffic[HEAVY].arrivals(heavy_rate, seconds, seed) if heavy_rate else []
    of_light, of_heavy = await asyncio.gather(
        send(clients[LIGHT], light), send(clients[HEAVY], heavy)
    )
    return of_light, of_heavy


def report(run: Run, visits: Sequence[Visit]) -> str:
    """The whole result as markdown."""
    header = ["server", "the heavy tenant sends", "light: in time", "p50, ms", "p95, ms"]
    header += ["p95 over that beside its share", "heavy: answered", "its others"]
    rows = []
    for server in TENANTS_FILES:
        base = _quantile_s(_light(visits, server, "its share"), 0.95)
        for level in LEVELS:
            light = _light(visits, server, level)
            heavy = [s for v in visits if (v.server, v.level) == (server, level) for s in v.heavy]
            outcomes = Counter(sample.outcome for sample in heavy)
            answered = outcomes.pop(OK, 0)
            p95 = _quantile_s(light, 0.95)
            rows.append(
                [
                    server,
                    level,
                    f"{sum(sample.met for sample in light)} of {len(light)}",
                    f"{_quantile_s(light, 0.5) * 1e3:,.0f}",
                    f"{p95 * 1e3:,.0f}",
                    f"{p95 / base:.2f}",
                    f"{answered} of {len(heavy)}",
                    ", ".join(f"{count} {name}" for name, count in outcomes.most_common()),
                ]
            )
    lines = ["# What one tenant waits while another asks for too much", "", *run.lines(), ""]
    return "\n".join([*lines, markdown_table(header, rows), "", RULES])


def _light(visits: Sequence[Visit], server: str, level: str) -> list[Sample]:
    return [s for v in visits if (v.server, v.level) == (server, level) for s in v.light]


def _quantile_s(samples: Sequence[Sample], share: float) -> float:
    answered = [sample.latency_s for sample in samples if sample.outcome == OK]
    return nearest_rank(answered, share) if answered else float("nan")


if __name__ == "__main__":
    sys.exit(main())
