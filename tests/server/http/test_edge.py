"""What holds for every request of HTTP: methods, types, names, origins, bugs, counting."""

import asyncio
import contextlib
import logging

import pytest

from tests.collector import Collector
from tests.scripted import WAIT_LIMIT_S
from tests.server.http.door import BACKEND, BATCH, Door, http_server, reason_in
from tests.server.rpc.test_interceptors import scrape

PAGE = "https://app.example.org"
PREFLIGHT = {
    "origin": PAGE,
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type,authorization,connect-protocol-version",
}
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
CALLS = "groundwire_call_duration_seconds_count"
ERRORS = "groundwire_call_errors_total"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("POST", "/nowhere", 404),
        ("POST", f"{BACKEND}/Judge", 404),
        ("POST", BACKEND, 404),
        ("GET", f"{BATCH}?encoding=json&message=%7B%7D", 405),
        ("PUT", BATCH, 405),
        ("POST", "/openapi.json", 405),
    ],
)
async def test_what_no_route_takes_is_refused_in_connects_shape(
    door: Door, method: str, path: str, status: int
) -> None:
    header = {"content-type": "application/json"}
    response = await door.http.request(method, path, headers=header)
    assert (response.status_code, response.json()["code"]) == (status, "unimplemented")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/grpc", ""]
)
async def test_a_body_of_another_type_is_refused_with_those_that_are_taken(
    door: Door, kind: str
) -> None:
    response = await door.post_raw(BATCH, b'{"claims": ["a"]}', kind)
    assert response.status_code == 415
    assert "application/json" in response.json()["message"]
    assert door.served.engine.claims == []


async def test_a_parameter_of_the_type_changes_nothing(door: Door) -> None:
    response = await door.post_raw(BATCH, b'{"claims": ["a"]}', "Application/JSON; charset=utf-8")
    assert response.status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "["])
async def test_a_page_that_gives_its_name_our_address_is_refused(door: Door, host: str) -> None:
    response = await door.post(BATCH, {"claims": ["a"]}, {"host": host})
    assert response.status_code == 421
    assert "http_hosts" in response.json()["message"]


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "localhost.:1", "127.0.0.1", "[::1]:8080"]
)
async def test_loopback_goes_by_its_names(door: Door, host: str) -> None:
    assert (await door.post(BATCH, {"claims": ["a"]}, {"host": host})).status_code == 200


async def test_other_names_are_those_of_the_settings() -> None:
    async with http_server(http_hosts="proxy.example, other.example") as door:
        named = await door.post(BATCH, {"claims": ["a"]}, {"host": "Proxy.example:8443"})
        other = await door.post(BATCH, {"claims": ["a"]}, {"host": "localhost"})
    assert (named.status_code, other.status_code) == (200, 421)


async def test_with_a_token_any_name_will_do() -> None:
    async with http_server(auth_token="sixteen-letters-1") as door:
        header = {"host": "proxy.example", "authorization": "Bearer sixteen-letters-1"}
        assert (await door.post(BATCH, {"claims": ["a"]}, header)).status_code == 200


async def test_health_is_told_without_a_token() -> None:
    async with http_server(auth_token="sixteen-letters-1") as door:
        response = await door.post("/grpc.health.v1.Health/Check", {})
    assert response.json() == {"status": "SERVING"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x-request-id", "a\tb"),
        ("traceparent", "\x7f"),
        ("x-groundwire-x!y", "a"),
        ("x-groundwire-x-bin", "YQ"),
    ],
)
async def test_a_header_that_grpc_would_not_take_changes_nothing(
    door: Door, caplog: pytest.LogCaptureFixture, name: str, value: str
) -> None:
    response = await door.post(BATCH, {"claims": ["a"]}, {name: value})
    assert response.status_code == 200
    assert "failed" not in caplog.text


async def test_pages_of_others_may_not_call_unless_they_are_named(door: Door) -> None:
    asked = await door.http.options(BATCH, headers=PREFLIGHT)
    answered = await door.post(BATCH, {"claims": ["a"]}, {"origin": PAGE})
    assert asked.status_code == 405
    for response in (asked, answered):
        assert "access-control-allow-origin" not in response.headers


