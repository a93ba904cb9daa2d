"""The application that answers HTTP: its routes, who may call it from where, its errors.

Knows which modules have routes. Does not know what any of them does.
"""

from collections.abc import Callable, Sequence

from starlette.applications import Starlette
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from groundwire_server.http import connect
from groundwire_server.http.upstream import Upstream

ROUTES: tuple[Callable[[Upstream], Sequence[BaseRoute]], ...] = (connect.routes,)
"""Each gives the routes of one door. A new one is a line here."""


def make_application(upstream: Upstream) -> ASGIApp:
    """All routes."""
    return Starlette(routes=[route for routes in ROUTES for route in routes(upstream)])
