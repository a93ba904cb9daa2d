"""Does a server that works for a long time stay as it is? A million claims, and what they left.

Several clients ask a real server on the embedded model without a pause: claims that it knows by the
hundred, new ones that it has to compute, whole answers, and in between what a server meets: bad
requests, calls that give up at once or in the middle of reading, streams that are left, and bursts
of more calls than it takes. Every `SAMPLE_S` the server's memory, open files and threads are noted,
how much it has computed, and how well it foresees the time of calls. What is told of them are the
medians of each third of the run.

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
from statistics import median

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
SAMPLE_S = 5.0
CALL_S = 300.0
"""Most that a call may take, as the server has it: other work shares the machine."""
GIVEN_UP_S = 0.005
CUT_OFF_S, CUT_OFF_CLAIMS = (0.2, 2.0), 200
"""When calls end that are being read, each of which would take longer."""
MOST_PENDING_CALLS, BURST_CALLS = 12, 30
"""What the server takes at one time, and what comes at one time in a burst."""
QUIET_S = 60.0
"""The longest that a server may have claims behind its last call."""
MOST_GROWTH = 0.05
"""A server whose memory in the last third is by more than that over that in the second leaks. In
the first, caches fill and pools grow."""
THIRDS = ("first", "second", "last")


@dataclass(frozen=True, slots=True)
class Sample:
    """The server and its engine together, after so many claims."""

    seconds: float
    claims: int
    memory_mib: float
    open_files: int
    threads: int
    computed: int
    """Prompts that were in no cache, since the start."""
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
        asks = {
            self._known: 60,
            self._new: 14,
            self._answer: 10,
            self._bad: 5,
            self._given_up: 2,
            self._cut_off: 4,
            self._left: 4,
            self._burst: 1,
        }
        with Client(self._target, timeout_s=CALL_S) as client:
            while not is_over():
                (ask,) = self._chance.choices(list(asks), list(asks.values()))
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

    def _fresh(self, claims: int) -> list[str]:
        """Claims that nobody has asked before."""
        name = f"{self._seed}-{next(self._numbers)}"
        return [f"The owner of house {i} is {name}." for i in range(claims)]

    def _new(self, client: Client) -> int:
        claims = self._fresh(self._chance.randint(4, 12))
        client.batch_estimate(claims, context(self._chance.randrange(KNOWN_BATCHES)))
        return len(claims)

    def _answer(self, client: Client) -> int:
        number, house = self._chance.randrange(KNOWN_BATCHES), self._chance.randrange(40)
        answer = " ".join((f"House {house} of Arden {number} has {house} rooms.", *self._fresh(2)))
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

    def _cut_off(self, client: Client) -> int:
        """A call that ends in the middle of its reading."""
        claims, number = self._fresh(CUT_OFF_CLAIMS), self._chance.randrange(10**9)
        try:
            client.batch_estimate(
                claims, context(number), timeout_s=self._chance.uniform(*CUT_OFF_S)
            )
        except DeadlineExceededError:
            return 0
        return CUT_OFF_CLAIMS

    def _left(self, client: Client) -> int:
        """A stream of new claims that nobody reads on."""
        answer = " ".join(self._fresh(30))
        for _ in client.verify_answer_stream(answer, context(self._chance.randrange(10**9))):
            break
        return 0

    def _burst(self, client: Client) -> int:
        """More calls at one time than the server takes: some are refused, the others answered."""
        number = self._chance.randrange(KNOWN_BATCHES)

        def once(claim: str) -> int:
            try:
                client.estimate(claim, context(number))
            except ServerBusyError as error:
                self._work.note(f"of a burst: {error.reason}", 0)
                return 0
            self._work.note("of a burst: answered", 0)
            return 1

        with ThreadPoolExecutor(BURST_CALLS) as threads:
            return sum(threads.map(once, self._fresh(BURST_CALLS)))


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
            computed=int(_metric(page, "groundwire_result_cache_prompts", 'result="misses"')),
            prediction_error=wrong,
        )
        self.samples.append(sample)
        return sample

    def quiet_fault(self) -> str:
        """What is wrong if the server still has claims a while after its last call."""
        end_s = time.monotonic() + QUIET_S
        while pending := _gauge(self._served.metrics(), "groundwire_pending_claims"):
            if time.monotonic() > end_s:
                return f"{pending:.0f} claims are pending {QUIET_S:g} s after the last call"
            time.sleep(0.5)
        return ""


def _metric(page: str, name: str, label: str = "") -> float:
    found = re.findall(rf"^{name}\w*_total{{[^}}]*{label}[^}}]*}} (\S+)$", page, re.MULTILINE)
    if not found:
        raise BenchError(f"the server has no metric {name}")
    return sum(map(float, found))


def _gauge(page: str, name: str) -> float:
    return sum(map(float, re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", page, re.MULTILINE)))


def thirds(samples: Sequence[Sample]) -> list[Sequence[Sample]]:
    """The samples of each third of a run, by their number; each has one at least."""
    edges = [round(i * len(samples) / 3) for i in range(4)]
    return [samples[a : max(b, a + 1)] or samples[-1:] for a, b in itertools.pairwise(edges)]


def growth(samples: Sequence[Sample]) -> float:
    """What memory grew by from the second third to the last, by their medians."""
    _, second, last = (median(each.memory_mib for each in part) for part in thirds(samples))
    return last / second - 1.0


def main() -> int:
    """Parse the flags, soak, write."""
    parser = bench_parser("tests.soak.soak", "Does a server stay as it is after a million claims?")
    parser.add_argument("--claims", type=int, default=1_000_000, help="to ask in all")
    parser.add_argument("--seconds", type=float, default=1800.0, help="the most that it may take")
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    run, work = describe_run(arguments.quick), Work()
    claims = 20_000 if arguments.quick else arguments.claims
    with serving("--max-pending-calls", str(MOST_PENDING_CALLS)) as served:
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
        if fault := watch.quiet_fault():
            work.faults.append(fault)
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
        raise BenchError(f"the server's memory grew by {growth(samples):.0%} in the last third")


def _report(lines: Sequence[str], work: Work, samples: Sequence[Sample]) -> list[str]:
    rows = [
        [
            name,
            f"{part[-1].seconds:.0f} s",
            f"{part[-1].claims:,}",
            f"{part[-1].computed:,}",
            f"{median(each.memory_mib for each in part):,.0f} MiB",
            f"{median(each.open_files for each in part):.0f}",
            f"{median(each.threads for each in part):.0f}",
            _error(part),
        ]
        for name, part in zip(THIRDS, thirds(samples), strict=True)
    ]
    header = [
        "third", "until", "claims", "prompts computed", "memory", "open files", "threads",
        "error of predictions",
    ]  # fmt: skip
    calls = [[name, f"{count:,}"] for name, count in sorted(work.outcomes.items())]
    return [
        "# A long run",
        "",
        *lines,
        f"- {work.claims:,} claims in {work.outcomes.total():,} calls by {CLIENTS} clients, "
        f"{len(work.faults)} at fault",
        "",
        "Of memory, files, threads and errors, the median of the third; of the others, its end.",
        "",
        markdown_table(header, rows),
        "",
        markdown_table(["calls", "number"], calls),
    ]


def _error(part: Sequence[Sample]) -> str:
    found = [each.prediction_error for each in part if each.prediction_error is not None]
    return f"{median(found):.0%}" if found else "-"


if __name__ == "__main__":
    sys.exit(main())
