"""Exceptions as gRPC statuses with details, in one table."""

import logging
import math
import traceback
from dataclasses import dataclass, replace

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from groundwire.v1 import errors_pb2
from groundwire_server.rpc.accounts import QuotaExceededError
from groundwire_server.rpc.admission import DrainingError, QueueFullError
from groundwire_server.text_work.pool import TextWorkerError
from groundwire_verifier.checks.feedback import DetectionNotFoundError, FeedbackStoreError
from groundwire_verifier.domain.errors import (
    BackendBusyError,
    BackendFailedError,
    BackendLoadingError,
    BackendRefusedError,
    BackendUnreachableError,
    CorpusUnavailableError,
    DeadlineUnreachableError,
    InvalidInputError,
    QueueUnavailableError,
    SpendingLimitError,
    UnsupportedByProfileError,
    Violation,
)

log = logging.getLogger("groundwire.server")

DOMAIN = "groundwire"
NO_RETRY = ("grpc-retry-pushback-ms", "-1")
"""What has a client of gRPC not try again, whatever its policy."""

INTERNAL_TEXT = "internal error; the server's log has the details"


class MalformedRequestError(Exception):
    """The bytes of a request are no message of its type. `field` may be empty."""

    def __init__(self, field: str, description: str) -> None:
        super().__init__(f"{field}: {description}" if field else description)
        self.field = field
        self.description = description


class InvalidTokenError(Exception):
    """The call carries no bearer token that the server knows."""

    def __init__(self) -> None:
        # Says nothing about the token.
        super().__init__(
            "send a valid bearer token in the metadata key 'authorization', as 'Bearer TOKEN'"
        )


class ResponseTooLargeError(Exception):
    """The response is beyond the limit of one message. `field` of the request makes it so."""

    def __init__(self, field: str, size_bytes: int, limit_bytes: int) -> None:
        self.field = field
        self.description = (
            f"leads to a response of {size_bytes:,} bytes; the limit is {limit_bytes:,} "
            "(max_message_bytes): split the request"
        )
        super().__init__(f"{field}: {self.description}" if field else self.description)


class NotEnabledError(Exception):
    """What a call asks for is switched off. `setting`, as `value`, switches it on."""

    def __init__(self, what: str, setting: str, value: str = "true") -> None:
        super().__init__(f"{what} is off on this server: set {setting} to {value} to switch it on")


class OutputNotFoundError(Exception):
    """The caller has nothing of this id: there is none, or it is somebody else's."""


class CallTimeoutError(Exception):
    """The call ran into its deadline, or into the server's own limit for a call."""


@dataclass(frozen=True, slots=True)
class CallStatus:
    """A status as it goes on the wire. `reason` is a name of ErrorReason without its prefix."""

    code: grpc.StatusCode
    reason: str
    message: str
    details: tuple[Message, ...] = ()
    info: tuple[tuple[str, str], ...] = ()
    """What the ErrorInfo says beside the reason, by key."""
    is_final: bool = False
    """Whether clients are told not to try again by themselves: the server has done that."""

    def packed(self) -> status_pb2.Status:
        """The status with its details, the reason first."""
        status = status_pb2.Status(code=self.code.value[0], message=self.message)
        info = error_details_pb2.ErrorInfo(
            reason=self.reason, domain=DOMAIN, metadata=dict(self.info)
        )
        for detail in (info, *self.details):
            packed = any_pb2.Any()
            packed.Pack(detail)
            status.details.append(packed)
        return status

    def trailing_metadata(self) -> tuple[tuple[str, str | bytes], ...]:
        """The details as the metadata that clients read them from."""
        metadata = tuple(rpc_status.to_status(self.packed()).trailing_metadata)
        return (*metadata, NO_RETRY) if self.is_final else metadata


class CallFailedError(Exception):
    """A call that has ended with a status, and was counted so."""

    def __init__(self, status: CallStatus) -> None:
        super().__init__(status.message)
        self.status = status


def log_bug(method: str, error: BaseException | None) -> None:
    """Log what ended a call that was not to end so."""
    # The frames say where; the text of a bug could repeat the text of a request, so it is logged
    # only where somebody asked to see everything.
    frames = "".join(traceback.format_tb(error.__traceback__) if error else [])
    log.error("%s failed: %s\n%s", method, type(error).__name__, frames)
    log.debug("%s failed", method, exc_info=error)


def reason_name(reason: errors_pb2.ErrorReason) -> str:
    """An ErrorReason as it stands in an ErrorInfo."""
    return errors_pb2.ErrorReason.Name(reason).removeprefix("ERROR_REASON_")


