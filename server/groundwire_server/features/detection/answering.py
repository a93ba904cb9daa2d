"""Claims from a request to their verdicts, for every call of HallucinationDetection."""

import contextlib
import logging
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass, replace

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.features.detection import detection_messages as messages
from groundwire_server.features.detection.claim_finding import extraction_message
from groundwire_server.features.detection.corpus_evidence import (
    CorpusEvidence,
    retrieved_source,
    source_days,
)
from groundwire_server.features.detection.parts import Parts
from groundwire_server.records.detections import DetectionCall, Judged
from groundwire_verifier.checks.answers import AnswerClaims, AnswerInput, extract_options, report_on
from groundwire_verifier.checks.corpus.passages import Passage
from groundwire_verifier.checks.corrections.correcting import correct
from groundwire_verifier.checks.corrections.correction import Correction
from groundwire_verifier.checks.explanations.candidates import Candidates
from groundwire_verifier.checks.explanations.explaining import Said, explain
from groundwire_verifier.checks.explanations.other_values import find_other_values
from groundwire_verifier.domain.tasks import in_thread
from groundwire_verifier.domain.urgency import Arrival
from groundwire_verifier.progress import OnVerdict, VerificationPlan
from groundwire_verifier.session import Session
from groundwire_verifier.verdicts.questions import ClaimQuestions, ClaimTask
from groundwire_verifier.verdicts.types import ClaimVerdict
from groundwire_verifier.verification import PlanRead, Verification, VerificationInput, Verifier

