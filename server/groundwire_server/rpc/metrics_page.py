"""The metrics port: Prometheus's page, and probes for supervisors that know HTTP alone.

`/livez` is 200 while the server's event loop answers, `/readyz` while it serves, too; all else but
`/metrics` is 404. Threads of its own answer, so that a server that stands still is seen to.
"""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterable
from http import HTTPStatus
from wsgiref.simple_server import WSGIRequestHandler
from wsgiref.types import StartResponse, WSGIEnvironment

from prometheus_client import make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

from groundwire_server.config.addresses import bound_sockets

LIVE, READY = "/livez", "/readyz"

MAX_CONNECTIONS = 64
"""Connections at one time, a thread each. One more ends the oldest: a page takes milliseconds."""

REQUEST_TIMEOUT_S = 10.0
"""How long a peer may send or take nothing."""


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

        self._servers: list[_Bounded] = []
        for listening in bound_sockets("metrics_listen", address):
            place = listening.getsockname()
            server = _Bounded(place[:2])
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
            # Its thread looks each half second whether it is to end, and at once where its port
            # has something to say.
            with contextlib.suppress(OSError):
                server.socket.shutdown(socket.SHUT_RDWR)
            server.shutdown()
            server.server_close()


class _Quiet(WSGIRequestHandler):
    timeout = REQUEST_TIMEOUT_S

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: a page is read every few seconds."""


_Request = socket.socket | tuple[bytes, socket.socket]
"""As socketserver has it; over TCP the first."""


def _socket_of(request: _Request) -> socket.socket:
    return request[1] if isinstance(request, tuple) else request


class _Bounded(ThreadingWSGIServer):
    """A server with at most MAX_CONNECTIONS."""

    def __init__(self, address: tuple[str, int]) -> None:
        super().__init__(address, _Quiet, bind_and_activate=False)
        self._lock = threading.Lock()
        self._open: dict[_Request, None] = {}

    def process_request(self, request: _Request, client_address: object) -> None:
        """Answer a connection in a thread of its own, and end the oldest if they are too many."""
        with self._lock:
            if len(self._open) >= MAX_CONNECTIONS:
                oldest = next(iter(self._open))
                del self._open[oldest]
                # Its thread stops waiting for it, and closes it.
                with contextlib.suppress(OSError):
                    _socket_of(oldest).shutdown(socket.SHUT_RDWR)
            self._open[request] = None
        super().process_request(request, client_address)

    def shutdown_request(self, request: _Request) -> None:
        """End a connection."""
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: _Request, client_address: object) -> None:
        """Nothing: a peer that has left is no fault of this server."""


def _probed(path: str, serves: Callable[[], bool]) -> HTTPStatus:
    if path not in (LIVE, READY):
        return HTTPStatus.NOT_FOUND
    try:
        is_fine = serves() or path == LIVE
    except TimeoutError:
        is_fine = False
    return HTTPStatus.OK if is_fine else HTTPStatus.SERVICE_UNAVAILABLE
