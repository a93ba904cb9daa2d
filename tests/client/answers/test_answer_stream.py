"""A report that comes piece by piece: its order, its errors, and its end."""

from collections.abc import Callable
from contextlib import aclosing

import grpc
import pytest

from groundwire import (
    AnswerReport,
    AsyncClient,
    Claim,
    ClaimKnown,
    ClaimsFound,
    InternalError,
    InvalidRequestError,
    InvalidResponseError,
    Verdict,
)
from groundwire.v1 import hallucination_detection_pb2 as pb
from tests.client.plain_answers import found, known, report, verdict
from tests.client.scripted import (
    AnyClient,
    Pieces,
    ScriptedServer,
    Step,
    collect,
    failing,
    next_piece,
    settle,
)

ANSWER = "0.75 0.125"
LOADING = failing(grpc.StatusCode.UNAVAILABLE, "LOADING")


async def test_the_claims_come_first_and_the_report_last(client: AnyClient) -> None:
    pieces = await collect(client.verify_answer_stream(ANSWER, "context"))

    kinds = [type(piece) for piece in pieces]
    assert kinds == [ClaimsFound, ClaimKnown, ClaimKnown, AnswerReport]


async def test_what_is_found_are_claims_in_the_order_of_the_answer(client: AnyClient) -> None:
    first = (await collect(client.verify_answer_stream(ANSWER, "context")))[0]

    assert isinstance(first, ClaimsFound)
    assert [(type(each), each.content) for each in first.claims] == [
        (Claim, "0.75"),
        (Claim, "0.125"),
    ]


async def test_verdicts_come_in_any_order_with_their_index(client: AnyClient) -> None:
    pieces = await collect(client.verify_answer_stream(ANSWER, "context"))

    verdicts = [piece for piece in pieces if isinstance(piece, ClaimKnown)]
    assert [(piece.index, piece.claim.p1) for piece in verdicts] == [(1, 0.125), (0, 0.75)]


async def test_what_is_known_is_the_claim_as_the_report_holds_it(client: AnyClient) -> None:
    *_, first, second, report = await collect(client.verify_answer_stream(ANSWER, "context"))

    assert isinstance(first, ClaimKnown)
    assert isinstance(second, ClaimKnown)
    assert isinstance(report, AnswerReport)
    assert (second.claim, first.claim) == report.claims


async def test_the_report_is_that_of_the_whole_answer(client: AnyClient) -> None:
    pieces = await collect(client.verify_answer_stream(ANSWER, "context"))

    assert pieces[-1] == await settle(client.verify_answer(ANSWER, "context"))


async def test_a_skipped_claim_is_known_at_once(client: AnyClient, server: ScriptedServer) -> None:
    first = found("0.75 none")
    first.found.claims[1].verdict.CopyFrom(verdict("none"))
    server.script(Pieces(first, known(0, "0.75"), report("0.75 none")))

    listed, *pieces = await collect(client.verify_answer_stream("0.75 none", "context"))

    assert isinstance(listed, ClaimsFound)
    assert len(listed.claims) == 2
    known_claims = [each for each in pieces if isinstance(each, ClaimKnown)]
    assert [(each.index, each.claim.verdict) for each in known_claims] == [
        (1, Verdict.NOT_VERIFIED),
        (0, Verdict.SUPPORTED),
    ]


async def test_the_token_goes_with_a_stream(
    connect: Callable[..., AnyClient], server: ScriptedServer
) -> None:
    client = connect(server.target, token="letters+digits=1")

    await collect(client.verify_answer_stream(ANSWER, "context"))

    assert server.received[0].metadata["authorization"] == "Bearer letters+digits=1"