log = logging.getLogger("groundwire.server")


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan with the session that it was made in and is read in, and a corpus's passages."""

    session: Session
    plan: VerificationPlan
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class PlannedAnswer:
    """An answer with its claims, and what is planned for those that are to verify."""

    answer: AnswerInput
    found: AnswerClaims
    planned: Planned


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer's claims, what came of those that were to verify, and the passages of a corpus.

    `correction` is None where nobody asked for one.
    """

    found: AnswerClaims
    verification: Verification
    passages: tuple[Passage, ...]
    correction: Correction | None


class Answering:
    """Plans and reads the claims of calls with `parts`, on evidence of theirs or of `corpora`."""

    def __init__(self, parts: Parts, corpora: CorpusEvidence) -> None:
        self._parts = parts
        self._corpora = corpora
        self._calls = parts.calls
        self._marks = parts.marks
        self._verifier = parts.verifier
        self._finder = parts.finder

    def remembering(self, *, skip_result_cache: bool) -> "Answering":
        """The same for one call that reads several times, but nothing twice."""
        estimator = self._parts.estimator.remembering(skip_result_cache=skip_result_cache)
        parts = replace(self._parts, estimator=estimator, verifier=Verifier(estimator))
        return Answering(parts, self._corpora)

    async def answered(
        self,
        answer: AnswerInput,
        request: pb.VerifyAnswerRequest,
        arrival: Arrival,
        remembered: Collection[ClaimTask] = (),
    ) -> Answered:
        """Find the claims of an answer, as its request asks, and verify them; see `planned`."""
        async with self.planned_answer(answer, request, arrival, remembered) as planned:
            return await self.read_answer(planned, request, arrival)

    @contextlib.asynccontextmanager
    async def planned_answer(
        self,
        answer: AnswerInput,
        request: pb.VerifyAnswerRequest,
        arrival: Arrival,
        remembered: Collection[ClaimTask] = (),
    ) -> AsyncIterator[PlannedAnswer]:
        """Find the claims of an answer, as its request asks, and plan them; see `planned`."""
        if answer.corpus:
            self._corpora.check(answer.corpus, f"{answer.prefix}corpus")
        chosen, batch = await self._finder.choose_now(
            answer, request.extract, f"{answer.prefix}extract", arrival
        )
        claims = len(chosen.claims)
        async with self.planned(batch, arrival, claims, answer.corpus, remembered) as planned:
            yield PlannedAnswer(answer, chosen, planned)

    def report(
        self, call: DetectionCall, request: pb.VerifyAnswerRequest, answered: Answered
    ) -> pb.VerifyAnswerResponse:
        """Make the report on an answer, and record its detection."""
        found, verification = answered.found, answered.verification
        judged = tuple(map(Judged, found.indexes, verification.verdicts))
        total_s = self._calls.record(call, request, judged=judged, verification=verification)
        thresholds = verification.options.thresholds
        claims, summary = report_on(
            found, verification.verdicts, thresholds, verification.card_languages
        )
        return pb.VerifyAnswerResponse(
            claims=[messages.answer_claim(claim) for claim in claims],
            summary=messages.summary(summary),
            run=messages.run(call.id, verification, total_s),
            extraction=extraction_message(found.extraction),
            sources=[retrieved_source(i, each) for i, each in enumerate(answered.passages)],
            correction=(
                None if answered.correction is None else messages.correction(answered.correction)
            ),
        )

    @contextlib.asynccontextmanager
    async def planned(
        self,
        batch: VerificationInput,
        arrival: Arrival,
        claims: int,
        corpus: str = "",
        remembered: Collection[ClaimTask] = (),
    ) -> AsyncIterator[Planned]:
        """Hold places for a batch, and plan it in time for an answer of so many claims.

        Claims that are `remembered` had their places before.
        """
        calls = self._calls
        session = Session(
            self._verifier,
            calls.cache_scope.salt(),
            arrival.urgency(len(batch.tasks)),
            spans=calls.telemetry,
            answer_by_s=arrival.answer_by_s(claims),
        )
        passages: tuple[Passage, ...] = ()
        with calls.admission.admit(sum(task not in remembered for task in batch.tasks)):
            if corpus:
                with calls.telemetry.span("groundwire.retrieve", {}):
                    batch, passages = await self._corpora.found(
                        corpus, batch, self._verifier.limits
                    )
            marks = await self._marks.of(batch.evidence, batch.evidence_field, session.cache_salt)
            plan = await session.plan(replace(batch, non_evidence=marks))
            yield Planned(session, plan, passages)

    async def read(self, planned: Planned, said: Sequence[Said]) -> Verification:
        """Read a plan, and explain it if that is asked; `said` are the words of its claims."""
        done, verdicts, _ = await self._judged(planned, said)
        return await _result(planned.session, done, verdicts)

    async def read_answer(
        self,
        asked: PlannedAnswer,
        request: pb.VerifyAnswerRequest,
        arrival: Arrival,
        on_verdict: OnVerdict | None = None,
    ) -> Answered:
        """Read the plan of an answer, explain it and correct the answer if that is asked."""
        answer, found, planned = asked.answer, asked.found, asked.planned
        session, plan = planned.session, planned.plan
        done, verdicts, candidates = await self._judged(planned, _said(found), on_verdict)
        correction: Correction | None = None
        if request.correct:
            by_rules = pb.ExtractOptions(extractor=pb.EXTRACTOR_RULES)

            async def find(text: str) -> AnswerClaims:
                corrected = replace(answer, answer=text)
                chosen, _ = await self._finder.choose_now(corrected, by_rules, "extract", arrival)
                return chosen

            correction = await correct(
                session,
                plan,
                verdicts,
                found,
                syntax=extract_options(answer, plan.evidence.ids).citations,
                candidates=candidates,
                find=find,
            )
        verification = await _result(session, done, verdicts)
        return Answered(found, verification, planned.passages, correction)

    async def _judged(
        self, planned: Planned, said: Sequence[Said], on_verdict: OnVerdict | None = None
    ) -> tuple[PlanRead, Sequence[ClaimVerdict], Candidates]:
        """Read a plan. Gives what was read, the verdicts, and the evidence's sentences."""
        session, plan = planned.session, planned.plan
        done = await session.read(plan, on_verdict)
        days = source_days(planned.passages)
        others = await in_thread(find_other_values, plan, done.verdicts, days, session.answer_by_s)
        # Of an answer that was cut short the line below says it.
        if others.unsearched and done.cut_short is None:
            log.warning(
                "out of time: of %d claims it was not looked for sources with another value",
                others.unsearched,
            )
        verdicts = others.verdicts
        if plan.options.explain:
            verdicts = await explain(session, plan, others, said)
        if done.cut_short is not None:
            reasons = [verdict.reason for verdict in verdicts]
            log.warning(
                "%s: answered with %d of %d claims unread",
                done.cut_short.value,
                reasons.count(done.cut_short),
                len(reasons),
            )
        return done, verdicts, others.candidates

    async def read_ahead(self, planned: Planned) -> None:
        """Have an engine read what a plan's first claim is asked with, for the claims to come.

        Nothing is read where each claim gets passages of its own, nor by an endpoint, which bills
        it and need not remember.
        """
        plan = planned.plan
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
                planned.session.urgency,
                # A reading that is known leaves nothing in the engine.
                skip_result_cache=True,
            )


async def _result(
    session: Session, done: PlanRead, verdicts: Sequence[ClaimVerdict]
) -> Verification:
    plan = done.plan
    return await session.result(verdicts, plan.options, done.cut_short, plan.non_evidence)


def _said(found: AnswerClaims) -> list[Said]:
    """The words of an answer's claims that are verified, and where they stand."""
    claims = [found.claims[i].claim for i in found.indexes]
    return [Said(claim.content, found.answer, claim.span) for claim in claims]
