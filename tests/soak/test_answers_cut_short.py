"""What the real server answers when the time is short."""

import time
from collections.abc import Iterator

import grpc
import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub
from tests.real.long_requests import CLAIMS, long_answer, reasons_of
from tests.serving import Served

LEAST_S = 2.0
OUT_OF_TIME = pb.VERDICT_REASON_OUT_OF_TIME


@pytest.fixture
def stub(served: Served) -> Iterator[HallucinationDetectionStub]:
    with grpc.insecure_channel(served.target) as channel:
        yield HallucinationDetectionStub(channel)


def test_a_short_deadline_is_kept_with_the_first_claims(stub: HallucinationDetectionStub) -> None:
    began_s = time.monotonic()
    stub.VerifyAnswer(long_answer("Arden", 3))
    three_s = time.monotonic() - began_s
    deadline_s = max(LEAST_S, 2 * three_s)
    titles = iter(("Brea", "Cove", "Dale", "Elm", "Ford", "Glen"))
    while (report := in_time(stub, next(titles), deadline_s)) is None:
        pass
    late = [reason == OUT_OF_TIME for reason in reasons_of(report)]
    assert late[0] is False
    assert late[-1] is True
    assert not report.summary.overall_grounded


def in_time(
    stub: HallucinationDetectionStub, title: str, deadline_s: float
) -> pb.VerifyAnswerResponse | None:
    """The report on a long answer; None if other work on this machine kept it from coming."""
    try:
        return stub.VerifyAnswer(long_answer(title, CLAIMS), timeout=deadline_s)
    except grpc.RpcError as error:
        if error.code() is not grpc.StatusCode.DEADLINE_EXCEEDED:
            raise
        return None
