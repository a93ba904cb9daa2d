"""Around every call of a real server: tokens, malformed bytes, bugs."""

import logging
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from prometheus_client.parser import text_string_to_metric_families

from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub
from groundwire_server.rpc.status import INTERNAL_TEXT
from tests.scripted import (
    WAIT_LIMIT_S,
    Scripted,
    reason_of,
    scripted_server,
    violations_of,
)
from tests.scripted_services.metrics import page_of

BEARER = "violet-anvil-7"
LISTED = {
    "groundwire.v1.HallucinationDetection",
    "groundwire.v1.MemoryGate",
    "groundwire.v1.OutputVerification",
    "groundwire.v1.TraceAudit",
    "groundwire.v1.Similarity",
    "groundwire.v1.ResponseAssessment",
    "groundwire.v1.CorpusVerification",
    "groundwire.v1.Feedback",
    "groundwire.v1.VerifierBackend",
    "grpc.health.v1.Health",
    "grpc.reflection.v1alpha.ServerReflection",
}


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server() as served:
        yield served


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Scripted]:
    path = tmp_path / "tokens"
    path.write_text("another-token\n")
    async with scripted_server(auth_token=BEARER, auth_token_file=path) as served:
        yield served


async def list_services(served: Scripted, token: str | None = None) -> set[str]:
    stub = reflection_pb2_grpc.ServerReflectionStub(served.channel)
    metadata = (("authorization", f"Bearer {token}"),) if token else ()
    call = stub.ServerReflectionInfo(timeout=WAIT_LIMIT_S, metadata=metadata)
    await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
    await call.done_writing()
    names: set[str] = set()
    async for answer in call:
        names |= {service.name for service in answer.list_services_response.service}
    return names


@pytest.mark.parametrize("token", [None, "", "wrong", BEARER + "x", BEARER[:-1], BEARER.upper()])
async def test_a_call_without_a_known_token_is_refused(guarded: Scripted, token: str) -> None:
    with pytest.raises(aio.AioRpcError) as caught:
        await guarded.batch("a", token=token)
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
    assert reason_of(caught.value) == "INVALID_TOKEN"
    assert guarded.engine.claims == []


@pytest.mark.parametrize("token", [BEARER, "another-token"])
async def test_any_known_token_is_accepted(guarded: Scripted, token: str) -> None:
    assert len((await guarded.batch("a", token=token)).estimates) == 1


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (f"bearer {BEARER}", None),
        (f"Bearer  {BEARER}", None),
        (BEARER, grpc.StatusCode.UNAUTHENTICATED),
        (f"Basic {BEARER}", grpc.StatusCode.UNAUTHENTICATED),
    ],
)
async def test_the_scheme_is_bearer_in_any_case(
    guarded: Scripted, value: str, code: grpc.StatusCode | None
) -> None:
    stub = VerifierBackendStub(guarded.channel)
    metadata = (("authorization", value),)
    call = stub.GetServerInfo(pb.GetServerInfoRequest(), metadata=metadata, timeout=WAIT_LIMIT_S)
    assert await call.code() is (code or grpc.StatusCode.OK)


async def test_health_is_open_without_a_token(guarded: Scripted) -> None:
    stub = health_pb2_grpc.HealthStub(guarded.channel)
    answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=WAIT_LIMIT_S)
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_reflection_needs_the_token(guarded: Scripted) -> None:
    call = reflection_pb2_grpc.ServerReflectionStub(guarded.channel).ServerReflectionInfo(
        timeout=WAIT_LIMIT_S
    )
    # Nothing is written: a write that meets the refusal on its way fails with a status of its own.
    with pytest.raises(aio.AioRpcError) as caught:
        await call.read()
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
    assert await list_services(guarded, BEARER) == LISTED


async def test_an_open_server_lists_its_services(served: Scripted) -> None:
    assert await list_services(served) == LISTED


async def test_malformed_text_is_refused_with_its_field(served: Scripted) -> None:
    with pytest.raises(aio.AioRpcError) as caught:
        await served.raw("BatchEstimate", b"\x0a\x01a\x0a\x01\xff")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(caught.value) == "MALFORMED_REQUEST"
    assert violations_of(caught.value) == {
        "claims[1]": "is not valid UTF-8; send text encoded as UTF-8"
    }


@pytest.mark.parametrize("method", ["BatchEstimate", "EstimateProbability", "GetServerInfo"])
async def test_bytes_that_are_no_message_are_refused(served: Scripted, method: str) -> None:
    with pytest.raises(aio.AioRpcError) as caught:
        await served.raw(method, b"\xff\xff\xff")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert list(violations_of(caught.value)) == [""]


async def test_unknown_fields_are_ignored(served: Scripted) -> None:
    answer = await served.raw("BatchEstimate", b"\x0a\x01a\x7a\x01\xff")
    assert len(pb.BatchEstimateResponse.FromString(answer).estimates) == 1


async def test_an_invalid_request_names_its_fields(served: Scripted) -> None:
    with pytest.raises(aio.AioRpcError) as caught:
        await served.batch("a", " ", "b", "")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(caught.value) == "EMPTY_CLAIM"
    assert list(violations_of(caught.value)) == ["claims[1]", "claims[3]"]


async def test_a_bug_is_logged_and_shows_a_fixed_text(
    served: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    served.engine.errors = {"a": ZeroDivisionError("inner workings")}
    with caplog.at_level(logging.ERROR), pytest.raises(aio.AioRpcError) as caught:
        await served.batch("a")
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    assert caught.value.details() == INTERNAL_TEXT
    assert reason_of(caught.value) == "INTERNAL"
    assert "inner workings" not in str(caught.value)
    assert "BatchEstimate failed" in caplog.text
    assert "ZeroDivisionError" in caplog.text


async def test_after_a_bug_the_next_call_is_answered(served: Scripted) -> None:
    served.engine.errors = {"a": ZeroDivisionError()}
    with pytest.raises(aio.AioRpcError):
        await served.batch("a", "b")
    assert served.running.calls.admission.pending == 0
    assert len((await served.batch("b")).estimates) == 1


async def test_a_method_that_is_not_there_is_unimplemented(served: Scripted) -> None:
    with pytest.raises(aio.AioRpcError) as caught:
        await served.raw("Judge", b"")
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_calls_and_errors_are_counted_by_code_and_reason() -> None:
    async with scripted_server(metrics_listen="127.0.0.1:0") as served:
        await served.batch("a")
        with pytest.raises(aio.AioRpcError):
            await served.batch("")
        samples = await scrape(served)
    calls = "groundwire_call_duration_seconds_count"
    assert samples[calls, "BatchEstimate", "OK"] == 1
    assert samples[calls, "BatchEstimate", "INVALID_ARGUMENT"] == 1
    assert samples["groundwire_call_errors_total", "EMPTY_CLAIM"] == 1
    assert samples["groundwire_pending_claims",] == 0


async def scrape(served: Scripted) -> dict[tuple[str, ...], float]:
    """The metrics page by name and the labels that tell calls apart."""
    return {
        (s.name, *(s.labels[key] for key in ("method", "code", "reason") if key in s.labels)): (
            s.value
        )
        for family in text_string_to_metric_families(await page_of(served))
        for s in family.samples
    }
