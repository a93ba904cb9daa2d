"""The header by which a proxy keeps calls on one context together."""

import json
from pathlib import Path

import pytest
from google.protobuf.message import Message

from groundwire import Document, Evidence
from groundwire._wire.affinity import HEADER, context_metadata
from groundwire.v1 import hallucination_detection_pb2 as detection
from groundwire.v1 import memory_gate_pb2 as gate
from groundwire.v1 import output_verification_pb2 as outputs
from groundwire.v1 import similarity_pb2 as similarity
from groundwire.v1 import trace_audit_pb2 as traces
from groundwire.v1 import verifier_backend_pb2 as backend
from tests.client.scripted import AnyClient, ScriptedServer, collect, settle

SHARED = json.loads((Path(__file__).parents[1] / "context_header.json").read_text())
"""Read by the tests of the Go client, too."""

TEXT = "The Eiffel Tower in Paris is 330 m high."
VALUE = SHARED["vectors"][0]["value"]
EVIDENCE = detection.Evidence(context=TEXT)
ANSWER = detection.VerifyAnswerRequest(evidence=EVIDENCE)


def documents(texts: list[str]) -> detection.VerifyClaimsRequest:
    sources = [detection.Source(document=detection.Document(text=text)) for text in texts]
    return detection.VerifyClaimsRequest(evidence=detection.Evidence(sources=sources))


@pytest.mark.parametrize("vector", SHARED["vectors"])
def test_it_is_the_hash_that_both_clients_agree_on(vector: dict[str, list[str] | str]) -> None:
    texts, value = vector["texts"], vector["value"]
    assert isinstance(texts, list)
    expected = () if value is None else ((SHARED["header"], value),)
    assert context_metadata(documents(texts)) == expected


@pytest.mark.parametrize(
    "request_",
    [
        backend.EstimateProbabilityRequest(context=TEXT),
        backend.BatchEstimateRequest(context=TEXT),
        detection.VerifyClaimsRequest(evidence=EVIDENCE),
        ANSWER,
        detection.VerifyAnswerStreamRequest(request=ANSWER),
        traces.AuditTraceRequest(evidence=EVIDENCE),
        gate.CheckFactsRequest(evidence=[EVIDENCE]),
        similarity.CheckSimilarityRequest(contexts=[TEXT]),
    ],
    ids=lambda request: type(request).__name__,
)
def test_every_call_with_one_context_has_the_same(request_: Message) -> None:
    assert context_metadata(request_) == ((HEADER, VALUE),)


@pytest.mark.parametrize(
    "request_",
    [
        backend.GetServerInfoRequest(),
        backend.EstimateProbabilityRequest(claim="a claim"),
        detection.VerifyAnswerRequest(answer="an answer", corpus="handbook"),
        outputs.SubmitVerificationRequest(response="an answer"),
    ],
    ids=lambda request: type(request).__name__,
)
def test_a_call_without_a_context_has_none(request_: Message) -> None:
    assert context_metadata(request_) == ()


async def test_a_call_sends_it(client: AnyClient, server: ScriptedServer) -> None:
    await settle(client.batch_estimate(["0.5"], TEXT))

    assert server.received[0].metadata[HEADER] == VALUE


async def test_a_stream_sends_it(client: AnyClient, server: ScriptedServer) -> None:
    await collect(client.verify_answer_stream("0.5", Evidence.documents([Document("S0", TEXT)])))

    assert server.received[0].metadata[HEADER] == VALUE
