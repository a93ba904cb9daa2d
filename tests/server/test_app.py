"""A real server's life with a scripted engine: loading, full, deadlines, draining, the end."""

import asyncio
import resource
from collections.abc import AsyncIterator

import grpc
import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub
from groundwire_server.app import _take_all_descriptors, start_server
from groundwire_server.config.sources import ConfigError
from groundwire_server.features.declarations import SERVICES
from groundwire_verifier.domain.prompts import PROMPT_VERSION
from tests.scripted import (
    MODEL,
    VERSION,
    WAIT_LIMIT_S,
    Scripted,
    reason_of,
    retry_s_of,
    scripted_server,
    scripted_settings,
)

Batch = asyncio.Task[pb.BatchEstimateResponse]
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server() as served:
        yield served


async def waiting(served: Scripted, *claims: str, timeout_s: float = WAIT_LIMIT_S) -> Batch:
    """A call whose claims all wait in the engine."""
    served.engine.hold()
    seen = len(served.engine.claims)
    task = asyncio.create_task(served.batch(*claims, timeout_s=timeout_s))
    await served.engine.until(lambda: len(served.engine.claims) == seen + len(claims))
    return task


async def health(served: Scripted, service: str = "") -> int:
    stub = health_pb2_grpc.HealthStub(served.channel)
    request = health_pb2.HealthCheckRequest(service=service)
    return int((await stub.Check(request, timeout=WAIT_LIMIT_S)).status)


async def test_while_loading_calls_are_refused_and_health_says_so() -> None:
    async with scripted_server(loaded=False) as served:
        with pytest.raises(aio.AioRpcError) as caught:
            await served.batch("a")
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        assert reason_of(caught.value) == "LOADING"
        assert await health(served) == NOT_SERVING
        assert await health(served, SERVICES[0]) == NOT_SERVING
        info = await served.info()
    assert (info.state, info.model, info.window_tokens) == (pb.SERVER_STATE_LOADING, MODEL, 0)
    assert info.limits.max_context_tokens == 0


async def test_a_watch_on_health_sees_the_server_come_and_go() -> None:
    async with scripted_server(loaded=False) as served:
        stub = health_pb2_grpc.HealthStub(served.channel)
        watch = aiter(stub.Watch(health_pb2.HealthCheckRequest(), timeout=WAIT_LIMIT_S))
        assert (await anext(watch)).status == NOT_SERVING
        served.running.set_serving(True)
        assert (await anext(watch)).status == SERVING
        served.running.set_serving(False)
        assert (await anext(watch)).status == NOT_SERVING


async def test_a_loaded_server_serves_and_describes_itself(served: Scripted) -> None:
    assert await health(served) == SERVING
    assert await health(served, SERVICES[0]) == SERVING
    info = await served.info()
    assert (info.state, list(info.backends)) == (pb.SERVER_STATE_SERVING, ["local"])
    assert (info.server_version, info.prompt_version) == (VERSION, PROMPT_VERSION)
    forms = [form.text for form in info.label_forms]
    assert forms == ["YES", "yes", "NO", "no", "UNSURE", "unsure"]
    limits = served.backend.info, info.limits
    assert limits[1].max_context_tokens == limits[0].window_tokens - limits[0].overhead_tokens - 513


async def test_a_batch_is_answered_in_order(served: Scripted) -> None:
    served.engine.answers = {"a": (0.6, 0.2), "b": (0.0, 0.5), "c": (0.01, 0.01)}
    answer = await served.batch("b", "a", "c", "a", context="x")
    found = [e.probability if e.HasField("probability") else None for e in answer.estimates]
    assert found == pytest.approx([0.0, 0.75, None, 0.75])
    below = pb.NO_PROBABILITY_REASON_LABEL_MASS_BELOW_FLOOR
    assert [e.no_probability_reason for e in answer.estimates] == [0, 0, below, 0]
    assert answer.usage.distinct_prompts == 3
    assert answer.timing.HasField("total_duration")
    assert (answer.model, answer.backend) == (MODEL, "local")


async def test_one_claim_is_answered_as_a_batch_of_one(served: Scripted) -> None:
    request = pb.EstimateProbabilityRequest(claim="a", context="x", backend="local")
    answer = await VerifierBackendStub(served.channel).EstimateProbability(request)
    (estimate,) = (await served.batch("a", context="x")).estimates
    assert answer.estimate == estimate


