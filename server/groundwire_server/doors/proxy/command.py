"""`groundwire proxy`: stands before a chat endpoint, as a client of a Groundwire server."""

import asyncio
import contextlib
import logging
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

from groundwire import ConfigurationError
from groundwire_server.access.certificates import certificates_of
from groundwire_server.access.logins import Logins
from groundwire_server.access.rotation import Files, Rotated, Rotation
from groundwire_server.client_connection import connect_async
from groundwire_server.config.access import KnownToken, tokens_in
from groundwire_server.config.credentials import is_loopback
from groundwire_server.config.settings import ClientSettings
from groundwire_server.config.sources import IN_FILE, ConfigError
from groundwire_server.doors.edge import hosts
from groundwire_server.doors.listen import HttpServer
from groundwire_server.doors.proxy.answering import Treatment
from groundwire_server.doors.proxy.door import Proxy, make_application
from groundwire_server.doors.proxy.upstream import ChatEndpoint
from groundwire_server.endpoints.registry import checked_url, endpoint_key
from groundwire_server.exit_codes import EXIT_OK
from groundwire_server.records.log_lines import TEXT_FORM
from groundwire_server.rpc.reception import Incoming

log = logging.getLogger("groundwire.proxy")

CERTIFICATE = ("--listen-cert-file", "--listen-key-file")

GRACE_S = 30.0
"""How long replies may take to end once the proxy is stopped."""


@dataclass(frozen=True, slots=True)
class ProxyArguments:
    """Where the proxy stands, and what it does with replies."""

    upstream: str
    upstream_key_file: Path | None
    upstream_silence_s: float
    """How long the upstream may send nothing."""
    listen: str
    cert_file: Path | None
    key_file: Path | None
    """The proxy's certificate and its key; None: it speaks without TLS."""
    token_file: Path | None
    """The tokens that clients are let in with; None: none is asked for."""
    evidence: tuple[str, ...]
    """What of a request is evidence: some of KINDS."""
    keep_fields: bool
    treatment: Treatment
    parallel: int
    """Requests at one time."""


def run_proxy(client: ClientSettings, arguments: ProxyArguments) -> int:
    """Serve until SIGTERM or SIGINT. Returns the exit code. Raises ConfigError."""
    logging.basicConfig(level=logging.INFO, format=TEXT_FORM)
    try:
        asyncio.run(_serve(client, arguments))
    except ConfigurationError as error:
        raise ConfigError(str(error)) from error
    return EXIT_OK


def _upstream_key(arguments: ProxyArguments) -> str:
    file = arguments.upstream_key_file
    return endpoint_key(
        "--upstream-key-file", None if file is None else SecretStr(f"{IN_FILE}{file}")
    )


async def _serve(client: ClientSettings, arguments: ProxyArguments) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with serving_proxy(client, arguments) as server:
        place = urlsplit(arguments.upstream).netloc
        scheme = "https" if arguments.cert_file else "http"
        log.info("%s://%s/v1 stands before %s", scheme, server.target, place)
        await stop.wait()


class _Entrance:
    """Who is let in, by a file of tokens that is read again when it changes."""

    def __init__(self, path: Path) -> None:
        """Read the file. Raises ConfigError."""
        self._path = path
        self.rotated = Rotated("tokens", Files(path), self._read_again)
        self.logins = Logins(self._tokens())

    def _tokens(self) -> list[KnownToken]:
        tokens = tokens_in(self._path, "--token-file")
        if not tokens:
            raise ConfigError(
                f"--token-file: {self._path} holds no token: add lines that "
                "`groundwire token new` prints"
            )
        return tokens

    def _read_again(self) -> None:
        self.logins.replace(self._tokens())


@contextlib.asynccontextmanager
async def serving_proxy(
    client: ClientSettings, arguments: ProxyArguments
) -> AsyncIterator[HttpServer]:
    """A proxy that answers; at the end replies have GRACE_S to end.

    Raises ConfigError, or the client's ConfigurationError.
    """
    url = checked_url("--upstream", arguments.upstream, allow_plaintext=client.allow_plaintext)
    key = _upstream_key(arguments)
    is_here = is_loopback(arguments.listen)
    if (arguments.cert_file is None) != (arguments.key_file is None):
        raise ConfigError(f"{' and '.join(CERTIFICATE)} need each other: give both or none")
    certificates, certificates_rotated = certificates_of(
        arguments.cert_file, arguments.key_file, names=CERTIFICATE
    )
    if not is_here and certificates is None and not client.allow_plaintext:
        raise ConfigError(
            f"--listen: {arguments.listen} is not loopback, and without TLS everyone on the "
            f"network could read chats and keys: give {' and '.join(CERTIFICATE)}, or "
            "--allow-plaintext where the network itself is protected"
        )
    entrance = _Entrance(arguments.token_file) if arguments.token_file else None
    if not is_here and entrance is None:
        if key:
            raise ConfigError(
                f"--listen: {arguments.listen} is not loopback, and everyone who reaches it would "
                "spend with the key of --upstream-key-file: give --token-file"
            )
        log.warning("everyone who reaches %s is let in: --token-file asks who", arguments.listen)
    logins = entrance.logins if entrance else None
    token = client.token.get_secret_value() if client.token else None
    async with connect_async(client, token) as asked:
        upstream = ChatEndpoint(url, key, arguments.upstream_silence_s)
        try:
            proxy = Proxy(
                upstream,
                asked,
                client.timeout_s,
                arguments.evidence,
                arguments.keep_fields,
                arguments.treatment,
                hosts(None, arguments.listen, guarded=logins is not None),
                logins,
                arguments.parallel,
            )
            incoming = Incoming()
            application = make_application(proxy, incoming)
            server = HttpServer(application, "--listen", arguments.listen, certificates, incoming)
            server.start()
            tokens_rotated = [entrance.rotated] if entrance else []
            rotation = Rotation([certificates_rotated, *tokens_rotated])
            try:
                yield server
            finally:
                await rotation.close()
                await server.drain(GRACE_S)
        finally:
            await upstream.close()
