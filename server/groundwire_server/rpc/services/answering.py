"""Claims from a request to their verdicts, for every call of HallucinationDetection."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from google.protobuf.message import Message

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.records.detections import Detection, DetectionCall, Judged
from groundwire_server.rpc.calls import Calls
from groundwire_server.rpc.services import detection_messages as messages
from groundwire_server.rpc.services import model_claims
from groundwire_server.rpc.services.corpus_evidence import (
    CorpusEvidence,
    retrieved_source,
    source_days,
)
from groundwire_server.rpc.services.parts import Parts
from groundwire_server.rpc.telemetry import Telemetry
from groundwire_verifier.answers import AnswerClaims, AnswerInput, report_on
from groundwire_verifier.corpus.passages import Passage
from groundwire_verifier.domain.threads import in_thread
from groundwire_verifier.domain.urgency import Arrival, Urgency
from groundwire_verifier.explanations.explaining import Explainer, Said
from groundwire_verifier.explanations.other_values import with_other_values
from groundwire_verifier.progress import OnVerdict, VerificationPlan
from groundwire_verifier.verdicts.questions import ClaimQuestions, ClaimTask
from groundwire_verifier.verification import Verification, VerificationInput, Verifier

log = logging.getLogger("groundwire.server")


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer's claims, what came of those that were to verify, and the passages of a corpus."""

    found: AnswerClaims
    verification: Verification
    passages: tuple[Passage, ...]


