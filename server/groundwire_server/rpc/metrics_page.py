"""The metrics port: Prometheus's page, and probes for supervisors that know HTTP alone.

`/livez` is 200 while the server's event loop answers, `/readyz` while it serves, too; all else but
`/metrics` is 404. Threads of its own answer, so that a server that stands still is seen to.
"""

import threading
from collections.abc import Callable, Iterable
from http import HTTPStatus
from wsgiref.simple_server import WSGIRequestHandler
from wsgiref.types import StartResponse, WSGIEnvironment

from prometheus_client import make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

from groundwire_server.config.addresses import bound_sockets

LIVE, READY = "/livez", "/readyz"


class MetricsPage:
    """Answers on an address until `close`. `serves` is asked in a thread, and raises TimeoutError
    where the server does not answer."""

    def __init__(self, address: str, serves: Callable[[], bool]) -> None:
        """Open the port. Raises ConfigError."""
        prometheus = make_wsgi_app()

        def answer(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
            path = environ["PATH_INFO"]
            if path == "/metrics":
                pages: Iterable[bytes] = prometheus(environ, start)
                return pages
            status = _probed(path, serves)
            start(f"{status.value} {status.phrase}", [("content-type", "text/plain")])
            return [f"{status.phrase}\n".encode()]

        self._servers: list[ThreadingWSGIServer] = []
        for listening in bound_sockets("metrics_listen", address):
            place = listening.getsockname()
            server = ThreadingWSGIServer(place[:2], _Quiet, bind_and_activate=False)
            server.socket.close()
            server.socket = listening
            server.server_name, server.server_port = place[:2]
            server.setup_environ()
            server.set_app(answer)
            server.server_activate()
            self._servers.append(server)
            self.port = int(place[1])
        for each in self._servers:
            threading.Thread(target=each.serve_forever, name="groundwire-page", daemon=True).start()

    def close(self) -> None:
        """Answer no more."""
        for server in self._servers:
            server.shutdown()
            server.server_close()


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nothing: a page is read every few seconds."""


def _probed(path: str, serves: Callable[[], bool]) -> HTTPStatus:
    if path not in (LIVE, READY):
        return HTTPStatus.NOT_FOUND
    try:
        is_fine = serves() or path == LIVE
    except TimeoutError:
        is_fine = False
    return HTTPStatus.OK if is_fine else HTTPStatus.SERVICE_UNAVAILABLE
