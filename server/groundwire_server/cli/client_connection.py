"""The Python client of a command that asks a running server.

Knows how settings become a client, and what a command makes of its errors. Makes no call.
"""

import sys

from groundwire import TLS, Client, GroundwireError, InvalidRequestError, UnauthenticatedError
from groundwire_server.config.settings import ClientSettings
from groundwire_server.exit_codes import EXIT_CONFIG, EXIT_UNAVAILABLE


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


def failed(error: GroundwireError) -> int:
    """Say what went wrong with a call, and return the command's exit code."""
    print(f"groundwire: {error}", file=sys.stderr)
    is_wrong = isinstance(error, InvalidRequestError | UnauthenticatedError)
    return EXIT_CONFIG if is_wrong else EXIT_UNAVAILABLE
