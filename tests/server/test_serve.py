"""`serve` as a whole: signals, a failing engine, and the exit codes."""

import asyncio
import signal
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub
from groundwire_server import backends
from groundwire_server.app import serve
from groundwire_server.backends import create_backends
from groundwire_server.exit_codes import EXIT_ENGINE_FAILED, EXIT_OK
from groundwire_server.models.store import embedded_models
from groundwire_verifier.domain.errors import BackendFailedError, UnusableModelError
from groundwire_verifier.engine import local
from groundwire_verifier.engine.local import MIN_WINDOW_TOKENS, LocalBackend
from tests.scripted import (
    MODEL,
    NEVER_HANGS_S,
    VERSION,
    WAIT_LIMIT_S,
    ScriptedEngine,
    reason_of,
    scripted_settings,
)
from tests.scripted_services.endpoint import Reply, scripted_endpoint, settings_on
from tests.serving import free_port

Batch = asyncio.Task[pb.BatchEstimateResponse]


@pytest.fixture(autouse=True)
async def _own_signals() -> AsyncIterator[None]:
    """`serve` takes the signals of the process over; give them back."""
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    kept = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in kept.items():
        asyncio.get_running_loop().remove_signal_handler(number)
        signal.signal(number, handler)


class Process:
    """`serve` as a task, with a channel to it."""

    def __init__(self, engine: ScriptedEngine, hang_timeout_s: float = NEVER_HANGS_S) -> None:
        self.engine = engine
        target = f"127.0.0.1:{free_port()}"
        backend = LocalBackend(MODEL, lambda: engine, hang_timeout_s)
        self.exit_code = asyncio.create_task(
            serve(scripted_settings(listen=target), {"local": backend}, VERSION)
        )
        self.channel = aio.insecure_channel(target)

    async def until_serving(self) -> None:
        stub = health_pb2_grpc.HealthStub(self.channel)
        watch = stub.Watch(
            health_pb2.HealthCheckRequest(), timeout=WAIT_LIMIT_S, wait_for_ready=True
        )
        async for answer in watch:
            if answer.status == health_pb2.HealthCheckResponse.SERVING:
                watch.cancel()
                return

    async def waiting(self, claim: str) -> Batch:
        self.engine.hold()
        request = pb.BatchEstimateRequest(claims=[claim])
        call = VerifierBackendStub(self.channel).BatchEstimate(request, timeout=WAIT_LIMIT_S)
        task = asyncio.ensure_future(answer_of(call))
        await self.engine.until(lambda: claim in self.engine.claims)
        return task


async def answer_of(
    call: "aio.UnaryUnaryCall[pb.BatchEstimateRequest, pb.BatchEstimateResponse]",
) -> pb.BatchEstimateResponse:
    return await call


async def test_a_signal_ends_the_server_after_the_calls_in_flight() -> None:
    process = Process(ScriptedEngine())
    await process.until_serving()
    call = await process.waiting("a")
    signal.raise_signal(signal.SIGTERM)
    process.engine.release()
    assert len((await call).estimates) == 1
    assert await process.exit_code == EXIT_OK
    assert process.engine.shutdowns == 1
    await process.channel.close()


@pytest.mark.parametrize("how", ["die", "hang"])
async def test_a_failed_engine_ends_the_server_and_its_calls(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "PROBE_INTERVAL_S", 0.002)
    process = Process(ScriptedEngine(), hang_timeout_s=0.5)
    await process.until_serving()
    call = await process.waiting("a")
    (process.engine.die if how == "die" else process.engine.hang)()
    with pytest.raises(aio.AioRpcError) as caught:
        await call
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    assert reason_of(caught.value) == "ENGINE_FAILED"
    assert await process.exit_code == EXIT_ENGINE_FAILED
    assert process.engine.shutdowns == 1
    await process.channel.close()


class BlocksTheLoop(ScriptedEngine):
    """Answers each probe at once, from outside, while the event loop of its server stands still."""

    probes = 0
    asleep_s = 0.0

    async def ping(self) -> None:
        asyncio.get_running_loop().call_soon(time.sleep, self.asleep_s)
        await asyncio.to_thread(int)
        self.probes += 1
        self._changed.set()


