"""Bad input over HTTP has the codes and the reasons that it has over gRPC."""

import asyncio
import contextlib
import gzip
import json
from collections.abc import AsyncIterator, Callable

import grpc
import httpx
import pytest
from google.protobuf.message import Message
from grpc import aio

from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_server.doors import json_messages
from tests.scripted import reason_of
from tests.server.http.door import BATCH, Door, http_server, reason_in, violations_in

BEARER = "amber-kettle-9-and-more"
ANSWER = "/groundwire.v1.HallucinationDetection/VerifyAnswer"
GATE = "/groundwire.v1.MemoryGate/CheckFacts"
PROBE = "/grpc.health.v1.Health/Check"
MALFORMED = "MALFORMED_REQUEST"


@pytest.fixture(name="door", scope="module")
async def shared_door() -> AsyncIterator[Door]:
    """One server for all tests here, none of which changes it."""
    async with http_server() as door:
        yield door


@pytest.mark.parametrize(
    "request_",
    [
        pb.BatchEstimateRequest(),
        pb.BatchEstimateRequest(claims=["a"] * 1001),
        pb.BatchEstimateRequest(claims=["a", " "]),
        pb.BatchEstimateRequest(claims=["x" * 5000]),
        pb.BatchEstimateRequest(claims=["a"], context="x" * 300_000),
        pb.BatchEstimateRequest(claims=["a"], backend="nobody"),
    ],
    ids=["empty", "many", "blank", "long claim", "long context", "backend"],
)
async def test_what_the_server_refuses_has_its_reason_and_its_field(
    door: Door, request_: pb.BatchEstimateRequest
) -> None:
    with pytest.raises(aio.AioRpcError) as caught:
        await door.served.raw("BatchEstimate", request_.SerializeToString())
    body = {"claims": list(request_.claims), "context": request_.context}
    response = await door.post(BATCH, {**body, "backend": request_.backend})
    assert response.status_code == 400
    assert response.json()["code"] == caught.value.code().name.lower()
    assert response.json()["message"] == caught.value.details()
    assert reason_in(response) == reason_of(caught.value)
    assert violations_in(response)


@pytest.mark.parametrize(
    ("path", "body", "field", "told"),
    [
        (BATCH, {"claims": "a"}, "claims", "takes a list"),
        (BATCH, {"claims": ["a", 3]}, "claims[1]", "takes a text"),
        (BATCH, {"claims": ["a"], "context": {}}, "context", "takes a text"),
        (BATCH, {"claims": ["a"], "skipResultCache": 1}, "skip_result_cache", "true or false"),
        (BATCH, {"clams": ["a"]}, "'clams'", "is no field of BatchEstimateRequest, which has"),
        (BATCH, {"claims": ["\ud800"]}, "claims[0]", "takes a text"),
        (ANSWER, {"answer": "a", "evidence": "e"}, "evidence", "takes an object"),
        (
            ANSWER,
            {"answer": "a", "evidence": {"sources": [{"id": 1}]}},
            "evidence.sources[0].id",
            "takes a text",
        ),
        (
            ANSWER,
            {"answer": "a", "options": {"policy": "POLICY_OF_MINE"}},
            "options.policy",
            "takes one of POLICY_UNSPECIFIED",
        ),
        (GATE, {"facts": [{"sourceId": "s"}]}, "facts[0].'sourceId'", "is no field of"),
    ],
)
async def test_a_field_of_another_shape_is_named_with_what_it_takes(
    door: Door, path: str, body: object, field: str, told: str
) -> None:
    response = await door.post_raw(path, json.dumps(body).encode())
    assert (response.status_code, reason_in(response)) == (400, MALFORMED)
    (described,) = violations_in(response).items()
    assert described[0] == field
    assert described[1].startswith(told) or told in described[1]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"claims": ["\xff"]}', "the body is not valid UTF-8"),
        (b'{"claims": [', "the body is not JSON"),
        (b"[" * 20_000, "the body is not JSON"),
        (b'{"claims": ' + b"9" * 5000 + b"}", "the body is not JSON"),
        (b'["a"]', "the body has to be a JSON object"),
        (b"null", "the body has to be a JSON object"),
        (b'{"claims": [' + b'"",' * 30_000 + b'""]}', "the body holds more than 25,000 values"),
    ],
    ids=["utf-8", "cut", "deep", "digits", "list", "null", "many"],
)
async def test_a_body_that_is_no_message_is_refused(door: Door, body: bytes, told: str) -> None:
    response = await door.post_raw(BATCH, body)
    assert (response.status_code, reason_in(response)) == (400, MALFORMED)
    assert response.json()["message"].startswith(told)


async def test_binary_is_refused_by_the_server_itself(door: Door) -> None:
    with pytest.raises(aio.AioRpcError) as caught:
        await door.served.raw("BatchEstimate", b"\x0a\x01\xff")
    response = await door.post_raw(BATCH, b"\x0a\x01\xff", "application/proto")
    assert response.json()["message"] == caught.value.details()
    assert reason_in(response) == reason_of(caught.value) == MALFORMED


