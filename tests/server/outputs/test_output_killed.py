"""A server that is killed in the middle of its work finishes it after its restart."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

import grpc

from groundwire.v1 import output_verification_pb2 as pb
from groundwire.v1.output_verification_pb2_grpc import OutputVerificationStub
from tests.output_process import output_process
from tests.scripted import WAIT_LIMIT_S
from tests.scripted_services.outputs import RIVER, TOWER, user

PIECES = 6


def submitted(target: str) -> list[str]:
    """The ids of outputs that a server has accepted, some of which it has begun."""
    with grpc.insecure_channel(target) as channel:
        stub = OutputVerificationStub(channel)
        request = pb.SubmitVerificationRequest(response=f"{TOWER} {RIVER}", turns=[user(TOWER)])
        answers = [stub.SubmitVerification(request, timeout=WAIT_LIMIT_S) for _ in range(PIECES)]
        ids = [answer.status.id for answer in answers]
        # Which of one second are begun first is the store's choice.
        while not any(is_running(stub, own_id) for own_id in ids):
            pass
        return ids


def is_running(stub: OutputVerificationStub, own_id: str) -> bool:
    request = pb.GetVerificationRequest(id=own_id)
    answer = stub.GetVerification(request, timeout=WAIT_LIMIT_S)
    return answer.status.state == pb.VERIFICATION_STATE_RUNNING


def watched(stub: OutputVerificationStub, own_id: str) -> Iterable[pb.VerificationStatus]:
    request = pb.WatchVerificationRequest(id=own_id)
    for answer in stub.WatchVerification(request, timeout=WAIT_LIMIT_S):
        yield answer.status


def test_a_killed_server_finishes_each_accepted_output_once(tmp_path: Path) -> None:
    store = tmp_path / "q.sqlite"
    with output_process(store, RIVER) as target:
        ids = submitted(target)
    # Killed once more, while it begins again.
    with output_process(store, RIVER):
        pass
    with output_process(store) as target, grpc.insecure_channel(target) as channel:
        stub = OutputVerificationStub(channel)
        last = [[*watched(stub, own_id)][-1] for own_id in ids]
    assert [status.state for status in last] == [pb.VERIFICATION_STATE_DONE] * PIECES
    assert all(len(status.result.report.claims) == 2 for status in last)
    with sqlite3.connect(store) as database:
        count = "select count(*), count(distinct workflow_uuid) from workflow_output"
        assert database.execute(count).fetchone() == (PIECES, PIECES)
