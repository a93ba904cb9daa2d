"""The HTTP door: its port, its routes, and which web pages may call them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from http import HTTPStatus
from typing import cast

import grpc
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from groundwire_server.access.certificates import Certificates
from groundwire_server.access.logins import Logins
from groundwire_server.config.credentials import check_plaintext
from groundwire_server.config.settings import ServerSettings
from groundwire_server.doors.chatbot import hallucination_check
from groundwire_server.doors.edge import PROBES, Edge, hosts, listed
from groundwire_server.doors.failures import made_up, refusal
from groundwire_server.doors.http import connect, documents, mcp_tools
from groundwire_server.doors.listen import HttpServer
from groundwire_server.doors.upstream import TIMEOUT_HEADERS, Upstream
from groundwire_server.rpc.dispatch import Dispatch
from groundwire_server.rpc.reception import Incoming

ROUTES: tuple[Callable[[Upstream], Sequence[BaseRoute]], ...] = (
    connect.routes,
    documents.routes,
    hallucination_check.routes,
    mcp_tools.routes,
)
"""Each gives the routes of one door. A new one is a line here."""

ALLOWED_HEADERS = (
    "authorization",
    "traceparent",
    "tracestate",
    "x-request-id",
    *TIMEOUT_HEADERS,
    "connect-protocol-version",
    "x-groundwire-context",
    "x-grpc-web",
    "x-user-agent",
)
"""What pages may send beside what browsers let them send anyway."""

EXPOSED_HEADERS = ("grpc-message", "grpc-status", "grpc-status-details-bin", "retry-after")


def open_door(
    settings: ServerSettings,
    dispatch: Dispatch,
    services: Sequence[str],
    *,
    logins: Logins | None,
    certificates: Certificates | None,
    serves: Callable[[], bool],
) -> HttpServer:
    """Open the HTTP port for calls of `dispatch`. `serves` is for probes. Raises ConfigError."""
    upstream = Upstream(dispatch, tuple(services), logins, settings.max_claims)
    guarded = logins is not None or settings.tls_client_ca_file is not None
    address = settings.http_listen or ""
    allowed = hosts(settings.http_hosts, address, guarded=guarded)
    incoming = Incoming()
    origins = listed(settings.http_origins)
    application = make_application(upstream, origins, allowed, serves, incoming)
    check_plaintext(settings, "http_listen", address)
    return HttpServer(application, "http_listen", address, certificates, incoming)


def make_application(
    upstream: Upstream,
    origins: Collection[str],
    hosts: Collection[str],
    serves: Callable[[], bool],
    incoming: Incoming,
) -> Starlette:
    """All routes, for pages of these origins and requests for these names.

    `incoming` bounds the bodies that have not come whole. `/healthz`, `/livez` and
    `/readyz` are for probes: that it answers, twice, and that it `serves`.
    """

    async def live(_: Request) -> Response:
        return PlainTextResponse("OK\n")

    async def ready(request: Request) -> Response:
        if serves():
            return await live(request)
        return PlainTextResponse("NOT_SERVING\n", HTTPStatus.SERVICE_UNAVAILABLE)

    cors = Middleware(
        CORSMiddleware,
        allow_origins=origins,
        allow_methods=("GET", "POST"),
        allow_headers=ALLOWED_HEADERS,
        expose_headers=EXPOSED_HEADERS,
    )
    edge = Middleware(Edge, upstream=upstream, hosts=hosts, incoming=incoming)
    application = Starlette(
        routes=[
            *(route for routes in ROUTES for route in routes(upstream)),
            *(Route(path, probe) for path, probe in zip(PROBES, (live, live, ready), strict=True)),
        ],
        middleware=[cors, edge] if origins else [edge],
        exception_handlers={HTTPException: _say},
    )
    application.router.redirect_slashes = False
    return application


async def _say(_: Request, error: Exception) -> Response:
    """What is said of a request that no route takes."""
    refused = cast(HTTPException, error)
    allowed = (refused.headers or {}).get("Allow", "another method")
    words: Mapping[int, str] = {
        HTTPStatus.NOT_FOUND: "nothing is here: /openapi.json lists the paths",
        HTTPStatus.METHOD_NOT_ALLOWED: f"this path takes {allowed} alone",
    }
    is_plain = refused.detail == HTTPStatus(refused.status_code).phrase
    text = words.get(refused.status_code, refused.detail) if is_plain else refused.detail
    failure = made_up(grpc.StatusCode.UNIMPLEMENTED, text)
    return refusal(failure, refused.status_code, refused.headers)
