"""The latency of VerifyAnswer over gRPC, as a client on the same machine sees it.

Measured: the wall time from sending an answer of ten claims and its five sources until the report
is there, and in the streaming form until the first verdict; one call at a time. Cold: sources that
the server never saw. Warm: the same sources with another answer, and then with that answer again.
That all ten claims were read, and that a call was cold or warm, is checked with what the server
reports. The target is 500 ms + 10 x 100 ms, at the p95.

Beside it: one claim, ten facts at the memory gate, a submitted output and an audit of ten steps,
each on sources that the server never saw and on them again; see `bench.tools.operations`.

Not measured: calls side by side, a network, TLS, whether the verdicts are right (see
bench.quality).
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import asdict, dataclass

from bench.tools.answers import CLAIMS, SOURCES, Answers, Visit
from bench.tools.common import (
    BenchError,
    Run,
    begun_within,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    nearest_rank,
    results_folder,
    say,
    target_s,
    write_results,
)
from bench.tools.operations import SERVER_FLAGS, OperationCell, measure, table
from bench.tools.serving import add_server_flags, client_at, server_in_words
from groundwire import (
    AnswerEvent,
    AnswerReport,
    ClaimKnown,
    Client,
    Evidence,
    SharedUsage,
    Verdict,
)

ANSWER, STREAM = "VerifyAnswer", "VerifyAnswerStream"
COLD, OTHER, SAME = "cold", "warm, other answer", "warm, same answer"
KINDS = (COLD, OTHER, SAME)

SEED = 1
WARM_UP_VISITS = 2
FORMS = (ANSWER, STREAM)
COMMON_BLOCKS = 4
"""Blocks that calls on different sources can share: what stands before the first source, with the
source and with the marker in its place."""

CALL_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class Sample:
    """One call. `elapsed_s` and `first_verdict_s` are what the client waited, the latter in a
    stream only; the other times are the server's.
    """

    form: str
    kind: str
    elapsed_s: float
    first_verdict_s: float | None
    server_s: float
    queue_s: float
    inference_s: float
    supported: int
    prompts: int
    prompt_tokens: int
    computed_tokens: int
    minimal_tokens: int


@dataclass(frozen=True, slots=True)
class Cell:
    """All calls of one form and kind; tokens, prompts and supported claims are means a call."""

    form: str
    kind: str
    n: int
    p50_s: float
    p95_s: float
    max_s: float
    first_verdict_p50_s: float | None
    first_verdict_p95_s: float | None
    outside_inference_p50_s: float
    target_s: float
    is_within_target: bool
    supported: float
    prompts: float
    prompt_tokens: float
    computed_tokens: float
    minimal_tokens: float

    @property
    def computed_to_minimal(self) -> float:
        """Computed tokens, in those that an empty cache needs at least."""
        return self.computed_tokens / self.minimal_tokens


@dataclass(frozen=True, slots=True)
class Measured:
    """A run and its cells. `claims` and `sources` are those of every call."""

    run: Run
    server: str
    claims: int
    sources: int
    cells: tuple[Cell, ...]
    operations: tuple[OperationCell, ...]
    took_s: float


def summarise(samples: Sequence[Sample], claims: int) -> tuple[Cell, ...]:
    """One cell for each form and kind that was called."""
    groups = [
        [s for s in samples if (s.form, s.kind) == (form, kind)]
        for form in (ANSWER, STREAM)
        for kind in KINDS
    ]
    return tuple(_cell(group, claims) for group in groups if group)


def _cell(samples: Sequence[Sample], claims: int) -> Cell:
    elapsed_s = [sample.elapsed_s for sample in samples]
    first_s = [s.first_verdict_s for s in samples if s.first_verdict_s is not None]
    p95_s, target = nearest_rank(elapsed_s, 0.95), target_s(claims)

    def mean(number: Callable[[Sample], int]) -> float:
        return sum(number(sample) for sample in samples) / len(samples)

    return Cell(
        form=samples[0].form,
        kind=samples[0].kind,
        n=len(samples),
        p50_s=nearest_rank(elapsed_s, 0.5),
        p95_s=p95_s,
        max_s=max(elapsed_s),
        first_verdict_p50_s=nearest_rank(first_s, 0.5) if first_s else None,
        first_verdict_p95_s=nearest_rank(first_s, 0.95) if first_s else None,
        outside_inference_p50_s=nearest_rank([s.elapsed_s - s.inference_s for s in samples], 0.5),
        target_s=target,
        is_within_target=p95_s <= target,
        supported=mean(lambda s: s.supported),
        prompts=mean(lambda s: s.prompts),
        prompt_tokens=mean(lambda s: s.prompt_tokens),
        computed_tokens=mean(lambda s: s.computed_tokens),
        minimal_tokens=mean(lambda s: s.minimal_tokens),
    )


def report(measured: Measured) -> str:
    """The whole result as markdown."""
    cells, claims = measured.cells, measured.claims
    within = sum(cell.is_within_target for cell in cells)
    lines = [
        "# Latency of VerifyAnswer: from an answer to its verdicts",
        "",
        *measured.run.lines(),
        f"- server: {measured.server}",
        f"- calls: {sum(cell.n for cell in cells)} in {measured.took_s:.0f} s, one at a time, "
        "order shuffled with a fixed seed",
        f"- each call: an answer with {claims} claims on {measured.sources} sources of about 60 to "
        "150 tokens; all claims of every call were read",
        "",
        f"p95 within 500 ms + {claims} x 100 ms in {within} of {len(cells)} cells.",
        "",
        _times(cells),
        "",
        _tokens(cells),
        "",
        table(measured.operations),
        "",
        "Milliseconds, as the client on the same machine sees them. Cold: the server never saw the "
        "sources; warm: the same sources again, with another answer, and then with that answer "
        "again. First verdict: until the first claim of a stream was judged. Quantiles are "
        "nearest-rank: of n = 20 calls the p95 is the second slowest, of fewer than 20 the "
        "slowest. Outside: the median of what is not inference: the wire, finding the claims, "
        "tokenising and waiting. Tokens and prompts are means of a call. Prompts: distinct ones, "
        "of which each claim has two, and a third where p1 does not speak for it. Minimal: the "
        "fewest tokens that an engine with an empty cache could compute.",
    ]
    return "\n".join(lines)


def _times(cells: Sequence[Cell]) -> str:
    header = ["call", "sources", "target", "p50", "p95", "max", "n", "p95 within target"]
    header += ["first verdict p50", "p95", "outside"]
    return markdown_table(
        header,
        [
            [
                cell.form,
                cell.kind,
                *(_ms(s) for s in (cell.target_s, cell.p50_s, cell.p95_s, cell.max_s)),
                str(cell.n),
                "yes" if cell.is_within_target else "**no**",
                _ms(cell.first_verdict_p50_s),
                _ms(cell.first_verdict_p95_s),
                _ms(cell.outside_inference_p50_s),
            ]
            for cell in cells
        ],
    )


def _tokens(cells: Sequence[Cell]) -> str:
    header = ["call", "sources", "prompts", "prompt tokens", "computed", "of all", "minimal"]
    header += ["computed / minimal", "claims supported"]
    return markdown_table(
        header,
        [
            [
                cell.form,
                cell.kind,
                f"{cell.prompts:.1f}",
                f"{cell.prompt_tokens:,.0f}",
                f"{cell.computed_tokens:,.0f}",
                f"{cell.computed_tokens / cell.prompt_tokens:.0%}",
                f"{cell.minimal_tokens:,.0f}",
                f"{cell.computed_to_minimal:.2f}",
                f"{cell.supported:.1f}",
            ]
            for cell in cells
        ],
    )


def _ms(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1000:,.0f}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is called how often. A visit has three calls; after `limit_s` none begins."""

    visits: int
    limit_s: float

    def order(self) -> list[str]:
        """The form of every visit, shuffled with a fixed seed."""
        forms = [form for form in FORMS for _ in range(self.visits)]
        random.Random(SEED).shuffle(forms)  # noqa: S311 - a fixed order, not a secret
        return forms


