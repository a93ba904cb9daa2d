"""Large JSON is read one at a time, whoever leaves meanwhile."""

import asyncio
import json
import threading

import pytest

from groundwire_server.access.callers import CacheScope
from groundwire_server.doors.json_messages import check_size, json_object
from groundwire_server.doors.upstream import LARGE_BYTES, Upstream
from groundwire_server.rpc.admission import Admission
from groundwire_server.rpc.calls import Calls
from groundwire_server.rpc.dispatch import Dispatch
from groundwire_server.rpc.health import Health
from groundwire_server.rpc.status import MalformedRequestError
from groundwire_server.rpc.telemetry import Telemetry, TelemetryConfig
from groundwire_server.rpc.wire import FieldLimits, MessageLimits
from tests.scripted import WAIT_LIMIT_S

LARGE = b" " * LARGE_BYTES + b"{}"


async def test_who_leaves_keeps_its_turn_and_its_bytes_until_its_json_is_read() -> None:
    begun, go = threading.Semaphore(0), threading.Semaphore(0)

    def reads(data: bytes) -> bytes:
        begun.release()
        assert go.acquire(timeout=WAIT_LIMIT_S)
        return data

    admission = Admission(9, 9 * len(LARGE), 9)
    telemetry = Telemetry(TelemetryConfig("", "", None), lambda: True)
    limits = MessageLimits(FieldLimits({}, len(LARGE), {}), 9 * len(LARGE), {})
    dispatch = Dispatch(Calls(admission, telemetry, 9.0, CacheScope()), limits, Health(()))
    upstream = Upstream(dispatch, (), None, 1)
    left = asyncio.create_task(upstream.made_of(LARGE, reads))
    assert await asyncio.to_thread(begun.acquire, timeout=WAIT_LIMIT_S)
    left.cancel()
    following = asyncio.create_task(upstream.made_of(LARGE, reads))
    for _ in range(10):
        await asyncio.sleep(0)
    assert admission.bytes.pending == 2 * len(LARGE)
    assert not begun.acquire(blocking=False)
    go.release(2)
    with pytest.raises(asyncio.CancelledError):
        await left
    assert await following == LARGE
    assert admission.bytes.pending == 0
    telemetry.close()


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": [' + b"[]," * 26_000 + b"[]]}",
        b'{"a": [' + b"1," * 26_000 + b"1]}",
        b'{"a": [' + b'"\\\\",' * 26_000 + b'""]}',
        b'{"a": [' + b'{"b": ""},' * 26_000 + b"{}]}",
        b"{" + b'"a": 1,' * 26_000 + b'"a": 1}',
        b'{"a": ' + b"[" * 26_000 + b"]" * 26_000 + b"}",
        b'{"a": ' + b'"" ' * 60_000 + b"}",
        b'{"a": "' + b'\\"' * 10 + b'", "b": [' + b"0," * 26_000 + b"0]}",
    ],
)
def test_json_with_too_many_values_is_refused_before_any_is_made(
    body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json, "loads", lambda _: pytest.fail("values were made"))
    with pytest.raises(MalformedRequestError, match="more than 25,000 values"):
        json_object(body)


@pytest.mark.parametrize(
    "text",
    [
        ", " * 100_000,
        "[{" * 100_000,
        '"quoted", ' * 50_000,
        "\\" * 50_000 + '"' + "," * 50_000,
        "בשנת 1889, בפריז, " * 10_000,
        "line,\n" * 50_000,
    ],
)
@pytest.mark.parametrize("escaped", [True, False])
def test_what_stands_in_a_text_is_no_value(text: str, escaped: bool) -> None:
    value = {"answer": text, "sources": [{"id": text, text: "x"}]}
    assert json_object(json.dumps(value, ensure_ascii=escaped).encode()) == value


def test_as_many_values_as_there_may_be_are_taken() -> None:
    for item in ("[]", "{}", '""', '"a,b"', "1"):
        check_size(f'{{"a": [{",".join([item] * 24_999)}]}}'.encode())


def test_a_text_that_does_not_end_is_looked_at_once() -> None:
    with pytest.raises(MalformedRequestError, match="not JSON"):
        json_object(b'{"a": "' + b'\\" ,[' * 1_000_000)