async def test_a_refused_stream_raises_as_a_call_does(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(failing(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_SOURCE"))

    with pytest.raises(InvalidRequestError) as caught:
        await collect(client.verify_answer_stream(ANSWER, "context"))
    assert caught.value.reason == "INVALID_SOURCE"


async def test_an_error_in_the_midst_ends_the_stream(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(Pieces(found(ANSWER), failing(grpc.StatusCode.INTERNAL, "INTERNAL")))
    stream = client.verify_answer_stream(ANSWER, "context")

    assert isinstance(await next_piece(stream), ClaimsFound)
    with pytest.raises(InternalError):
        await next_piece(stream)


async def test_an_error_after_the_report_withholds_it(
    client: AnyClient, server: ScriptedServer
) -> None:
    failed = failing(grpc.StatusCode.INTERNAL, "INTERNAL")
    server.script(Pieces(found("0.75"), known(0, "0.75"), report("0.75"), failed))
    seen: list[object] = []

    with pytest.raises(InternalError):
        await gather(client, "0.75", seen)
    assert [type(piece) for piece in seen] == [ClaimsFound, ClaimKnown]


async def gather(client: AnyClient, answer: str, seen: list[object]) -> None:
    """Collects the pieces of a stream for as long as it lasts."""
    if isinstance(client, AsyncClient):
        async with aclosing(client.verify_answer_stream(answer, "context")) as pieces:
            async for piece in pieces:
                seen.append(piece)
    else:
        for piece in client.verify_answer_stream(answer, "context"):
            seen.append(piece)


async def test_a_message_that_is_no_piece_is_an_internal_error(
    client: AnyClient, server: ScriptedServer
) -> None:
    # Field 2 is a message in the contract; this text cannot be read as one.
    server.script(Pieces(pb.ExtractClaimsResponse(language="\x0f")))

    with pytest.raises(InternalError):
        await collect(client.verify_answer_stream(ANSWER, "context"))


@pytest.mark.parametrize("method", ["extract_claims", "verify_claims", "verify_answer"])
async def test_every_call_is_tried_again_when_the_server_is_unavailable(
    client: AnyClient, server: ScriptedServer, method: str
) -> None:
    server.script(LOADING)
    arguments = {
        "extract_claims": ("0.5",),
        "verify_claims": (["0.5"], "context"),
        "verify_answer": ("0.5", "context"),
    }

    await settle(getattr(client, method)(*arguments[method]))

    assert len(server.received) == 2


async def test_a_stream_is_tried_again_when_the_server_is_unavailable(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(LOADING)

    pieces = await collect(client.verify_answer_stream(ANSWER, "context"))

    assert isinstance(pieces[-1], AnswerReport)
    assert len(server.received) == 2


UNSET = pb.VerifyAnswerStreamResponse()
OTHER = report("0.75")
OTHER.report.claims[0].verdict.verdict = pb.VERDICT_UNSUPPORTED
OTHER.report.claims[0].verdict.grounded = False
OTHER.report.claims[0].verdict.reason = pb.VERDICT_REASON_LOW_POSTERIOR
OTHER.report.summary.CopyFrom(pb.AnswerSummary(total_claims=1))
OF_ANOTHER = report("0.75")
OF_ANOTHER.report.claims[0].claim.content = "another claim"
NO_VERDICT = pb.VerifyAnswerStreamResponse(known=pb.ClaimKnown(index=0))
SKIPPED = found("none")
SKIPPED.found.claims[0].verdict.CopyFrom(verdict("none"))
FOUND, KNOWN, REPORT = found("0.75"), known(0, "0.75"), report("0.75")
REFUSED: dict[str, tuple[list[Step], str]] = {
    "nothing": ([], "ended without a report"),
    "no report": ([FOUND, KNOWN], "ended without a report"),
    "no claims": ([KNOWN, REPORT], "does not begin with its claims"),
    "a report alone": ([REPORT], "does not begin with its claims"),
    "claims twice": ([FOUND, FOUND], "lists its claims twice"),
    "a verdict of a skipped claim": ([SKIPPED, KNOWN], "a second verdict of claim 0"),
    "no event": ([UNSET], "without an event"),
    "an index beyond the claims": ([FOUND, known(1, "0.75")], "claim 1, of 1 claims"),
    "a negative index": ([FOUND, known(-1, "0.75")], "claim -1, of 1 claims"),
    "a verdict twice": ([FOUND, KNOWN, KNOWN], "a second verdict of claim 0"),
    "an event without a verdict": ([FOUND, NO_VERDICT], "without verdict"),
    "a report before its verdicts": ([FOUND, REPORT], "does not hold the verdicts"),
    "a report with other verdicts": ([FOUND, KNOWN, OTHER], "does not hold the verdicts"),
    "a report on other claims": ([FOUND, KNOWN, OF_ANOTHER], "does not hold the verdicts"),
    "more than the report": ([FOUND, KNOWN, REPORT, KNOWN], "goes on after its report"),
}


@pytest.mark.parametrize(("steps", "message"), REFUSED.values(), ids=REFUSED)
async def test_a_stream_that_breaks_the_contract_is_refused(
    client: AnyClient, server: ScriptedServer, steps: list[Step], message: str
) -> None:
    server.script(Pieces(*steps))

    with pytest.raises(InvalidResponseError, match=message):
        await collect(client.verify_answer_stream("0.75", "context"))