class Answering:
    """Plans and reads the claims of calls with `parts`, on evidence of theirs or of `corpora`."""

    def __init__(self, parts: Parts, corpora: CorpusEvidence) -> None:
        self._parts = parts
        self._corpora = corpora
        self._calls = parts.calls
        self._marks = parts.marks
        self._verifier = parts.verifier
        self._finder = parts.finder
        self._explainer = Explainer(parts.estimator)

    def remembering(self, *, skip_result_cache: bool) -> "Answering":
        """The same for one call that reads several times, but nothing twice."""
        estimator = self._parts.estimator.remembering(skip_result_cache=skip_result_cache)
        parts = replace(self._parts, estimator=estimator, verifier=Verifier(estimator))
        return Answering(parts, self._corpora)

    async def answered(
        self,
        answer: AnswerInput,
        extract: pb.ExtractOptions,
        arrival: Arrival,
        remembered: Collection[ClaimTask] = (),
    ) -> Answered:
        """Find the claims of an answer, as its `extract` asks, and verify them; see `planned`."""
        if answer.corpus:
            self._corpora.check(answer.corpus, f"{answer.prefix}corpus")
        chosen, batch = await self._finder.choose_now(
            answer, extract, f"{answer.prefix}extract", arrival
        )
        async with self.planned(batch, answer.corpus, remembered) as (plan, passages):
            verification = await self.read(
                plan, arrival, len(chosen.claims), partial(said, chosen), passages=passages
            )
        return Answered(chosen, verification, passages)

    def report(
        self, call: DetectionCall, request: pb.VerifyAnswerRequest, answered: Answered
    ) -> pb.VerifyAnswerResponse:
        """The report on an answer, whose detection is told."""
        found, verification = answered.found, answered.verification
        judged = tuple(map(Judged, found.indexes, verification.verdicts))
        total_s = tell_of(self._calls, call, request, judged=judged, verification=verification)
        thresholds = verification.options.thresholds
        claims, summary = report_on(
            found, verification.verdicts, thresholds, verification.card_languages
        )
        return pb.VerifyAnswerResponse(
            claims=[messages.answer_claim(claim) for claim in claims],
            summary=messages.summary(summary),
            run=messages.run(call.id, verification, total_s),
            extraction=model_claims.message(found.extraction),
            sources=[retrieved_source(i, each) for i, each in enumerate(answered.passages)],
        )

    @contextlib.asynccontextmanager
    async def planned(
        self,
        batch: VerificationInput,
        corpus: str = "",
        remembered: Collection[ClaimTask] = (),
    ) -> AsyncIterator[tuple[VerificationPlan, tuple[Passage, ...]]]:
        """Hold places for a batch, and give its plan, with the passages of a corpus, if any.

        Claims that are `remembered` had their places before.
        """
        calls, count = self._calls, len(batch.tasks)
        passages: tuple[Passage, ...] = ()
        with calls.admission.admit(sum(task not in remembered for task in batch.tasks)):
            if corpus:
                with calls.telemetry.span("groundwire.retrieve", {}):
                    batch, passages = await self._corpora.found(
                        corpus, batch, self._verifier.limits
                    )
            with calls.telemetry.plan_span(count):
                salt = calls.cache_scope.salt()
                marks = await self._marks.of(batch.evidence, batch.evidence_field, salt)
                plan = await self._verifier.plan(replace(batch, non_evidence=marks), salt)
            yield plan, passages

    async def read(
        self,
        plan: VerificationPlan,
        arrival: Arrival,
        claims: int,
        said: Callable[[], Sequence[Said]],
        on_verdict: OnVerdict | None = None,
        *,
        passages: Sequence[Passage] = (),
    ) -> Verification:
        """Read a plan in time for an answer of so many claims, and explain it if that is asked.

        `said` gives the words of the plan's claims, and `passages` those of a corpus.
        """
        urgency, answer_by_s = arrival.urgency(len(plan.tasks)), arrival.answer_by_s(claims)
        verification = await read_plan(
            self._verifier,
            self._calls.telemetry,
            plan,
            urgency,
            on_verdict,
            answer_by_s=answer_by_s,
        )
        verification, candidates, days = await in_thread(
            with_other_values, plan, verification, source_days(passages)
        )
        if plan.options.explain:
            with self._calls.telemetry.read_span(plan, len(plan.order)) as headers:
                verification = await self._explainer.explain(
                    plan,
                    verification,
                    said(),
                    candidates,
                    days,
                    trace_headers=headers,
                    urgency=urgency,
                    answer_by_s=answer_by_s,
                )
        if verification.cut_short is not None:
            reasons = [verdict.reason for verdict in verification.verdicts]
            log.warning(
                "%s: answered with %d of %d claims unread",
                verification.cut_short.value,
                reasons.count(verification.cut_short),
                len(reasons),
            )
        return verification

    async def read_ahead(self, plan: VerificationPlan, arrival: Arrival) -> None:
        """Have an engine read what a plan's first claim is asked with, for the claims to come.

        Nothing is read where each claim gets passages of its own, nor by an endpoint, which bills
        it and need not remember.
        """
        asked = plan.asked[0]
        if (
            not isinstance(asked, ClaimQuestions)
            or asked.excerpt.read_passages
            or plan.info.block_tokens <= 1
        ):
            return
        with self._calls.telemetry.read_span(plan, 1) as headers:
            await self._parts.estimator.read_prompts(
                plan.backend,
                [plan.prompts[asked.posterior]],
                headers,
                arrival.urgency(1),
                # A reading that is known leaves nothing in the engine.
                skip_result_cache=True,
            )


def said(found: AnswerClaims) -> list[Said]:
    """The words of an answer's claims that are verified, and where they stand."""
    claims = [found.claims[i].claim for i in found.indexes]
    return [Said(claim.content, found.answer, claim.span) for claim in claims]


def tell_of(
    calls: Calls,
    call: DetectionCall,
    request: Message,
    *,
    judged: tuple[Judged, ...],
    verification: Verification,
    outcomes: tuple[str, ...] = (),
    confidence: float | None = None,
    rejected: frozenset[int] = frozenset(),
) -> float:
    """Have a detection told, see `Detection`; how long its call took, in seconds."""
    total_s = time.monotonic() - call.arrival.at_s
    owner = calls.owner()
    detection = Detection(
        call, request, judged, verification, total_s, owner, outcomes, confidence, rejected
    )
    # After the answer, which nobody should wait longer for.
    asyncio.get_running_loop().call_soon(calls.tell, detection)
    return total_s


async def read_plan(
    verifier: Verifier,
    telemetry: Telemetry,
    plan: VerificationPlan,
    urgency: Urgency,
    on_verdict: OnVerdict | None,
    *,
    answer_by_s: float,
) -> Verification:
    """Read a plan in a span of its own. See `Verifier.run`."""
    with telemetry.read_span(plan, len(plan.order)) as headers:
        return await verifier.run(plan, headers, urgency, on_verdict, answer_by_s)
