"""The HallucinationDetection service: requests to use cases, and verdicts to responses.

Exceptions pass through to the interceptors. The order of a call: check, extract, admit, plan,
read.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from google.protobuf.message import Message

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import hallucination_detection_pb2_grpc as pb_grpc
from groundwire_server.records.detections import Detection, DetectionCall, Judged
from groundwire_server.rpc.calls import Calls, Context
from groundwire_server.rpc.services import detection_messages as messages
from groundwire_server.rpc.services import detection_requests as requests
from groundwire_server.rpc.services import model_claims
from groundwire_server.rpc.services.corpus_evidence import (
    CorpusEvidence,
    retrieved_source,
    source_days,
)
from groundwire_server.rpc.services.parts import Parts
from groundwire_server.rpc.telemetry import Telemetry
from groundwire_verifier.answers import (
    AnswerClaims,
    AnswerInput,
    check_extract,
    language_of,
    report_on,
    with_confidence,
)
from groundwire_verifier.answers import extract_options as split_options
from groundwire_verifier.claims.wording.sentence import rules_for
from groundwire_verifier.corpus.passages import Passage
from groundwire_verifier.corrections.correcting import Corrector
from groundwire_verifier.corrections.types import Correction
from groundwire_verifier.domain.futures import retrieve
from groundwire_verifier.domain.threads import in_thread
from groundwire_verifier.domain.urgency import Arrival, Urgency
from groundwire_verifier.explanations.candidates import Candidates
from groundwire_verifier.explanations.explaining import Explainer, Said
from groundwire_verifier.explanations.other_values import with_other_values
from groundwire_verifier.progress import OnVerdict, VerificationPlan
from groundwire_verifier.verdicts.types import ClaimVerdict
from groundwire_verifier.verification import Verification, VerificationInput, Verifier

log = logging.getLogger("groundwire.server")


class HallucinationDetectionService(pb_grpc.HallucinationDetectionServicer):
    """Answers the calls of the contract."""

    def __init__(self, parts: Parts, corpora: CorpusEvidence) -> None:
        self._verifier = parts.verifier
        self._calls = parts.calls
        self._marks = parts.marks
        self._defaults = parts.defaults
        self._finder = parts.finder
        self._corpora = corpora
        self._explainer = Explainer(parts.estimator)
        self._corrector = Corrector(parts.verifier)

    async def ExtractClaims(  # noqa: N802 - named by the contract
        self, request: pb.ExtractClaimsRequest, context: Context
    ) -> pb.ExtractClaimsResponse:
        """Split a text into claims."""
        self._calls.admission.raise_if_draining()
        arrival = self._calls.arrival()
        options = requests.extract_options(request.options, "options", request.source_ids)
        check_extract(request.text, options, self._verifier.limits, "text", "options")
        claims, extraction = await self._finder.find(
            request.text, options, request.options, arrival
        )
        plain = self._defaults(self._verifier.calibration(""), None).plain_confidence
        language = language_of(claims)
        return pb.ExtractClaimsResponse(
            claims=[messages.claim(with_confidence(value, plain)) for value in claims],
            language=language,
            rules=rules_for(language),
            extraction=model_claims.message(extraction),
        )

    async def VerifyClaims(  # noqa: N802 - named by the contract
        self, request: pb.VerifyClaimsRequest, context: Context
    ) -> pb.VerifyClaimsResponse:
        """Verify claims on evidence."""
        call = self._calls.detecting("VerifyClaims")
        batch = requests.claims_input(request, self._defaults, self._verifier)
        async with self._planned(batch) as (plan, _):
            verification, _ = await self._read(
                plan,
                call.arrival,
                len(plan.tasks),
                lambda: [Said.alone(claim.text) for claim in request.claims],
            )
        judged = tuple(map(Judged, range(len(plan.tasks)), verification.verdicts))
        total_s = tell_of(self._calls, call, request, judged=judged, verification=verification)
        return pb.VerifyClaimsResponse(
            verdicts=[messages.claim_verdict(verdict) for verdict in verification.verdicts],
            run=messages.run(call.id, verification, total_s),
        )

    async def VerifyAnswer(  # noqa: N802 - named by the contract
        self, request: pb.VerifyAnswerRequest, context: Context
    ) -> pb.VerifyAnswerResponse:
        """Verify the claims of an answer."""
        call = self._calls.detecting("VerifyAnswer")
        answer = requests.answer_input(request, self._defaults, self._verifier, "")
        if answer.corpus:
            self._corpora.check(answer.corpus, "corpus")
        chosen, batch = await self._finder.choose_now(
            answer, request.extract, "extract", call.arrival
        )
        async with self._planned(batch, answer.corpus) as (plan, passages):
            verification, correction = await self._read_answer(
                request, _Planned(answer, chosen, plan, passages), call.arrival
            )
        judged = tuple(map(Judged, chosen.indexes, verification.verdicts))
        total_s = tell_of(self._calls, call, request, judged=judged, verification=verification)
        return _report(chosen, verification, call.id, total_s, passages, correction=correction)

    async def VerifyAnswerStream(  # noqa: N802 - named by the contract
        self, request: pb.VerifyAnswerStreamRequest, context: Context
    ) -> AsyncIterator[pb.VerifyAnswerStreamResponse]:
        """The same, each verdict as it is known."""
        call = self._calls.detecting("VerifyAnswerStream")
        answer = requests.answer_input(request.request, self._defaults, self._verifier, "request")
        if answer.corpus:
            self._corpora.check(answer.corpus, "request.corpus")
        options, field = request.request.extract, "request.extract"
        chosen, batch = await self._finder.choose_now(answer, options, field, call.arrival)
        async with self._planned(batch, answer.corpus) as (plan, passages):
            # Only now: before the first message a call that fails can be tried again.
            yield pb.VerifyAnswerStreamResponse(found=messages.claims_found(chosen.claims))
            known: asyncio.Queue[pb.ClaimKnown | None] = asyncio.Queue()

            def tell(task: int, verdict: ClaimVerdict) -> None:
                known.put_nowait(messages.claim_known(chosen.indexes[task], verdict))

            work = asyncio.create_task(
                self._read_answer(
                    request.request,
                    _Planned(answer, chosen, plan, passages),
                    call.arrival,
                    tell,
                )
            )
            work.add_done_callback(lambda _: known.put_nowait(None))
            work.add_done_callback(retrieve)
            try:
                while (claim := await known.get()) is not None:
                    yield pb.VerifyAnswerStreamResponse(known=claim)
                verification, correction = await work
            finally:
                work.cancel()
                # The places are given back when the work has really ended.
                await asyncio.wait((work,))
        judged = tuple(map(Judged, chosen.indexes, verification.verdicts))
        total_s = tell_of(
            self._calls, call, request.request, judged=judged, verification=verification
        )
        report = _report(chosen, verification, call.id, total_s, passages, correction=correction)
        yield pb.VerifyAnswerStreamResponse(report=report)

    @contextlib.asynccontextmanager
    async def _planned(
        self, batch: VerificationInput, corpus: str = ""
    ) -> AsyncIterator[tuple[VerificationPlan, tuple[Passage, ...]]]:
        """Hold places for a batch, and give its plan, with the passages of a corpus, if any."""
        calls, count = self._calls, len(batch.tasks)
        passages: tuple[Passage, ...] = ()
        with calls.admission.admit(count):
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

    async def _read_answer(
        self,
        request: pb.VerifyAnswerRequest,
        planned: "_Planned",
        arrival: Arrival,
        on_verdict: OnVerdict | None = None,
    ) -> tuple[Verification, Correction | None]:
        """Read the plan of an answer, and correct the answer if its request asks for that."""
        plan, found, answer = planned.plan, planned.found, planned.answer
        claims = len(found.claims)
        verification, candidates = await self._read(
            plan, arrival, claims, partial(_said, found), on_verdict, passages=planned.passages
        )
        if not request.correct:
            return verification, None
        by_rules = pb.ExtractOptions(extractor=pb.EXTRACTOR_RULES)

        async def find(text: str) -> AnswerClaims:
            corrected = replace(answer, answer=text)
            chosen, _ = await self._finder.choose_now(corrected, by_rules, "extract", arrival)
            return chosen

        with self._calls.telemetry.read_span(plan, len(plan.order)) as headers:
            correction, verification = await self._corrector.correct(
                plan,
                verification,
                found,
                syntax=split_options(answer, plan.evidence.ids).citations,
                candidates=candidates,
                find=find,
                trace_headers=headers,
                urgency=arrival.urgency(len(plan.tasks)),
                answer_by_s=arrival.answer_by_s(claims),
            )
        return verification, correction

    async def _read(
        self,
        plan: VerificationPlan,
        arrival: Arrival,
        claims: int,
        said: Callable[[], Sequence[Said]],
        on_verdict: OnVerdict | None = None,
        *,
        passages: Sequence[Passage] = (),
    ) -> tuple[Verification, Candidates]:
        """Read a plan in time for an answer of so many claims, and explain it if that is asked.

        `said` gives the words of the plan's claims, and `passages` those of a corpus. The
        candidates are the sentences of its evidence.
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
        return verification, candidates


@dataclass(frozen=True, slots=True)
class _Planned:
    """An answer with its claims, their plan, and the passages of a corpus, if any."""

    answer: AnswerInput
    found: AnswerClaims
    plan: VerificationPlan
    passages: Sequence[Passage]


def _said(found: AnswerClaims) -> list[Said]:
    """The words of an answer's claims that are verified, and where they stand."""
    claims = [found.claims[i].claim for i in found.indexes]
    return [Said(claim.content, found.answer, claim.span) for claim in claims]


def _report(
    found: AnswerClaims,
    verification: Verification,
    detection_id: str,
    total_s: float,
    passages: Sequence[Passage],
    *,
    correction: Correction | None,
) -> pb.VerifyAnswerResponse:
    thresholds = verification.options.thresholds
    claims, summary = report_on(
        found, verification.verdicts, thresholds, verification.card_languages
    )
    return pb.VerifyAnswerResponse(
        claims=[messages.answer_claim(claim) for claim in claims],
        summary=messages.summary(summary),
        run=messages.run(detection_id, verification, total_s),
        extraction=model_claims.message(found.extraction),
        sources=[retrieved_source(i, passage) for i, passage in enumerate(passages)],
        correction=None if correction is None else messages.correction(correction),
    )


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
