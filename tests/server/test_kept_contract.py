"""A client of the kept contract and this server; this client and a server of the kept contract.

Messages are made from the kept descriptors in a pool of their own, so no stub of today is used on
the older side, and it drops the fields that it does not know. Each service is called once, a stream
is read, and refusals keep their reasons and fields.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent import futures
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import grpc
import pytest
from google.protobuf import descriptor_pool, json_format, message_factory
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import Message
from grpc import aio

from groundwire import (
    AnswerReport,
    AsyncClient,
    ClaimKnown,
    ClaimsFound,
    Client,
    ErrorReason,
    FeedbackVerdict,
    InvalidRequestError,
    RpcFailedError,
)
from groundwire.v1 import hallucination_detection_pb2 as pb
from tests.scripted import WAIT_LIMIT_S, scripted_server

if TYPE_CHECKING:
    Context: TypeAlias = aio.ServicerContext[Message, Message]
    Handler: TypeAlias = grpc.RpcMethodHandler[Message, Message]

KEPT = Path(__file__).resolve().parents[1] / "repository" / "contract" / "0.1.0.binpb"
BACKEND, DETECTION = "groundwire.v1.VerifierBackend", "groundwire.v1.HallucinationDetection"


@cache
def kept_pool() -> descriptor_pool.DescriptorPool:
    pool = descriptor_pool.DescriptorPool()
    for file in FileDescriptorSet.FromString(KEPT.read_bytes()).file:
        pool.Add(file)
    return pool


def kept_method(service: str, method: str) -> MethodDescriptor:
    found: MethodDescriptor = kept_pool().FindServiceByName(service).FindMethodByName(method)
    return found


def messages(service: str, method: str) -> tuple[type[Message], type[Message]]:
    """The types of request and response of a method, as they were."""
    found = kept_method(service, method)
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
    # A verdict that is newer than the client is a number to it, and not grounded.
    assert claim["verdict"]["verdict"] == pb.VERDICT_UNCERTAIN
    assert "grounded" not in claim["verdict"]
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


class OlderPeer(grpc.GenericRpcHandler):
    """A server of the kept contract, or its client: it asks another and knows no newer field."""

    def __init__(self, channel: aio.Channel) -> None:
        self._channel = channel

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "Handler":
        path = handler_call_details.method
        service, method = path.strip("/").split("/")
        asked, answered = messages(service, method)
        kinds: dict[str, Any] = {
            "request_serializer": asked.SerializeToString,
            "response_deserializer": parser_of(answered),
        }

        async def unary(request: Message, context: "Context") -> Message:
            try:
                call = self._channel.unary_unary(path, **kinds)
                answer: Message = await call(request, timeout=WAIT_LIMIT_S)
            except aio.AioRpcError as error:
                await refuse(context, error)
            return answer

        async def stream(request: Message, context: "Context") -> AsyncIterator[Message]:
            try:
                async for each in self._channel.unary_stream(path, **kinds)(request):
                    yield each
            except aio.AioRpcError as error:
                await refuse(context, error)

        known: dict[str, Any] = {
            "request_deserializer": parser_of(asked),
            "response_serializer": answered.SerializeToString,
        }
        if kept_method(service, method).server_streaming:
            return grpc.unary_stream_rpc_method_handler(stream, **known)
        return grpc.unary_unary_rpc_method_handler(unary, **known)


def parser_of(kind: type[Message]) -> Callable[[bytes], Message]:
    def parsed(data: bytes) -> Message:
        message = kind.FromString(data)
        message.DiscardUnknownFields()
        return message

    return parsed


async def refuse(context: "Context", error: aio.AioRpcError) -> NoReturn:
    await context.abort(error.code(), error.details() or "", tuple(error.trailing_metadata() or ()))
    raise AssertionError


@contextlib.asynccontextmanager
async def across_the_kept_contract(every_service: bool = False) -> AsyncIterator[AsyncClient]:
    """This client, a server of the kept contract, which is a client of it, too, and this server."""
    async with scripted_server(
        memory_gate_enabled=every_service,
        response_assessment_enabled=every_service,
        trace_auditing_enabled=every_service,
    ) as served:
        server = aio.server()
        server.add_generic_rpc_handlers((OlderPeer(served.channel),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            async with AsyncClient(f"127.0.0.1:{port}") as client:
                yield client
        finally:
            await server.stop(None)


async def test_each_service_is_answered_both_ways() -> None:
    evidence = "The tower is high."
    async with across_the_kept_contract(every_service=True) as client:
        estimate = await client.estimate("The tower is high.", evidence)
        answer = await client.verify_answer("The tower is high [S0].", evidence)
        facts = await client.check_facts(["The tower is high."], evidence)
        audit = await client.audit_trace(["The tower is high."], evidence)
        assessed = await client.assess_response("It is high.", question="How high is it?")
    assert estimate.probability == pytest.approx(0.75)
    assert len(answer.claims) == len(facts.facts) == len(audit.steps) == 1
    assert assessed.suggested_action


GROUNDED = FeedbackVerdict.GROUNDED
Call = Callable[[AsyncClient], Awaitable[object]]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda client: client.submit_verification("It is high."), ErrorReason.NOT_ENABLED),
        (
            lambda client: client.check_similarity("It is high.", ["It is."]),
            ErrorReason.NOT_ENABLED,
        ),
        (lambda client: client.search_corpus("high", "none"), ErrorReason.UNKNOWN_CORPUS),
        (lambda client: client.record_feedback("0" * 32, 0, GROUNDED), ErrorReason.NOT_ENABLED),
    ],
)
async def test_a_refusal_keeps_its_reason_both_ways(call: Call, reason: ErrorReason) -> None:
    async with across_the_kept_contract() as client:
        with pytest.raises(RpcFailedError) as refused:
            await call(client)
    assert refused.value.reason == reason


async def test_a_refusal_names_the_field_both_ways() -> None:
    async with across_the_kept_contract() as client:
        with pytest.raises(InvalidRequestError) as refused:
            await client.batch_estimate(["The tower is high.", ""], "It is.")
    assert [each.field for each in refused.value.violations] == ["claims[1]"]


async def test_a_stream_goes_both_ways() -> None:
    async with across_the_kept_contract() as client:
        events = [each async for each in client.verify_answer_stream("It is high [S0].", "It is.")]
    assert [type(each) for each in events] == [ClaimsFound, ClaimKnown, AnswerReport]


async def test_a_stream_that_is_refused_keeps_its_reason_both_ways() -> None:
    async with across_the_kept_contract() as client:
        with pytest.raises(InvalidRequestError) as refused:
            _ = [each async for each in client.verify_answer_stream("", "It is.")]
    assert refused.value.reason == ErrorReason.EMPTY_TEXT
