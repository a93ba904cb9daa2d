"""Which address is served with which credentials.

Knows TLS and loopback. Plain text leaves the machine only when it is asked for by name.
"""

import ipaddress

import grpc

from server.config import ConfigError, read_bytes
from server.settings import ServerSettings


def is_loopback(address: str) -> bool:
    """Whether `host:port` can be reached from this machine only."""
    host = address.rpartition(":")[0].strip("[]")
    if address.startswith("unix:") or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def server_credentials(settings: ServerSettings) -> grpc.ServerCredentials | None:
    """The TLS credentials of the settings; None means plain text.

    Raises ConfigError if plain text would leave the machine, or a file cannot be read.
    """
    if settings.tls_cert_file is None or settings.tls_key_file is None:
        if is_loopback(settings.listen) or settings.allow_plaintext:
            return None
        raise ConfigError(
            f"listen: {settings.listen} is not loopback, and without TLS everyone on the network "
            "could read claims and contexts: set tls_cert_file and tls_key_file, or allow_plaintext"
        )
    chain = read_bytes(settings.tls_cert_file, "tls_cert_file")
    key = read_bytes(settings.tls_key_file, "tls_key_file")
    clients = (
        read_bytes(settings.tls_client_ca_file, "tls_client_ca_file")
        if settings.tls_client_ca_file is not None
        else None
    )
    return grpc.ssl_server_credentials(
        [(key, chain)], root_certificates=clients, require_client_auth=clients is not None
    )
