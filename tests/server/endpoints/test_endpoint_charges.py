"""What a tenant pays for calls to an endpoint: also for those that it leaves before the answer."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from grpc import aio

from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub
from groundwire_server.app import start_server, started_backends
from groundwire_server.config.settings import ServerSettings
from groundwire_server.endpoints.registry import endpoint_backends
from groundwire_verifier.domain.types import Instruction, Question, TextPart
from groundwire_verifier.domain.urgency import Tenant, Urgency
from groundwire_verifier.engine.endpoints.backend import EndpointBackend
from tests.scripted import VERSION, WAIT_LIMIT_S, reason_of, retry_s_of, scripted_settings
from tests.scripted_services.endpoint import (
    Reply,
    ScriptedEndpoint,
    sampling,
    scripted_endpoint,
    settings_on,
)
from tests.scripted_services.tenants import make_tokens, replace

QUESTION = Question("The tower is tall.", "The tower is 330 m high. " * 40)
TOKENS = 300
"""What the question has at least, however tokens are counted."""


@pytest.fixture
async def endpoint() -> AsyncIterator[ScriptedEndpoint]:
    async with scripted_endpoint() as endpoint:
        yield endpoint


@pytest.fixture
def paid() -> list[int]:
    return []


@pytest.fixture
def urgency(paid: list[int]) -> Urgency:
    return Urgency(0.0, tenant=Tenant("acme", spend=paid.append))


def settings_of(endpoint: ScriptedEndpoint, **changes: object) -> dict[str, object]:
    return settings_on(endpoint.url, backend_type="external", **changes)


async def started(endpoint: ScriptedEndpoint, **changes: object) -> EndpointBackend:
    settings = ServerSettings.model_validate(settings_of(endpoint, **changes))
    backend = endpoint_backends(settings, lambda _: None)["external"]
    await backend.start()
    endpoint.requests.clear()
    return backend


async def left(call: "asyncio.Task[object]") -> None:
    call.cancel()
    await asyncio.wait([call])
    assert call.cancelled()


async def test_a_read_that_is_left_after_it_was_sent_is_paid_for(
    endpoint: ScriptedEndpoint, urgency: Urgency, paid: list[int]
) -> None:
    backend = await started(endpoint)
    endpoint.script = lambda _: Reply(hangs=True)
    prompts = await backend.encode([QUESTION])
    reading: asyncio.Task[object] = asyncio.create_task(backend.read(prompts, {}, urgency))
    await endpoint.until(lambda: len(endpoint.requests) == 1)
    await left(reading)
    assert sum(paid) > TOKENS
    await backend.stop()


async def test_a_read_that_has_no_place_yet_costs_nothing(
    endpoint: ScriptedEndpoint, urgency: Urgency, paid: list[int]
) -> None:
    backend = await started(endpoint, parallel=1)
    endpoint.script = lambda _: Reply(hangs=True)
    prompts = await backend.encode([QUESTION] * 20)
    reading: asyncio.Task[object] = asyncio.create_task(backend.read(prompts, {}, urgency))
    await endpoint.until(lambda: len(endpoint.requests) == 1)
    await left(reading)
    assert TOKENS < sum(paid) < 2 * TOKENS
    await backend.stop()


async def test_what_is_sent_beside_a_refused_prompt_is_paid_for(
    endpoint: ScriptedEndpoint, urgency: Urgency, paid: list[int]
) -> None:
    backend = await started(endpoint)

    def script(_: object) -> Reply:
        is_last = len(endpoint.requests) == 2
        return Reply(status=400) if is_last else Reply(hangs=True)

    endpoint.script = script
    prompts = await backend.encode([QUESTION] * 2)
    with pytest.raises(Exception, match="refuses"):
        await backend.read(prompts, {}, urgency)
    assert sum(paid) > TOKENS
    await backend.stop()


async def test_samples_that_came_are_paid_for_though_the_rest_is_left(
    endpoint: ScriptedEndpoint, urgency: Urgency, paid: list[int]
) -> None:
    endpoint.script = sampling("YES")
    backend = await started(endpoint, samples=8, parallel=1)
    answer = endpoint.script
    endpoint.script = lambda asked: (
        Reply(hangs=True) if len(endpoint.requests) == 8 else answer(asked)
    )
    prompts = await backend.encode([QUESTION])
    reading: asyncio.Task[object] = asyncio.create_task(backend.read(prompts, {}, urgency))
    await endpoint.until(lambda: len(endpoint.requests) == 8)
    await left(reading)
    assert len(paid) == 8
    assert sum(paid) > 8 * TOKENS
    await backend.stop()


async def test_a_text_whose_writing_is_left_is_paid_for_once(
    endpoint: ScriptedEndpoint, urgency: Urgency, paid: list[int]
) -> None:
    backend = await started(endpoint)
    endpoint.script = lambda _: Reply(hangs=True)
    told = Instruction((TextPart(QUESTION.context, is_ours=False),))
    writing: asyncio.Task[object] = asyncio.create_task(backend.generate(told, 50, {}, urgency))
    await endpoint.until(lambda: len(endpoint.requests) == 1)
    await left(writing)
    assert len(paid) == 1
    await backend.stop()


async def test_a_tenant_that_leaves_before_the_answer_has_used_its_quota(
    endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    quotas, tokens = tmp_path / "tenants.yaml", tmp_path / "tokens"
    (token,) = make_tokens(tokens, "acme")
    replace(quotas, "tenants: {acme: {tokens_per_s: 0.001}}")
    files = {"auth_token_file": tokens, "tenants_file": quotas}
    settings = scripted_settings(**settings_of(endpoint, **files))
    backends = endpoint_backends(settings, lambda _: None)
    async with (
        start_server(settings, backends, VERSION) as running,
        started_backends(running, backends, settings) as (started, _),
        aio.insecure_channel(running.target) as channel,
    ):
        await started
        running.set_serving(True)
        stub = VerifierBackendStub(channel)
        request = pb.EstimateProbabilityRequest(claim=QUESTION.claim, context=QUESTION.context)
        mine = (("authorization", f"Bearer {token}"),)
        endpoint.requests.clear()
        endpoint.script = lambda _: Reply(hangs=True)
        call = stub.EstimateProbability(request, metadata=mine, timeout=WAIT_LIMIT_S)
        await endpoint.until(lambda: len(endpoint.requests) == 1)
        call.cancel()
        await endpoint.until(lambda: endpoint.gone == 1)
        with pytest.raises(aio.AioRpcError) as caught:
            await stub.EstimateProbability(request, metadata=mine, timeout=WAIT_LIMIT_S)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert reason_of(caught.value) == "QUOTA_EXCEEDED"
    assert retry_s_of(caught.value) > 1000.0 * TOKENS
    assert len(endpoint.requests) == 1
