"""MCP over streamable HTTP: a port of its own, and who may reach it.

Knows addresses, TLS, and which Host and Origin a request may name: a page in a browser cannot use
the port of its user by another name for it. Each client's bearer token goes on to the gRPC server.
"""

import contextlib
import logging
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings

from groundwire._wire.settings import DEFAULT_MAX_MESSAGE_BYTES
from groundwire_server.access.certificates import certificates_of
from groundwire_server.access.rotation import Rotation
from groundwire_server.config.credentials import is_loopback
from groundwire_server.config.sources import ConfigError

log = logging.getLogger("groundwire.mcp")

PATH = "/mcp"
GRACE_S = 5
"""How long calls in flight may take when the process is told to end."""


@dataclass(frozen=True, slots=True)
class WebAddress:
    """Where clients reach the port. `hosts` are names of it beside that of `listen`."""

    listen: str
    hosts: tuple[str, ...]
    cert_file: Path | None
    key_file: Path | None
    allow_plaintext: bool

    @property
    def scheme(self) -> str:
        """That of its addresses."""
        return "http" if self.cert_file is None else "https"

    def check(self) -> None:
        """Raises ConfigError if the address is none, or would be open to a network unprotected."""
        host, colon, port = self.listen.rpartition(":")
        if not host or not colon or not port.isdecimal():
            raise ConfigError(
                f"--http-listen: {self.listen!r} is no address: give host and port, such as "
                "127.0.0.1:8080"
            )
        if (self.cert_file is None) != (self.key_file is None):
            raise ConfigError("--tls-cert-file and --tls-key-file need each other: give both")
        if is_loopback(self.listen):
            return
        if self.cert_file is None and not self.allow_plaintext:
            raise ConfigError(
                f"--http-listen: {self.listen} is not loopback, and without TLS everyone on the "
                "network could read tokens and texts: give --tls-cert-file and --tls-key-file, or "
                "--allow-plaintext"
            )
        if not self.hosts:
            raise ConfigError(
                f"--http-listen: {self.listen} is not loopback: give --http-host with the name "
                "that clients reach it by, since requests for any other are refused"
            )

    def security(self) -> TransportSecuritySettings:
        """Which hosts and origins a request may name."""
        names = [*self.hosts]
        if is_loopback(self.listen):
            names += ["127.0.0.1", "localhost", "[::1]"]
        origins = [f"{self.scheme}://{name}" for name in names]
        return TransportSecuritySettings(
            allowed_hosts=[*names, *(f"{name}:*" for name in names)],
            allowed_origins=[*origins, *(f"{origin}:*" for origin in origins)],
        )


class WebServer:
    """Serves MCP on an address from `serve` until `stop`."""

    def __init__(self, server: Server[dict[str, Any]], address: WebAddress) -> None:
        """Open the port. Raises ConfigError."""
        host = address.listen.rpartition(":")[0]
        app = server.streamable_http_app(
            streamable_http_path=PATH,
            stateless_http=True,
            # Not one JSON document: a stream has the progress, and tells that its client has left.
            json_response=False,
            transport_security=address.security(),
            max_request_body_size=DEFAULT_MAX_MESSAGE_BYTES,
            host=host,
        )
        config = uvicorn.Config(
            app,
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE_S,
        )
        config.load()
        certificates, self.rotated = certificates_of(address.cert_file, address.key_file)
        """What becomes of its certificate when the files change."""
        if certificates is not None:
            config.ssl = certificates.for_http()
        self._socket = _bound(address.listen)
        self._server = _Uvicorn(config)
        self.url = f"{address.scheme}://{host}:{self._socket.getsockname()[1]}{PATH}"
        """Where clients reach it."""

    async def serve(self) -> None:
        """Answer until `stop`, and give calls in flight GRACE_S."""
        log.info("listening on %s", self.url)
        rotation = Rotation([self.rotated])
        try:
            with self._socket:
                await self._server.serve(sockets=[self._socket])
        finally:
            await rotation.close()

    def stop(self) -> None:
        """Have `serve` end."""
        self._server.should_exit = True


class _Uvicorn(uvicorn.Server):
    """uvicorn without its handlers of signals, which end the process before its other parts."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals as they are."""
        yield


def _bound(listen: str) -> socket.socket:
    host, _, port = listen.rpartition(":")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Its protocol is named, since asyncio sends at once on such sockets only; else a part of an
    # answer waits 40 ms until the client acknowledges the one before.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host.strip("[]"), int(port)))
        listening.listen()
    except (OSError, OverflowError) as error:
        listening.close()
        raise ConfigError(f"--http-listen: {listen} cannot be used: {error}") from error
    return listening
