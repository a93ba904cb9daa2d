"""The Python client of a command that asks a running server.

Knows how settings become a client. Makes no call.
"""

from groundwire import TLS, Client
from server.settings import ClientSettings


def connect(settings: ClientSettings) -> Client:
    """A client for these settings; leave it with `with`.

    Raises the client's ConfigurationError if they cannot be used.
    """
    tls = None
    if settings.ca_file is not None or settings.cert_file is not None:
        tls = TLS(
            ca_file=settings.ca_file, cert_file=settings.cert_file, key_file=settings.key_file
        )
    return Client(
        settings.target,
        token=settings.token.get_secret_value() if settings.token else None,
        timeout_s=settings.timeout_s,
        tls=tls,
        allow_plaintext=settings.allow_plaintext,
    )