def status_of(error: Exception) -> CallStatus:  # noqa: PLR0911, PLR0912 - one a kind of error
    """The status of an exception; anything that is not expected is INTERNAL with a fixed text."""
    code = grpc.StatusCode
    match error:
        case CallFailedError():
            return error.status
        case InvalidInputError():
            return CallStatus(
                code.INVALID_ARGUMENT,
                error.violations[0].reason.value,
                str(error),
                (_bad_request(error.violations),),
            )
        case MalformedRequestError():
            return CallStatus(
                code.INVALID_ARGUMENT,
                reason_name(errors_pb2.ERROR_REASON_MALFORMED_REQUEST),
                str(error),
                (_violation(error.field, error.description),),
            )
        case ResponseTooLargeError():
            return CallStatus(
                code.RESOURCE_EXHAUSTED,
                reason_name(errors_pb2.ERROR_REASON_RESPONSE_TOO_LARGE),
                str(error),
                (_violation(error.field, error.description),),
            )
        case QueueFullError():
            return _full(error)
        case SpendingLimitError():
            return _busy(error, errors_pb2.ERROR_REASON_SPENDING_LIMIT, error.retry_s)
        case BackendBusyError():
            return _busy(error, errors_pb2.ERROR_REASON_BACKEND_BUSY, error.retry_s)
        case BackendUnreachableError() | CorpusUnavailableError():
            is_corpus = isinstance(error, CorpusUnavailableError)
            unreachable = (
                errors_pb2.ERROR_REASON_CORPUS_UNAVAILABLE
                if is_corpus
                else errors_pb2.ERROR_REASON_BACKEND_UNREACHABLE
            )
            return CallStatus(code.UNAVAILABLE, reason_name(unreachable), str(error), is_final=True)
        case FeedbackStoreError():
            not_stored = reason_name(errors_pb2.ERROR_REASON_FEEDBACK_NOT_STORED)
            # Where the file lies is for the log.
            return CallStatus(code.UNAVAILABLE, not_stored, error.told, is_final=True)
        case DeadlineUnreachableError(retry_s=float(retry_s)):
            return _busy(error, errors_pb2.ERROR_REASON_OVERLOADED, retry_s)
        case _:
            for kind, status_code, reason in _PLAIN:
                if isinstance(error, kind):
                    return CallStatus(status_code, reason_name(reason), str(error))
            internal = reason_name(errors_pb2.ERROR_REASON_INTERNAL)
            return CallStatus(code.INTERNAL, internal, INTERNAL_TEXT)


_PLAIN = (
    (InvalidTokenError, grpc.StatusCode.UNAUTHENTICATED, errors_pb2.ERROR_REASON_INVALID_TOKEN),
    (BackendLoadingError, grpc.StatusCode.UNAVAILABLE, errors_pb2.ERROR_REASON_LOADING),
    (BackendFailedError, grpc.StatusCode.UNAVAILABLE, errors_pb2.ERROR_REASON_ENGINE_FAILED),
    (
        BackendRefusedError,
        grpc.StatusCode.FAILED_PRECONDITION,
        errors_pb2.ERROR_REASON_BACKEND_REFUSED,
    ),
    (
        DetectionNotFoundError,
        grpc.StatusCode.NOT_FOUND,
        errors_pb2.ERROR_REASON_DETECTION_NOT_FOUND,
    ),
    (
        UnsupportedByProfileError,
        grpc.StatusCode.FAILED_PRECONDITION,
        errors_pb2.ERROR_REASON_UNSUPPORTED_BY_PROFILE,
    ),
    (NotEnabledError, grpc.StatusCode.FAILED_PRECONDITION, errors_pb2.ERROR_REASON_NOT_ENABLED),
    (OutputNotFoundError, grpc.StatusCode.NOT_FOUND, errors_pb2.ERROR_REASON_NOT_FOUND),
    (
        QueueUnavailableError,
        grpc.StatusCode.UNAVAILABLE,
        errors_pb2.ERROR_REASON_QUEUE_UNAVAILABLE,
    ),
    (TextWorkerError, grpc.StatusCode.INTERNAL, errors_pb2.ERROR_REASON_INTERNAL),
    (DrainingError, grpc.StatusCode.UNAVAILABLE, errors_pb2.ERROR_REASON_DRAINING),
    (
        DeadlineUnreachableError,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        errors_pb2.ERROR_REASON_DEADLINE_EXCEEDED,
    ),
    (
        CallTimeoutError,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        errors_pb2.ERROR_REASON_DEADLINE_EXCEEDED,
    ),
)


def _full(error: QueueFullError) -> CallStatus:
    if not isinstance(error, QuotaExceededError):
        return _busy(error, errors_pb2.ERROR_REASON_QUEUE_FULL, error.retry_s)
    status = _busy(error, errors_pb2.ERROR_REASON_QUOTA_EXCEEDED, error.retry_s)
    return replace(status, info=(("quota", error.quota), ("limit", f"{error.limit:g}")))


def _busy(error: Exception, reason: errors_pb2.ErrorReason, retry_s: float) -> CallStatus:
    retry = duration_pb2.Duration()
    # Never a moment too early.
    retry.FromMilliseconds(math.ceil(retry_s * 1000))
    return CallStatus(
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        reason_name(reason),
        str(error),
        (error_details_pb2.RetryInfo(retry_delay=retry),),
    )


def _bad_request(violations: tuple[Violation, ...]) -> error_details_pb2.BadRequest:
    return error_details_pb2.BadRequest(
        field_violations=[
            error_details_pb2.BadRequest.FieldViolation(
                field=v.field, description=v.description, reason=v.reason.value
            )
            for v in violations
        ]
    )


def _violation(field: str, description: str) -> error_details_pb2.BadRequest:
    return error_details_pb2.BadRequest(
        field_violations=[
            error_details_pb2.BadRequest.FieldViolation(field=field, description=description)
        ]
    )
