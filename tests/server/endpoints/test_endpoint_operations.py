"""Which backend reads what: operations have their own, and a model that a caller names is asked."""

import asyncio
import threading
from pathlib import Path

import pytest

from groundwire import (
    AsyncClient,
    Evidence,
    GateDecision,
    GateReason,
    ServerBusyError,
    StepStatus,
    Verdict,
    VerificationState,
    VerifyOptions,
)
from groundwire_server.app import start_server, started_backends
from groundwire_server.backends import create_backends
from groundwire_verifier.engine.base import BackendState
from groundwire_verifier.engine.local import LocalBackend
from tests.scripted import (
    MODEL,
    NEVER_HANGS_S,
    VERSION,
    WAIT_LIMIT_S,
    ScriptedEngine,
    scripted_settings,
)
from tests.scripted_services.endpoint import (
    Reply,
    Request,
    believing,
    scripted_endpoint,
    settings_on,
)
from tests.server.endpoints.test_endpoint_served import served

EVIDENCE = Evidence.context("The tower is 330 m high.")
FACT = "The tower is 330 m high."


async def test_the_gate_reads_on_local_and_the_audit_and_outputs_on_an_endpoint(
    tmp_path: Path,
) -> None:
    async with served(
        memory_gate_enabled=True,
        memory_gate_backend="local",
        trace_auditing_enabled=True,
        trace_auditing_backend="external",
        output_verification_enabled=True,
        output_verification_backend="external",
        output_verification_store=str(tmp_path / "outputs.sqlite"),
    ) as server:
        before = len(server.endpoint.requests)
        facts = await server.client.check_facts([FACT], EVIDENCE)
        assert facts.run is not None
        assert facts.run.backend == "local"
        assert len(server.endpoint.requests) == before
        audit = await server.client.audit_trace([FACT], EVIDENCE)
        assert audit.run.backend == "external"
        sent = await server.client.submit_verification(FACT, documents={"S0": FACT})
        *_, last = [status async for status in server.client.watch_verification(sent.id)]
        assert last.state is VerificationState.DONE
        assert last.result is not None
        assert last.result.report.run.backend == "external"


async def test_outputs_for_an_endpoint_begin_while_the_default_backend_still_loads(
    tmp_path: Path,
) -> None:
    go_on = threading.Event()

    def load_late() -> ScriptedEngine:
        go_on.wait(WAIT_LIMIT_S)
        return ScriptedEngine()

    async with scripted_endpoint() as endpoint:
        endpoint.script = believing
        settings = scripted_settings(
            **settings_on(endpoint.url),
            output_verification_enabled=True,
            output_verification_store=str(tmp_path / "outputs.sqlite"),
        )
        backends = create_backends(settings, lambda _: None) | {
            "local": LocalBackend(MODEL, load_late, NEVER_HANGS_S)
        }
        async with (
            start_server(settings, backends, VERSION) as running,
            started_backends(running, backends, settings) as (started, _),
            AsyncClient(running.target, timeout_s=WAIT_LIMIT_S) as client,
        ):
            options = VerifyOptions(backend="external")
            waiting = await client.submit_verification(FACT, documents={"S0": FACT})
            ready = await client.submit_verification(FACT, documents={"S0": FACT}, options=options)
            *_, last = [status async for status in client.watch_verification(ready.id)]
            assert last.state is VerificationState.DONE
            assert not started.done()
            assert (await client.get_verification(waiting.id)).state is VerificationState.QUEUED
            go_on.set()
            await started
            running.set_serving(True)
            *_, last = [status async for status in client.watch_verification(waiting.id)]
            assert last.state is VerificationState.DONE


async def test_a_call_chooses_another_backend_than_that_of_its_operation() -> None:
    async with served(trace_auditing_enabled=True) as server:
        options = VerifyOptions(backend="external")
        audit = await server.client.audit_trace([FACT], EVIDENCE, options=options)
        assert audit.run.backend == "external"


async def test_the_model_that_a_caller_names_is_asked() -> None:
    async with scripted_endpoint() as endpoint:
        settings = scripted_settings(
            **settings_on(endpoint.url, "self", None, models=["big", "small"], backend_type="self")
        )
        backends = create_backends(settings, lambda _: None)
        async with (
            start_server(settings, backends, VERSION) as running,
            started_backends(running, backends, settings) as (started, _),
            AsyncClient(running.target, timeout_s=WAIT_LIMIT_S) as client,
        ):
            await started
            running.set_serving(True)
            while backends["self:small"].state is BackendState.LOADING:  # noqa: ASYNC110
                await asyncio.sleep(0)
            before = len(endpoint.requests)
            result = await client.batch_estimate([FACT], "", backend="self:small")
            asked = {request.body.get("model") for request in endpoint.requests[before:]}
    assert result[0].probability == pytest.approx(2 / 3)
    assert asked == {"small"}


class Limited:
    """Takes no call, from when it is told to until it has said so often enough."""

    def __init__(self, limits: int) -> None:
        self._limits = limits
        self.is_on = False
        self.said = 0

    def __call__(self, request: Request) -> Reply:
        if not self.is_on or self.said >= self._limits:
            return believing(request)
        self.said += 1
        return Reply(status=429, headers={"retry-after": "0"})


async def test_the_gate_and_the_audit_wait_for_the_end_of_a_rate_limit() -> None:
    for call in ("gate", "audit"):
        script = Limited(3)
        async with served(
            script,
            retries=1,
            memory_gate_enabled=True,
            memory_gate_backend="external",
            trace_auditing_enabled=True,
            trace_auditing_backend="external",
        ) as server:
            script.is_on = True
            if call == "gate":
                (fact,) = await server.client.check_facts([FACT], EVIDENCE)
                assert fact.reason is not GateReason.BACKEND_UNAVAILABLE
                assert fact.verdict is not Verdict.NOT_VERIFIED
            else:
                audit = await server.client.audit_trace([FACT], EVIDENCE)
                assert audit.steps[0].status is not StepStatus.UNVERIFIABLE
            assert script.said == 3


async def test_a_call_of_claims_is_told_of_a_rate_limit_instead() -> None:
    script = Limited(100)
    async with served(script, retries=1) as server:
        script.is_on = True
        options = VerifyOptions(backend="external")
        with pytest.raises(ServerBusyError):
            await server.client.verify_claims([FACT], EVIDENCE, options=options)


@pytest.mark.parametrize("status", [429, 500])
async def test_a_gate_whose_endpoint_fails_stores_facts_unverified(status: int) -> None:
    is_broken = False

    def script(request: Request) -> Reply:
        return Reply(status=status) if is_broken else believing(request)

    async with served(script, memory_gate_enabled=True, memory_gate_backend="external") as server:
        is_broken = True
        (fact,) = await server.client.check_facts([FACT], EVIDENCE)
    assert fact.decision is GateDecision.ACCEPTED_UNVERIFIED
    assert fact.reason in (GateReason.BACKEND_UNAVAILABLE, GateReason.OVERLOADED)
    assert fact.confidence < fact.stated_confidence
