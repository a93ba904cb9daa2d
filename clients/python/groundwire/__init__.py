"""The Python client of Groundwire, a server that scores claims against evidence.

    from groundwire import Client

    with Client("127.0.0.1:50051") as client:
        result = client.batch_estimate(["The sky is blue."], context="...")
        print(result.probabilities)

It needs grpcio and protobuf, and nothing else.
"""

from groundwire._settings import TLS
from groundwire.async_client import AsyncClient
from groundwire.client import Client
from groundwire.errors import (
    CallCancelledError,
    ClientClosedError,
    ConfigurationError,
    DeadlineExceededError,
    ErrorReason,
    FieldViolation,
    GroundwireError,
    InternalError,
    InvalidRequestError,
    InvalidResponseError,
    QueueFullError,
    ResourceExhaustedError,
    RpcFailedError,
    UnauthenticatedError,
    UnavailableError,
)
from groundwire.results import (
    BatchResult,
    Estimate,
    EstimateResult,
    LabelForm,
    Limits,
    NoProbabilityReason,
    ServerInfo,
    ServerState,
    Source,
    Timing,
    Usage,
)

__all__ = [
    "TLS",
    "AsyncClient",
    "BatchResult",
    "CallCancelledError",
    "Client",
    "ClientClosedError",
    "ConfigurationError",
    "DeadlineExceededError",
    "ErrorReason",
    "Estimate",
    "EstimateResult",
    "FieldViolation",
    "GroundwireError",
    "InternalError",
    "InvalidRequestError",
    "InvalidResponseError",
    "LabelForm",
    "Limits",
    "NoProbabilityReason",
    "QueueFullError",
    "ResourceExhaustedError",
    "RpcFailedError",
    "ServerInfo",
    "ServerState",
    "Source",
    "Timing",
    "UnauthenticatedError",
    "UnavailableError",
    "Usage",
]
