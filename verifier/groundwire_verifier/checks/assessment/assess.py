"""The use case of a response: three layers, one after the other, and what follows from them.

A layer that fails is named, and the others go on.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from groundwire_verifier.checks.answers import AnswerClaims, report_on
from groundwire_verifier.checks.assessment.assessment import (
    Assessment,
    AssessmentInput,
    AssessmentLayer,
    CommonSenseReport,
    CommonSenseVerdict,
    LayerReason,
    LayerReport,
    LayerState,
)
from groundwire_verifier.checks.assessment.common_sense import CommonSense
from groundwire_verifier.checks.assessment.detailed import (
    claims_to_verify,
    detailed_findings,
    spoken_evidence,
    spoken_findings,
    states_live_data,
    tool_evidence,
    why_unread,
)
from groundwire_verifier.checks.assessment.heuristics import MAX_FINDINGS, heuristic_findings
from groundwire_verifier.checks.assessment.patterns import Patterns
from groundwire_verifier.checks.assessment.requests import cut_to
from groundwire_verifier.checks.assessment.scores import (
    DETAIL_THRESHOLD,
    AssessmentRules,
    action_of,
    common_sense_score,
    confidence_of,
    detailed_score,
    heuristic_score,
    spoken_score,
)
from groundwire_verifier.checks.assessment.sense import findings_of, questions_about, report_of
from groundwire_verifier.checks.assessment.user_texts import LANGUAGES
from groundwire_verifier.checks.memory_gate import NoPlaceError
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.claims import Claim
from groundwire_verifier.domain.errors import (
    BackendUnavailableError,
    DeadlineUnreachableError,
    InvalidInputError,
    VerifierError,
)
from groundwire_verifier.domain.evidence import Evidence, NonEvidence
from groundwire_verifier.domain.tasks import AnswerLimit, all_of, in_thread
from groundwire_verifier.domain.urgency import Arrival
from groundwire_verifier.estimation import EncodedFields
from groundwire_verifier.session import Session
from groundwire_verifier.text.claims.wording.sentence import language_of
from groundwire_verifier.verdicts.options import VerifyOptions, check_evidence
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import AnswerClaim, ClaimVerdict
from groundwire_verifier.verification import PlanRead, Verification, VerificationInput

SENSE_READS = len(CommonSense)
READ_CHARACTERS = 12_000
"""Most characters of an exchange that layer 2 reads; long results are cut."""
"""Reads of layer 2."""

_FIELDS = EncodedFields("tool_calls", "tool_calls")


@dataclass(frozen=True, slots=True)
class AssessmentCall:
    """How one call is read: in its `session`, by the time of its `arrival`, which is split among
    the layers.

    `claims` finds the claims of a response, and `marks` the sentences of evidence that are none;
    both raise InvalidInputError for what takes too long. `places` holds so many places for reads,
    or raises NoPlaceError.
    """

    arrival: Arrival
    session: Session
    options: VerifyOptions
    claims: Callable[[str], Awaitable[Sequence[Claim]]]
    marks: Callable[[Evidence], Awaitable[tuple[NonEvidence, ...]]]
    places: Callable[[int], AbstractContextManager[None]]


class ResponseAssessor:
    """Assesses responses by the operator's patterns and rules."""

    def __init__(self, patterns: Patterns, rules: AssessmentRules) -> None:
        self._patterns = patterns
        self.rules = rules

    async def assess(self, asked: AssessmentInput, call: AssessmentCall) -> Assessment:
        """Ask the layers that are wanted. Only for what `check_exchange` passed."""
        work = _Work(asked, call, self._patterns)
        reports = [
            await self._heuristic(asked)
            if AssessmentLayer.HEURISTIC in asked.layers
            else _not_asked(AssessmentLayer.HEURISTIC)
        ]
        for layer, run in (
            (AssessmentLayer.COMMON_SENSE, work.common_sense),
            (AssessmentLayer.DETAILED, work.detailed),
        ):
            if layer not in asked.layers:
                reports.append(_not_asked(layer))
            elif layer is AssessmentLayer.DETAILED and not self._needs_detail(asked, work, reports):
                reports.append(_skipped(layer, LayerReason.NOT_FLAGGED))
            else:
                reports.append(await _guarded(layer, run, call.arrival))
        confidence = confidence_of(reports, self.rules)
        language = asked.language or language_of(asked.exchange.response)
        return Assessment(
            confidence=confidence,
            action=action_of(reports, self.rules),
            is_likely_hallucination=confidence is not None
            and confidence >= self.rules.warn_threshold,
            layers=tuple(reports),
            common_sense=work.sense,
            claims=work.claims,
            indexes=work.indexes,
            language=language if language in LANGUAGES else LANGUAGES[0],
            verification=await work.spent(),
        )

    async def _heuristic(self, asked: AssessmentInput) -> LayerReport:
        began_s = time.monotonic()
        findings = await in_thread(heuristic_findings, asked.exchange, self._patterns)
        return LayerReport(
            AssessmentLayer.HEURISTIC,
            LayerState.RAN,
            score=heuristic_score(findings),
            findings=findings[:MAX_FINDINGS],
            duration_s=time.monotonic() - began_s,
        )

    def _needs_detail(
        self, asked: AssessmentInput, work: "_Work", reports: Sequence[LayerReport]
    ) -> bool:
        """Whether the layers before found enough for the third, or one of them failed."""
        if asked.layers == (AssessmentLayer.DETAILED,):
            return True
        heuristic, sense = reports
        is_flagged = work.sense is not None and work.sense.verdict is not CommonSenseVerdict.OK
        return (
            (heuristic.score or 0.0) > DETAIL_THRESHOLD
            or is_flagged
            or sense.state is LayerState.FAILED
        )


