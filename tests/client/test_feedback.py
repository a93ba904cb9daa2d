"""Feedback in both clients: what is sent, what comes back, and the id in every result."""

import grpc
import pytest

from groundwire import (
    ErasedDetections,
    ErrorReason,
    FeedbackVerdict,
    InvalidRequestError,
    NotEnabledError,
    NotFoundError,
    RecordedFeedback,
)
from groundwire.v1 import feedback_pb2 as pb
from tests.client.plain_answers import RUN
from tests.client.scripted import AnyClient, ScriptedServer, failing, settle

ID = RUN.detection_id


@pytest.mark.parametrize("verdict", FeedbackVerdict)
async def test_feedback_is_sent_with_all_that_it_has(
    client: AnyClient, server: ScriptedServer, verdict: FeedbackVerdict
) -> None:
    said = await settle(client.record_feedback(ID, 3, verdict, note="why"))
    assert said == RecordedFeedback(replaced=True)
    assert server.received[0].request == pb.RecordFeedbackRequest(
        detection_id=ID,
        index=3,
        verdict=f"FEEDBACK_VERDICT_{verdict}",
        note="why",
    )


async def test_a_detection_or_all_are_erased_and_counted(
    client: AnyClient, server: ScriptedServer
) -> None:
    erased = ErasedDetections(feedback=1, outputs=2, audit_lines=3)
    assert await settle(client.erase_detection(ID)) == erased
    assert await settle(client.erase_all_detections()) == erased
    one, all_of_them = (each.request for each in server.received)
    assert one == pb.EraseDetectionsRequest(detection_id=ID)
    assert all_of_them == pb.EraseDetectionsRequest(all=True)


async def test_what_is_not_there_raises_not_found(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(failing(grpc.StatusCode.NOT_FOUND, "DETECTION_NOT_FOUND"))
    with pytest.raises(NotFoundError) as caught:
        await settle(client.record_feedback(ID, 0, FeedbackVerdict.GROUNDED))
    assert caught.value.reason == ErrorReason.DETECTION_NOT_FOUND


async def test_a_server_without_feedback_says_so(client: AnyClient, server: ScriptedServer) -> None:
    server.script(failing(grpc.StatusCode.FAILED_PRECONDITION, "NOT_ENABLED"))
    with pytest.raises(NotEnabledError):
        await settle(client.record_feedback(ID, 0, FeedbackVerdict.GROUNDED))


async def test_what_cannot_be_written_is_refused_with_its_field(client: AnyClient) -> None:
    for field, index, note in (("note", 0, "\ud800"), ("index", 2**40, "")):
        with pytest.raises(InvalidRequestError, match=field):
            await settle(client.record_feedback(ID, index, FeedbackVerdict.GROUNDED, note=note))


async def test_every_result_has_the_id_of_its_detection(client: AnyClient) -> None:
    ids = [
        (await settle(client.verify_claims(["0.75"], "context"))).detection_id,
        (await settle(client.verify_answer("0.75", "context"))).detection_id,
        (await settle(client.check_facts(["0.75"], "context"))).detection_id,
        (await settle(client.audit_trace(["0.75"], "context"))).detection_id,
    ]
    assert ids == [ID] * len(ids)
