"""Checks the arguments of a client and turns them into what a channel needs.

Plaintext leaves the machine only where the caller says so.
"""

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

import grpc
from google.protobuf.message import Message

from groundwire._wire.affinity import context_metadata
from groundwire.errors import ConfigurationError
from groundwire.v1 import (
    hallucination_detection_pb2,
    memory_gate_pb2,
    similarity_pb2,
    verifier_backend_pb2,
)

Options = Sequence[tuple[str, str | int]]
Metadata = tuple[tuple[str, str], ...]

DEFAULT_TARGET = "127.0.0.1:50051"
DEFAULT_TIMEOUT_S = 30.0
DEFAULT_MAX_MESSAGE_BYTES = 16 * 1024 * 1024
MAX_TIMEOUT_S = 24 * 60 * 60.0
_MAX_INT32 = 2**31 - 1

# Only UNAVAILABLE is tried again: a full queue has its own time to wait, and
# every other failure would fail the same way once more. Retries have a budget:
# a failed attempt takes one token, a call that succeeds gives a tenth back, and
# with half of the tokens or fewer nothing is tried again. So a server that is
# down gets one attempt a call, and one that fails now and then at most a tenth
# more. gRPC keeps one count for all channels of a process to the same target.
_SERVICE_CONFIG = {
    "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1},
    "methodConfig": [
        {
            "name": [
                {"service": service.full_name}
                for file in (
                    verifier_backend_pb2,
                    hallucination_detection_pb2,
                    memory_gate_pb2,
                    similarity_pb2,
                )
                for service in file.DESCRIPTOR.services_by_name.values()
            ],
            "retryPolicy": {
                "maxAttempts": 4,
                "initialBackoff": "0.2s",
                "maxBackoff": "2s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        }
    ],
}
# gRPC's own limits, 1 s and 120 s, are made for servers far away.
_INITIAL_RECONNECT_BACKOFF_MS = 200
_MAX_RECONNECT_BACKOFF_MS = 2_000
# A connection whose other end is gone without a word, as behind a router that lost its table, would
# be used on for a quarter of an hour. So while calls wait, the server is asked for a sign of life;
# without one the connection is given up, within a call's default time, and the call tried again.
_KEEPALIVE_MS = 10_000
_KEEPALIVE_TIMEOUT_MS = 10_000

# host or host:port, where an IPv6 host stands in brackets.
_ADDRESS = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]]+))(?::[0-9]+)?")
# What may follow "Bearer " in a header: visible ASCII without spaces.
_TOKEN = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class TLS:
    """How to talk TLS to the server. All files are PEM.

    `ca_file` holds the certificates to trust; None: those that come with gRPC.
    `cert_file` and `key_file`, given together, are the client's own certificate.
    """

    ca_file: str | Path | None = None
    cert_file: str | Path | None = None
    key_file: str | Path | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """The checked arguments of a client."""

    target: str
    timeout_s: float
    options: tuple[tuple[str, str | int], ...]
    credentials: grpc.ChannelCredentials | None
    authorization: Metadata = field(repr=False)

    def call_timeout_s(self, timeout_s: float | None) -> float:
        """The time-out of one call, in seconds: the given one, or the client's."""
        return self.timeout_s if timeout_s is None else checked_timeout_s(timeout_s)

    def call_metadata(self, request: Message | None = None) -> Metadata:
        """The metadata of one call: the token, the hash of its context, the trace context."""
        context = () if request is None else context_metadata(request)
        return self.authorization + context + _trace_metadata()


def make_settings(
    target: str,
    *,
    token: str | None,
    timeout_s: float,
    tls: TLS | None,
    allow_plaintext: bool,
    max_message_bytes: int,
    options: Options,
) -> Settings:
    """Checks the arguments. Raises ConfigurationError that says what to do."""
    local = is_loopback(target)
    if tls is None and not local and not allow_plaintext:
        raise ConfigurationError(
            f"without TLS, anyone between here and {target!r} can read the claims and the token: "
            "pass tls=TLS(...), or allow_plaintext=True where the network itself is protected"
        )
    return Settings(
        target=target,
        timeout_s=checked_timeout_s(timeout_s),
        options=_channel_options(local, max_message_bytes, options),
        credentials=None if tls is None else _credentials(tls),
        authorization=() if token is None else (("authorization", _bearer(token)),),
    )


