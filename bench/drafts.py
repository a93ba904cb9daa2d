"""How long a reader waits behind the last character of an answer, as a client on the same machine.

Measured: an answer of ten claims on five sources that the server never saw, written at a model's
pace into VerifyDraft: from its last piece until the report is there. Beside it: VerifyAnswer on
other such sources once the answer is whole, and one claim on sources that are known. One call at a
time. The target is 500 ms and the time of one claim, at the p95.

Not measured: calls side by side, a network, TLS, whether the verdicts are right.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

from bench.tools.answers import CLAIMS, SOURCES, Answers, Visit
from bench.tools.common import (
    TARGET_BASE_S,
    BenchError,
    Run,
    add_seconds_flag,
    begun_within,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    nearest_rank,
    results_folder,
    save_results,
    say,
)
from bench.tools.serving import add_server_flags, client_at, server_in_words
from groundwire import AnswerReport, Client, Evidence

TOKEN_CHARACTERS = 4
"""Of English text, about."""
TOKENS_PER_S = 30.0
CALL_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class Sample:
    """One visit: seconds from the last piece of a draft to its report, of a call with the whole
    answer, and of one claim on the draft's sources. `early` is how many claims of the draft had
    a verdict before its last piece."""

    draft_s: float
    whole_s: float
    claim_s: float
    early: int


@dataclass(frozen=True, slots=True)
class Measured:
    """A run and its visits."""

    run: Run
    server: str
    samples: tuple[Sample, ...]

    @property
    def target_s(self) -> float:
        """What a report may take behind the last character."""
        return TARGET_BASE_S + nearest_rank([each.claim_s for each in self.samples], 0.5)


def visit(client: Client, next_visit: Callable[[], Visit], tokens_per_s: float) -> Sample:
    """Write one draft, and ask beside it. Each takes sources that the server never saw."""
    drafted, whole = next_visit(), next_visit()
    sources = Evidence.documents(drafted.sources)
    ends: list[float] = []
    told: set[int] = set()
    early = 0
    report = None
    for event in client.verify_draft(_pieces(drafted.answers[0], tokens_per_s, ends), sources):
        if isinstance(event, AnswerReport):
            report = event
        elif not ends and (index := getattr(event, "index", None)) is not None:
            told.add(index)
            early = len(told)
    draft_s = time.perf_counter() - ends[0]
    if report is None or len(report) != CLAIMS:
        raise BenchError(f"a draft ended without the {CLAIMS} claims that it was meant to have")
    claim_s = _took(lambda: client.verify_claims(["The mill is old."], sources))
    others = Evidence.documents(whole.sources)
    whole_s = _took(lambda: client.verify_answer(whole.answers[0], others))
    return Sample(draft_s, whole_s, claim_s, early)


def _pieces(text: str, tokens_per_s: float, ends: list[float]) -> Iterator[str]:
    """The text at a model's pace; `ends` gets the moment of its last piece."""
    began_s = time.perf_counter()
    for count, at in enumerate(range(0, len(text), TOKEN_CHARACTERS), start=1):
        time.sleep(max(0.0, began_s + count / tokens_per_s - time.perf_counter()))
        if at + TOKEN_CHARACTERS >= len(text):
            ends.append(time.perf_counter())
        yield text[at : at + TOKEN_CHARACTERS]


def _took(call: Callable[[], object]) -> float:
    began_s = time.perf_counter()
    call()
    return time.perf_counter() - began_s


def report(measured: Measured) -> str:
    """The whole result as markdown."""
    samples = measured.samples
    within = _p95([each.draft_s for each in samples]) <= measured.target_s
    rows = [
        _row("VerifyDraft, from the last piece to the report", [s.draft_s for s in samples]),
        _row("VerifyAnswer with the whole answer", [s.whole_s for s in samples]),
        _row("one claim on known sources", [s.claim_s for s in samples]),
    ]
    early = sum(each.early for each in samples) / len(samples)
    lines = [
        "# How long a reader waits behind an answer's last character",
        "",
        *measured.run.lines(),
        f"- server: {measured.server}",
        f"- each answer: {CLAIMS} claims on {SOURCES} sources that the server never saw, written "
        f"at {TOKENS_PER_S:g} tokens a second; {early:.1f} claims had a verdict before its end",
        "",
        f"The p95 is {'' if within else '**not** '}within 500 ms and one claim "
        f"({measured.target_s * 1000:,.0f} ms).",
        "",
        markdown_table(["milliseconds", "p50", "p95", "max", "n"], rows),
        "",
        "Quantiles are nearest-rank: of n = 20 visits the p95 is the second slowest, of fewer the "
        "slowest.",
    ]
    return "\n".join(lines)


def _row(name: str, times_s: Sequence[float]) -> list[str]:
    figures = nearest_rank(times_s, 0.5), _p95(times_s), max(times_s)
    return [name, *(f"{each * 1000:,.0f}" for each in figures), str(len(times_s))]


def _p95(times_s: Sequence[float]) -> float:
    return nearest_rank(times_s, 0.95)


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("bench.drafts", "The wait behind the last character of an answer.")
    add_server_flags(parser)
    parser.add_argument("--visits", type=int, default=20, metavar="N", help="so many at most")
    add_seconds_flag(parser, "visit")
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    if arguments.visits < 1:
        raise BenchError("--visits must be at least 1")
    run = describe_run(arguments.quick)
    say("making the answers")
    answers = Answers()
    visits = range(2 if arguments.quick else arguments.visits)
    samples: list[Sample] = []
    folder = results_folder("drafts", arguments.out, run)
    with client_at(arguments.target, arguments.model, CALL_TIMEOUT_S) as client:
        server = server_in_words(client.server_info(), arguments.target)
        # The first calls are slower than the next ones; this one is not counted.
        visit(client, answers.visit, 10 * TOKENS_PER_S)
        for number in begun_within(arguments.seconds, visits):
            samples.append(visit(client, answers.visit, TOKENS_PER_S))
            say(f"visit {number + 1}: {samples[-1]}")
            measured = Measured(run, server, tuple(samples))
            save_results(folder, "drafts", asdict(measured), report(measured))
    print(report(measured))
    say(f"written to {folder}")


if __name__ == "__main__":
    sys.exit(main())
