"""The server's certificate, for both ports, and how a new one takes the place of an old one.

Connections that are there go on; each new one gets the certificate that is in force then. A pair is
taken only when OpenSSL has taken it, so what is half written never is.
"""

import os
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import grpc

from groundwire_server.access.rotation import Files, Rotated
from groundwire_server.config.sources import ConfigError, read_bytes


@dataclass(frozen=True, slots=True)
class Certificate:
    """PEM texts: the chain, its key, and what clients' certificates must be signed by, if any."""

    chain: bytes
    key: bytes = field(repr=False)
    clients: bytes | None = None


SETTINGS = ("tls_cert_file", "tls_key_file", "tls_client_ca_file")


def read_certificate(
    chain: Path | None,
    key: Path | None,
    clients: Path | None = None,
    names: Sequence[str] = SETTINGS,
) -> Certificate | None:
    """What the files hold that settings of these names give; without chain and key it is plain
    text.

    Raises ConfigError for what cannot be read, or used.
    """
    if chain is None or key is None:
        return None
    found = Certificate(
        read_bytes(chain, names[0]),
        read_bytes(key, names[1]),
        None if clients is None else read_bytes(clients, names[2]),
    )
    try:
        _context(found)
    except (OSError, ssl.SSLError, ValueError) as error:
        *others, last = names
        raise ConfigError(
            f"{', '.join(others)} and {last} cannot be used together: {error}"
        ) from error
    return found


class Certificates:
    """The certificate in force. It can be replaced at any time, from the event loop's thread."""

    def __init__(self, first: Certificate) -> None:
        self._current = first
        self._given = first
        self._context = _context(first)
        # gRPC keeps no reference to what it asks for a certificate.
        self._credentials: grpc.ServerCredentials | None = None

    def replace(self, new: Certificate) -> None:
        """Use another one for new connections. Whether clients need one stays as it was.

        Raises ConfigError if that would change.
        """
        if (new.clients is None) != (self._current.clients is None):
            raise ConfigError("tls_client_ca_file cannot be switched on or off without a restart")
        self._context = _context(new)
        self._current = new

    def for_grpc(self) -> grpc.ServerCredentials:
        """Credentials of the one port of gRPC, which asks here at each handshake."""
        self._credentials = grpc.dynamic_ssl_server_credentials(
            _configuration(self._current),
            self._fetch,  # type: ignore[arg-type]  # None is what gRPC documents, too
            require_client_authentication=self._current.clients is not None,
        )
        return self._credentials

    def for_http(self) -> ssl.SSLContext:
        """The context of one port, which every handshake leaves for the one in force."""
        context = _context(self._current)

        def choose(handshake: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
            handshake.context = self._context

        context.sni_callback = choose
        return context

    def _fetch(self) -> grpc.ServerCertificateConfiguration | None:
        """Called by gRPC in a thread of its own; None leaves it with what it has."""
        current = self._current
        if current is self._given:
            return None
        self._given = current
        return _configuration(current)


def certificates_of(
    chain: Path | None,
    key: Path | None,
    clients: Path | None = None,
    names: Sequence[str] = SETTINGS,
) -> tuple[Certificates | None, Rotated]:
    """What the files hold, None for plain text, and what becomes of it when they change.

    `names` are those of the settings that give the files. Raises ConfigError for what cannot be
    read, or used.
    """
    files = Files(chain, key, clients)
    first = read_certificate(chain, key, clients, names)
    certificates = None if first is None else Certificates(first)

    def read_again() -> None:
        renewed = read_certificate(chain, key, clients, names)
        if certificates is not None and renewed is not None:
            certificates.replace(renewed)

    return certificates, Rotated("certificates", files, read_again)


def _configuration(of: Certificate) -> grpc.ServerCertificateConfiguration:
    return grpc.ssl_server_certificate_configuration([(of.key, of.chain)], of.clients)


def _context(of: Certificate) -> ssl.SSLContext:
    """Raises OSError, ssl.SSLError or ValueError for what OpenSSL does not take."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    chain, key = _in_memory(of.chain), _in_memory(of.key)
    try:
        # A password would be asked for on the terminal.
        context.load_cert_chain(_path(chain), _path(key), password=lambda: "")
    finally:
        os.close(chain)
        os.close(key)
    if of.clients is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        # What stands around the certificates may be in any letters.
        context.load_verify_locations(cadata=of.clients.decode("ascii", "ignore"))
        # Who resumes a session is not asked for a certificate again, so one that is signed by
        # nobody any more would come back by it.
        context.num_tickets = 0
        context.options |= ssl.OP_NO_TICKET
    return context


def _in_memory(text: bytes) -> int:
    """A file that is on no disk: OpenSSL takes a key from files only."""
    file = os.memfd_create("groundwire")
    os.write(file, text)
    return file


def _path(file: int) -> str:
    return f"/proc/self/fd/{file}"
