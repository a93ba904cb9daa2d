"""Has an answer checked in the chatbot's shape, and serves the page on which a person does.

Both are one call of VerifyAnswer. Who asks for a page first gets the report instead of JSON.
Knows headers and the order of a call. Does not know what a verdict is.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from groundwire import AnswerReport, Evidence
from groundwire._wire.requests import answer_request
from groundwire._wire.verification_responses import answer_report
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub
from groundwire_server.cli.reports.content import CheckedAnswer
from groundwire_server.cli.reports.page import html_report
from groundwire_server.http.chatbot.failing import refused
from groundwire_server.http.chatbot.shape import (
    HallucinationCheckFailure,
    HallucinationCheckRequest,
    HallucinationCheckResponse,
    checked_response,
    documents,
)
from groundwire_server.http.chatbot.web_page import web_page, web_page_policy
from groundwire_server.http.chatbot.words import words_for
from groundwire_server.http.json_calls import JsonCall, json_route
from groundwire_server.http.upstream import CallOptions, Upstream

if TYPE_CHECKING:
    from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionAsyncStub

PATH = "/v1/hallucination-check"
HTML = "text/html"
_HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


def routes(upstream: Upstream) -> Sequence[BaseRoute]:
    """The check, and the page."""
    stub: HallucinationDetectionAsyncStub = HallucinationDetectionStub(upstream.channel)

    async def check(call: JsonCall[HallucinationCheckRequest]) -> Response:
        report = await _verified(stub, call.body, call.options)
        make = _page if wants_page(call.headers.get("accept", "")) else _json
        # Beside the calls of others: a long answer has thousands of claims.
        return await asyncio.to_thread(make, call.body, report)

    async def page(request: Request) -> Response:
        chosen = request.query_params.get("language")
        words = words_for(chosen or request.headers.get("accept-language", ""))
        text = web_page(words, PATH, wants_token=upstream.tokens is not None)
        return HTMLResponse(text, headers=_HEADERS | {"content-security-policy": web_page_policy()})

    route = json_route(PATH, HallucinationCheckRequest, check, upstream, refused)
    route.told, route.failed = HallucinationCheckResponse, HallucinationCheckFailure
    return [route, Route("/", page)]


def wants_page(accepted: str) -> bool:
    """Whether an Accept header asks for a page before all else.

    Programs that take anything, such as n8n, name pages as well, but behind JSON.
    """
    return accepted.partition(",")[0].partition(";")[0].strip().lower() == HTML


async def _verified(
    stub: "HallucinationDetectionAsyncStub",
    request: HallucinationCheckRequest,
    options: CallOptions,
) -> AnswerReport:
    """The server's report on an answer. Raises aio.AioRpcError."""
    message = answer_request(
        request.answer,
        Evidence.documents(documents(request)),
        request.question or "",
        None,
        None,
        language=request.language or "",
    )
    response = await stub.VerifyAnswer(message, **options)
    return answer_report(response, len(request.answer))


def _json(request: HallucinationCheckRequest, report: AnswerReport) -> Response:
    text = checked_response(request, report).model_dump_json()
    return Response(text, media_type="application/json")


def _page(request: HallucinationCheckRequest, report: AnswerReport) -> Response:
    checked = CheckedAnswer(request.answer, request.question or "", documents(request), report)
    return HTMLResponse(html_report(checked), headers=_HEADERS)
