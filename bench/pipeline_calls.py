"""The calls of the pipeline bench: their order, their times, and the check that each was as meant.

Knows the client and the visits. Does not know how results are told.
"""

import random
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass

from bench.answers import CLAIMS, Visit
from bench.common import BenchError, say
from bench.pipeline_report import ANSWER, COLD, OTHER, SAME, STREAM, Sample
from groundwire import (
    AnswerEvent,
    AnswerReport,
    ClaimKnown,
    Client,
    Evidence,
    SharedUsage,
    Verdict,
)

SEED = 1
WARM_UP_VISITS = 2
FORMS = (ANSWER, STREAM)
COMMON_BLOCKS = 4
"""Blocks that calls on different sources can share: what stands before the first source, with the
source and with the marker in its place."""


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
    """One run of a plan against one server."""

    def __init__(self, client: Client, next_visit: Callable[[], Visit], plan: Plan) -> None:
        """Keep the parts. `next_visit` gives sources that the server never saw."""
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
        end_s = time.monotonic() + self._plan.limit_s
        for number, form in enumerate(order, start=1):
            if time.monotonic() > end_s:
                say(f"the time is up: {number - 1} of {len(order)} visits were made")
                break
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
