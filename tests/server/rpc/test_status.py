"""Each exception's code, reason and details, as a client unpacks them from the metadata."""

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from groundwire.v1 import errors_pb2
from groundwire_server.rpc.admission import DrainingError, QueueFullError
from groundwire_server.rpc.status import (
    INTERNAL_TEXT,
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


def test_a_bug_never_shows_its_text() -> None:
    error = ZeroDivisionError("the claim was: Ada moved")
    assert status_of(error).message == INTERNAL_TEXT
    assert b"Ada" not in status_of(error).trailing_metadata()[0][1]


def test_an_invalid_input_lists_its_violations_and_has_the_first_ones_reason() -> None:
    status, info = unpacked(InvalidInputError((EMPTY, LONG)))
    request = error_details_pb2.BadRequest()
    assert status.details[1].Unpack(request)
    assert [(v.field, v.reason, v.description) for v in request.field_violations] == [
        ("claims[7]", "EMPTY_CLAIM", "has no visible character"),
        ("claims[3]", "CLAIM_TOO_LONG", "has 600 tokens; the limit is 512"),
    ]
    assert info.reason == "EMPTY_CLAIM"
    assert status.message == "claims[7]: has no visible character (and 1 more)"


def test_an_error_keeps_few_violations_and_counts_them_all() -> None:
    error = InvalidInputError([EMPTY] * 500)
    assert len(error.violations) == MAX_VIOLATIONS
    assert str(error).endswith("(and 499 more)")


def test_a_malformed_request_names_the_field() -> None:
    status, _ = unpacked(MalformedRequestError("claims[1]", "is not UTF-8"))
    request = error_details_pb2.BadRequest()
    assert status.details[1].Unpack(request)
    assert [(v.field, v.description) for v in request.field_violations] == [
        ("claims[1]", "is not UTF-8")
    ]
    assert status.message == "claims[1]: is not UTF-8"


def test_a_full_queue_says_when_to_try_again() -> None:
    status, _ = unpacked(QueueFullError("claims", 9, 10, 0.25))
    retry = error_details_pb2.RetryInfo()
    assert status.details[1].Unpack(retry)
    assert retry.retry_delay.ToMilliseconds() == 250


def test_every_reason_of_the_domain_is_one_of_the_contract() -> None:
    assert {reason.value for reason in InvalidReason} <= CONTRACT_REASONS
