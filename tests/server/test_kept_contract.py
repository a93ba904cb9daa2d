"""A client of the kept contract and this server; this client and a server of the kept contract.

Messages are made from the kept descriptors in a pool of their own, so no stub of today is used on
the older side.
"""

import asyncio
from collections.abc import Callable
from concurrent import futures
from pathlib import Path

import grpc
import pytest
from google.protobuf import descriptor_pool, json_format, message_factory
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import Message

from groundwire import Client
from tests.scripted import WAIT_LIMIT_S, scripted_server

KEPT = Path(__file__).resolve().parents[1] / "repository" / "contract" / "0.1.0.binpb"
BACKEND, DETECTION = "groundwire.v1.VerifierBackend", "groundwire.v1.HallucinationDetection"


def kept_pool() -> descriptor_pool.DescriptorPool:
    pool = descriptor_pool.DescriptorPool()
    for file in FileDescriptorSet.FromString(KEPT.read_bytes()).file:
        pool.Add(file)
    return pool


def messages(service: str, method: str) -> tuple[type[Message], type[Message]]:
    """The types of request and response of a method, as they were."""
    found = kept_pool().FindServiceByName(service).FindMethodByName(method)
    make: Callable[..., type[Message]] = message_factory.GetMessageClass
    return make(found.input_type), make(found.output_type)


async def test_an_older_client_is_answered_by_this_server() -> None:
    async with scripted_server() as served:
        answers = {}
        for service, method, request in (
            (BACKEND, "BatchEstimate", {"claims": ["The tower is high."], "context": "It is."}),
            (
                DETECTION,
                "VerifyAnswer",
                {"answer": "The tower is high [S0].", "evidence": {"context": "It is high."}},
            ),
            (BACKEND, "GetServerInfo", {}),
        ):
            asked, answered = messages(service, method)
            call = served.channel.unary_unary(
                f"/{service}/{method}",
                request_serializer=asked.SerializeToString,
                response_deserializer=answered.FromString,
            )
            message = json_format.ParseDict(request, asked())
            answer = await call(message, timeout=WAIT_LIMIT_S)
            answers[method] = json_format.MessageToDict(answer)
    assert answers["BatchEstimate"]["estimates"][0]["probability"] == pytest.approx(0.75)
    (claim,) = answers["VerifyAnswer"]["claims"]
    assert claim["verdict"]["verdict"].startswith("VERDICT_")
    assert answers["GetServerInfo"]["promptVersion"]


def older_server(answer: dict[str, object]) -> tuple[grpc.Server, str, list[Message]]:
    """A server of the kept contract with one answer to BatchEstimate, and what it was asked."""
    asked, answered = messages(BACKEND, "BatchEstimate")
    seen: list[Message] = []

    def batch(request: Message, _: grpc.ServicerContext) -> Message:
        seen.append(request)
        return json_format.ParseDict(answer, answered())

    handler = grpc.unary_unary_rpc_method_handler(
        batch, request_deserializer=asked.FromString, response_serializer=answered.SerializeToString
    )
    server = grpc.server(futures.ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(BACKEND, {"BatchEstimate": handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, f"127.0.0.1:{port}", seen


async def test_this_client_understands_an_older_server() -> None:
    estimate = {"probability": 0.75, "labelMass": 0.9, "source": "ESTIMATE_SOURCE_MODEL"}
    server, target, seen = older_server(
        {"estimates": [estimate], "model": "m", "usage": {}, "timing": {}}
    )

    def ask() -> list[float | None]:
        with Client(target) as client:
            found = client.batch_estimate(["The tower is high."], "It is high.")
            return list(found.probabilities)

    try:
        assert await asyncio.to_thread(ask) == [0.75]
    finally:
        server.stop(None)
    assert json_format.MessageToDict(seen[0])["claims"] == ["The tower is high."]
