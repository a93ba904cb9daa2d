"""Does a server that works for a long time stay as it is? A million claims, and what they left.

Several clients ask a real server on the embedded model without a pause: claims that it knows by the
hundred, new ones that it has to compute, whole answers, and in between what a server meets: bad
requests, calls that give up, and streams that are left. Every `SAMPLE_S` the server's memory, open
files and threads are noted, and how well it foresees the time of calls.

Not measured: latency (`bench.load`). It ends after so many claims or seconds, whichever is first.
"""

import argparse
import itertools
import random
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field

import psutil

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
from bench.tools.serving import family_of, memory_mib
from groundwire import (
    Client,
    DeadlineExceededError,
    GroundwireError,
    InvalidRequestError,
    RpcFailedError,
    ServerBusyError,
)
from tests.serving import Served, serving

CLIENTS = 3
KNOWN_BATCHES, BATCH_CLAIMS = 4, 500
CONTEXT_SENTENCES = 6
SAMPLE_S = 10.0
GIVEN_UP_S = 0.005
WARM_SHARE = 0.3
"""So much of the run is a warm-up: caches fill, pools grow. From there samples are compared."""
MOST_GROWTH = 0.1
"""A server that holds more than that in addition at the end, of its memory once warm, leaks."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The server and its engine together, after so many claims."""

    seconds: float
    claims: int
    memory_mib: float
    open_files: int
    threads: int
    prediction_error: float | None
    """Of the calls since the last sample that had any: the sum of absolute errors over that of
    their times."""


@dataclass(slots=True)
class Work:
    """What was asked and what came of it, by all clients together."""

    claims: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, what: str, claims: int, fault: str = "") -> None:
        """Count a call."""
        with self.lock:
            self.outcomes[what] += 1
            self.claims += claims
            if fault:
                self.faults.append(fault)


def context(number: int) -> str:
    """One of the contexts, with its town."""
    facts = (
        f"House {i} of Arden {number} has {i + number} rooms." for i in range(CONTEXT_SENTENCES)
    )
    return " ".join(facts)


def batch(number: int) -> list[str]:
    """The claims that are always asked about a context, so that they are known."""
    return [f"House {i} of Arden {number} has {i} rooms." for i in range(BATCH_CLAIMS)]


class Asker:
    """One client, which asks until it is told to stop."""

    def __init__(self, target: str, seed: str, work: Work) -> None:
        self._target, self._work = target, work
        self._chance = random.Random(seed)  # noqa: S311 - a fixed choice, not a secret
        self._numbers = itertools.count()
        self._seed = seed

    def run(self, is_over: Callable[[], bool]) -> None:
        """Ask one thing after the other."""
        asks = (self._known, self._new, self._answer, self._bad, self._given_up, self._left)
        weights = (70, 8, 6, 8, 5, 3)
        with Client(self._target, timeout_s=120.0) as client:
            while not is_over():
                (ask,) = self._chance.choices(asks, weights)
                name = ask.__name__.removeprefix("_")
                try:
                    claims = ask(client)
                except ServerBusyError:
                    self._work.note(f"{name}: busy, try later", 0)
                except RpcFailedError as error:
                    self._work.note(f"{name}: {error.code.name}", 0, f"{name}: {error}")
                except GroundwireError as error:
                    self._work.note(f"{name}: {type(error).__name__}", 0, f"{name}: {error}")
                else:
                    self._work.note(name, claims)

    def _known(self, client: Client) -> int:
        number = self._chance.randrange(KNOWN_BATCHES)
        client.batch_estimate(batch(number), context(number))
        return BATCH_CLAIMS

    def _new(self, client: Client) -> int:
        number, new = self._chance.randrange(KNOWN_BATCHES), f"{self._seed}-{next(self._numbers)}"
        claims = [f"The owner of house {i} is {new}." for i in range(self._chance.randint(1, 4))]
        client.batch_estimate(claims, context(number))
        return len(claims)

    def _answer(self, client: Client) -> int:
        number, house = self._chance.randrange(KNOWN_BATCHES), self._chance.randrange(40)
        answer = f"House {house} of Arden {number} has {house} rooms. It is old."
        report = client.verify_answer(answer, context(number))
        return len(report.claims)

    def _bad(self, client: Client) -> int:
        claims = self._chance.choice(([], [" "], ["no " * 5000], ["Claim."] * 1001))
        try:
            client.batch_estimate(claims, context(0))
        except InvalidRequestError:
            return 0
        raise BenchError("a bad request was answered")

    def _given_up(self, client: Client) -> int:
        number = self._chance.randrange(10**9)
        try:
            client.batch_estimate(batch(number), context(number), timeout_s=GIVEN_UP_S)
        except DeadlineExceededError:
            return 0
        return BATCH_CLAIMS

    def _left(self, client: Client) -> int:
        number = self._chance.randrange(KNOWN_BATCHES)
        answer = " ".join(batch(number)[:30])
        for _ in client.verify_answer_stream(answer, context(number)):
            break
        return 0


