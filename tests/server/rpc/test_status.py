"""Each exception's code, reason and details, as a client unpacks them from the metadata."""

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from groundwire.v1 import errors_pb2
from groundwire_server.rpc.admission import DrainingError, QueueFullError
from groundwire_server.rpc.status import (
    CallTimeoutError,
    InvalidTokenError,
    MalformedRequestError,
    NotEnabledError,
    status_of,
)
from groundwire_verifier.domain.errors import (
    MAX_VIOLATIONS,
    BackendFailedError,
    BackendLoadingError,
    DeadlineUnreachableError,
    InvalidInputError,
    InvalidReason,
    UnusableModelError,
    Violation,
)

Code = grpc.StatusCode
CONTRACT_REASONS = {
    name.removeprefix("ERROR_REASON_")
    for name in errors_pb2.DESCRIPTOR.enum_types_by_name["ErrorReason"].values_by_name
}
LONG = Violation("claims[3]", InvalidReason.CLAIM_TOO_LONG, "has 600 tokens; the limit is 512")
EMPTY = Violation("claims[7]", InvalidReason.EMPTY_CLAIM, "has no visible character")

CASES = [
    (InvalidInputError((LONG,)), Code.INVALID_ARGUMENT, "CLAIM_TOO_LONG"),
    (MalformedRequestError("context", "is not UTF-8"), Code.INVALID_ARGUMENT, "MALFORMED_REQUEST"),
    (InvalidTokenError(), Code.UNAUTHENTICATED, "INVALID_TOKEN"),
    (QueueFullError("claims", 9, 10, 0.25), Code.RESOURCE_EXHAUSTED, "QUEUE_FULL"),
    (DeadlineUnreachableError(1.0, 2.0, 0.5), Code.RESOURCE_EXHAUSTED, "OVERLOADED"),
    (DeadlineUnreachableError(1.0, 2.0, None), Code.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED"),
    (BackendLoadingError("loading"), Code.UNAVAILABLE, "LOADING"),
    (DrainingError(), Code.UNAVAILABLE, "DRAINING"),
    (BackendFailedError("the engine died"), Code.UNAVAILABLE, "ENGINE_FAILED"),
    (CallTimeoutError("too long"), Code.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED"),
    (NotEnabledError("the memory gate", "x"), Code.FAILED_PRECONDITION, "NOT_ENABLED"),
    (ZeroDivisionError("a bug"), Code.INTERNAL, "INTERNAL"),
    (UnusableModelError("not for clients"), Code.INTERNAL, "INTERNAL"),
]


def unpacked(error: Exception) -> tuple[status_pb2.Status, error_details_pb2.ErrorInfo]:
    ((key, value),) = status_of(error).trailing_metadata()
    assert key == "grpc-status-details-bin"
    status = status_pb2.Status.FromString(value)
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return status, info


@pytest.mark.parametrize(
    ("error", "code", "reason"), CASES, ids=[type(case[0]).__name__ for case in CASES]
)
def test_an_exception_has_its_code_and_reason(
    error: Exception, code: grpc.StatusCode, reason: str
) -> None:
    status, info = unpacked(error)
    assert status_of(error).code is code
    assert (status.code, status.message) == (code.value[0], status_of(error).message)
    assert (info.reason, info.domain) == (reason, "groundwire")
    assert info.reason in CONTRACT_REASONS


def test_an_error_keeps_few_violations_and_counts_them_all() -> None:
    error = InvalidInputError([EMPTY] * 500)
    assert len(error.violations) == MAX_VIOLATIONS
    assert str(error).endswith("(and 499 more)")


def test_every_reason_of_the_domain_is_one_of_the_contract() -> None:
    assert {reason.value for reason in InvalidReason} <= CONTRACT_REASONS
