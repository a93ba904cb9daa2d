"""MCP over streamable HTTP: a port of its own, and who may reach it.

Each client's bearer token goes on to the gRPC server. A page in a browser cannot use the port of
its user by another name for it: Host and Origin are checked.
"""

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from groundwire._wire.settings import DEFAULT_MAX_MESSAGE_BYTES
from groundwire_server.access.certificates import certificates_of
from groundwire_server.access.rotation import Rotation
from groundwire_server.config.addresses import KEEP_ALIVE_S, bound_sockets, host_and_port
from groundwire_server.config.credentials import is_loopback
from groundwire_server.config.sources import ConfigError

log = logging.getLogger("groundwire.mcp")

PATH = "/mcp"
RECEIVE_TIMEOUT_S = 30.0
"""How long a client may take to send a body: 16 MiB at 4.5 Mbit/s, as over gRPC."""

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
        if not host_and_port("--http-listen", self.listen)[0]:
            raise ConfigError(
                f"--http-listen: {self.listen} names no host: give 127.0.0.1:8090, say"
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
        names = [name.lower().removesuffix(".") for name in self.hosts]
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
            _in_time(_by_plain_host(app)),
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=GRACE_S,
        )
        config.load()
        certificates, self.rotated = certificates_of(address.cert_file, address.key_file)
        """What becomes of its certificate when the files change."""
        if certificates is not None:
            config.ssl = certificates.for_http()
        self._sockets = bound_sockets("--http-listen", address.listen)
        for each in self._sockets:
            # Who comes before `serve` waits for it.
            each.listen()
        self._server = _Uvicorn(config)
        self.url = f"{address.scheme}://{host}:{self._sockets[0].getsockname()[1]}{PATH}"
        """Where clients reach it."""

    async def serve(self) -> None:
        """Answer until `stop`, and give calls in flight GRACE_S."""
        log.info("listening on %s", self.url)
        rotation = Rotation([self.rotated])
        try:
            with contextlib.ExitStack() as opened:
                for each in self._sockets:
                    opened.enter_context(each)
                await self._server.serve(sockets=self._sockets)
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


def _by_plain_host(app: ASGIApp) -> ASGIApp:
    """The same application, for which case and a last dot of the host's name do not count."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = [
                (name, _plain(value) if name == b"host" else value)
                for name, value in scope["headers"]
            ]
            scope = {**scope, "headers": headers}
        await app(scope, receive, send)

    return answer


def _in_time(app: ASGIApp) -> ASGIApp:
    """The same application, to which a client that does not send its body in time is gone."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        until_s = asyncio.get_running_loop().time() + RECEIVE_TIMEOUT_S
        is_whole = False

        async def receive_in_time() -> Message:
            nonlocal is_whole
            if is_whole:
                return await receive()
            try:
                async with asyncio.timeout_at(until_s):
                    message = await receive()
            except TimeoutError:
                return {"type": "http.disconnect"}
            is_whole = not message.get("more_body", False)
            return message

        await app(scope, receive_in_time, send)

    return answer


def _plain(host: bytes) -> bytes:
    name, colon, port = host.lower().partition(b":")
    return name.removesuffix(b".") + colon + port
