"""What describes the door to its users: the OpenAPI document, and a page to try it out.

Both are answered without a token, since they say nothing of this server. Nothing on the page comes
from elsewhere.
"""

import importlib.util
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from groundwire_server.doors.upstream import Upstream

HEADERS = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
"""What keeps a page from loading anything from elsewhere, and from being a part of another."""


def _folder_of(package: str) -> Path:
    """Where a package lies, which is not imported: at its import this one reads 9 MB."""
    found = importlib.util.find_spec(package)
    places = found.submodule_search_locations if found is not None else None
    if not places:
        raise ImportError(f"No module named {package!r}")
    return Path(places[0])


DOCS = Path(__file__).with_name("docs")
SWAGGER_UI = _folder_of("offapi")

FILES = {
    "/openapi.json": DOCS / "openapi.json",
    "/docs": DOCS / "page.html",
    "/docs/page.js": DOCS / "page.js",
    "/docs/swagger-ui.js": SWAGGER_UI / "swagger_bundle.js",
    "/docs/swagger-ui.css": SWAGGER_UI / "swagger_style.css",
}


def routes(_: Upstream) -> Sequence[BaseRoute]:
    """One for each file."""
    return [Route(path, _responder(file)) for path, file in FILES.items()]


def _responder(file: Path) -> Callable[[Request], Awaitable[Response]]:
    async def respond(_: Request) -> Response:
        return FileResponse(file, headers=HEADERS)

    return respond
