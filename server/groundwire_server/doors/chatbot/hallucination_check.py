"""Has an answer checked in the chatbot's shape, and serves the page on which a person does.

Both are one call of VerifyAnswer. Who asks for a page first gets the report instead of JSON, and
who asks for events the verdicts as they come. An answer without sources has its claims found, and
that is all.
"""

import json
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from functools import cache

from google.rpc import error_details_pb2
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from groundwire import AnswerReport, ClaimKnown, ClaimsFound, Evidence, Verdict
from groundwire._calls.answers import PiecesReader, answer_request, read_report
from groundwire._calls.claims import read_extract_result
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.doors.chatbot.page_words import WORDS, PageWords, words_for
from groundwire_server.doors.chatbot.shape import (
    CheckError,
    FieldFault,
    HallucinationCheckFailure,
    HallucinationCheckRequest,
    HallucinationCheckResponse,
    checked_response,
    documents,
    read_places,
    response_without_sources,
    turns,
    unread_names,
    verify_options,
)
from groundwire_server.doors.failures import Failure, failure_of
from groundwire_server.doors.json_calls import JsonCall, json_route
from groundwire_server.doors.upstream import Upstream
from groundwire_server.reports.as_json import json_report
from groundwire_server.reports.content import CheckedAnswer
from groundwire_server.reports.markdown import markdown_report
from groundwire_server.reports.page import badge, html_report
from groundwire_server.reports.pages import asset, page_policy, report_assets, template
from groundwire_server.reports.phrases import words_for as report_words_for
from groundwire_server.rpc.status import CallFailedError
from groundwire_verifier.checks.answers import check_language
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.tasks import in_thread
from groundwire_verifier.verdicts.options import MAX_VERIFIED_CLAIMS

PATH = "/v1/hallucination-check"
SERVICE = "/groundwire.v1.HallucinationDetection"
HTML, EVENTS = "text/html", "text/event-stream"
_SOURCES = re.compile(r"^(request\.)?(evidence(\.sources)?|extract\.known_ids|source_ids)")
_PLACE = re.compile(r"\[(\d+)\]")
_DOCUMENT = re.compile(r"(?<=\])\.document\b")
_HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


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


@cache
def web_page(
    words: PageWords, path: str, *, wants_token: bool, most_bytes: int, most_claims: int
) -> str:
    """The page in one language, which sends answers of at most so many bytes to `path`, to have
    at most so many claims verified."""
    report_style, _ = report_assets()
    report_words = report_words_for(words.language)
    return template(__package__, "page.html").render(
        words=words,
        languages=list(WORDS.values()),
        path=path,
        most_bytes=most_bytes,
        most_claims=most_claims,
        verdicts={verdict.value: badge(verdict, report_words) for verdict in Verdict},
        wants_token=wants_token,
        # Files of packages, without data.
        styles=[Markup(report_style), Markup(asset(__package__, "page.css"))],  # noqa: S704
        script=Markup(asset(__package__, "page.js")),  # noqa: S704
    )


@cache
def web_page_policy() -> str:
    """What the page may load, and by inheritance the report in its frame.

    The report is shown in a frame without an origin, so that it can reach neither this page nor the
    token in its memory.
    """
    report_style, report_script = report_assets()
    return page_policy(
        [report_style, asset(__package__, "page.css")],
        [report_script, asset(__package__, "page.js")],
        "connect-src 'self'",
        "frame-src blob:",
        "frame-ancestors 'none'",
    )


def routes(upstream: Upstream) -> Sequence[BaseRoute]:
    """The check, and the page."""

    async def check(
        call: JsonCall[HallucinationCheckRequest, pb.VerifyAnswerRequest],
    ) -> Response:
        kind = first_kind(call.headers.get("accept", ""))
        is_page = kind in (HTML, EVENTS)
        # A person who left one blank has forgotten it, and hears it.
        places = range(len(call.body.sources)) if is_page else read_places(call.body)
        sources = call.wanted.evidence.sources
        kept = [sources[i] for i in places]
        del sources[:]
        sources.extend(kept)
        # The answer can cite what was skipped, and does not rest on the others then.
        unread = unread_names(documents(call.body))
        call.wanted.extract.known_ids.extend(unread)
        if not kept and not is_page:
            checks.raise_any(check_language(call.body.language or "", "language"))
            wanted = pb.ExtractClaimsRequest(text=call.body.answer, source_ids=unread)
            found = await call.ask(f"{SERVICE}/ExtractClaims", wanted, pb.ExtractClaimsResponse)
            return await in_thread(_json_without_sources, call.body, found)
        options = call.body.options
        if is_page and (options is None or options.explain is None):
            call.wanted.options.explain = True
        if kind == EVENTS:
            return await _stream(call)
        try:
            asked = f"{SERVICE}/VerifyAnswer"
            response = await call.ask(asked, call.wanted, pb.VerifyAnswerResponse)
        except CallFailedError as error:
            return refused(failure_of(error), places)
        make = _page if is_page else _json
        # Beside the calls of others: a long answer has thousands of claims.
        return await in_thread(make, call.body, response)

    async def page(request: Request) -> Response:
        chosen = request.query_params.get("language")
        words = words_for(chosen or request.headers.get("accept-language", ""))
        text = web_page(
            words,
            PATH,
            wants_token=upstream.logins is not None,
            most_bytes=upstream.most_bytes(PATH),
            most_claims=min(MAX_VERIFIED_CLAIMS, upstream.max_claims),
        )
        return HTMLResponse(text, headers=_HEADERS | {"content-security-policy": web_page_policy()})

    def message(request: HallucinationCheckRequest) -> pb.VerifyAnswerRequest:
        return answer_request(
            "",
            request.answer,
            Evidence.documents(documents(request)),
            question=request.question or "",
            options=verify_options(request, upstream.max_claims),
            language=request.language or "",
            turns=turns(request),
            correct=request.options is not None and request.options.correct is True,
        )

    route = json_route(
        PATH,
        HallucinationCheckRequest,
        check,
        upstream,
        refuse=refused,
        message=message,
        told=HallucinationCheckResponse,
        failed=HallucinationCheckFailure,
    )
    return [route, Route("/", page)]


