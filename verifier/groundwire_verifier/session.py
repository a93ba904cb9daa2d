"""One call, or one piece of work in the background, on its way through the verifier: how it reads,
until when, and what it has read."""

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import MappingProxyType
from typing import Protocol

from groundwire_verifier.domain.errors import BackendUnavailableError, VerifierError
from groundwire_verifier.domain.evidence import NonEvidence
from groundwire_verifier.domain.tasks import AnswerLimit, in_thread
from groundwire_verifier.domain.types import (
    BackendInfo,
    Prompt,
    Question,
    Reading,
    TimedReadings,
)
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.engine.base import OnReading
from groundwire_verifier.progress import OnVerdict, SharedUsage, VerificationPlan
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verdicts.types import ClaimVerdict, Reason
from groundwire_verifier.verification import PlanRead, Verification, VerificationInput, Verifier

NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Spans(Protocol):
    """Traces the plans and readings of a session."""

    def plan_span(self, claims: int) -> AbstractContextManager[object]:
        """A span around the tokenising of so many claims."""

    def read_span(
        self, plan: VerificationPlan, distinct_prompts: int
    ) -> AbstractContextManager[Mapping[str, str]]:
        """A span around the model's work. Gives its trace context, for the engine."""


class Session:
    """Plans and reads for one call, and adds up what that cost.

    What it reads is as urgent as `urgency`, where a single reading says nothing else, and nothing
    is shared with another `cache_salt`. Each plan and each reading of a plan has a span of its own
    by `spans`; without them all is traced by `trace_headers`. `limit` ends a block at
    `answer_by_s`, on the monotonic clock, once there is something to answer with. `error` is the
    first thing that went wrong and was kept.
    """

    def __init__(
        self,
        verifier: Verifier,
        cache_salt: str,
        urgency: Urgency,
        *,
        spans: Spans | None = None,
        trace_headers: Mapping[str, str] = NO_HEADERS,
        answer_by_s: float = math.inf,
    ) -> None:
        self.verifier = verifier
        self.cache_salt = cache_salt
        self.urgency = urgency
        self.trace_headers = trace_headers
        self._spans = spans
        self.answer_by_s = answer_by_s
        self.limit = AnswerLimit(answer_by_s)
        self.error: VerifierError | None = None
        self._info: BackendInfo | None = None
        self._readings: dict[Prompt, Reading] = {}
        self._titles: list[Mapping[str, str]] = []
        self._queue_s: list[float] = []
        self._began_s: float | None = None
        self._ended_s = 0.0

    async def plan(self, batch: VerificationInput) -> VerificationPlan:
        """Tokenise a batch. Raises as `Verifier.plan`."""
        spans = self._spans
        with nullcontext() if spans is None else spans.plan_span(len(batch.tasks)):
            plan = await self.verifier.plan(batch, self.cache_salt)
        self._info = plan.info
        return plan

    async def read(
        self,
        plan: VerificationPlan,
        on_verdict: OnVerdict | None = None,
        *,
        urgency: Urgency | None = None,
        answer_by_s: float | None = None,
    ) -> PlanRead:
        """Read a plan's prompts and judge its claims. Raises as `Verifier.read`."""
        self._info = plan.info
        self._titles.append(plan.evidence.title_of)
        self._begin()
        with self._traced(plan) as headers:
            done = await self.verifier.read(
                plan,
                headers,
                urgency or self.urgency,
                on_verdict,
                self.answer_by_s if answer_by_s is None else answer_by_s,
            )
        self._add(done.readings, done.queue_s)
        return done

    async def ask(
        self,
        backend: str,
        prompts: Sequence[Prompt],
        *,
        urgency: Urgency | None = None,
        skip_result_cache: bool = False,
    ) -> TimedReadings:
        """Read prompts of a backend that are no plan. Raises as `Estimator.read_prompts`."""
        estimator = self.verifier.estimator
        self._info = estimator.backends[backend].info
        self._begin()
        done = await estimator.read_prompts(
            backend,
            prompts,
            self.trace_headers,
            urgency or self.urgency,
            skip_result_cache=skip_result_cache,
        )
        self._add(dict(zip(prompts, done.readings, strict=True)), done.queue_s)
        return done

    async def ask_beside(
        self, plan: VerificationPlan, questions: Sequence[Question], on_reading: OnReading
    ) -> None:
        """Read questions on a plan's evidence, once its claims are read.

        Each reading is told and counted as soon as it is there. Raises InvalidInputError or
        BackendUnavailableError.
        """
        estimator = self.verifier.estimator
        backend = estimator.backends[plan.backend]
        prompts = await estimator.encode(backend, plan.info, questions, plan.fields)

        def take(number: int, reading: Reading) -> None:
            self._readings[prompts[number]] = reading
            self._ended_s = time.monotonic()
            on_reading(number, reading)

        with self._traced(plan) as headers:
            await estimator.read_prompts(
                plan.backend,
                prompts,
                headers,
                self.urgency.of_follow_up(),
                take,
                skip_result_cache=plan.options.skip_result_cache,
            )

    def keep(self, error: VerifierError) -> None:
        """Keep an error that what is known is answered in spite of."""
        self.error = self.error or error

    @property
    def reason(self) -> Reason:
        """Why something was left unread: the engine failed, or time ran out."""
        failed = isinstance(self.error, BackendUnavailableError)
        return Reason.BACKEND_FAILED if failed else Reason.OUT_OF_TIME

    async def result(
        self,
        verdicts: Sequence[ClaimVerdict],
        options: VerifyOptions,
        cut_short: Reason | None = None,
        non_evidence: Sequence[NonEvidence] = (),
    ) -> Verification:
        """These verdicts, and all that was read on the way to them.

        Its `queue_s` is the shortest time that any of it waited, and its `inference_s` the rest of
        the time in which it was read.
        """
        # What was cancelled may still end beside it.
        info, readings = self._info, dict(self._readings)
        queue_s = min(self._queue_s, default=0.0)
        began_s = self._ended_s if self._began_s is None else self._began_s
        block_tokens = 0 if info is None else info.block_tokens
        is_shared = all(titles == self._titles[0] for titles in self._titles)
        return Verification(
            verdicts=tuple(verdicts),
            options=options,
            readings=readings,
            usage=await in_thread(SharedUsage.of, readings, block_tokens),
            queue_s=queue_s,
            inference_s=max(0.0, self._ended_s - began_s - queue_s),
            model=info.model if info is not None and readings else "",
            backend=options.backend or self.verifier.backends[0],
            non_evidence=tuple(non_evidence),
            cut_short=cut_short,
            info=info,
            titles=next(iter(self._titles), {}) if is_shared else {},
        )

    def _traced(self, plan: VerificationPlan) -> AbstractContextManager[Mapping[str, str]]:
        if self._spans is None:
            return nullcontext(self.trace_headers)
        return self._spans.read_span(plan, len(plan.order))

    def _begin(self) -> None:
        if self._began_s is None:
            self._began_s = self._ended_s = time.monotonic()

    def _add(self, readings: Mapping[Prompt, Reading], queue_s: float) -> None:
        self._readings |= readings
        self._queue_s.append(queue_s)
        self._ended_s = time.monotonic()
