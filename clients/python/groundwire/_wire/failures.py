"""Turns an error of the transport into one of the client's exceptions.

The details of an error are a google.rpc.Status in the trailing metadata. Its
messages are declared here, in a descriptor pool of their own, with only the
fields that are read. So the client needs no package for them, and nothing
clashes with googleapis-common-protos where that is installed. On the wire they
are the same messages.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory

from groundwire.errors import (
    CallCancelledError,
    DeadlineExceededError,
    ErrorReason,
    FieldViolation,
    InternalError,
    InvalidRequestError,
    NotEnabledError,
    NotFoundError,
    ResourceExhaustedError,
    RpcFailedError,
    ServerBusyError,
    UnauthenticatedError,
    UnavailableError,
)

DOMAIN = "groundwire"
METADATA_KEY = "grpc-status-details-bin"
NANOSECONDS_IN_SECOND = 1_000_000_000

_PACKAGE = "google.rpc"
_Type = descriptor_pb2.FieldDescriptorProto

# Message -> fields as (name, number, type or message name). "*" after a message
# name marks a repeated field. Detail is google.protobuf.Any and Delay is
# google.protobuf.Duration, whose own names have a special meaning to protobuf.
_MESSAGES: dict[str, tuple[tuple[str, int, _Type.Type.ValueType | str], ...]] = {
    "Detail": (("type_url", 1, _Type.TYPE_STRING), ("value", 2, _Type.TYPE_BYTES)),
    "Status": (("details", 3, "Detail*"),),
    "ErrorInfo": (("reason", 1, _Type.TYPE_STRING), ("domain", 2, _Type.TYPE_STRING)),
    "FieldViolation": (("field", 1, _Type.TYPE_STRING), ("description", 2, _Type.TYPE_STRING)),
    "BadRequest": (("field_violations", 1, "FieldViolation*"),),
    "Delay": (("seconds", 1, _Type.TYPE_INT64), ("nanos", 2, _Type.TYPE_INT32)),
    "RetryInfo": (("retry_delay", 1, "Delay"),),
}


class _Detail(Protocol):
    type_url: str
    value: bytes


class _Status(Protocol):
    details: Sequence[_Detail]


class _ErrorInfo(Protocol):
    reason: str
    domain: str


class _Violation(Protocol):
    field: str
    description: str


class _BadRequest(Protocol):
    field_violations: Sequence[_Violation]


class _Delay(Protocol):
    seconds: int
    nanos: int


class _RetryInfo(Protocol):
    retry_delay: _Delay


@dataclass(frozen=True, slots=True)
class ErrorDetails:
    """What a server says about an error, beyond its code and message."""

    reason: str | None = None
    violations: tuple[FieldViolation, ...] = ()
    retry_after_s: float | None = None


def parse_details(metadata: Iterable[tuple[str, str | bytes]]) -> ErrorDetails:
    """Reads the details; empty where there are none or they cannot be read.

    Details that cannot be read never hide the error that they belong to.
    """
    status = next((value for key, value in metadata if key == METADATA_KEY), None)
    if not isinstance(status, bytes):
        return ErrorDetails()
    try:
        return _collect(cast(_Status, _CLASSES["Status"].FromString(status)).details)
    except message.DecodeError:
        return ErrorDetails()


def _collect(details: Sequence[_Detail]) -> ErrorDetails:
    reason: str | None = None
    violations: list[FieldViolation] = []
    retry_after_s: float | None = None
    for detail in details:
        package, _, name = detail.type_url.rpartition("/")[2].rpartition(".")
        if package != _PACKAGE or name not in _CLASSES:
            continue
        parsed = _CLASSES[name].FromString(detail.value)
        if name == "ErrorInfo":
            info = cast(_ErrorInfo, parsed)
            if info.domain == DOMAIN:
                reason = info.reason or None
        elif name == "BadRequest":
            found = cast(_BadRequest, parsed).field_violations
            violations += [FieldViolation(each.field, each.description) for each in found]
        elif name == "RetryInfo":
            delay = cast(_RetryInfo, parsed).retry_delay
            retry_after_s = delay.seconds + delay.nanos / NANOSECONDS_IN_SECOND
    return ErrorDetails(reason, tuple(violations), retry_after_s)


def _build_classes() -> dict[str, type[message.Message]]:
    file = descriptor_pb2.FileDescriptorProto(
        name="groundwire/error_details.proto", package=_PACKAGE, syntax="proto3"
    )
    for message_name, fields in _MESSAGES.items():
        declared = file.message_type.add(name=message_name)
        for name, number, kind in fields:
            field = declared.field.add(name=name, number=number, label=_Type.LABEL_OPTIONAL)
            if isinstance(kind, str):
                field.type = _Type.TYPE_MESSAGE
                field.type_name = f".{_PACKAGE}.{kind.removesuffix('*')}"
                if kind.endswith("*"):
                    field.label = _Type.LABEL_REPEATED
            else:
                field.type = kind
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
        for name in _MESSAGES
    }


_CLASSES = _build_classes()

_BY_REASON: dict[str, type[RpcFailedError]] = {
    ErrorReason.MALFORMED_REQUEST: InvalidRequestError,
    ErrorReason.EMPTY_BATCH: InvalidRequestError,
    ErrorReason.TOO_MANY_CLAIMS: InvalidRequestError,
    ErrorReason.EMPTY_CLAIM: InvalidRequestError,
    ErrorReason.CLAIM_TOO_LONG: InvalidRequestError,
    ErrorReason.CONTEXT_TOO_LONG: InvalidRequestError,
    ErrorReason.UNKNOWN_BACKEND: InvalidRequestError,
    ErrorReason.INVALID_TOKEN: UnauthenticatedError,
    ErrorReason.QUEUE_FULL: ServerBusyError,
    ErrorReason.OVERLOADED: ServerBusyError,
    ErrorReason.LOADING: UnavailableError,
    ErrorReason.DRAINING: UnavailableError,
    ErrorReason.ENGINE_FAILED: UnavailableError,
    ErrorReason.DEADLINE_EXCEEDED: DeadlineExceededError,
    ErrorReason.INTERNAL: InternalError,
    ErrorReason.EMPTY_TEXT: InvalidRequestError,
    ErrorReason.TEXT_TOO_LONG: InvalidRequestError,
    ErrorReason.INVALID_SOURCE: InvalidRequestError,
    ErrorReason.INVALID_OPTION: InvalidRequestError,
    ErrorReason.RESPONSE_TOO_LARGE: ResourceExhaustedError,
    ErrorReason.REQUEST_TOO_LARGE: ResourceExhaustedError,
    ErrorReason.NOT_ENABLED: NotEnabledError,
    ErrorReason.BACKEND_BUSY: ServerBusyError,
    ErrorReason.SPENDING_LIMIT: ServerBusyError,
    ErrorReason.BACKEND_UNREACHABLE: UnavailableError,
    ErrorReason.BACKEND_REFUSED: UnavailableError,
    ErrorReason.QUEUE_UNAVAILABLE: UnavailableError,
    ErrorReason.NOT_FOUND: NotFoundError,
    ErrorReason.DETECTION_NOT_FOUND: NotFoundError,
    ErrorReason.FEEDBACK_NOT_STORED: UnavailableError,
    ErrorReason.CORPUS_UNAVAILABLE: UnavailableError,
    ErrorReason.UNSUPPORTED_BY_PROFILE: NotEnabledError,
    ErrorReason.QUOTA_EXCEEDED: ServerBusyError,
}

_BY_CODE: dict[grpc.StatusCode, type[RpcFailedError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidRequestError,
    grpc.StatusCode.NOT_FOUND: NotFoundError,
    grpc.StatusCode.UNAUTHENTICATED: UnauthenticatedError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ResourceExhaustedError,
    grpc.StatusCode.UNAVAILABLE: UnavailableError,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceededError,
    grpc.StatusCode.CANCELLED: CallCancelledError,
    grpc.StatusCode.INTERNAL: InternalError,
    grpc.StatusCode.UNKNOWN: InternalError,
}


def failure(error: grpc.RpcError) -> RpcFailedError:
    """The exception for a failed call; raise it `from` the error itself."""
    # The type stubs say otherwise, but both APIs hold pairs here, or None for an
    # error that arose in the client itself.
    metadata = cast("Iterable[tuple[str, str | bytes]] | None", error.trailing_metadata())
    details = parse_details(metadata or ())
    code = error.code()
    message = error.details() or "no details"
    by_code = _BY_CODE.get(code, RpcFailedError)
    kind = _BY_REASON.get(details.reason, by_code) if details.reason else by_code
    if kind is InvalidRequestError:
        return InvalidRequestError(message, code, details.reason, details.violations)
    if kind is ServerBusyError:
        return ServerBusyError(message, code, details.reason, details.retry_after_s)
    return kind(message, code, details.reason)
