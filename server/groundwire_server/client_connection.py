"""The Python client of a command that asks a running server."""

import re
import sys

from groundwire import (
    TLS,
    AsyncClient,
    Client,
    ConfigurationError,
    DeadlineExceededError,
    GroundwireError,
    InvalidRequestError,
    NotEnabledError,
    ResourceExhaustedError,
    UnauthenticatedError,
    UnavailableError,
)
from groundwire._wire.settings import is_loopback
from groundwire_server.config.settings import ClientSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_CONFIG, EXIT_UNAVAILABLE

_NAMES_ITS_PORT = re.compile(
    # A socket's file, or host and port, where an IPv6 host stands in brackets.
    r"unix(?:-abstract)?:.+|(?:.*[/,]|dns:|ipv[46]:)?(?:\[[^\[\]]+\]|[^\[\]:/,]+):[0-9]+"
)


def connect(settings: ClientSettings) -> Client:
    """A client for these settings; leave it with `with`.

    Raises ConfigError, or the client's ConfigurationError, if they cannot be used.
    """
    return Client(
        settings.target,
        token=_token(settings),
        timeout_s=settings.timeout_s,
        tls=_tls(settings),
        allow_plaintext=settings.allow_plaintext,
        options=_options(settings),
    )


def connect_async(settings: ClientSettings, token: str | None) -> AsyncClient:
    """The same for asyncio, with a token in place of that of the settings."""
    return AsyncClient(
        settings.target,
        token=token,
        timeout_s=settings.timeout_s,
        tls=_tls(settings),
        allow_plaintext=settings.allow_plaintext,
        options=_options(settings),
    )


def _token(settings: ClientSettings) -> str | None:
    return settings.token.get_secret_value() if settings.token else None


def _options(settings: ClientSettings) -> tuple[tuple[str, str], ...]:
    name = settings.server_name
    return () if name is None else (("grpc.ssl_target_name_override", name),)


def _tls(settings: ClientSettings) -> TLS | None:
    if settings.ca_file is None and settings.cert_file is None:
        if not _NAMES_ITS_PORT.fullmatch(settings.target):
            # gRPC would take 443, which is for TLS alone.
            host = settings.target.removesuffix(":")
            is_host = host.endswith("]") or (host and ":" not in host)
            raise ConfigError(
                f"--target: {settings.target!r} lacks a host or a port: give both, such as "
                f"{host if is_host else '127.0.0.1'}:50051"
            )
        if not settings.allow_plaintext and not is_loopback(settings.target):
            raise ConfigError(
                f"--target: {settings.target} is not loopback, and without TLS everyone between "
                "here and there can read claims and the token: give --ca-file, or "
                "--allow-plaintext where the network itself is protected"
            )
        return None
    return TLS(ca_file=settings.ca_file, cert_file=settings.cert_file, key_file=settings.key_file)


def failed(error: GroundwireError, settings: ClientSettings) -> int:
    """Say what went wrong with a call, and return the command's exit code.

    Raises ConfigError if there was no call, since the client's arguments cannot be used.
    """
    if isinstance(error, ConfigurationError):
        raise ConfigError(str(error)) from error
    if isinstance(error, UnavailableError) and error.reason is None:
        fix = "start one with `groundwire serve`, or name another with --target"
        if "http1.x" in error.message:  # gRPC's words
            fix = "this is an HTTP port, and --target takes the port of `listen`, such as 50051"
        where = f"{settings.target} ({error.message})"
        print(f"groundwire: no server at {where}: {fix}", file=sys.stderr)
        return EXIT_UNAVAILABLE
    told = str(error)
    if isinstance(error, UnauthenticatedError):
        wants = "wants a token" if settings.token is None else "does not know this token"
        told = f"{settings.target} {wants}: give one with --token or GROUNDWIRE_CLIENT_TOKEN"
    elif isinstance(error, DeadlineExceededError):
        within = f"no answer within {settings.timeout_s:g} s"
        # The server says itself that the call needs more time.
        told = (
            f"{told} (--timeout-s)"
            if error.reason
            else (f"{within}: give it more time with --timeout-s, or send less")
        )
    elif isinstance(error, ResourceExhaustedError) and error.reason is None:
        told = f"a message is too large ({error.message}): send less at once"  # gRPC's words
    print(f"groundwire: {told}", file=sys.stderr)
    wrong = InvalidRequestError | UnauthenticatedError | NotEnabledError | ResourceExhaustedError
    return EXIT_CONFIG if isinstance(error, wrong) else EXIT_UNAVAILABLE
