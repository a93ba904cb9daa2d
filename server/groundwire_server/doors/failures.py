"""How HTTP says that a call failed: Connect's errors, with our reasons."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

import grpc
from google.protobuf import any_pb2, json_format
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from pydantic import JsonValue, ValidationError
from starlette.responses import JSONResponse

from groundwire.v1 import errors_pb2
from groundwire_server.rpc.status import (
    DOMAIN,
    reason_name,
    status_of,
)

Detail = TypeVar("Detail", bound=Message)

HTTP_STATUSES: Mapping[grpc.StatusCode, int] = {
    grpc.StatusCode.CANCELLED: 499,
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.DEADLINE_EXCEEDED: 504,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.ALREADY_EXISTS: 409,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.FAILED_PRECONDITION: 400,
    grpc.StatusCode.ABORTED: 409,
    grpc.StatusCode.OUT_OF_RANGE: 400,
    grpc.StatusCode.UNIMPLEMENTED: 501,
    grpc.StatusCode.UNAVAILABLE: 503,
    grpc.StatusCode.UNAUTHENTICATED: 401,
}
"""As Connect has them; what is not here is a 500."""

_REASONS = {
    grpc.StatusCode.DEADLINE_EXCEEDED: errors_pb2.ERROR_REASON_DEADLINE_EXCEEDED,
    grpc.StatusCode.INVALID_ARGUMENT: errors_pb2.ERROR_REASON_MALFORMED_REQUEST,
    grpc.StatusCode.UNIMPLEMENTED: errors_pb2.ERROR_REASON_MALFORMED_REQUEST,
    grpc.StatusCode.RESOURCE_EXHAUSTED: errors_pb2.ERROR_REASON_REQUEST_TOO_LARGE,
    grpc.StatusCode.INTERNAL: errors_pb2.ERROR_REASON_INTERNAL,
    grpc.StatusCode.UNKNOWN: errors_pb2.ERROR_REASON_INTERNAL,
}
"""Reasons of errors that Connect or a door made by itself."""

_KINDS: tuple[type[Message], ...] = (
    error_details_pb2.ErrorInfo,
    error_details_pb2.BadRequest,
    error_details_pb2.RetryInfo,
)


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that failed, as any door tells of it. `details` are those that gRPC sends."""

    code: grpc.StatusCode
    message: str
    details: tuple[any_pb2.Any, ...]

    @property
    def connect_code(self) -> str:
        # Connect has the American spelling.
        return "canceled" if self.code is grpc.StatusCode.CANCELLED else self.code.name.lower()

    @property
    def http_status(self) -> int:
        """The status of a response that is nothing but this failure."""
        return HTTP_STATUSES.get(self.code, 500)

    @property
    def reason(self) -> str:
        """The reason in its ErrorInfo; UNSPECIFIED where it has none."""
        return str(self.detail(error_details_pb2.ErrorInfo).reason) or "UNSPECIFIED"

    def detail(self, kind: type[Detail]) -> Detail:
        """The detail of this kind; an empty one where there is none."""
        found = kind()
        any(each.Unpack(found) for each in self.details)
        return found

    def headers(self) -> Iterator[tuple[str, str]]:
        """What HTTP has a header for: when to come again, and that a token is wanted."""
        retry = self.detail(error_details_pb2.RetryInfo)
        if retry.HasField("retry_delay"):
            # Whole seconds, and never sooner than it was told.
            yield "retry-after", str(-(-retry.retry_delay.ToMilliseconds() // 1000))
        if self.code is grpc.StatusCode.UNAUTHENTICATED:
            yield "www-authenticate", "Bearer"

    def as_json(self) -> dict[str, JsonValue]:
        """The body of a response that is nothing but this failure, as Connect has it."""
        return {
            "code": self.connect_code,
            "message": self.message,
            "details": [
                {
                    "type": detail.TypeName(),
                    "value": b64encode(detail.value).decode().rstrip("="),
                    "debug": readable(detail),
                }
                for detail in self.details
            ],
        }


class RequestTooLargeError(Exception):
    """The body of a request is beyond the limit of one message."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(
            f"the request has more than {limit_bytes:,} bytes, the most that is taken here"
            " (max_message_bytes, or less where no token is needed): send it in parts"
        )


def failure_of(error: Exception) -> Failure:
    """What became of a call: its status, or what our table says of another exception."""
    match error:
        case RequestTooLargeError():
            # gRPC itself has the same code and no reason.
            return made_up(grpc.StatusCode.RESOURCE_EXHAUSTED, str(error))
        case _:
            status = status_of(error)
            return Failure(status.code, status.message, tuple(status.packed().details))


def refusal(
    failure: Failure, status: int | None = None, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """A response that is nothing but a failure. `status` is that of HTTP, where it has another."""
    return JSONResponse(
        failure.as_json(),
        status_code=status or failure.http_status,
        headers={**dict(failure.headers()), **(headers or {})},
    )


def made_up(code: grpc.StatusCode, message: str) -> Failure:
    """A failure that Connect or a door made by itself, with the reason that its code stands for."""
    reason = _REASONS.get(code)
    if reason is None:
        return Failure(code, message, ())
    packed = any_pb2.Any()
    packed.Pack(error_details_pb2.ErrorInfo(reason=reason_name(reason), domain=DOMAIN))
    return Failure(code, message, (packed,))


def readable(detail: any_pb2.Any) -> dict[str, JsonValue]:
    """A detail for people, who cannot read its bytes."""
    for kind in _KINDS:
        message = kind()
        if detail.Unpack(message):
            return json_format.MessageToDict(message)
    return {}


_WRONG: Mapping[str, str] = {
    "missing": "is missing; send it",
    "list_type": "is no list; send a JSON array",
    "model_type": "is no object; send a JSON object",
    "model_attributes_type": "is no object; send a JSON object",
    "string_type": "is no text; send a JSON string",
}
_UNKNOWN = "extra_forbidden"


def wrong_fields(error: ValidationError, unknown: str) -> list[tuple[str, str]]:
    """Each field as `claims[0].text`, with what is wrong.

    `unknown` is the text for a field that the call does not have. Such fields come first: where one
    is misspelt, the right one is missing, too.
    """
    found = error.errors(include_url=False, include_input=False, include_context=False)
    words = {**_WRONG, _UNKNOWN: unknown}
    return [
        (_path(each["loc"]), words.get(each["type"], each["msg"]))
        for each in sorted(found, key=lambda each: each["type"] != _UNKNOWN)
    ]


def _path(place: tuple[int | str, ...]) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return "".join(parts).removeprefix(".")