class Watch:
    """Takes samples of a server."""

    def __init__(self, served: Served, work: Work) -> None:
        self._served, self._work = served, work
        self._process = psutil.Process(served.process.pid)
        self._began_s = time.monotonic()
        self._actual_s = self._error_s = 0.0
        self.samples: list[Sample] = []

    def take(self) -> Sample:
        """One more. Raises psutil.NoSuchProcess where the server has ended."""
        family = family_of(self._process)
        page = self._served.metrics()
        actual_s, error_s = (
            _metric(page, f"groundwire_prediction_{name}") for name in ("actual", "absolute_error")
        )
        passed_s = actual_s - self._actual_s
        wrong = self.samples[-1].prediction_error if self.samples else None
        if passed_s > 0:
            wrong = (error_s - self._error_s) / passed_s
        self._actual_s, self._error_s = actual_s, error_s
        sample = Sample(
            seconds=time.monotonic() - self._began_s,
            claims=self._work.claims,
            memory_mib=memory_mib(family),
            open_files=sum(each.num_fds() for each in family),
            threads=sum(each.num_threads() for each in family),
            prediction_error=wrong,
        )
        self.samples.append(sample)
        return sample


def _metric(page: str, name: str) -> float:
    found = re.findall(rf"^{name}\w*_total{{[^}}]*}} (\S+)$", page, re.MULTILINE)
    if not found:
        raise BenchError(f"the server has no metric {name}")
    return sum(map(float, found))


def growth(samples: Sequence[Sample]) -> float:
    """What memory grew by between the warm sample and the last, as a share of the first."""
    warm = warm_sample(samples)
    return samples[-1].memory_mib / warm.memory_mib - 1.0


def warm_sample(samples: Sequence[Sample]) -> Sample:
    """The first one behind the warm-up."""
    return samples[min(len(samples) - 1, int(len(samples) * WARM_SHARE) + 1)]


def main() -> int:
    """Parse the flags, soak, write."""
    parser = bench_parser("soak", "Does a server stay as it is after a million claims?")
    parser.add_argument("--claims", type=int, default=1_000_000, help="to ask in all")
    parser.add_argument("--seconds", type=float, default=1800.0, help="the most that it may take")
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    run, work = describe_run(arguments.quick), Work()
    claims = 20_000 if arguments.quick else arguments.claims
    with serving() as served:
        watch = Watch(served, work)
        watch.take()
        end_s = time.monotonic() + arguments.seconds

        def is_over() -> bool:
            return work.claims >= claims or time.monotonic() > end_s

        with ThreadPoolExecutor(CLIENTS) as threads:
            askers = [
                threads.submit(Asker(served.target, f"client{i}", work).run, is_over)
                for i in range(CLIENTS)
            ]
            while not is_over() and not any(asker.done() for asker in askers):
                time.sleep(SAMPLE_S)
                sample = watch.take()
                say(f"{sample.claims:,} claims, {sample.memory_mib:.0f} MiB")
            for asker in askers:
                asker.result()
        watch.take()
    samples = watch.samples
    data = {
        "run": asdict(run),
        "claims": work.claims,
        "outcomes": dict(sorted(work.outcomes.items())),
        "faults": work.faults[:100],
        "samples": [asdict(sample) for sample in samples],
    }
    folder = results_folder("soak", arguments.out, run)
    write_results(folder, "soak", data, "\n".join(_report(run.lines(), work, samples)))
    if work.faults:
        raise BenchError(f"{len(work.faults)} calls failed that must not; see the results")
    if growth(samples) > MOST_GROWTH:
        raise BenchError(f"the server's memory grew by {growth(samples):.0%} once it was warm")


def _report(lines: Sequence[str], work: Work, samples: Sequence[Sample]) -> list[str]:
    chosen = (
        ("at the start", samples[0]),
        ("warm", warm_sample(samples)),
        ("at the end", samples[-1]),
    )
    rows = [
        [
            name,
            f"{sample.seconds:.0f} s",
            f"{sample.claims:,}",
            f"{sample.memory_mib:,.0f} MiB",
            str(sample.open_files),
            str(sample.threads),
            "-" if sample.prediction_error is None else f"{sample.prediction_error:.0%}",
        ]
        for name, sample in chosen
    ]
    header = ["", "after", "claims", "memory", "open files", "threads", "error of predictions"]
    calls = [[name, f"{count:,}"] for name, count in sorted(work.outcomes.items())]
    return [
        "# A long run",
        "",
        *lines,
        f"- {work.claims:,} claims in {work.outcomes.total():,} calls by {CLIENTS} clients, "
        f"{len(work.faults)} at fault",
        "",
        markdown_table(header, rows),
        "",
        markdown_table(["calls", "number"], calls),
    ]


if __name__ == "__main__":
    sys.exit(main())
