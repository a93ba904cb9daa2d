"""Calls over Connect and gRPC-Web, by real clients: answers, streams, deadlines, leaving."""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from connectrpc.client import ConnectClient
from connectrpc.code import Code
from connectrpc.compat import google_protobuf_codecs
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.protocol import ProtocolType

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import verifier_backend_pb2 as pb
from tests.scripted import MODEL, Scripted
from tests.server.http.door import BACKEND, BATCH, Door, reason_in

ROOT = Path(__file__).parents[3]
BUF = Path(sys.executable).with_name("buf")
ESTIMATE = MethodInfo(
    name="BatchEstimate",
    service_name="groundwire.v1.VerifierBackend",
    input=pb.BatchEstimateRequest,
    output=pb.BatchEstimateResponse,
    idempotency_level=IdempotencyLevel.UNKNOWN,
    stream_type=StreamType.UNARY,
)
STREAM = MethodInfo(
    name="VerifyAnswerStream",
    service_name="groundwire.v1.HallucinationDetection",
    input=detection_pb.VerifyAnswerStreamRequest,
    output=detection_pb.VerifyAnswerStreamResponse,
    idempotency_level=IdempotencyLevel.UNKNOWN,
    stream_type=StreamType.SERVER_STREAM,
)
ANSWER = detection_pb.VerifyAnswerStreamRequest(
    request=detection_pb.VerifyAnswerRequest(
        answer="The tower has two floors. It was built in 1901.",
        evidence=detection_pb.Evidence(context="The tower has two floors."),
    )
)
EVERY_KIND = pytest.mark.parametrize(
    ("protocol", "codec"),
    [
        (ProtocolType.CONNECT, "proto"),
        (ProtocolType.CONNECT, "json"),
        (ProtocolType.GRPC_WEB, "proto"),
        (ProtocolType.GRPC_WEB, "json"),
    ],
)


def client_of(door: Door, protocol: ProtocolType, codec: str) -> ConnectClient:
    codecs = {each.name(): each for each in google_protobuf_codecs()}
    return ConnectClient(f"http://{door.target}", codec=codecs[codec], protocol=protocol)


