"""Routes with JSON of a shape of their own: what they check before the server is asked."""

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import pytest
from pydantic import BaseModel, ConfigDict, field_validator
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message

from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_server.doors.failures import Failure, refusal
from groundwire_server.doors.http import application
from groundwire_server.doors.json_calls import JsonCall, JsonRoute, json_route
from groundwire_server.doors.upstream import LARGE_BYTES, Upstream
from groundwire_server.rpc.wire import MAX_MESSAGE_FIELDS
from tests.scripted import WAIT_LIMIT_S, Scripted
from tests.server.http.door import http_server, reason_in, violations_in

BEARER = "quiet-harbour-12345"
PATH = "/v1/estimates"
LIMIT_BYTES = 4 * LARGE_BYTES
MADE_IN: list[threading.Thread] = []


class Claims(BaseModel):
    """Claims to read."""

    model_config = ConfigDict(extra="forbid", strict=True)

    claims: list[str]

    @field_validator("claims")
    @classmethod
    def seen(cls, value: list[str]) -> list[str]:
        """Note in which thread a body becomes one of these."""
        MADE_IN.append(threading.current_thread())
        return value


@dataclass(frozen=True)
class Routed:
    """A server, and a route in front of it."""

    served: Scripted
    route: JsonRoute
    http: httpx.AsyncClient


def own_shape(failure: Failure) -> Response:
    return JSONResponse({"error": failure.reason}, status_code=418)


@pytest.fixture(params=[refusal, own_shape], ids=["connect", "own"])
async def routed(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Routed]:
    """A route whose failures have the shape of Connect, or another one."""

    async def answer(call: JsonCall[Claims, pb.BatchEstimateRequest]) -> Response:
        asked = "/groundwire.v1.VerifierBackend/BatchEstimate"
        response = await call.ask(asked, call.wanted, pb.BatchEstimateResponse)
        return JSONResponse({"count": len(response.estimates)})

    def message(body: Claims) -> pb.BatchEstimateRequest:
        MADE_IN.append(threading.current_thread())
        return pb.BatchEstimateRequest(claims=body.claims)

    made: list[JsonRoute] = []

    def routes(upstream: Upstream) -> list[JsonRoute]:
        route = json_route(
            PATH,
            Claims,
            answer,
            upstream,
            refuse=request.param,
            message=message,
            told=Claims,
            failed=Claims,
        )
        made.append(route)
        return made

    MADE_IN.clear()
    monkeypatch.setattr(application, "ROUTES", (routes,))
    async with http_server(auth_token=BEARER, max_message_bytes=LIMIT_BYTES) as door:
        door.http.headers["authorization"] = f"Bearer {BEARER}"
        yield Routed(door.served, made[0], door.http)


async def test_json_is_answered_with_json(routed: Routed) -> None:
    response = await routed.http.post(PATH, json={"claims": ["a", "b"]})
    assert (response.status_code, response.json()) == (200, {"count": 2})


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"claims": [1]}', "MALFORMED_REQUEST"),
        (b'{"claims": ["a"], "more": 1}', "MALFORMED_REQUEST"),
        (b"{}", "MALFORMED_REQUEST"),
        (b'{"claims": ["\xff"]}', "MALFORMED_REQUEST"),
        (b"[" * 900, "MALFORMED_REQUEST"),
        (b'{"claims": [" "]}', "EMPTY_CLAIM"),
        (b'{"claims": ["' + b"x" * LIMIT_BYTES + b'"]}', "UNSPECIFIED"),
    ],
)
async def test_bad_input_is_refused_in_the_shape_of_the_route(
    routed: Routed, body: bytes, reason: str
) -> None:
    header = {"content-type": "application/json"}
    response = await routed.http.post(PATH, content=body, headers=header)
    if response.status_code == 418:
        assert response.json() == {"error": reason}
    else:
        assert response.status_code in {400, 429}
        assert (reason_in(response) or "UNSPECIFIED") == reason


@pytest.mark.parametrize("routed", [refusal], indirect=True)
async def test_a_wrong_field_is_named(routed: Routed) -> None:
    response = await routed.http.post(PATH, json={"claims": ["a", 1]})
    assert violations_in(response).keys() == {"claims[1]"}


@pytest.mark.parametrize("routed", [refusal], indirect=True)
async def test_more_values_than_a_request_can_need_are_refused_before_a_model_is_made(
    routed: Routed,
) -> None:
    response = await routed.http.post(PATH, json={"claims": ["a"] * MAX_MESSAGE_FIELDS})
    assert (response.status_code, reason_in(response)) == (400, "MALFORMED_REQUEST")
    assert "more than 25,000 values" in response.json()["message"]
    assert MADE_IN == []


@pytest.mark.parametrize("routed", [refusal], indirect=True)
@pytest.mark.parametrize("blanks", [0, LARGE_BYTES])
async def test_a_large_body_becomes_a_message_in_a_thread(routed: Routed, blanks: int) -> None:
    body = b'{"claims": ["a"]}' + b" " * blanks
    header = {"content-type": "application/json"}
    response = await routed.http.post(PATH, content=body, headers=header)
    assert response.json() == {"count": 1}
    here = threading.current_thread()
    assert [thread is here for thread in MADE_IN] == 2 * [not blanks]


@pytest.mark.parametrize("routed", [refusal], indirect=True)
async def test_a_wrong_token_is_refused_before_the_body_is_read(routed: Routed) -> None:
    header = {"authorization": "Bearer wrong", "content-type": "application/json"}
    response = await routed.http.post(PATH, content=b"\xff", headers=header)
    assert (response.status_code, reason_in(response)) == (401, "INVALID_TOKEN")


@pytest.mark.parametrize("routed", [own_shape], indirect=True)
async def test_a_body_that_is_not_said_to_be_json_is_not_read(routed: Routed) -> None:
    response = await routed.http.post(PATH, content=b'{"claims": ["a"]}')
    assert (response.status_code, response.json()) == (415, {"error": "MALFORMED_REQUEST"})
    assert routed.served.engine.claims == []


@pytest.mark.parametrize("routed", [refusal], indirect=True)
async def test_the_deadline_goes_along(routed: Routed) -> None:
    routed.served.engine.hold()
    header = {"connect-timeout-ms": "200"}
    response = await routed.http.post(PATH, json={"claims": ["a"]}, headers=header)
    assert (response.status_code, reason_in(response)) == (504, "DEADLINE_EXCEEDED")


@pytest.mark.parametrize("routed", [refusal], indirect=True)
async def test_a_client_that_leaves_cancels_the_call(routed: Routed) -> None:
    engine = routed.served.engine
    engine.hold()
    left = asyncio.Event()
    come: list[Message] = [{"type": "http.request", "body": b'{"claims": ["a"]}'}]

    async def receive() -> Message:
        if come:
            return come.pop()
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(_: Message) -> None:
        raise AssertionError("nobody is there any more")

    headers = {"content-type": "application/json", "authorization": f"Bearer {BEARER}"}
    scope = Request(
        {
            "type": "http",
            "method": "POST",
            "path": PATH,
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
    ).scope
    call = asyncio.ensure_future(routed.route.app(scope, receive, send))
    await engine.until(lambda: engine.claims == ["a"])
    left.set()
    await asyncio.wait_for(call, WAIT_LIMIT_S)
    await engine.until(lambda: engine.cancelled == 1)
