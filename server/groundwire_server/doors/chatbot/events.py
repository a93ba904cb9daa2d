"""A check as server-sent events: claims, verdicts as they come, and the reports at the end."""

import json
from collections.abc import AsyncGenerator, Callable, Iterator

from groundwire import AnswerReport, ClaimKnown, ClaimsFound
from groundwire._calls.answers import PiecesReader
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.doors.chatbot.shape import HallucinationCheckRequest, documents
from groundwire_server.reports.as_json import json_report
from groundwire_server.reports.content import CheckedAnswer
from groundwire_server.reports.markdown import markdown_report
from groundwire_server.reports.page import html_report
from groundwire_server.rpc.status import CallFailedError
from groundwire_verifier.domain.threads import in_thread


async def events(
    request: HallucinationCheckRequest,
    first: pb.VerifyAnswerStreamResponse,
    others: AsyncGenerator[pb.VerifyAnswerStreamResponse],
    failed: Callable[[CallFailedError], str],
) -> AsyncGenerator[str]:
    """The events of an answer's check.

    `found` has the texts of the claims, `known` the index of one with its verdict, and `report` the
    report as a page, as Markdown and as JSON. `failed` makes the data of an `error`, which ends the
    stream without a report.
    """
    reader = PiecesReader(len(request.answer))
    try:
        for event in _events(reader, first):
            yield event
        async for piece in others:
            for event in _events(reader, piece):
                yield event
        (report,) = reader.end()
        # Beside the calls of others: a long answer has thousands of claims.
        yield await in_thread(_report, request, report)
    except CallFailedError as error:
        yield f"event: error\ndata: {failed(error)}\n\n"


def _events(reader: PiecesReader, piece: pb.VerifyAnswerStreamResponse) -> Iterator[str]:
    for read in reader.read(piece):
        match read:
            case ClaimsFound():
                yield _event("found", {"claims": [each.content for each in read.claims]})
            case ClaimKnown():
                yield _event("known", {"index": read.index, "verdict": read.claim.verdict.value})


def _report(request: HallucinationCheckRequest, report: AnswerReport) -> str:
    checked = CheckedAnswer(request.answer, request.question or "", documents(request), report)
    return _event(
        "report",
        {
            "html": html_report(checked),
            "markdown": markdown_report(checked),
            "json": json_report(checked),
        },
    )


def _event(name: str, data: object) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
