"""Large JSON is read one at a time, whoever leaves meanwhile."""

import asyncio
import threading

import pytest
from google.protobuf.message import Message

from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_server.http import json_messages as module
from groundwire_server.http.json_messages import LARGE_BYTES, JsonMessages
from groundwire_server.rpc.admission import Admission
from tests.scripted import WAIT_LIMIT_S

LARGE = b" " * LARGE_BYTES + b"{}"


async def test_who_leaves_keeps_its_turn_and_its_bytes_until_its_json_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, go = threading.Semaphore(0), threading.Semaphore(0)

    def reads(data: bytes, kind: type[Message]) -> bytes:
        begun.release()
        assert go.acquire(timeout=WAIT_LIMIT_S)
        return data

    monkeypatch.setattr(module, "from_json", reads)
    admission = Admission(9, 9 * len(LARGE), 9)
    texts = JsonMessages(admission)
    left = asyncio.create_task(texts.read(LARGE, pb.BatchEstimateRequest))
    assert await asyncio.to_thread(begun.acquire, timeout=WAIT_LIMIT_S)
    left.cancel()
    following = asyncio.create_task(texts.read(LARGE, pb.BatchEstimateRequest))
    for _ in range(10):
        await asyncio.sleep(0)
    assert admission.bytes.pending == 2 * len(LARGE)
    assert not begun.acquire(blocking=False)
    go.release(2)
    with pytest.raises(asyncio.CancelledError):
        await left
    assert await following == LARGE
    assert admission.bytes.pending == 0