class Session:
    """One run of a plan against one server. `next_visit` gives sources that it never saw."""

    def __init__(self, client: Client, next_visit: Callable[[], Visit], plan: Plan) -> None:
        self._client = client
        self._next_visit = next_visit
        self._plan = plan

    def measure(self) -> list[Sample]:
        """Call the server as planned. Raises BenchError when a call was not what was planned."""
        # The first calls are slower than the next ones; these are not counted.
        for form in FORMS * (WARM_UP_VISITS // len(FORMS)):
            self._visit(form)
        order = self._plan.order()
        samples: list[Sample] = []
        for number, form in enumerate(begun_within(self._plan.limit_s, order), start=1):
            samples += self._visit(form)
            if number % 5 == 0:
                say(f"{number} of {len(order)} visits")
        return samples

    def _visit(self, form: str) -> list[Sample]:
        visit = self._next_visit()
        first, other = visit.answers
        calls = ((COLD, first), (OTHER, other), (SAME, other))
        return [self._call(form, kind, visit, answer) for kind, answer in calls]

    def _call(self, form: str, kind: str, visit: Visit, answer: str) -> Sample:
        evidence = Evidence.documents(visit.sources)
        first_s = None
        began_s = time.perf_counter()
        if form == ANSWER:
            report = self._client.verify_answer(answer, evidence)
        else:
            report, first_s = _last(self._client.verify_answer_stream(answer, evidence))
            first_s -= began_s
        elapsed_s = time.perf_counter() - began_s
        check(report, kind)
        usage, timing = report.run.usage, report.run.timing
        return Sample(
            form=form,
            kind=kind,
            elapsed_s=elapsed_s,
            first_verdict_s=first_s,
            server_s=timing.total_s,
            queue_s=timing.queue_s,
            inference_s=timing.inference_s,
            supported=sum(c.verdict is Verdict.SUPPORTED for c in report),
            prompts=usage.distinct_prompts,
            prompt_tokens=usage.prompt_tokens,
            computed_tokens=usage.computed_tokens,
            minimal_tokens=usage.minimal_tokens,
        )


def _last(events: Generator[AnswerEvent, None, None]) -> tuple[AnswerReport, float]:
    """The report at the end of a stream, and when the first verdict came."""
    first_s = None
    for event in events:
        if first_s is None and isinstance(event, ClaimKnown):
            first_s = time.perf_counter()
        if isinstance(event, AnswerReport):
            if first_s is None:
                raise BenchError("a stream ended without a verdict")
            return event, first_s
    raise BenchError("a stream ended without a report")


def check(report: AnswerReport, kind: str) -> None:
    """Raise BenchError unless all claims were read, and the call was cold or warm as planned."""
    read = sum(claim.posterior is not None and claim.prior is not None for claim in report)
    if (len(report), read) != (CLAIMS, CLAIMS):
        raise BenchError(
            f"a call found {len(report)} claims and read {read} of them; {CLAIMS} were meant to be "
            "read: does the server allow as many?"
        )
    usage = report.run.usage
    if kind == COLD and _known_tokens(usage) > COMMON_BLOCKS * usage.block_tokens:
        raise BenchError(
            f"a cold call computed {usage.computed_tokens} tokens and not {usage.minimal_tokens}: "
            "the server knew its sources"
        )
    if kind != COLD and _known_tokens(usage) <= 0:
        raise BenchError(
            f"a warm call computed {usage.computed_tokens} tokens, where an empty cache needs "
            f"{usage.minimal_tokens}: the server had forgotten its sources"
        )


def _known_tokens(usage: SharedUsage) -> int:
    """At least so many tokens were known before the call."""
    return usage.minimal_tokens - usage.computed_tokens


FULL = Plan(visits=20, limit_s=1200.0)
QUICK = Plan(visits=2, limit_s=120.0)


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("bench.pipeline", "Latency of VerifyAnswer against its target.")
    add_server_flags(parser)
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    plan = QUICK if arguments.quick else FULL
    run = describe_run(arguments.quick)
    say("making the answers")
    answers = Answers()
    with (
        tempfile.TemporaryDirectory() as kept,
        client_at(
            arguments.target,
            arguments.model,
            CALL_TIMEOUT_S,
            *SERVER_FLAGS,
            "--output-verification-store",
            f"{kept}/outputs.sqlite",
        ) as client,
    ):
        info = client.server_info()
        began_s = time.monotonic()
        samples = Session(client, answers.visit, plan).measure()
        say("one claim, the gate, a submit and an audit")
        operations = measure(client, Answers().visit, plan.visits)
        took_s = time.monotonic() - began_s
    cells = summarise(samples, CLAIMS)
    server = server_in_words(info, arguments.target)
    measured = Measured(run, server, CLAIMS, SOURCES, cells, operations, took_s)
    data = {**asdict(measured), "samples": [asdict(sample) for sample in samples]}
    folder = results_folder("pipeline", arguments.out, run)
    write_results(folder, "pipeline", data, report(measured))


if __name__ == "__main__":
    sys.exit(main())