async def test_an_error_repeats_no_value_of_the_request(door: Door) -> None:
    marker = "tapir-value-8812"
    for body in ({"claims": marker}, {"claims": [{marker: 1}]}, {"skipResultCache": marker}):
        response = await door.post(BATCH, body)
        assert response.status_code == 400
        assert marker not in response.text


async def test_a_request_beyond_the_limit_has_grpcs_code_and_names_the_limit() -> None:
    async with http_server(max_message_bytes=2000) as door:
        request = pb.BatchEstimateRequest(claims=["x" * 3000])
        with pytest.raises(aio.AioRpcError) as caught:
            await door.served.raw("BatchEstimate", request.SerializeToString())
        response = await door.post(BATCH, {"claims": ["x" * 3000]})
        packed = await door.http.post(
            BATCH,
            content=gzip.compress(b'{"claims": ["' + b"x" * 3000 + b'"]}'),
            headers={"content-type": "application/json", "content-encoding": "gzip"},
        )
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    for refused in (response, packed):
        assert (refused.status_code, refused.json()["code"]) == (429, "resource_exhausted")
        assert reason_in(refused) == "REQUEST_TOO_LARGE"
        assert "more than 2,000 bytes" in refused.json()["message"]
        assert "max_message_bytes" in refused.json()["message"]
        # To come again changes nothing.
        assert "retry-after" not in refused.headers


@pytest.mark.parametrize("packs", [bytes, gzip.compress], ids=["plain", "packed"])
async def test_who_has_no_token_can_send_small_bodies_only(
    packs: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def reads(data: bytes, kind: type[Message]) -> bytes:
        raise AssertionError(f"{len(data)} bytes were read")

    monkeypatch.setattr(json_messages, "from_json", reads)
    header = {"content-type": "application/json"}
    if packs is gzip.compress:
        header["content-encoding"] = "gzip"
    body = packs(b'{"service": "' + b"x" * 100_000 + b'"}')
    async with http_server(auth_token=BEARER) as door:
        response = await door.http.post(PROBE, content=body, headers=header)
        held = door.served.running.calls.admission.bytes.taken
    assert (response.status_code, response.json()["code"]) == (429, "resource_exhausted")
    assert "4096" in response.text.replace(",", "")
    assert held == 0


async def test_a_body_of_unknown_length_is_read_no_further_than_the_limit() -> None:
    sent = 0
    header = {"content-type": "application/json"}

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 1000
            yield b"x" * 1000

    async with http_server(max_message_bytes=2000) as door:
        with contextlib.suppress(httpx.TransportError):  # it is closed while the client sends
            response = await door.http.post(BATCH, content=endless(), headers=header)
            assert response.json()["code"] == "resource_exhausted"
    assert sent < 10 << 20


@pytest.mark.parametrize("header", [{}, {"authorization": "Bearer wrong"}, {"authorization": "x"}])
async def test_a_wrong_token_is_refused_before_the_body_is_read(header: dict[str, str]) -> None:
    async with http_server(auth_token=BEARER) as door:
        response = await door.http.post(
            BATCH, content=b"\xff", headers={"content-type": "application/json", **header}
        )
        right = {"authorization": f"Bearer {BEARER}"}
        assert (await door.post(BATCH, {"claims": ["a"]}, right)).status_code == 200
    assert (response.status_code, reason_in(response)) == (401, "INVALID_TOKEN")
    assert response.headers["www-authenticate"] == "Bearer"
    assert BEARER not in response.text


async def test_a_token_that_is_no_text_is_a_wrong_one() -> None:
    async with http_server(auth_token=BEARER) as door:
        response = await door.http.post(
            BATCH,
            content=b"{}",
            headers={b"content-type": b"application/json", b"authorization": b"Bearer \xe9"},
        )
    assert reason_in(response) == "INVALID_TOKEN"


@pytest.mark.parametrize("value", ["soon", "-1", "1.5", "12345678901"])
async def test_a_deadline_that_is_none_is_refused(door: Door, value: str) -> None:
    response = await door.post(BATCH, {"claims": ["a"]}, {"connect-timeout-ms": value})
    assert (response.status_code, reason_in(response)) == (400, MALFORMED)
    assert "connect-timeout-ms" in response.json()["message"]


async def test_a_full_server_says_when_to_come_again() -> None:
    async with http_server(max_pending_claims=2, max_claims=2) as door:
        door.served.engine.hold()
        first = asyncio.ensure_future(door.post(BATCH, {"claims": ["a", "b"]}))
        await door.served.engine.until(lambda: len(door.served.engine.claims) == 2)
        response = await door.post(BATCH, {"claims": ["c"]})
        door.served.engine.release()
        assert (await first).status_code == 200
    assert (response.status_code, reason_in(response)) == (429, "QUEUE_FULL")
    assert int(response.headers["retry-after"]) >= 1


async def test_half_of_a_character_in_a_field_s_name_is_refused_as_any_other_name(
    door: Door,
) -> None:
    response = await door.post_raw(BATCH, b'{"\\ud800": 1}')
    assert response.status_code == 400
    assert "is no field of" in response.text
