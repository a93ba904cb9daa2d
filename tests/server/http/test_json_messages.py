"""Large JSON is read one at a time, whoever leaves meanwhile."""

import asyncio
import threading

import pytest

from groundwire_server.access.callers import CacheScope
from groundwire_server.doors.upstream import LARGE_BYTES, Upstream
from groundwire_server.rpc.admission import Admission
from groundwire_server.rpc.calls import Calls
from groundwire_server.rpc.dispatch import Dispatch
from groundwire_server.rpc.health import Health
from groundwire_server.rpc.request_limits import MessageLimits
from groundwire_server.rpc.telemetry import Telemetry, TelemetryConfig
from groundwire_server.rpc.wire import FieldLimits
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
