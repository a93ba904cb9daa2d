"""What all calls together may hold: places, bytes, and the processes that split texts."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_server.features.detection import claim_finding
from groundwire_server.text_work import pool
from tests.hostile import hostile_work
from tests.scripted import (
    WAIT_LIMIT_S,
    Scripted,
    reason_of,
    retry_s_of,
    scripted_server,
    violations_of,
)
from tests.scripted_services.detection import documents, stub_of
from tests.server.rpc.test_interceptors import list_services, scrape

TEXT = "The tower has two floors."


@pytest.fixture
async def full() -> AsyncIterator[Scripted]:
    """A server whose only place for a call is taken."""
    async with scripted_server(max_pending_calls=1, metrics_listen="127.0.0.1:0") as served:
        served.engine.hold()
        call = asyncio.create_task(served.batch("a"))
        await served.engine.until(lambda: "a" in served.engine.claims)
        yield served
        served.engine.release()
        await call


async def extract(served: Scripted, text: str) -> detection_pb.ExtractClaimsResponse:
    request = detection_pb.ExtractClaimsRequest(text=text)
    return await stub_of(served).ExtractClaims(request, timeout=WAIT_LIMIT_S)


async def test_a_call_beyond_the_limit_is_told_when_to_come_again(full: Scripted) -> None:
    for call in (full.batch("b"), extract(full, TEXT)):
        with pytest.raises(aio.AioRpcError) as caught:
            await call
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert reason_of(caught.value) == "QUEUE_FULL"
        assert "1 of at most 1 calls" in str(caught.value.details())
        assert retry_s_of(caught.value) > 0.0


async def test_health_and_reflection_need_no_place(full: Scripted) -> None:
    stub = health_pb2_grpc.HealthStub(full.channel)
    answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=WAIT_LIMIT_S)
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
    assert "grpc.health.v1.Health" in await list_services(full)


async def test_what_is_pending_is_on_the_metrics_page(full: Scripted) -> None:
    samples = await scrape(full)
    size = pb.BatchEstimateRequest(claims=["a"]).ByteSize()
    assert samples["groundwire_pending_calls",] == 1
    assert samples["groundwire_pending_bytes",] == size
    assert samples["groundwire_pending_claims",] == 1


async def test_requests_beyond_the_bytes_are_told_when_to_come_again() -> None:
    async with scripted_server(max_message_bytes=2048, max_pending_bytes=2048) as served:
        served.engine.hold()
        first = asyncio.create_task(served.batch("a", context="x" * 1500))
        await served.engine.until(lambda: "a" in served.engine.claims)
        with pytest.raises(aio.AioRpcError) as caught:
            await served.batch("b", context="x" * 1500)
        assert reason_of(caught.value) == "QUEUE_FULL"
        assert "of at most 2,048 bytes of requests" in str(caught.value.details())
        assert retry_s_of(caught.value) > 0.0
        served.engine.release()
        await first
        assert len((await served.batch("b", context="x" * 1500)).estimates) == 1
        assert served.running.calls.admission.bytes.pending == 0


async def test_a_full_message_fits_into_the_bytes() -> None:
    size = pb.BatchEstimateRequest(claims=["a"], context="x" * 3000).ByteSize()
    async with scripted_server(max_message_bytes=size, max_pending_bytes=size) as served:
        assert len((await served.batch("a", context="x" * 3000)).estimates) == 1


async def test_the_limits_are_told() -> None:
    async with scripted_server(max_pending_calls=7, max_pending_bytes=20 << 20) as served:
        limits = (await served.info()).limits
    assert (limits.max_pending_calls, limits.max_pending_bytes) == (7, 20 << 20)


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """No text is ever split."""
    monkeypatch.setattr(claim_finding, "named_claims", hostile_work.endless)


@pytest.mark.usefixtures("endless")
async def test_a_text_that_takes_too_long_is_refused_by_its_field(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool, "WORK_LIMIT_S", 0.2)
    async with scripted_server() as served:
        stub = stub_of(served)
        answer = detection_pb.VerifyAnswerRequest(answer=TEXT, evidence=documents("x"))
        streamed = detection_pb.VerifyAnswerStreamRequest(request=answer)
        for call, field in (
            (extract(served, TEXT), "text"),
            (stub.VerifyAnswer(answer, timeout=WAIT_LIMIT_S), "answer"),
            (stub.VerifyAnswerStream(streamed, timeout=WAIT_LIMIT_S).read(), "request.answer"),
        ):
            with pytest.raises(aio.AioRpcError) as caught:
                await call
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert reason_of(caught.value) == "TEXT_TOO_LONG"
            words = (
                "takes more than 0.2 s of a processor, the limit, to be split into claims: "
                "send it in parts"
            )
            assert violations_of(caught.value) == {field: words}


@pytest.mark.usefixtures("endless")
async def test_cancelled_extractions_leave_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scripted_server() as served:
        for i in range(6):
            file = tmp_path / str(i)
            call = asyncio.create_task(extract(served, str(file)))
            await asyncio.to_thread(_until_exists, file)
            # Endless work holds a lock, but not the server's.
            assert (await served.info()).state == pb.SERVER_STATE_SERVING
            call.cancel()
        monkeypatch.undo()
        assert len((await extract(served, TEXT)).claims) == 1
        assert served.running.calls.admission.calls.pending == 0


async def test_a_process_that_dies_is_told_and_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    async with scripted_server() as served:
        monkeypatch.setattr(claim_finding, "named_claims", hostile_work.deadly)
        with pytest.raises(aio.AioRpcError) as caught:
            await extract(served, TEXT)
        assert caught.value.code() is grpc.StatusCode.INTERNAL
        assert reason_of(caught.value) == "INTERNAL"
        assert "send the text in parts" in str(caught.value.details())
        monkeypatch.undo()
        assert len((await extract(served, TEXT)).claims) == 1


async def test_a_draining_server_splits_no_text() -> None:
    async with scripted_server() as served:
        served.running.calls.admission.draining = True
        with pytest.raises(aio.AioRpcError) as caught:
            await extract(served, TEXT)
        assert reason_of(caught.value) == "DRAINING"


def _until_exists(file: Path) -> None:
    while not file.exists():
        pass