async def test_a_page_of_a_named_origin_may_call_and_read_what_went_wrong() -> None:
    async with http_server(http_origins=f"https://one.example, {PAGE}") as door:
        asked = await door.http.options(BATCH, headers=PREFLIGHT)
        answered = await door.post(BATCH, {"claims": ["a"]}, {"origin": PAGE})
        refused = await door.post(BATCH, {"claims": []}, {"origin": PAGE})
        stranger = await door.post(BATCH, {"claims": ["a"]}, {"origin": "https://two.example"})
    assert asked.status_code == 200
    for response in (asked, answered, refused):
        assert response.headers["access-control-allow-origin"] == PAGE
    assert "grpc-status-details-bin" in answered.headers["access-control-expose-headers"]
    assert "access-control-allow-origin" not in stranger.headers


async def test_a_bug_is_told_to_nobody_and_logged_without_its_text(
    door: Door, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    marker = "bongo-text-5510"

    def broken(*_: object) -> bytes:
        raise ZeroDivisionError(marker)

    monkeypatch.setattr("groundwire_server.doors.json_messages.to_json", broken)
    with caplog.at_level(logging.INFO):
        response = await door.post(BATCH, {"claims": ["a"]})
    assert (response.status_code, reason_in(response)) == (500, "INTERNAL")
    assert "BatchEstimate failed: ZeroDivisionError" in caplog.text
    assert marker not in response.text + caplog.text


async def test_a_call_is_counted_once_as_a_call_of_its_service() -> None:
    async with http_server(metrics_listen="127.0.0.1:0", auth_token="sixteen-letters-1") as door:
        header = {"authorization": "Bearer sixteen-letters-1"}
        await door.post(BATCH, {"claims": ["a"]}, header)
        await door.post(BATCH, {"claims": [" "]}, header)
        await door.post(BATCH, {"claims": "a"}, header)
        await door.post(BATCH, {"claims": ["a"]})
        samples = await scrape(door.served)
    assert samples[CALLS, "BatchEstimate", "OK"] == 1
    assert samples[CALLS, "BatchEstimate", "INVALID_ARGUMENT"] == 2
    assert samples[ERRORS, "EMPTY_CLAIM"] == 1
    assert samples[ERRORS, "MALFORMED_REQUEST"] == 1
    assert samples[ERRORS, "INVALID_TOKEN"] == 1


async def test_the_callers_trace_goes_on_in_one_span_of_the_service(collector: Collector) -> None:
    parent = "b7ad6b7169203331"
    async with http_server(otlp_endpoint=collector.endpoint) as door:
        header = {"traceparent": f"00-{TRACE_ID}-{parent}-01"}
        await door.post(BATCH, {"claims": ["a"]}, header)
    wanted = {BATCH, "groundwire.read"}
    spans = await asyncio.to_thread(collector.wait_for, TRACE_ID, wanted, WAIT_LIMIT_S)
    assert wanted <= spans.keys()
    assert spans[BATCH].parent_span_id.hex() == parent
    calls = [s for s in collector.spans if s.trace_id.hex() == TRACE_ID and s.name == BATCH]
    assert len(calls) == 1


async def test_a_refusal_of_a_small_body_leaves_the_connection_open(door: Door) -> None:
    refused = await door.post("/nowhere", {"claims": ["a" * 10_000]})
    assert "connection" not in refused.headers


async def test_a_body_that_is_not_read_to_its_end_closes_the_connection() -> None:
    async with http_server(max_message_bytes=100_000) as door:
        refused = await door.post(BATCH, {"claims": ["a" * 200_000]})
    assert refused.headers["connection"] == "close"


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("length", [f"content-length: {16 << 20}", "transfer-encoding: chunked"])
async def test_a_body_that_no_route_takes_is_not_read_to_its_end(
    door: Door, method: str, length: str
) -> None:
    host, _, port = door.target.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"{method} /healthz HTTP/1.1\r\nhost: {host}\r\n{length}\r\n\r\n".encode())
    piece = b"x" * (1 << 16)
    sent_bytes = 0
    with contextlib.suppress(ConnectionError):
        while sent_bytes < 16 << 20:
            writer.write(b"10000\r\n%b\r\n" % piece if "chunked" in length else piece)
            await asyncio.wait_for(writer.drain(), WAIT_LIMIT_S)
            sent_bytes += len(piece)
        await asyncio.wait_for(reader.read(), WAIT_LIMIT_S)
    writer.close()
    # What the buffers of two sockets hold, and no more.
    assert sent_bytes <= 8 << 20
