"""`groundwire health`: whether a server answers calls, for container health checks.

Where no server is named, it is the one that this machine's own settings describe: its metrics port
is asked, which needs no certificate. Else gRPC's health service is, which needs no token.
"""

import argparse
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from http import HTTPStatus

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from groundwire_server.cli import flags
from groundwire_server.config.addresses import own_target
from groundwire_server.config.credentials import channel_options
from groundwire_server.config.settings import ClientSettings, ServerSettings
from groundwire_server.config.sources import load_server_settings, read_bytes
from groundwire_server.exit_codes import EXIT_OK, EXIT_UNAVAILABLE

TIMEOUT_S = 5.0
_START = "start a server with `groundwire serve`, or name another with --target HOST:PORT"


add = flags.add_client_settings


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Ask the server that is named, or this machine's own."""
    own = load_server_settings({}, environment, None)
    return health(flags.client(arguments, environment), own)


def health(settings: ClientSettings, own: ServerSettings) -> int:
    """Print the server's state and return 0 if it is SERVING.

    Raises ConfigError if a certificate cannot be read.
    """
    timeout_s = min(TIMEOUT_S, settings.timeout_s)
    if "target" not in settings.model_fields_set:
        if own.metrics_listen:
            return _told(*_by_page(own_target("metrics_listen", own.metrics_listen), timeout_s))
        target, ca_file = own_target("listen", own.listen), settings.ca_file or own.tls_cert_file
        settings = settings.model_copy(update={"target": target, "ca_file": ca_file})
    return _told(settings.target, _by_grpc(settings, timeout_s))


def _told(target: str, state: str) -> int:
    is_fine = state == "SERVING"
    print(f"{target}: {state}", file=sys.stdout if is_fine else sys.stderr)
    return EXIT_OK if is_fine else EXIT_UNAVAILABLE


def _by_page(target: str, timeout_s: float) -> tuple[str, str]:
    # Without a proxy of the environment's: it would be asked for its own loopback.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://{target}/readyz", timeout=timeout_s):
            return target, "SERVING"
    except urllib.error.HTTPError as error:
        error.close()
        unavailable = error.code == HTTPStatus.SERVICE_UNAVAILABLE
        return target, "NOT_SERVING" if unavailable else f"{error.code} {error.reason}"
    except OSError as error:
        why = getattr(error, "reason", error)
        return target, f"UNAVAILABLE: {why}; {_START}"


def _by_grpc(settings: ClientSettings, timeout_s: float) -> str:
    try:
        with _channel(settings) as channel:
            answer = health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(), timeout=timeout_s
            )
    except grpc.RpcError as error:
        code, text = error.code(), error.details()
        if code is grpc.StatusCode.DEADLINE_EXCEEDED:
            text = f"no answer in {timeout_s:g} s; {_START}"
        elif code is grpc.StatusCode.UNAVAILABLE:
            text = f"{text}; {_START}"
        return f"{code.name}: {text}"
    return str(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))


def _channel(settings: ClientSettings) -> grpc.Channel:
    options: list[tuple[str, str | int]] = [*channel_options(settings.target)]
    if settings.ca_file is None and settings.cert_file is None:
        return grpc.insecure_channel(settings.target, options)
    ca, key, cert = (
        read_bytes(path, name) if path is not None else None
        for path, name in (
            (settings.ca_file, "ca_file"),
            (settings.key_file, "key_file"),
            (settings.cert_file, "cert_file"),
        )
    )
    if settings.server_name is not None:
        options.append(("grpc.ssl_target_name_override", settings.server_name))
    return grpc.secure_channel(
        settings.target, grpc.ssl_channel_credentials(ca, key, cert), options
    )
