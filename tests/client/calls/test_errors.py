"""Which exception a failed call raises, and what it carries."""

import pickle
from collections.abc import Callable

import grpc
import pytest

from groundwire import (
    CallCancelledError,
    DeadlineExceededError,
    ErrorReason,
    FieldViolation,
    GroundwireError,
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
from groundwire.v1 import errors_pb2
from groundwire.v1 import verifier_backend_pb2 as pb
from tests.client.scripted import (
    AnyClient,
    ScriptedServer,
    bad_request,
    failing,
    retry_after,
    settle,
)

REASONS = [
    ("MALFORMED_REQUEST", grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    ("EMPTY_BATCH", grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    ("TOO_MANY_CLAIMS", grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    ("EMPTY_CLAIM", grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    ("CLAIM_TOO_LONG", grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    ("CONTEXT_TOO_LONG", grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    ("UNKNOWN_BACKEND", grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    ("INVALID_TOKEN", grpc.StatusCode.UNAUTHENTICATED, UnauthenticatedError),
    ("QUEUE_FULL", grpc.StatusCode.RESOURCE_EXHAUSTED, ServerBusyError),
    ("OVERLOADED", grpc.StatusCode.RESOURCE_EXHAUSTED, ServerBusyError),
    ("LOADING", grpc.StatusCode.UNAVAILABLE, UnavailableError),
    ("DRAINING", grpc.StatusCode.UNAVAILABLE, UnavailableError),
    ("ENGINE_FAILED", grpc.StatusCode.UNAVAILABLE, UnavailableError),
    ("DEADLINE_EXCEEDED", grpc.StatusCode.DEADLINE_EXCEEDED, DeadlineExceededError),
    ("INTERNAL", grpc.StatusCode.INTERNAL, InternalError),
    ("EMPTY_TEXT", grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    ("TEXT_TOO_LONG", grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    ("INVALID_SOURCE", grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    ("INVALID_OPTION", grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    ("RESPONSE_TOO_LARGE", grpc.StatusCode.RESOURCE_EXHAUSTED, ResourceExhaustedError),
    ("REQUEST_TOO_LARGE", grpc.StatusCode.RESOURCE_EXHAUSTED, ResourceExhaustedError),
    ("TOO_MANY_STEPS", grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    ("INVALID_TOOL_CALL", grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    ("UNKNOWN_CORPUS", grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    ("NOT_ENABLED", grpc.StatusCode.FAILED_PRECONDITION, NotEnabledError),
    ("BACKEND_BUSY", grpc.StatusCode.RESOURCE_EXHAUSTED, ServerBusyError),
    ("SPENDING_LIMIT", grpc.StatusCode.RESOURCE_EXHAUSTED, ServerBusyError),
    ("BACKEND_UNREACHABLE", grpc.StatusCode.UNAVAILABLE, UnavailableError),
    ("BACKEND_REFUSED", grpc.StatusCode.FAILED_PRECONDITION, UnavailableError),
    ("QUEUE_UNAVAILABLE", grpc.StatusCode.UNAVAILABLE, UnavailableError),
    ("NOT_FOUND", grpc.StatusCode.NOT_FOUND, NotFoundError),
    ("DETECTION_NOT_FOUND", grpc.StatusCode.NOT_FOUND, NotFoundError),
    ("FEEDBACK_NOT_STORED", grpc.StatusCode.UNAVAILABLE, UnavailableError),
    ("CORPUS_UNAVAILABLE", grpc.StatusCode.UNAVAILABLE, UnavailableError),
    ("UNSUPPORTED_BY_PROFILE", grpc.StatusCode.FAILED_PRECONDITION, NotEnabledError),
    ("QUOTA_EXCEEDED", grpc.StatusCode.RESOURCE_EXHAUSTED, ServerBusyError),
]
CODES = [
    (grpc.StatusCode.INVALID_ARGUMENT, InvalidRequestError),
    (grpc.StatusCode.NOT_FOUND, NotFoundError),
    (grpc.StatusCode.UNAUTHENTICATED, UnauthenticatedError),
    (grpc.StatusCode.RESOURCE_EXHAUSTED, ResourceExhaustedError),
    (grpc.StatusCode.DEADLINE_EXCEEDED, DeadlineExceededError),
    (grpc.StatusCode.CANCELLED, CallCancelledError),
    (grpc.StatusCode.INTERNAL, InternalError),
    (grpc.StatusCode.UNKNOWN, InternalError),
    (grpc.StatusCode.PERMISSION_DENIED, RpcFailedError),
]


async def failed_call(client: AnyClient) -> RpcFailedError:
    with pytest.raises(RpcFailedError) as caught:
        await settle(client.estimate("0.5"))
    return caught.value


@pytest.mark.parametrize(("reason", "code", "kind"), REASONS)
async def test_the_reason_chooses_the_exception(
    connect: Callable[..., AnyClient],
    server: ScriptedServer,
    reason: str,
    code: grpc.StatusCode,
    kind: type[RpcFailedError],
) -> None:
    server.script(failing(code, reason))

    error = await failed_call(connect(server.target, options=[("grpc.enable_retries", 0)]))

    assert type(error) is kind
    assert (error.code, error.reason, error.message) == (code, reason, "the message")


def test_every_reason_of_the_contract_is_known() -> None:
    named = {name.removeprefix("ERROR_REASON_") for name in errors_pb2.ErrorReason.keys()}  # noqa: SIM118 - no mapping

    assert set(ErrorReason) == named - {"UNSPECIFIED"} == {reason for reason, _, _ in REASONS}


@pytest.mark.parametrize(("code", "kind"), CODES)
async def test_without_a_reason_the_code_chooses_the_exception(
    client: AnyClient,
    server: ScriptedServer,
    code: grpc.StatusCode,
    kind: type[RpcFailedError],
) -> None:
    server.script(failing(code))

    error = await failed_call(client)

    assert type(error) is kind
    assert error.reason is None


async def test_the_reason_prevails_over_the_code(client: AnyClient, server: ScriptedServer) -> None:
    server.script(failing(grpc.StatusCode.INTERNAL, "QUEUE_FULL"))

    assert type(await failed_call(client)) is ServerBusyError


async def test_a_reason_of_a_newer_server_is_kept_and_the_code_chooses(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(failing(grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_TOKENS"))

    error = await failed_call(client)

    assert type(error) is ResourceExhaustedError
    assert error.reason == "TOO_MANY_TOKENS"


async def test_a_reason_of_another_domain_is_none_of_ours(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(failing(grpc.StatusCode.INTERNAL, "QUEUE_FULL", domain="proxy.example"))

    error = await failed_call(client)

    assert type(error) is InternalError
    assert error.reason is None


async def test_an_invalid_request_names_its_fields(
    client: AnyClient, server: ScriptedServer
) -> None:
    details = bad_request(**{"claims[17]": "300 tokens, the limit is 128", "context": "too long"})
    code = grpc.StatusCode.INVALID_ARGUMENT
    server.script(failing(code, "CLAIM_TOO_LONG", details=(details,)))

    error = await failed_call(client)

    assert isinstance(error, InvalidRequestError)
    assert error.violations == (
        FieldViolation("claims[17]", "300 tokens, the limit is 128"),
        FieldViolation("context", "too long"),
    )


async def test_a_full_queue_says_when_to_try_again(
    client: AnyClient, server: ScriptedServer
) -> None:
    code = grpc.StatusCode.RESOURCE_EXHAUSTED
    server.script(failing(code, "QUEUE_FULL", details=(retry_after(1, 500_000_000),)))

    error = await failed_call(client)

    assert isinstance(error, ServerBusyError)
    assert error.retry_after_s == 1.5


async def test_a_full_queue_may_not_say_when_to_try_again(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(failing(grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL"))

    error = await failed_call(client)

    assert isinstance(error, ServerBusyError)
    assert error.retry_after_s is None


async def test_details_that_cannot_be_read_do_not_hide_the_error(
    client: AnyClient, server: ScriptedServer
) -> None:
    def fail(context: grpc.ServicerContext) -> None:
        context.set_trailing_metadata((("grpc-status-details-bin", b"\xff\xff"),))
        context.abort(grpc.StatusCode.INTERNAL, "the message")

    server.script(fail)

    error = await failed_call(client)

    assert type(error) is InternalError
    assert error.message == "the message"


async def test_an_answer_that_is_no_message_is_an_internal_error(
    client: AnyClient, server: ScriptedServer
) -> None:
    # Field 1 is a message in the contract; this text cannot be read as one.
    server.script(pb.GetServerInfoResponse(server_version="\x0f"))

    error = await failed_call(client)

    assert type(error) is InternalError
    assert error.code is grpc.StatusCode.INTERNAL


async def test_the_error_of_the_transport_is_the_cause(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(failing(grpc.StatusCode.INTERNAL, "INTERNAL"))

    assert isinstance((await failed_call(client)).__cause__, grpc.RpcError)


async def test_every_failure_is_a_groundwire_error(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(failing(grpc.StatusCode.DATA_LOSS))

    assert isinstance(await failed_call(client), GroundwireError)


def test_the_text_of_an_error_tells_reason_message_and_fields() -> None:
    error = InvalidRequestError(
        "a claim is too long",
        grpc.StatusCode.INVALID_ARGUMENT,
        "CLAIM_TOO_LONG",
        (FieldViolation("claims[17]", "300 tokens"),),
    )

    assert str(error) == "CLAIM_TOO_LONG: a claim is too long; claims[17]: 300 tokens"


def test_a_field_that_the_message_names_is_not_said_twice() -> None:
    violation = FieldViolation("claims[1]", "is empty")
    code = grpc.StatusCode.INVALID_ARGUMENT
    error = InvalidRequestError("claims[1]: is empty", code, "EMPTY_CLAIM", [violation])
    assert str(error) == "EMPTY_CLAIM: claims[1]: is empty"


def test_the_text_of_an_error_without_a_reason_tells_the_code() -> None:
    assert str(InternalError("why", grpc.StatusCode.UNKNOWN)) == "UNKNOWN: why"


@pytest.mark.parametrize(
    "error",
    [
        UnavailableError("why", grpc.StatusCode.UNAVAILABLE, "LOADING"),
        ServerBusyError("why", grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL", 1.5),
        InvalidRequestError(
            "why", grpc.StatusCode.INVALID_ARGUMENT, None, (FieldViolation("claim", "empty"),)
        ),
    ],
)
def test_errors_survive_pickling(error: RpcFailedError) -> None:
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301 - made here

    assert type(copied) is type(error)
    assert vars(copied) == vars(error)