async def test_a_full_queue_refuses_and_says_when_to_try_again() -> None:
    async with scripted_server(max_claims=3, max_pending_claims=3) as served:
        first = await waiting(served, "a", "b")
        with pytest.raises(aio.AioRpcError) as caught:
            await served.batch("c", "d")
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert reason_of(caught.value) == "QUEUE_FULL"
        assert retry_s_of(caught.value) > 0.0
        served.engine.release()
        await first
        assert len((await served.batch("c", "d")).estimates) == 2


async def test_health_and_info_are_answered_while_the_queue_is_full() -> None:
    async with scripted_server(max_claims=1, max_pending_claims=1) as served:
        call = await waiting(served, "a")
        assert await health(served) == SERVING
        assert (await served.info()).state == pb.SERVER_STATE_SERVING
        served.engine.release()
        await call


async def test_a_deadline_frees_the_place_and_stops_the_engines_work(served: Scripted) -> None:
    call = await waiting(served, "a", "b", timeout_s=0.3)
    with pytest.raises(aio.AioRpcError) as caught:
        await call
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    await served.engine.until(lambda: served.engine.cancelled == 2)
    await served.until_idle()


async def test_a_cancelled_call_frees_the_place_and_stops_the_engines_work(
    served: Scripted,
) -> None:
    call = await waiting(served, "a", "b")
    call.cancel()
    await served.engine.until(lambda: served.engine.cancelled == 2)
    await served.until_idle()


async def test_the_servers_own_limit_holds_without_a_deadline() -> None:
    async with scripted_server(max_call_s=0.05) as served:
        served.engine.hold()
        stub = VerifierBackendStub(served.channel)
        with pytest.raises(aio.AioRpcError) as caught:
            await stub.BatchEstimate(pb.BatchEstimateRequest(claims=["a"]))
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert reason_of(caught.value) == "DEADLINE_EXCEEDED"
        assert "0.05 s" in (caught.value.details() or "")
        await served.engine.until(lambda: served.engine.cancelled == 1)
        await served.until_idle()


async def test_draining_finishes_calls_in_flight_and_refuses_new_ones(served: Scripted) -> None:
    call = await waiting(served, "a")
    served.running.calls.admission.draining = True
    with pytest.raises(aio.AioRpcError) as caught:
        await served.batch("b")
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    assert reason_of(caught.value) == "DRAINING"
    assert (await served.info()).state == pb.SERVER_STATE_DRAINING
    draining = asyncio.create_task(served.running.drain(WAIT_LIMIT_S))
    served.engine.release()
    assert len((await call).estimates) == 1
    await draining


async def test_a_call_that_outlives_the_grace_is_ended_with_its_reason(served: Scripted) -> None:
    call = await waiting(served, "a")
    await served.running.drain(0.05)
    with pytest.raises(aio.AioRpcError) as caught:
        await call
    assert reason_of(caught.value) == "DRAINING"
    await served.engine.until(lambda: served.engine.cancelled == 1)


def test_a_start_takes_all_descriptors_that_it_may_have() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[0], 1024), before[1]))
    try:
        _take_all_descriptors()
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == before[1]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


async def test_a_port_in_use_is_a_configuration_error(served: Scripted) -> None:
    settings = scripted_settings(listen=served.running.target)
    with pytest.raises(ConfigError, match=f"listen: {served.running.target} cannot be used"):
        async with start_server(settings, {"local": served.backend}, VERSION):
            pass


@pytest.mark.parametrize("setting", ["listen", "metrics_listen", "http_listen"])
@pytest.mark.parametrize("address", ["127.0.0.1:70000", "127.0.0.1:-1", "127.0.0.1", "8080"])
async def test_a_port_that_is_none_is_refused_not_wrapped_around(
    served: Scripted, setting: str, address: str
) -> None:
    settings = scripted_settings(**{setting: address})
    with pytest.raises(ConfigError, match=f"{setting}: {address} is no address"):
        async with start_server(settings, {"local": served.backend}, VERSION):
            pass


async def test_a_metrics_page_off_the_machine_is_a_configuration_error(served: Scripted) -> None:
    settings = scripted_settings(metrics_listen="0.0.0.0:0")
    with pytest.raises(ConfigError, match="allow_plaintext_metrics"):
        async with start_server(settings, {"local": served.backend}, VERSION):
            pass


async def test_what_is_exposed_is_logged_at_the_start(
    served: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    settings = scripted_settings(auth_token="short")
    async with start_server(settings, {"local": served.backend}, VERSION):
        pass
    (record,) = caplog.records
    assert (record.levelname, record.name) == ("WARNING", "groundwire.server")
    assert "shorter than 16 characters" in record.getMessage()
