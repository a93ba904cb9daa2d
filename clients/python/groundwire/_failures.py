"""Turns an error of the transport into one of the client's exceptions."""

from collections.abc import Iterable
from typing import cast

import grpc

from groundwire._status import parse_details
from groundwire.errors import (
    CallCancelledError,
    DeadlineExceededError,
    ErrorReason,
    InternalError,
    InvalidRequestError,
    ResourceExhaustedError,
    RpcFailedError,
    ServerBusyError,
    UnauthenticatedError,
    UnavailableError,
)

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
}

_BY_CODE: dict[grpc.StatusCode, type[RpcFailedError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidRequestError,
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