class _Work:
    """The layers of one call that read, and what they found and cost."""

    def __init__(self, asked: AssessmentInput, call: AssessmentCall, patterns: Patterns) -> None:
        self._asked = asked
        self._call = call
        self._patterns = patterns
        self._session = call.session
        self._estimator = call.session.verifier.estimator
        self._backend = asked.backend or self._estimator.default
        self._options = replace(
            call.options,
            backend=self._backend,
            skip_result_cache=asked.skip_result_cache,
            split_long_context=True,
        )
        self._done: list[PlanRead] = []
        self.sense: CommonSenseReport | None = None
        self.claims: tuple[AnswerClaim, ...] = ()
        self.indexes: tuple[int, ...] = ()

    async def common_sense(self) -> LayerReport:
        """Layer 2: the five questions at once, on one exchange."""
        call = self._call
        exchange, cut = cut_to(self._asked.exchange, READ_CHARACTERS)
        backend = self._estimator.backends[self._backend]
        with call.places(SENSE_READS):
            questions = questions_about(exchange, self._session.cache_salt)
            prompts = await self._estimator.encode(backend, backend.info, questions, _FIELDS)
            done = await self._session.ask(
                self._backend,
                prompts,
                urgency=call.arrival.urgency(SENSE_READS),
                skip_result_cache=self._asked.skip_result_cache,
            )
        floor = self._estimator.label_mass_floor
        calibration = backend.info.calibration
        curves = calibration.concerns if calibration is not None else {}
        report = report_of(done.readings, floor, curves)
        self.sense = report
        state, reason = LayerState.RAN, None
        if not any(answer.answered for answer in report.answers):
            state, reason = LayerState.FAILED, LayerReason.NOT_ANSWERED
        return LayerReport(
            AssessmentLayer.COMMON_SENSE,
            state,
            reason,
            score=common_sense_score(report) if reason is None else None,
            findings=findings_of(report),
            cut_characters=cut,
        )

    async def detailed(self) -> LayerReport:
        """Layer 3: the claims of the response on the tools' results, or else on each other."""
        layer, call, exchange = AssessmentLayer.DETAILED, self._call, self._asked.exchange
        given, options = tool_evidence(exchange), self._options
        if given.sources:
            limits = self._session.verifier.limits
            checks.raise_any(check_evidence(given, limits, "tool_calls"))
        extracted = await call.claims(exchange.response)
        found = await in_thread(claims_to_verify, exchange, given, options, extracted)
        if not found.tasks:
            return _skipped(layer, LayerReason.NO_CLAIM)
        texts = [each.claim.content for each in found.claims]
        if given.sources:
            batches = [await self._on_results(found, given.build(), options)]
        else:
            batches = [
                _on_the_rest(task, spoken_evidence(exchange.question, texts, index), options)
                for task, index in zip(found.tasks, found.indexes, strict=True)
            ]
        verdicts = await self._verified(batches)
        claims, _ = await in_thread(report_on, found, verdicts, options.thresholds)
        self.claims, self.indexes = tuple(claims), found.indexes
        verified = [texts[i] for i in found.indexes]
        if given.sources:
            score, findings = detailed_score(verdicts), detailed_findings(verdicts, verified)
        else:
            live = await in_thread(states_live_data, exchange, verified, self._patterns)
            score = spoken_score(verdicts, states_live_data=any(live))
            findings = spoken_findings(verdicts, verified, live)
        reason = why_unread(verdicts)
        return LayerReport(
            layer,
            LayerState.RAN if reason is None else LayerState.FAILED,
            reason,
            score=score if reason is None else None,
            findings=findings,
        )

    async def _on_results(
        self, found: AnswerClaims, evidence: Evidence, options: VerifyOptions
    ) -> VerificationInput:
        marks = await self._call.marks(evidence)
        return VerificationInput(
            found.tasks, evidence, options, "tool_calls", "response", non_evidence=marks
        )

    async def _verified(self, batches: Sequence[VerificationInput]) -> tuple[ClaimVerdict, ...]:
        """The verdicts of batches that are read beside each other, in their order."""
        count = sum(len(batch.tasks) for batch in batches)
        with self._call.places(count):
            self._done = await all_of(self._read_batch(each, count) for each in batches)
        return tuple(verdict for done in self._done for verdict in done.verdicts)

    async def _read_batch(self, batch: VerificationInput, count: int) -> PlanRead:
        """Read one of the batches, which have `count` claims together."""
        arrival = self._call.arrival
        return await self._session.read(
            await self._session.plan(batch),
            urgency=arrival.urgency(SENSE_READS + count),
            answer_by_s=arrival.answer_by_s(count),
        )

    async def spent(self) -> Verification:
        """What layer 3 found, and what all reading cost."""
        return await self._session.result(
            [verdict for done in self._done for verdict in done.verdicts],
            self._options,
            next((done.cut_short for done in self._done if done.cut_short), None),
            next((done.plan.non_evidence for done in self._done), ()),
        )


