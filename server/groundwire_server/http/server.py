"""The HTTP port: opened, served by uvicorn in the server's own loop, and drained with the server.

Knows sockets, TLS and uvicorn. Does not know a route.
"""

import asyncio
import contextlib
import logging
import math
import socket
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp

from groundwire_server.access.certificates import Certificates
from groundwire_server.config.credentials import check_plaintext
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError

KEEP_ALIVE_S = 60
MAX_PORT = 65535


class HttpServer:
    """Serves an application on the port of the settings from `start` until `drain`."""

    def __init__(
        self,
        application: ASGIApp,
        address: str,
        settings: ServerSettings,
        certificates: Certificates | None,
    ) -> None:
        """Open the port of `http_listen`, with TLS if there are `certificates`.

        Raises ConfigError.
        """
        check_plaintext(settings, "http_listen", address)
        self.listening = _bind(address)
        host, _, _ = address.rpartition(":")
        self.target = f"{host}:{self.listening.getsockname()[1]}"
        """Where clients reach it."""
        config = uvicorn.Config(
            application,
            http="h11",
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
        self._server = _Uvicorn(config)
        self._serving: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Answer from now on."""
        self._serving = asyncio.create_task(self._server.serve([self.listening]))

    async def drain(self, grace_s: float) -> None:
        """Take no new calls, let those in flight finish for so long, and close the port."""
        self._server.config.timeout_graceful_shutdown = math.ceil(grace_s)
        self._server.should_exit = True
        if self._serving is not None:
            await self._serving
            self._serving = None


class _Uvicorn(uvicorn.Server):
    """uvicorn without its handlers of signals: the process has its own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _bind(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    try:
        if int(port) > MAX_PORT:
            raise ValueError(f"ports end at {MAX_PORT}")
        found = socket.getaddrinfo(
            host.strip("[]") or None, int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, place = found[0]
        # Without its protocol named, asyncio does not know it for TCP and leaves Nagle's algorithm
        # on, which holds the body of each response back for 40 ms.
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(place)
        except OSError:
            listening.close()
            raise
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"http_listen: {address} cannot be used (is another server on it?): {error}"
        ) from error
    listening.setblocking(False)
    return listening