async def run(*command: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(
        subprocess.run, command, cwd=cwd, capture_output=True, text=True, check=False, timeout=60
    )


async def waiting(served: Scripted, *claims: str) -> None:
    """Return once these claims, and no others, are in the engine."""
    await served.engine.until(lambda: served.engine.claims == list(claims))


@EVERY_KIND
async def test_a_call_is_answered(door: Door, protocol: ProtocolType, codec: str) -> None:
    request = pb.BatchEstimateRequest(claims=["a", "b"], context="c")
    async with client_of(door, protocol, codec) as client:
        response = await client.execute_unary(request=request, method=ESTIMATE)
    assert response.model == MODEL
    assert [round(each.probability, 2) for each in response.estimates] == [0.75, 0.75]


@EVERY_KIND
async def test_a_stream_comes_piece_by_piece(
    door: Door, protocol: ProtocolType, codec: str
) -> None:
    async with client_of(door, protocol, codec) as client:
        stream = client.execute_server_stream(request=ANSWER, method=STREAM)
        kinds = [piece.WhichOneof("event") async for piece in stream]
    assert kinds[0] == "found"
    assert kinds[-1] == "report"
    assert len(kinds) == 4


@EVERY_KIND
async def test_an_error_has_its_reason(door: Door, protocol: ProtocolType, codec: str) -> None:
    async with client_of(door, protocol, codec) as client:
        with pytest.raises(ConnectError) as caught:
            await client.execute_unary(request=pb.BatchEstimateRequest(), method=ESTIMATE)
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert b"EMPTY_BATCH" in caught.value.details[0].message_bytes
    assert caught.value.details[0].type_name == "google.rpc.ErrorInfo"


@EVERY_KIND
async def test_an_error_ends_a_stream_with_its_reason(
    door: Door, protocol: ProtocolType, codec: str
) -> None:
    empty = detection_pb.VerifyAnswerStreamRequest()
    async with client_of(door, protocol, codec) as client:
        with pytest.raises(ConnectError) as caught:
            await anext(client.execute_server_stream(request=empty, method=STREAM))
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert b"EMPTY_TEXT" in caught.value.details[0].message_bytes


async def test_json_has_every_field_that_is_not_optional(door: Door) -> None:
    response = await door.post(BATCH, {"claims": ["a"]})
    assert response.headers["content-type"] == "application/json"
    (estimate,) = response.json()["estimates"]
    assert estimate["calibrated"] is False
    assert "chunk" not in estimate


async def test_names_may_be_those_of_the_contract(door: Door) -> None:
    response = await door.post(BATCH, {"claims": ["a"], "skip_result_cache": True})
    assert response.status_code == 200


async def test_large_requests_and_responses_are_answered(door: Door) -> None:
    claims = [f"{i} {'x' * 100}" for i in range(1000)]
    response = await door.post(BATCH, {"claims": claims})
    assert len(response.json()["estimates"]) == 1000
    assert len(response.content) > 1 << 16


@pytest.mark.parametrize(
    "header", [{"connect-timeout-ms": "100"}, {"connect-timeout-ms": "0"}], ids=str
)
async def test_a_deadline_ends_a_call_and_its_work(door: Door, header: Mapping[str, str]) -> None:
    door.served.engine.hold()
    response = await door.post(BATCH, {"claims": ["a"]}, header)
    assert response.status_code == 504
    assert (response.json()["code"], reason_in(response)) == (
        "deadline_exceeded",
        "DEADLINE_EXCEEDED",
    )
    engine = door.served.engine
    await engine.until(lambda: engine.cancelled == len(engine.claims))


@EVERY_KIND
async def test_a_client_that_leaves_cancels_its_call(
    door: Door, protocol: ProtocolType, codec: str
) -> None:
    door.served.engine.hold()
    request = pb.BatchEstimateRequest(claims=["a"])
    async with client_of(door, protocol, codec) as client:
        call = asyncio.ensure_future(client.execute_unary(request=request, method=ESTIMATE))
        await waiting(door.served, "a")
        call.cancel()
        await door.served.engine.until(lambda: door.served.engine.cancelled == 1)


async def test_a_client_that_leaves_cancels_its_stream(door: Door) -> None:
    door.served.engine.hold()
    async with client_of(door, ProtocolType.CONNECT, "json") as client:
        stream = client.execute_server_stream(request=ANSWER, method=STREAM)
        assert (await anext(stream)).WhichOneof("event") == "found"
        reading = asyncio.ensure_future(anext(stream))
        await door.served.engine.until(lambda: len(door.served.engine.claims) > 1)
        reading.cancel()
        await door.served.engine.until(lambda: door.served.engine.cancelled > 0)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not on PATH")
async def test_curl_needs_no_more_than_a_header_and_json(door: Door) -> None:
    url = f"http://{door.target}{BATCH}"
    done = await run(
        "curl", "-sS", "-H", "content-type: application/json", "-d", '{"claims": ["a"]}', url
    )
    assert done.stderr == ""
    assert json.loads(done.stdout)["model"] == MODEL


@pytest.mark.parametrize("protocol", ["connect", "grpcweb"])
async def test_buf_curl_calls_by_the_contract(door: Door, protocol: str) -> None:
    url = f"http://{door.target}{BACKEND}/GetServerInfo"
    done = await run(BUF, "curl", "--schema", "proto", "--protocol", protocol, "--data", "{}", url)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["model"] == MODEL


@pytest.mark.parametrize("protocol", ["connect", "grpcweb"])
async def test_buf_curl_is_told_what_is_wrong(door: Door, protocol: str) -> None:
    data = '{"claims": [" "]}'
    url = f"http://{door.target}{BATCH}"
    done = await run(BUF, "curl", "--schema", "proto", "--protocol", protocol, "--data", data, url)
    assert done.returncode != 0
    told = json.loads(done.stderr)
    assert told["code"] == "invalid_argument"
    assert told["message"].startswith("claims[0]: ")
