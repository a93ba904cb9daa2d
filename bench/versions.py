"""Two servers in turn: another checkout beside this one, or other settings beside the default ones.

Measured: whole calls over loopback gRPC, from this process. Each round makes every kind of call
once on both servers, with the same texts, in an order drawn by chance. So both share whatever else
the machine does, and their times are compared in pairs.

Not measured: how many calls a second either can take (see bench.load), and whether their answers
are the same (see bench.quality).
"""

import argparse
import random
import shlex
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import grpc

from bench.tools.common import (
    ROOT,
    BenchError,
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
from bench.tools.serving import serving
from groundwire.v1.hallucination_detection_pb2 import (
    Document,
    Evidence,
    Source,
    VerifyAnswerRequest,
)
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub
from groundwire.v1.verifier_backend_pb2 import BatchEstimateRequest
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub
from groundwire_server.config.settings import ServerSettings

CALL_TIMEOUT_S = 120.0
ROUNDS, QUICK_ROUNDS = 40, 4
WARM_UP_ROUNDS = 2
RESAMPLES = 2000
SEED = 3
CONTEXT_WORDS, SOURCE_WORDS, SOURCES = 230, 60, 5
WORDS = (
    "river",
    "bridge",
    "tower",
    "engine",
    "water",
    "steel",
    "north",
    "market",
    "paper",
    "stone",
)


@dataclass(frozen=True, slots=True)
class Server:
    """The plain stubs of a server: a client may be too new for the answers of an older one."""

    backend: VerifierBackendStub
    detection: HallucinationDetectionStub


Call = Callable[[Server], object]


@dataclass(frozen=True, slots=True)
class Compared:
    """The times of one kind of call, in seconds; `ratio` is this server by the other.

    `ratio` is the median of the ratios of pairs, `low` and `high` its bootstrap interval of 95 %.
    """

    kind: str
    pairs: int
    other_p50_s: float
    other_p95_s: float
    p50_s: float
    p95_s: float
    ratio: float
    low: float
    high: float


class Texts:
    """Made texts; the same seed gives the same."""

    def __init__(self, seed: int) -> None:
        """Begins with a context and with sources that every round asks about."""
        self._dice = random.Random(seed)  # noqa: S311 - a fixed draw, not a secret
        self._context = self._text(CONTEXT_WORDS)
        self._known = self._sources()
        self._made = 0

    def calls(self) -> dict[str, Call]:
        """One call of each kind, none of which was made before."""
        return {
            "BatchEstimate, 1 claim, known context": self._batch(1),
            "BatchEstimate, 32 claims, known context": self._batch(32),
            "VerifyAnswer, 1 claim, known sources": self._answer(1, self._known),
            "VerifyAnswer, 10 claims, known sources": self._answer(10, self._known),
            "VerifyAnswer, 10 claims, new sources": self._answer(10, self._sources()),
        }

    def _batch(self, claims: int) -> Call:
        request = BatchEstimateRequest(context=self._context)
        request.claims.extend(
            f"The {self._word()} {self._next()} is a {self._word()}." for _ in range(claims)
        )
        return lambda server: server.backend.BatchEstimate(request, timeout=CALL_TIMEOUT_S)

    def _answer(self, claims: int, evidence: Evidence) -> Call:
        answer = " ".join(
            f"The {self._word()} {self._next()} is made of {self._word()} and stands near the "
            f"{self._word()} [S{i % SOURCES}]."
            for i in range(claims)
        )
        request = VerifyAnswerRequest(answer=answer, evidence=evidence)
        return lambda server: server.detection.VerifyAnswer(request, timeout=CALL_TIMEOUT_S)

    def _sources(self) -> Evidence:
        texts = [self._text(SOURCE_WORDS) for _ in range(SOURCES)]
        return Evidence(
            sources=[
                Source(id=f"S{i}", document=Document(text=text)) for i, text in enumerate(texts)
            ]
        )

    def _text(self, words: int) -> str:
        return " ".join(self._word() for _ in range(words)) + "."

    def _word(self) -> str:
        return self._dice.choice(WORDS)

    def _next(self) -> int:
        self._made += 1
        return self._made


def times(servers: Sequence[Server], rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Seconds of the other and of this server, in pairs, by kind of call."""
    texts = Texts(SEED)
    dice = random.Random(SEED)  # noqa: S311 - a fixed draw, not a secret
    found: dict[str, list[tuple[float, float]]] = {}
    for number in range(WARM_UP_ROUNDS + rounds):
        for kind, call in texts.calls().items():
            took_s = [0.0, 0.0]
            for side in dice.sample((0, 1), 2):
                began_s = time.perf_counter()
                call(servers[side])
                took_s[side] = time.perf_counter() - began_s
            if number >= WARM_UP_ROUNDS:
                found.setdefault(kind, []).append((took_s[0], took_s[1]))
    return found


def compared(kind: str, pairs: Sequence[tuple[float, float]]) -> Compared:
    """What pairs of times say."""
    dice = random.Random(SEED)  # noqa: S311 - a fixed draw, not a secret
    ratios = [this_s / other_s for other_s, this_s in pairs]
    medians = [statistics.median(dice.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES)]
    others, own = [other_s for other_s, _ in pairs], [this_s for _, this_s in pairs]
    return Compared(
        kind=kind,
        pairs=len(pairs),
        other_p50_s=nearest_rank(others, 0.5),
        other_p95_s=nearest_rank(others, 0.95),
        p50_s=nearest_rank(own, 0.5),
        p95_s=nearest_rank(own, 0.95),
        ratio=statistics.median(ratios),
        low=nearest_rank(medians, 0.025),
        high=nearest_rank(medians, 0.975),
    )


def report(run: Run, found: Sequence[Compared], sides: Sequence[str]) -> str:
    """The figures as markdown."""
    header = ["call", "pairs", "other p50", "p95", "this p50", "p95", "ratio of a pair, median"]
    rows = [
        [
            cell.kind,
            str(cell.pairs),
            *(
                f"{1000 * took_s:.0f} ms"
                for took_s in (cell.other_p50_s, cell.other_p95_s, cell.p50_s, cell.p95_s)
            ),
            f"{cell.ratio:.3f} [{cell.low:.3f}, {cell.high:.3f}]",
        ]
        for cell in found
    ]
    lines = [
        "# Two servers in turn",
        "",
        *run.lines(),
        f"- other: {sides[0]}",
        f"- this: {sides[1]}",
    ]
    return "\n".join([*lines, "", markdown_table(header, rows)])


def main(argv: Sequence[str] | None = None) -> int:
    """Measure; 0 if it was measured."""
    parser = bench_parser("bench.versions", "Two servers in turn, by the ratio of their times.")
    parser.add_argument("--other", type=Path, default=ROOT, help="the other server's checkout")
    parser.add_argument("--other-flags", default="", help="flags of the other server, in one word")
    parser.add_argument("--flags", default="", help="flags of this server, in one word")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    arguments = parser.parse_args(argv)
    return guarded(lambda: _measure(arguments))


def _measure(arguments: argparse.Namespace) -> None:
    other: Path = arguments.other.resolve()
    flags = [shlex.split(arguments.other_flags), shlex.split(arguments.flags)]
    if other == ROOT and flags[0] == flags[1]:
        raise BenchError("both servers are the same; name --other, --other-flags or --flags")
    run = describe_run(arguments.quick)
    rounds = QUICK_ROUNDS if arguments.quick else arguments.rounds
    model = ServerSettings().model
    with ExitStack() as stack:
        servers = []
        for checkout, own in zip((other, ROOT), flags, strict=True):
            say(f"starting groundwire serve {shlex.join(own)}".rstrip())
            target = stack.enter_context(serving(model, *own, checkout=checkout))
            channel = stack.enter_context(grpc.insecure_channel(target))
            servers.append(
                Server(VerifierBackendStub(channel), HallucinationDetectionStub(channel))
            )
        found = [compared(kind, pairs) for kind, pairs in times(servers, rounds).items()]
    names = ("another checkout" if other != ROOT else "this checkout", "this checkout")
    sides = [
        f"{name} with {shlex.join(own) if own else 'the default settings'}"
        for name, own in zip(names, flags, strict=True)
    ]
    folder = results_folder("versions", arguments.out, run)
    data = {"run": asdict(run), "sides": sides, "calls": [asdict(cell) for cell in found]}
    write_results(folder, "versions", data, report(run, found, sides))


if __name__ == "__main__":
    sys.exit(main())