def checked_timeout_s(timeout_s: float) -> float:
    """The same time-out, in seconds. Raises ConfigurationError if it cannot be one."""
    if not (math.isfinite(timeout_s) and 0 < timeout_s <= MAX_TIMEOUT_S):
        raise ConfigurationError(
            f"timeout_s must be above 0 and at most {MAX_TIMEOUT_S:g} s, not {timeout_s!r}"
        )
    return float(timeout_s)


def is_loopback(target: str) -> bool:
    """Whether a gRPC target can only be on this machine. In doubt it is not."""
    scheme, colon, path = target.partition(":")
    if colon and scheme in {"unix", "unix-abstract"}:
        return True
    if colon and scheme == "dns":
        # dns://server/name asks that server for the name, so it is not local.
        return _is_loopback_address(path.removeprefix("///"))
    if colon and scheme in {"ipv4", "ipv6"}:
        addresses = path.removeprefix("///").split(",")
        return all(_is_loopback_address(address) for address in addresses)
    return _is_loopback_address(target)


def _is_loopback_address(address: str) -> bool:
    match = _ADDRESS.fullmatch(address)
    if match is None:
        return False
    host = match[1] or match[2]
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _channel_options(
    local: bool, max_message_bytes: int, options: Options
) -> tuple[tuple[str, str | int], ...]:
    if not 0 < max_message_bytes <= _MAX_INT32:
        raise ConfigurationError(
            f"max_message_bytes must be 1 to {_MAX_INT32}, not {max_message_bytes!r}"
        )
    ours: dict[str, str | int] = {
        "grpc.max_send_message_length": max_message_bytes,
        "grpc.max_receive_message_length": max_message_bytes,
        "grpc.service_config": json.dumps(_SERVICE_CONFIG),
        "grpc.initial_reconnect_backoff_ms": _INITIAL_RECONNECT_BACKOFF_MS,
        "grpc.max_reconnect_backoff_ms": _MAX_RECONNECT_BACKOFF_MS,
        "grpc.keepalive_time_ms": _KEEPALIVE_MS,
        "grpc.keepalive_timeout_ms": _KEEPALIVE_TIMEOUT_MS,
        # The longest that any such sign is waited for: by default a minute, whatever stands above.
        "grpc.http2.ping_timeout_ms": _KEEPALIVE_TIMEOUT_MS,
        # Without it gRPC asks twice, and then not again before it sends something.
        "grpc.http2.max_pings_without_data": 0,
    }
    if local:
        # gRPC follows the proxy variables even to this machine, which would
        # carry plaintext off it.
        ours["grpc.enable_http_proxy"] = 0
    return tuple((ours | dict(options)).items())


def _bearer(token: str) -> str:
    if not _TOKEN.fullmatch(token):
        # The token itself stays out of the text, which may end in a log.
        raise ConfigurationError(
            "token must be visible ASCII without spaces or line breaks, and not empty: "
            "pass token=None to send none"
        )
    return f"Bearer {token}"


def _credentials(tls: TLS) -> grpc.ChannelCredentials:
    if (tls.cert_file is None) != (tls.key_file is None):
        raise ConfigurationError("TLS needs cert_file and key_file together, or neither of them")
    return grpc.ssl_channel_credentials(
        root_certificates=_read(tls.ca_file),
        private_key=_read(tls.key_file),
        certificate_chain=_read(tls.cert_file),
    )


def _read(file: str | Path | None) -> bytes | None:
    if file is None:
        return None
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"cannot read {str(file)!r}: {error.strerror}") from error


def _find_inject() -> Callable[[dict[str, str]], None] | None:
    try:
        from opentelemetry.propagate import inject
    except ImportError:
        return None
    return inject


_inject = _find_inject()


def _trace_metadata() -> tuple[tuple[str, str], ...]:
    """The metadata of the current trace context; empty without a span or OpenTelemetry."""
    if _inject is None:
        return ()
    carrier: dict[str, str] = {}
    _inject(carrier)
    # gRPC refuses capital letters in the names of metadata.
    return tuple((key.lower(), value) for key, value in carrier.items())
