"""The HTTP port: opened, served by uvicorn in the server's own loop, and drained with the
server."""

import asyncio
import contextlib
import logging
import math
import ssl
import time
from asyncio.sslproto import SSLProtocol
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from groundwire_server.access.certificates import Certificates
from groundwire_server.config.addresses import (
    HANDSHAKE_TIMEOUT_S,
    KEEP_ALIVE_S,
    bound_sockets,
    max_connections,
)
from groundwire_server.rpc.reception import Incoming

WRITE_TIMEOUT_S = 60.0
"""How long a client may take next to nothing of what it is sent."""

LOG_PAUSE_S = 60.0


class HttpServer:
    """Serves an application on a port from `start` until `drain`."""

    def __init__(
        self,
        application: ASGIApp,
        setting: str,
        address: str,
        certificates: Certificates | None,
        incoming: Incoming,
    ) -> None:
        """Open the port of `address`, which `setting` holds, with TLS if there are `certificates`.

        `incoming` bounds the bodies that have not come whole.

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
            # uvicorn itself would read the files, and only once, and asyncio tells of a connection
            # only after its handshake.
            context = certificates.for_http()
            config.http_protocol_class = lambda **given: _Handshaking(  # type: ignore[assignment]
                _Bounded(**given), context
            )
        # It has a line for every request that is not HTTP.
        logging.getLogger("uvicorn").setLevel(logging.ERROR)
        logging.getLogger("asyncio").addFilter(_once_a_minute)
        self._incoming = incoming
        self._server = _Uvicorn(config)
        self._serving: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Answer from now on."""
        self._serving = asyncio.create_task(self._server.serve(self.listening))

    def connections(self) -> int:
        """How many there are now."""
        return len(self._server.server_state.connections)

    async def drain(self, grace_s: float) -> None:
        """Take no new calls, let those in flight finish for so long, and close the port.

        A request that has not come whole is none in flight.
        """
        self._incoming.end()
        self._server.config.timeout_graceful_shutdown = math.ceil(grace_s)
        self._server.should_exit = True
        if self._serving is not None:
            await self._serving
            self._serving = None


class _Bounded(H11Protocol):
    """A connection, one of `max_connections` from when it is taken, before any handshake.

    One more ends the one that has had no request for longest. Without one for KEEP_ALIVE_S it ends,
    however much of a head has come: uvicorn has no limit for that.
    """

    _timer: asyncio.TimerHandle | None = None
    _idle_since_s = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take requests over it."""
        super().connection_made(transport)
        self.begin(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave no timer behind."""
        super().connection_lost(exc)
        self.forget()

    def begin(self, transport: asyncio.Transport) -> None:
        """Count it, and end another one if they are too many."""
        self.transport = transport
        self.connections.add(self)
        self._rest()
        if len(self.connections) > max_connections():
            idle = [each for each in self.connections if isinstance(each, _Bounded) and each._idle]
            ended = min(idle, key=lambda each: each._idle_since_s)
            # It is lost only in the loop's next turn, and many may begin in one.
            self.connections.discard(ended)
            ended.transport.abort()

    def forget(self) -> None:
        """Count it no more."""
        self.connections.discard(self)
        self._unset()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the client to take what it was sent."""
        super().on_response_complete()
        if not self.flow.write_paused:
            self._rest()

    def pause_writing(self) -> None:
        """The client does not take what it is sent: give it a time to."""
        super().pause_writing()
        self._unset()
        self._timer = self.loop.call_later(WRITE_TIMEOUT_S, self.transport.abort)

    def resume_writing(self) -> None:
        """The client takes it again."""
        super().resume_writing()
        self._rest()

    @property
    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _rest(self) -> None:
        self._idle_since_s = self.loop.time()
        self._unset()
        self._timer = self.loop.call_later(self.timeout_keep_alive, self._end_if_idle)

    def _unset(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _end_if_idle(self) -> None:
        if self._idle:
            self.transport.abort()


class _Handshaking(SSLProtocol):
    """The TLS of a connection, which counts as one before its handshake."""

    def __init__(self, http: _Bounded, context: ssl.SSLContext) -> None:
        super().__init__(
            http.loop,
            http,
            context,
            None,  # type: ignore[arg-type]  # asyncio's own: nobody waits for the handshake
            server_side=True,
            ssl_handshake_timeout=HANDSHAKE_TIMEOUT_S,
        )
        self._http = http

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin the handshake."""
        super().connection_made(transport)
        self._http.begin(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        """End the protocol inside: asyncio does not tell it when a handshake fails."""
        super().connection_lost(exc)
        self._http.forget()


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
