"""What the clients make of outputs that are verified in the background."""

from collections.abc import Iterator

import grpc
import pytest

from groundwire import (
    Client,
    Document,
    ErrorReason,
    InvalidRequestError,
    InvalidResponseError,
    JsonFormat,
    ListFormat,
    NotFoundError,
    SkipReason,
    StatedFormat,
    Turn,
    TurnRole,
    UnavailableError,
    VerificationState,
    verify_output,
)
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import output_verification_pb2 as pb
from tests.client.plain_answers import OUTPUT_ID as ID
from tests.client.plain_answers import answer_response, queued
from tests.client.scripted import AnyClient, ScriptedServer, collect, failing, settle


class OutputServer(ScriptedServer):
    """As ScriptedServer; who watches an output sees `changes`."""

    changes: tuple[pb.VerificationStatus, ...] = ()
    breaks = 0
    """How many watches break after their first status."""

    def WatchVerification(
        self, request: pb.WatchVerificationRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.WatchVerificationResponse]:
        self._answer(request, context, pb.WatchVerificationResponse)
        for status in self.changes:
            yield pb.WatchVerificationResponse(status=status)
            if self.breaks:
                self.breaks -= 1
                context.abort(grpc.StatusCode.UNAVAILABLE, "the server ends")


@pytest.fixture
def server() -> Iterator[OutputServer]:
    server = OutputServer()
    yield server
    server.stop()


def done() -> pb.VerificationStatus:
    return pb.VerificationStatus(
        id=ID,
        state=pb.VERIFICATION_STATE_DONE,
        result=pb.VerifiedOutput(
            report=answer_response("0.75 0.125"),
            format_violations=[pb.FormatViolation(pointer="/floors", description="no number")],
            risk_bits=1.5,
            unread_claims=1,
            flagged=True,
            flag_threshold_bits=0.5,
            instruction="Correct it.",
        ),
    )


async def test_the_conversation_is_sent(client: AnyClient, server: OutputServer) -> None:
    status = await settle(
        client.submit_verification(
            "It is tall.",
            [Turn(TurnRole.USER, "How tall?"), Turn(TurnRole.TOOL, "tall", "call-7", "search")],
            documents=[Document("D1", "text", "title")],
            format=StatedFormat(JsonFormat("{}"), 100),
            question="How tall?",
        )
    )
    assert (status.id, status.state, status.is_final) == (ID, VerificationState.QUEUED, False)
    assert server.received[0].request == pb.SubmitVerificationRequest(
        response="It is tall.",
        turns=[
            detection_pb.Turn(role=detection_pb.TURN_ROLE_USER, text="How tall?"),
            detection_pb.Turn(
                role=detection_pb.TURN_ROLE_TOOL, text="tall", id="call-7", name="search"
            ),
        ],
        documents=[pb.ConversationDocument(id="D1", text="text", title="title")],
        format=pb.StatedFormat(json=pb.JsonFormat(schema="{}"), max_characters=100),
        question="How tall?",
    )


async def test_documents_can_be_given_by_their_ids(client: AnyClient, server: OutputServer) -> None:
    stated = StatedFormat(ListFormat(min_items=3))
    await settle(client.submit_verification("a", documents={"D1": "text"}, format=stated))
    request = server.received[0].request
    assert isinstance(request, pb.SubmitVerificationRequest)
    assert list(request.documents) == [pb.ConversationDocument(id="D1", text="text")]
    assert request.format == pb.StatedFormat(list=pb.ListFormat(min_items=3))


async def test_each_change_is_watched_until_the_end(
    client: AnyClient, server: OutputServer
) -> None:
    running = pb.VerificationStatus(
        id=ID, state=pb.VERIFICATION_STATE_RUNNING, read_claims=1, total_claims=2
    )
    server.changes = (queued(), running, done())
    seen = await collect(client.watch_verification(ID))
    assert [status.state for status in seen] == ["QUEUED", "RUNNING", "DONE"]
    assert (seen[1].read_claims, seen[1].total_claims) == (1, 2)


async def test_a_stream_that_ends_too_soon_is_refused(
    client: AnyClient, server: OutputServer
) -> None:
    server.changes = (queued(),)
    with pytest.raises(InvalidResponseError, match="ended before"):
        await collect(client.watch_verification(ID))


def test_a_notebook_waits_for_the_end(server: OutputServer) -> None:
    server.changes = (queued(), done())
    with Client(server.target) as client:
        status = verify_output("a", [Turn(TurnRole.USER, "b")], client=client)
    assert status.state is VerificationState.DONE


def test_a_notebook_watches_again_where_a_watch_runs_out(server: OutputServer) -> None:
    server.changes = (queued(), done())
    server.script(
        pb.SubmitVerificationResponse(status=queued()),
        failing(grpc.StatusCode.DEADLINE_EXCEEDED),
    )
    with Client(server.target) as client:
        status = verify_output("a", client=client)
    assert status.state is VerificationState.DONE


def test_a_notebook_watches_again_where_a_watch_breaks(server: OutputServer) -> None:
    server.changes = (queued(), done())
    server.breaks = 2
    with Client(server.target) as client:
        status = verify_output("a", client=client)
    assert status.state is VerificationState.DONE
    assert server.breaks == 0


def test_a_notebook_out_of_time_has_the_id(server: OutputServer) -> None:
    with Client(server.target) as client:
        status = verify_output("a", client=client, timeout_s=0.0)
    assert (status.id, status.is_final) == (ID, False)


async def test_a_skipped_output_says_why(client: AnyClient, server: OutputServer) -> None:
    status = pb.VerificationStatus(
        id=ID,
        state=pb.VERIFICATION_STATE_SKIPPED,
        skip_reason=pb.SKIP_REASON_OVERLOADED,
        state_text="too much to do",
    )
    server.script(pb.SubmitVerificationResponse(status=status))
    skipped = await settle(client.submit_verification("a"))
    assert (skipped.skip_reason, skipped.is_final) == (SkipReason.OVERLOADED, True)
    assert skipped.state_text == "too much to do"


async def test_a_submit_that_fails_is_not_tried_again(
    client: AnyClient, server: OutputServer
) -> None:
    server.script(failing(grpc.StatusCode.UNAVAILABLE, "QUEUE_UNAVAILABLE"))
    with pytest.raises(UnavailableError) as refused:
        await settle(client.submit_verification("a"))
    assert refused.value.reason == ErrorReason.QUEUE_UNAVAILABLE
    assert len(server.received) == 1


async def test_an_unknown_id_is_not_found(client: AnyClient, server: OutputServer) -> None:
    server.script(failing(grpc.StatusCode.NOT_FOUND, "NOT_FOUND"))
    with pytest.raises(NotFoundError):
        await settle(client.get_verification(ID))


async def test_a_role_that_cannot_be_sent_is_refused(client: AnyClient) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        await settle(client.submit_verification("a", [Turn(TurnRole.UNKNOWN, "text")]))
    assert refused.value.violations[0].field == "turns[0].role"