def _on_the_rest(task: ClaimTask, evidence: Evidence, options: VerifyOptions) -> VerificationInput:
    """A claim with evidence of its own. What the user asks may say something, so it stays in."""
    options = replace(options, skip_non_evidence=False)
    return VerificationInput((task,), evidence, options, "question", "response")


async def _guarded(
    layer: AssessmentLayer, run: Callable[[], Awaitable[LayerReport]], arrival: Arrival
) -> LayerReport:
    """Run a layer within the call's time; what it fails with is named."""
    began_s = time.monotonic()
    report = LayerReport(layer, LayerState.FAILED, LayerReason.OUT_OF_TIME)
    try:
        async with AnswerLimit(arrival.answer_by_s(1)) as limit:
            limit.begin()
            report = await run()
    except VerifierError as error:
        report = LayerReport(layer, LayerState.FAILED, _reason_of(error))
    return replace(report, duration_s=time.monotonic() - began_s)


def _reason_of(error: VerifierError) -> LayerReason:
    """Why a layer failed. Raises again what is nobody's limit."""
    if isinstance(error, DeadlineUnreachableError):
        return LayerReason.OUT_OF_TIME
    if isinstance(error, BackendUnavailableError):
        return LayerReason.BACKEND_UNAVAILABLE
    if isinstance(error, NoPlaceError):
        return LayerReason.BUSY
    if isinstance(error, InvalidInputError):
        return LayerReason.TOO_LONG
    raise error


def _not_asked(layer: AssessmentLayer) -> LayerReport:
    return _skipped(layer, LayerReason.NOT_ASKED)


def _skipped(layer: AssessmentLayer, reason: LayerReason) -> LayerReport:
    return LayerReport(layer, LayerState.SKIPPED, reason)
