"""The work on outputs by itself: what of one is remembered once it is over."""

import asyncio
import base64
from dataclasses import replace

import pytest

from groundwire.v1 import output_verification_pb2 as pb
from groundwire_server.access.callers import CacheScope
from groundwire_server.config.settings import ServerSettings
from groundwire_server.durable_queue.queued_work import now_s
from groundwire_server.features.declarations import make_parts
from groundwire_server.features.detection.claim_finding import ClaimFinder
from groundwire_server.features.outputs import output_work
from groundwire_server.features.outputs.output_work import (
    YIELD_CLAIMS,
    OutputRules,
    OutputWork,
    from_text,
)
from groundwire_server.rpc.admission import Admission
from groundwire_server.rpc.calls import Calls
from groundwire_server.rpc.telemetry import Telemetry, TelemetryConfig
from groundwire_server.text_work.pool import TextWorks
from groundwire_verifier.checks.answers import AnswerClaims
from groundwire_verifier.domain.errors import BackendUnavailableError
from groundwire_verifier.engine.local import LocalBackend
from groundwire_verifier.estimation import Estimator
from groundwire_verifier.verification import VerificationInput
from tests.scripted import NEVER_HANGS_S, ScriptedEngine
from tests.scripted_services.outputs import TOWER, user


class UnavailableFinder(ClaimFinder):
    async def choose_later(self, *_: object) -> tuple[AnswerClaims, VerificationInput]:
        raise BackendUnavailableError("away")


def work_with(retention_s: float) -> OutputWork:
    settings = ServerSettings()
    backend = LocalBackend("scripted", ScriptedEngine, NEVER_HANGS_S)
    estimator = Estimator({"local": backend}, settings.limits)
    telemetry = Telemetry(TelemetryConfig("1", "", None), lambda: True)
    calls = Calls(Admission(10, 1000, YIELD_CLAIMS), telemetry, 300.0, CacheScope())
    parts = make_parts(settings, estimator, calls, TextWorks.for_calls())
    away = UnavailableFinder.__new__(UnavailableFinder)
    return OutputWork(replace(parts, finder=away), OutputRules(0.5, 1.0, retention_s))


async def test_load_that_lasts_for_as_long_as_work_is_kept_ends_the_wait() -> None:
    work = work_with(10.0)
    with work._calls.admission.admit(YIELD_CLAIMS):
        status = from_text(await work.run("key", piece(), came_s=0.0))
    assert status.state == pb.VERIFICATION_STATE_FAILED
    assert "go first" in status.state_text


async def test_a_wall_clock_that_jumps_makes_no_output_old(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work, came_s = work_with(10.0), now_s()
    monkeypatch.setattr("time.time", lambda: came_s + 24 * 3600.0)
    with work._calls.admission.admit(YIELD_CLAIMS):
        waiting = asyncio.create_task(work.run("key", piece(), came_s))
        await work.changed("key").wait()
        await asyncio.sleep(2 * output_work.QUIET_POLL_S)
        assert not waiting.done()
        waiting.cancel()


def piece() -> str:
    request = pb.SubmitVerificationRequest(response=TOWER, turns=[user(TOWER)])
    return f" {base64.b64encode(request.SerializeToString()).decode()}"


async def test_what_could_not_be_verified_for_as_long_as_work_is_kept_fails() -> None:
    status = from_text(await work_with(10.0).run("key", piece(), came_s=0.0))
    assert status.state == pb.VERIFICATION_STATE_FAILED
    assert "away" in status.state_text


async def test_nothing_of_an_output_stays_in_memory_when_it_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(output_work, "KEPT_S", 0.0)
    work = work_with(10.0)
    await work.run("key", piece(), came_s=0.0)
    # What is due at once runs when the loop has gone round.
    for _ in range(3):
        await asyncio.sleep(0)
    assert work.live == {}