async def test_a_server_that_stood_still_does_not_blame_its_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local, "PROBE_INTERVAL_S", 0.002)
    engine = BlocksTheLoop()
    engine.step_tokens = 1
    process = Process(engine, hang_timeout_s=0.1)
    await process.until_serving()
    engine.asleep_s = 0.3
    seen = engine.probes
    await engine.until(lambda: engine.probes == seen + 4)
    assert not process.exit_code.done()
    engine.asleep_s = 0.0
    signal.raise_signal(signal.SIGTERM)
    assert await process.exit_code == EXIT_OK
    await process.channel.close()


class SlowToEnd(ScriptedEngine):
    """Is ended only after the event loop has turned many times, as real engines are."""

    def __init__(self, window_tokens: int = 4096) -> None:
        super().__init__(window_tokens)
        self._loop = asyncio.get_running_loop()

    def shutdown(self) -> None:
        async def turns() -> None:
            for _ in range(100):
                await asyncio.sleep(0)

        super().shutdown()
        asyncio.run_coroutine_threadsafe(turns(), self._loop).result(WAIT_LIMIT_S)


@pytest.mark.parametrize(
    ("limit_bytes", "told"), [(1 << 30, True), (8 << 30, False), (None, False)]
)
def test_a_container_with_less_memory_than_the_model_needs_is_told_of(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    limit_bytes: int | None,
    told: bool,
) -> None:
    monkeypatch.setattr(backends, "memory_limit_bytes", lambda: limit_bytes)
    (tmp_path / "model.safetensors").write_bytes(bytes(1 << 20))
    backends.warn_of_memory(tmp_path, 2.0)
    assert ("lower kv_memory_gib, or raise the limit" in caplog.text) is told


@pytest.mark.parametrize(
    ("model", "has_fast_int8", "is_warned"),
    [
        ("auto", False, True),
        ("small", False, False),
        ("base", False, False),
        ("org/name", False, False),
        ("auto", True, False),
    ],
)
def test_the_log_warns_where_the_default_is_small(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    model: str,
    has_fast_int8: bool,
    is_warned: bool,
) -> None:
    monkeypatch.setattr(backends, "EMBEDDED_MODELS", embedded_models(True, has_fast_int8))
    backends.say_which_default(model)
    warned = "--model base is right more often" in caplog.text
    assert warned is is_warned


async def test_an_unusable_model_ends_the_server_with_its_reason() -> None:
    process = Process(SlowToEnd(window_tokens=MIN_WINDOW_TOKENS))
    with pytest.raises(UnusableModelError, match="window_tokens"):
        await process.exit_code
    assert process.engine.shutdowns == 1
    await process.channel.close()


async def test_a_model_that_fails_its_warm_up_ends_the_server_with_its_reason() -> None:
    engine = SlowToEnd()
    engine.errors = {"Claim 0.": BackendFailedError("out of memory")}
    process = Process(engine)
    with pytest.raises(BackendFailedError, match="out of memory"):
        await process.exit_code
    await process.channel.close()


async def test_an_endpoint_alone_ends_the_start_where_it_refuses_it() -> None:
    async with scripted_endpoint() as endpoint:
        endpoint.script = lambda _: Reply(status=401)
        settings = scripted_settings(**settings_on(endpoint.url, backend_type="external"))
        with pytest.raises(UnusableModelError, match="check the key of external"):
            await serve(settings, create_backends(settings, lambda _: None), VERSION)


async def test_without_its_engine_a_start_downloads_nothing_and_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def download(*_: object) -> str:
        raise AssertionError("it downloads")

    monkeypatch.setattr(backends, "resolve", download)
    monkeypatch.setitem(sys.modules, "vllm", None)
    settings = scripted_settings(model="small")
    with pytest.raises(BackendFailedError, match=r"vLLM is not installed .*: pip install "):
        await serve(settings, create_backends(settings, lambda _: None), VERSION)
