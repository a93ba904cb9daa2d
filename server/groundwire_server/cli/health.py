"""`groundwire health`: whether a server answers calls, for container health checks.

Asks gRPC's health service, which needs no token. Knows no model and no contract of ours.
"""

import sys

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from groundwire_server.config.settings import ClientSettings
from groundwire_server.config.sources import read_bytes
from groundwire_server.exit_codes import EXIT_OK, EXIT_UNAVAILABLE

TIMEOUT_S = 5.0


def health(settings: ClientSettings) -> int:
    """Print the server's state and return 0 if it is SERVING.

    Raises ConfigError if a certificate cannot be read.
    """
    try:
        with _channel(settings) as channel:
            answer = health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(), timeout=min(TIMEOUT_S, settings.timeout_s)
            )
    except grpc.RpcError as error:
        print(f"{settings.target}: {error.code().name}: {error.details()}", file=sys.stderr)
        return EXIT_UNAVAILABLE
    state = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
    print(f"{settings.target}: {state}")
    return EXIT_OK if state == "SERVING" else EXIT_UNAVAILABLE


def _channel(settings: ClientSettings) -> grpc.Channel:
    if settings.ca_file is None and settings.cert_file is None:
        return grpc.insecure_channel(settings.target)
    ca, key, cert = (
        read_bytes(path, name) if path is not None else None
        for path, name in (
            (settings.ca_file, "ca_file"),
            (settings.key_file, "key_file"),
            (settings.cert_file, "cert_file"),
        )
    )
    return grpc.secure_channel(settings.target, grpc.ssl_channel_credentials(ca, key, cert))
