"""The MemoryGate service: facts to the use case; decisions to responses, metrics and logs."""

import logging
from collections import Counter
from dataclasses import replace
from functools import partial

from groundwire.v1 import memory_gate_pb2 as pb
from groundwire.v1 import memory_gate_pb2_grpc as pb_grpc
from groundwire_server.features.detection.detection_messages import run
from groundwire_server.features.detection.detection_requests import Defaults, evidence_input
from groundwire_server.features.detection.messages import message
from groundwire_server.features.detection.parts import Parts
from groundwire_server.records.detections import Judged
from groundwire_server.rpc.calls import Context
from groundwire_verifier.checks.memory_gate import (
    DECISION_TIMEOUT_S,
    CheckedFacts,
    Fact,
    FactsInput,
    MemoryGate,
    check_facts,
)
from groundwire_verifier.domain.urgency import Arrival
from groundwire_verifier.session import Session
from groundwire_verifier.verdicts.facts import FactDecision, GateDecision
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verification import Verifier

log = logging.getLogger("groundwire.server")


class MemoryGateService(pb_grpc.MemoryGateServicer):
    """Answers the call of the contract."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def CheckFacts(  # noqa: N802 - named by the contract
        self, request: pb.CheckFactsRequest, context: Context
    ) -> pb.CheckFactsResponse:
        """Decide on facts before they are stored."""
        parts, calls = self._parts, self._parts.calls
        settings, verifier = parts.settings, parts.verifier
        call = calls.detecting("CheckFacts", min(parts.timeout_s, DECISION_TIMEOUT_S))
        arrival = call.arrival
        given = _facts_input(request, settings.memory_gate_backend or "", parts.defaults, verifier)
        check_facts(given, verifier.limits, verifier.backends)
        calls.admission.raise_if_draining()
        decide_by_s = arrival.answer_by_s(len(given.facts))
        # What is known by then is decided on; the rest of the time is for that.
        read_by_s = Arrival(arrival.at_s, decide_by_s).answer_by_s(len(given.facts))
        urgency = replace(arrival.urgency(len(given.facts)), waits_until_s=read_by_s)
        salt = calls.cache_scope.salt()
        session = Session(verifier, salt, urgency, spans=calls.telemetry, answer_by_s=read_by_s)
        batch_size = min(settings.hallucination_batch_size, settings.max_claims)
        gate = MemoryGate(
            given,
            settings.gate_rules,
            batch_size,
            session,
            places=parts.places,
            marks=partial(parts.marks.of, salt=salt),
        )
        checked = await gate.decide(decide_by_s)
        calls.telemetry.record_facts(checked.decisions)
        self._log(given, checked)
        decisions = checked.decisions
        judged = tuple(Judged(i, each.verdict) for i, each in enumerate(decisions))
        outcomes = tuple(f"{each.decision.name}/{each.reason.name}" for each in decisions)
        total_s = calls.record(
            call,
            request,
            judged=judged,
            verification=checked.verification,
            outcomes=outcomes,
            rejected=frozenset(
                i for i, each in enumerate(decisions) if each.decision is GateDecision.REJECTED
            ),
        )
        return pb.CheckFactsResponse(
            facts=[
                message(pb.CheckedFact, decision, id=fact.id)
                for fact, decision in zip(given.facts, checked.decisions, strict=True)
            ],
            run=run(call.id, checked.verification, total_s),
        )

    def _log(self, given: FactsInput, checked: CheckedFacts) -> None:
        """A line for each fact that is rejected, by its place in the request, with the numbers.

        An id could name a person, so it is left out, as the text is unless the operator wants it.
        """
        count, with_text = len(given.facts), self._parts.settings.memory_gate_log_text
        for i, decision in enumerate(checked.decisions):
            if decision.decision is GateDecision.REJECTED:
                text = f": {given.facts[i].text!r}" if with_text else ""
                log.info("fact %d of %d rejected: %s%s", i + 1, count, _numbers(decision), text)
        unverified = Counter(
            decision.reason.value
            for decision in checked.decisions
            if decision.decision is GateDecision.ACCEPTED_UNVERIFIED
        )
        for reason, facts in unverified.items():
            log.warning("%s: %d of %d facts are unverified", reason, facts, count)


def _facts_input(
    request: pb.CheckFactsRequest, backend: str, defaults: Defaults, verifier: Verifier
) -> FactsInput:
    """The facts of a request, for `backend` where it names none.

    Raises InvalidInputError for a source that is nothing.
    """
    return FactsInput(
        facts=tuple(
            Fact(
                text=fact.text,
                id=fact.id,
                confidence=fact.confidence if fact.HasField("confidence") else None,
                cited_ids=tuple(fact.cited_ids),
                evidence_index=fact.evidence_index,
            )
            for fact in request.facts
        ),
        evidence=tuple(
            evidence_input(piece, f"evidence[{k}]") for k, piece in enumerate(request.evidence)
        ),
        options=_options(request, request.backend or backend, defaults, verifier),
    )


def _options(
    request: pb.CheckFactsRequest, backend: str, defaults: Defaults, verifier: Verifier
) -> VerifyOptions:
    return replace(
        defaults(verifier.calibration(backend), None),
        # Named also where nothing is read.
        backend=backend or verifier.backends[0],
        skip_result_cache=request.skip_result_cache,
        split_long_context=request.split_long_context,
    )


def _numbers(value: FactDecision) -> str:
    """A decision in names and numbers of our own, without any text of the request."""
    verdict, budget = value.verdict, value.verdict.budget
    words = [
        f"{value.reason.name} ({verdict.verdict.name}, {verdict.reason.name})",
        f"stated {verdict.confidence:.3f}",
        f"confidence {value.confidence:.3f}",
    ]
    for name, estimate in (("p1", verdict.posterior), ("p0", verdict.prior)):
        if estimate is not None and estimate.probability is not None:
            words.append(f"{name} {estimate.probability:.3f}")
    if budget is not None:
        words += [
            f"required {budget.required_bits:.3f} bits",
            f"observed {budget.observed_bits:.3f} bits",
            f"gap {budget.gap_bits:+.3f} bits",
        ]
    return ", ".join(words)
