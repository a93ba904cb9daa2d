"""`verify_draft` of both clients against a scripted server."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from threading import Event

import grpc
import pytest

from groundwire import (
    AnswerReport,
    AsyncClient,
    Client,
    DeadlineExceededError,
    DraftEvent,
    DraftSettled,
    DraftStop,
    DraftStopReason,
    DraftVerdict,
    InternalError,
    InvalidRequestError,
    InvalidResponseError,
    ServerBusyError,
)
from groundwire.v1 import hallucination_detection_pb2 as pb
from tests.client.plain_answers import answer_response, draft_responses, drafted
from tests.client.scripted import (
    HOLD_LIMIT_S,
    AnyClient,
    Hold,
    Pieces,
    PiecesAfterText,
    PiecesAtTheEnd,
    ScriptedServer,
    collect,
    failing,
)

TEXT = ["0.75 ", "", "0.1", "25"]
ANSWER = "".join(TEXT)


async def later(pieces: Iterable[str]) -> AsyncIterator[str]:
    """The pieces as a model for asyncio gives them."""
    for piece in pieces:
        yield piece


def draft_of(client: AnyClient, pieces: Iterable[str], **fields: object) -> object:
    """What either client gives for the pieces."""
    verify: Callable[..., object] = client.verify_draft
    return verify(pieces if isinstance(client, Client) else later(pieces), "context", **fields)


async def events_of(client: AnyClient, pieces: Iterable[str], **fields: object) -> list[DraftEvent]:
    return await collect(draft_of(client, pieces, **fields))  # type: ignore[arg-type]


async def test_a_draft_gives_its_verdicts_and_last_its_report(client: AnyClient) -> None:
    first, second, settled, report = await events_of(client, TEXT)
    assert isinstance(first, DraftVerdict)
    assert isinstance(second, DraftVerdict)
    assert (first.index, first.claim.content, first.claim.grounded) == (0, "0.75", True)
    assert (second.index, second.claim.content, second.claim.grounded) == (1, "0.125", False)
    assert settled == DraftSettled(len(ANSWER))
    assert isinstance(report, AnswerReport)
    assert [claim.content for claim in report] == ["0.75", "0.125"]


async def test_the_first_request_says_how_and_has_no_text(
    client: AnyClient, server: ScriptedServer
) -> None:
    await events_of(
        client,
        TEXT,
        question="How?",
        correct=True,
        stop_at_contradicted=True,
        min_share_grounded=0.0,
    )
    (received,) = server.received
    assert isinstance(received.request, pb.VerifyDraftRequest)
    start = received.request.start
    assert (start.request.answer, start.request.question) == ("", "How?")
    assert start.request.evidence.context == "context"
    assert start.request.correct
    assert start.stop_at_contradicted
    assert (start.HasField("min_share_grounded"), start.min_share_grounded) == (True, 0.0)
    assert received.metadata["x-groundwire-context"]


async def test_a_stop_ends_the_draft_with_the_report_on_what_was_written(
    client: AnyClient, server: ScriptedServer
) -> None:
    stop = pb.DraftStop(reason=pb.DRAFT_STOP_REASON_CONTRADICTED, index=1, characters=4)

    def wait_for_text(_: object) -> None:
        assert asked.wait(HOLD_LIMIT_S)

    asked = Hold().entered
    server.script(
        Pieces(
            wait_for_text,
            pb.VerifyDraftResponse(stop=stop),
            pb.VerifyDraftResponse(report=answer_response("0.75")),
        )
    )

    def endless() -> Iterator[str]:
        yield "0.75"
        asked.set()
        yield " and on"

    stopped, report = await events_of(client, endless())
    assert stopped == DraftStop(DraftStopReason.CONTRADICTED, 1, 4)
    assert isinstance(report, AnswerReport)


async def test_what_the_text_raises_is_raised_and_ends_the_call(
    client: AnyClient, server: ScriptedServer
) -> None:
    hold = Hold()
    server.script(Pieces(hold))

    def broken() -> Iterator[str]:
        yield "0.75"
        assert hold.entered.wait(HOLD_LIMIT_S)
        raise KeyError("the model failed")

    with pytest.raises(KeyError, match="the model failed"):
        await events_of(client, broken())
    assert await asyncio.to_thread(hold.given_up.wait, HOLD_LIMIT_S)


async def test_what_was_written_before_the_server_is_ready_does_not_wait_for_more_text(
    server: ScriptedServer,
) -> None:
    came = Event()
    server.script(PiecesAfterText(lambda _: came.set(), *draft_responses("0.75")))

    async def pausing() -> AsyncIterator[str]:
        yield "0.75"
        assert await asyncio.to_thread(came.wait, HOLD_LIMIT_S)

    async with AsyncClient(server.target) as client:
        events = await collect(client.verify_draft(pausing(), "context"))
    assert isinstance(events[-1], AnswerReport)


async def test_a_piece_that_is_no_unicode_is_refused(client: AnyClient) -> None:
    with pytest.raises(InvalidRequestError, match="text"):
        await events_of(client, ["0.75", "\ud800"])


async def test_an_error_of_the_server_is_raised(client: AnyClient, server: ScriptedServer) -> None:
    server.script(failing(grpc.StatusCode.INTERNAL, "INTERNAL"))
    with pytest.raises(InternalError):
        await events_of(client, TEXT)


async def test_the_time_out_ends_a_draft_that_is_never_whole(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(Pieces(Hold()))
    with pytest.raises(DeadlineExceededError):
        await events_of(client, TEXT, timeout_s=0.2)


@pytest.mark.parametrize(
    "pieces",
    [
        (),
        (draft_responses(ANSWER)[0],),
        (pb.VerifyDraftResponse(),),
        (draft_responses(ANSWER)[-1], draft_responses(ANSWER)[-1]),
        (pb.VerifyDraftResponse(settled=pb.DraftSettled(characters=1000)),),
        (drafted(-1, answer_response(ANSWER).claims[0]),),
    ],
    ids=["nothing", "no report", "no event", "two reports", "settled beyond", "index below"],
)
async def test_a_stream_against_the_contract_is_refused(
    client: AnyClient, server: ScriptedServer, pieces: tuple[pb.VerifyDraftResponse, ...]
) -> None:
    server.script(PiecesAtTheEnd(*pieces))
    with pytest.raises(InvalidResponseError):
        await events_of(client, TEXT)


async def test_leaving_the_loop_cancels_the_call_and_the_text(server: ScriptedServer) -> None:
    hold = Hold()
    server.script(Pieces(pb.VerifyDraftResponse(settled=pb.DraftSettled()), hold))
    left = asyncio.Event()

    async def endless() -> AsyncIterator[str]:
        try:
            yield "0.75"
            await asyncio.Event().wait()
        finally:
            left.set()

    async with AsyncClient(server.target) as client:
        events = client.verify_draft(endless(), "context")
        await anext(events)
        assert await asyncio.to_thread(hold.entered.wait, HOLD_LIMIT_S)
        await events.aclose()
        assert left.is_set()
    assert await asyncio.to_thread(hold.given_up.wait, HOLD_LIMIT_S)


async def test_a_call_that_fails_while_text_is_sent_tells_why(
    client: AnyClient, server: ScriptedServer
) -> None:
    for _ in range(20):
        server.script(failing(grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL"))
        with pytest.raises(ServerBusyError):
            await events_of(client, ["0.75 "] * 200)


async def test_a_draft_that_stops_while_text_is_sent_has_its_report(
    client: AnyClient, server: ScriptedServer
) -> None:
    stop = pb.DraftStop(reason=pb.DRAFT_STOP_REASON_CONTRADICTED, characters=4)
    for _ in range(20):
        begun = Hold().entered

        def hurried(begun: Event = begun) -> Iterator[str]:
            yield "0.75"
            begun.set()
            yield from [" 0.75"] * 200

        def wait(_: object, begun: Event = begun) -> None:
            assert begun.wait(HOLD_LIMIT_S)

        report = pb.VerifyDraftResponse(report=answer_response("0.75"))
        server.script(Pieces(wait, pb.VerifyDraftResponse(stop=stop), report))
        assert isinstance((await events_of(client, hurried()))[-1], AnswerReport)