def first_kind(accepted: str) -> str:
    """The media type that an Accept header asks for before all else.

    Programs that take anything, such as n8n, name pages as well, but behind JSON.
    """
    return accepted.partition(",")[0].partition(";")[0].strip().lower()


async def _stream(
    call: JsonCall[HallucinationCheckRequest, pb.VerifyAnswerRequest],
) -> Response:
    wanted = pb.VerifyAnswerStreamRequest(request=call.wanted)
    pieces = call.stream(f"{SERVICE}/VerifyAnswerStream", wanted, pb.VerifyAnswerStreamResponse)
    first = await anext(pieces)  # what fails before it has a status of its own

    def failed(error: CallFailedError) -> str:
        return _body(failure_of(error)).model_dump_json()

    told = events(call.body, first, pieces, failed)
    # No proxy is to wait for the end of it.
    headers = _HEADERS | {"x-accel-buffering": "no"}
    return StreamingResponse(told, media_type=EVENTS, headers=headers)


def _json(request: HallucinationCheckRequest, response: pb.VerifyAnswerResponse) -> Response:
    report = read_report(response, len(request.answer))
    text = checked_response(request, report).model_dump_json()
    return Response(text, media_type="application/json")


def _json_without_sources(
    request: HallucinationCheckRequest, response: pb.ExtractClaimsResponse
) -> Response:
    found = read_extract_result(response, len(request.answer))
    text = response_without_sources(request, found).model_dump_json()
    return Response(text, media_type="application/json")


def _page(request: HallucinationCheckRequest, response: pb.VerifyAnswerResponse) -> Response:
    report = read_report(response, len(request.answer))
    checked = CheckedAnswer(request.answer, request.question or "", documents(request), report)
    return HTMLResponse(html_report(checked), headers=_HEADERS)


def refused(failure: Failure, places: Sequence[int] = ()) -> Response:
    """The response of a call that failed so. `places` are those of the sources that were sent on,
    among those of the request."""
    return JSONResponse(
        _body(failure, places).model_dump(mode="json"),
        status_code=failure.http_status,
        headers=dict(failure.headers()),
    )


def _body(failure: Failure, places: Sequence[int] = ()) -> HallucinationCheckFailure:
    return HallucinationCheckFailure(success=False, error=check_error(failure, places))


def check_error(failure: Failure, places: Sequence[int] = ()) -> CheckError:
    """The failure in the chatbot's words; `places` as for `refused`."""
    violations = failure.detail(error_details_pb2.BadRequest).field_violations
    message = failure.message
    if violations and (path := violations[0].field):
        # The text of an error begins with its first field.
        message = own_field(path, places) + message.removeprefix(path)
    fields = tuple(
        FieldFault(field=own_field(each.field, places), message=each.description)
        for each in violations
    )
    retry = failure.detail(error_details_pb2.RetryInfo)
    is_told = retry.HasField("retry_delay")
    return CheckError(
        reason=failure.reason,
        message=message,
        field=next((each.field for each in fields if each.field), None),
        fields=fields,
        retry_after_s=retry.retry_delay.ToMilliseconds() / 1000 if is_told else None,
    )


def own_field(path: str, places: Sequence[int] = ()) -> str:
    """A field of VerifyAnswerRequest as the chatbot calls it; `places` as for `refused`.

    `evidence.sources[1].document.text` is its `sources[1].text`, or `sources[2].text` if it sent a
    blank one before that.
    """

    def own_place(found: re.Match[str]) -> str:
        at = int(found[1])
        return f"[{places[at] if at < len(places) else at}]"

    if path == "text":  # of ExtractClaimsRequest
        return "answer"
    own = _DOCUMENT.sub("", _SOURCES.sub("sources", path)).removeprefix("request.")
    return _PLACE.sub(own_place, own, count=1) if own.startswith("sources[") else own
