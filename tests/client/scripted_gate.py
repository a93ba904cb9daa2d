"""A scripted server that answers MemoryGate as well."""

from collections.abc import Callable

import grpc

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as pb
from groundwire.v1.memory_gate_pb2_grpc import (
    MemoryGateServicer,
    add_MemoryGateServicer_to_server,
)
from tests.client.scripted import NO_PROBABILITY
from tests.client.scripted_detection import RUN, DetectionServer, verdict


class GateServer(DetectionServer, MemoryGateServicer):
    """As DetectionServer; a fact is its own p1: accepted from 0.5, and "none" is unverified."""

    def _add_services(self, server: grpc.Server) -> None:
        super()._add_services(server)
        add_MemoryGateServicer_to_server(self, server)

    def CheckFacts(
        self, request: pb.CheckFactsRequest, context: grpc.ServicerContext
    ) -> pb.CheckFactsResponse:
        return self._answer(request, context, gate_response(*request.facts))


def gate_response(*facts: pb.Fact) -> pb.CheckFactsResponse:
    """The plain answer for these facts."""
    return pb.CheckFactsResponse(facts=[checked(fact) for fact in facts], run=RUN)


def checked(fact: pb.Fact) -> pb.CheckedFact:
    """The plain decision on a fact."""
    found = pb.CheckedFact(id=fact.id, reason_text="the reason", verdict=verdict(fact.text))
    if fact.HasField("confidence"):
        found.verdict.confidence = fact.confidence
    if fact.text == NO_PROBABILITY:
        found.verdict.reason = detection_pb.VERDICT_REASON_OUT_OF_TIME
        found.decision = pb.GATE_DECISION_ACCEPTED_UNVERIFIED
        found.reason = pb.GATE_REASON_OUT_OF_TIME
        found.confidence = 0.25
    elif found.verdict.grounded:
        found.decision, found.reason = pb.GATE_DECISION_ACCEPTED, pb.GATE_REASON_GROUNDED
        found.confidence = found.verdict.confidence
    else:
        found.decision, found.reason = pb.GATE_DECISION_REJECTED, pb.GATE_REASON_FACT_NOT_GROUNDED
        found.confidence = 0.125
    return found


def changed_fact(change: Callable[[pb.CheckedFact], object], text: str) -> pb.CheckFactsResponse:
    """The plain answer for one fact after a change to its decision."""
    response = gate_response(pb.Fact(text=text))
    change(response.facts[0])
    return response
