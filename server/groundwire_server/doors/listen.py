"""The HTTP port: opened, served by uvicorn in the server's own loop, and drained with the
server."""

import asyncio
import contextlib
import logging
import math
import resource
import time
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from groundwire_server.access.certificates import Certificates
from groundwire_server.config.addresses import KEEP_ALIVE_S, bound_sockets

MAX_CONNECTIONS = 4000
"""Connections at one time, and never more than half of what the process may open. One more is
closed: it needs no token, and calls by gRPC, files and the log need descriptors, too."""

LOG_PAUSE_S = 60.0


class HttpServer:
    """Serves an application on a port from `start` until `drain`."""

    def __init__(
        self,
        application: ASGIApp,
        setting: str,
        address: str,
        certificates: Certificates | None,
        incoming: set[asyncio.Timeout],
    ) -> None:
        """Open the port of `address`, which `setting` holds, with TLS if there are `certificates`.

        `incoming` has the time limits of bodies that have not come whole.

        Raises ConfigError.
        """
        self.listening = bound_sockets(setting, address)
        host, _, _ = address.rpartition(":")
        self.target = f"{host}:{self.listening[0].getsockname()[1]}"
        """Where clients reach it."""
        config = uvicorn.Config(
            application,
            http=_Bounded,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_S,
        )
        config.load()
        if certificates is not None:
            # uvicorn itself would read the files, and only once.
            config.ssl = certificates.for_http()
        # It has a line for every request that is not HTTP.
        logging.getLogger("uvicorn").setLevel(logging.ERROR)
        logging.getLogger("asyncio").addFilter(_once_a_minute)
        self._incoming = incoming
        self._server = _Uvicorn(config)
        self._serving: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Answer from now on."""
        self._serving = asyncio.create_task(self._server.serve(self.listening))

    async def drain(self, grace_s: float) -> None:
        """Take no new calls, let those in flight finish for so long, and close the port.

        A request that has not come whole is none in flight.
        """
        for limit in tuple(self._incoming):
            limit.reschedule(asyncio.get_running_loop().time())
        self._server.config.timeout_graceful_shutdown = math.ceil(grace_s)
        self._server.should_exit = True
        if self._serving is not None:
            await self._serving
            self._serving = None


class _Bounded(H11Protocol):
    """A connection, one of MAX_CONNECTIONS."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin it, or end it at once."""
        super().connection_made(transport)
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if len(self.connections) > min(MAX_CONNECTIONS, soft // 2):
            transport.abort()


class _OnceAMinute(logging.Filter):
    """Thins out asyncio's lines on connections that cannot be taken, thousands in a second."""

    def __init__(self) -> None:
        super().__init__()
        self._last_s = -LOG_PAUSE_S

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is logged; without its traceback, which says nothing more."""
        if not record.getMessage().startswith("socket.accept() out of system resource"):
            return True
        now_s = time.monotonic()
        is_due = now_s - self._last_s >= LOG_PAUSE_S
        if is_due:
            self._last_s = now_s
            record.msg, record.args = "no connection can be taken: out of file descriptors", ()
            record.exc_info = None
        return is_due


_once_a_minute = _OnceAMinute()


class _Uvicorn(uvicorn.Server):
    """uvicorn without its handlers of signals: the process has its own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
