"""The engine's death, as a supervisor and as every kind of call see it that is in the server."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from groundwire import (
    CheckedFact,
    Client,
    GateReason,
    GateResult,
    MemoryGate,
    UnavailableError,
)
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub
from groundwire_server.exit_codes import EXIT_ENGINE_FAILED
from tests.real.engine.conftest import ONE
from tests.real.long_requests import CLAIMS, UNREAD, long_answer, long_facts, reasons_of
from tests.real.spare import Spare
from tests.serving import Served

KNOWN = 2
BATCH = [f"Claim {i}." for i in range(400)]
FACTS = long_facts("Brea")
LONG_CONTEXT = "The river rose by a metre in the night. " * 60
BACKEND_FAILED = pb.VERDICT_REASON_BACKEND_FAILED
CALL_TIMEOUT_S, EXIT_TIMEOUT_S = 280.0, 60.0


@dataclass(frozen=True)
class Killed:
    """What the calls came to whose engine was killed while they were in the server."""

    streamed: pb.VerifyAnswerResponse
    answered: pb.VerifyAnswerResponse
    facts: GateResult
    estimates: BaseException | None
    target: str
    exit_code: int
    log: str


def once(served: Served, token: str | None = None) -> Client:
    """A client without retries: they would meet the closed port after the server's own answer."""
    options = (("grpc.enable_retries", 0),)
    return Client(served.target, token=token, timeout_s=CALL_TIMEOUT_S, options=options)


def health(served: Served) -> str:
    with grpc.insecure_channel(served.target) as channel:
        response = health_pb2_grpc.HealthStub(channel).Check(
            health_pb2.HealthCheckRequest(), timeout=30
        )
    return str(health_pb2.HealthCheckResponse.ServingStatus.Name(response.status))


@pytest.fixture(scope="module")
def killed(spares: Spare) -> Killed:
    served = spares.running()
    assert health(served) == "SERVING"
    (engine,) = served.engine_pids()
    with (
        grpc.insecure_channel(served.target) as channel,
        once(served) as client,
        ThreadPoolExecutor(3) as threads,
    ):
        stub, wanted = HallucinationDetectionStub(channel), long_answer("Arden", CLAIMS)
        events = stub.VerifyAnswerStream(
            pb.VerifyAnswerStreamRequest(request=wanted), timeout=CALL_TIMEOUT_S
        )
        assert next(events).HasField("found")
        # The later one of the two: it shares what the stream has read, verdict by verdict.
        unary = threads.submit(stub.VerifyAnswer, wanted, timeout=CALL_TIMEOUT_S)
        served.wait_until_joined()
        for _ in range(KNOWN):
            assert next(events).HasField("known")
        # Frozen, so that no call is answered before all of them are in the server.
        os.kill(engine, signal.SIGSTOP)
        estimates = threads.submit(client.batch_estimate, BATCH, LONG_CONTEXT)
        # A call whose claims have no place yet would be told that the server is stopping.
        served.wait_until_claims(2 * CLAIMS + len(BATCH))
        facts = threads.submit(client.check_facts, FACTS)
        while served.pending_claims() < 2 * CLAIMS + len(BATCH) + len(FACTS):
            if facts.done():
                # Decided after two seconds, before anybody looked.
                facts = threads.submit(client.check_facts, FACTS)
        os.kill(engine, signal.SIGKILL)
        *_, last = events
        return Killed(
            last.report,
            unary.result(EXIT_TIMEOUT_S),
            facts.result(EXIT_TIMEOUT_S),
            estimates.exception(EXIT_TIMEOUT_S),
            served.target,
            served.process.wait(EXIT_TIMEOUT_S),
            served.log,
        )


def test_a_killed_engine_leaves_the_verdicts_that_were_known(killed: Killed) -> None:
    for report in (killed.streamed, killed.answered):
        failed = [reason == BACKEND_FAILED for reason in reasons_of(report)]
        assert 0 < sum(failed) < CLAIMS
        assert not report.summary.overall_grounded


def test_a_killed_engine_leaves_a_decision_on_every_fact(killed: Killed) -> None:
    assert len(killed.facts) == len(FACTS)
    assert UNREAD & {fact.reason for fact in killed.facts}


def test_a_killed_engine_fails_calls_that_have_nothing_else_to_say(killed: Killed) -> None:
    assert isinstance(killed.estimates, UnavailableError)
    assert killed.estimates.reason == "ENGINE_FAILED"


def test_a_killed_engine_ends_the_process_with_its_cause_and_without_texts(killed: Killed) -> None:
    assert killed.exit_code == EXIT_ENGINE_FAILED
    assert "the engine died" in killed.log
    assert "The bridge" not in killed.log


def test_a_write_goes_on_without_a_server(killed: Killed) -> None:
    stored: list[CheckedFact] = []
    with Client(killed.target, timeout_s=30) as client:
        MemoryGate(client).write(FACTS[:2], stored.append)
    assert [fact.reason for fact in stored] == [GateReason.NO_ANSWER] * 2


def test_an_engine_that_hangs_fails_waiting_calls_and_ends_the_process(int8_servers: Spare) -> None:
    # The one that is whole still: another start of the one that was killed takes long.
    served = int8_servers.running()
    (engine,) = served.engine_pids()
    with once(served, ONE) as client, ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(client.batch_estimate, BATCH, LONG_CONTEXT)
        served.wait_until_pending()
        os.kill(engine, signal.SIGSTOP)
        with pytest.raises(UnavailableError) as caught:
            # On a machine with other work steps are long, and four of them may be silent.
            waiting.result(CALL_TIMEOUT_S)
    assert served.process.wait(EXIT_TIMEOUT_S) == EXIT_ENGINE_FAILED
    assert "the engine hangs" in served.log
    assert caught.value.reason == "ENGINE_FAILED"
