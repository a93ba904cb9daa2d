"""What tests of the memory gate share."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pytest

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as pb
from groundwire.v1.memory_gate_pb2_grpc import MemoryGateStub
from tests.scripted import Scripted

if TYPE_CHECKING:
    from groundwire.v1.memory_gate_pb2_grpc import MemoryGateAsyncStub

SERVER_LOG = "groundwire.server"


def stub_of(served: Scripted) -> "MemoryGateAsyncStub":
    return MemoryGateStub(served.channel)


def fact(
    text: str,
    *,
    at: int = 0,
    id: str = "",
    confidence: float | None = None,
    cited: Sequence[str] = (),
) -> pb.Fact:
    """A fact on the piece of evidence `at`."""
    return pb.Fact(text=text, id=id, confidence=confidence, cited_ids=cited, evidence_index=at)


async def check(
    served: Scripted,
    facts: Iterable[pb.Fact],
    *evidence: detection_pb.Evidence,
    backend: str = "",
    timeout_s: float | None = None,
) -> pb.CheckFactsResponse:
    """The decisions on facts. Without a time-out the call has no deadline."""
    request = pb.CheckFactsRequest(facts=facts, evidence=evidence, backend=backend)
    return await stub_of(served).CheckFacts(request, timeout=timeout_s)


def decisions_of(response: pb.CheckFactsResponse) -> list["pb.GateDecision"]:
    return [each.decision for each in response.facts]


def reasons_of(response: pb.CheckFactsResponse) -> list["pb.GateReason"]:
    return [each.reason for each in response.facts]


def lines_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the server logged itself, without what other loggers said meanwhile."""
    return [record.getMessage() for record in caplog.records if record.name == SERVER_LOG]
