"""What the real server answers when its engine is killed in the middle, or the time is short."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub
from groundwire_server.exit_codes import EXIT_ENGINE_FAILED
from tests.serving import Served, serving

CLAIMS, KNOWN = 30, 2
LEAST_S = 2.0
CALL_TIMEOUT_S, EXIT_TIMEOUT_S = 280.0, 60.0
OUT_OF_TIME = pb.VERDICT_REASON_OUT_OF_TIME
BACKEND_FAILED = pb.VERDICT_REASON_BACKEND_FAILED


def request(title: str, claims: int) -> pb.VerifyAnswerRequest:
    """So many claims, each on one of CLAIMS sources, so that each has a long prompt of its own."""
    towns = [f"{title} {i}" for i in range(CLAIMS)]
    sources = [
        pb.Source(
            id=f"S{i}", document=pb.Document(text=f"The bridge of {town} is {i + 20} metres long. ")
        )
        for i, town in enumerate(towns)
    ]
    filler = pb.Document(text=f"{title} lies on a river that rises in the night. " * 40)
    answer = " ".join(
        f"The bridge of {town} is {i + 20} metres long [S{i}]."
        for i, town in enumerate(towns[:claims])
    )
    return pb.VerifyAnswerRequest(
        answer=answer,
        evidence=pb.Evidence(sources=[*sources, pb.Source(id="S900", document=filler)]),
        options=pb.VerifyOptions(max_claims=claims),
    )


@pytest.fixture
def stub(served: Served) -> Iterator[HallucinationDetectionStub]:
    with grpc.insecure_channel(served.target) as channel:
        yield HallucinationDetectionStub(channel)


def reasons_of(report: pb.VerifyAnswerResponse) -> list["pb.VerdictReason"]:
    return [claim.verdict.reason for claim in report.claims]


def test_a_short_deadline_is_kept_with_the_first_claims(stub: HallucinationDetectionStub) -> None:
    began_s = time.monotonic()
    stub.VerifyAnswer(request("Arden", 3))
    three_s = time.monotonic() - began_s
    report = stub.VerifyAnswer(request("Brea", CLAIMS), timeout=max(LEAST_S, 2 * three_s))
    late = [reason == OUT_OF_TIME for reason in reasons_of(report)]
    assert late[0] is False
    assert late[-1] is True
    assert not report.summary.overall_grounded


def test_an_engine_that_is_killed_leaves_the_verdicts_that_were_known() -> None:
    with serving() as served, grpc.insecure_channel(served.target) as channel:
        stub = HallucinationDetectionStub(channel)
        (engine,) = served.engine_pids()
        wanted = request("Arden", CLAIMS)
        with ThreadPoolExecutor(1) as threads:
            events = stub.VerifyAnswerStream(
                pb.VerifyAnswerStreamRequest(request=wanted), timeout=CALL_TIMEOUT_S
            )
            assert next(events).HasField("found")
            # The later one of the two: it shares what the stream has read, verdict by verdict.
            unary = threads.submit(stub.VerifyAnswer, wanted, timeout=CALL_TIMEOUT_S)
            served.wait_until_joined()
            for _ in range(KNOWN):
                assert next(events).HasField("known")
            os.kill(engine, signal.SIGKILL)
            *_, last = events
            for report in (last.report, unary.result(EXIT_TIMEOUT_S)):
                failed = [reason == BACKEND_FAILED for reason in reasons_of(report)]
                assert 0 < sum(failed) < CLAIMS
                assert not report.summary.overall_grounded
        assert served.process.wait(EXIT_TIMEOUT_S) == EXIT_ENGINE_FAILED
        assert "the engine died" in served.log
