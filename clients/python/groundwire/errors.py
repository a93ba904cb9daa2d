"""The exceptions of the client.

    GroundwireError
    ├── ConfigurationError            an argument of the client is wrong; also a ValueError
    ├── ClientClosedError             a call after close()
    ├── InvalidResponseError          the server's answer breaks the contract
    ├── FactNotGroundedError          the memory gate rejects facts: facts
    └── RpcFailedError                the call failed: code, reason, message
        ├── InvalidRequestError       the request is refused: violations
        ├── UnauthenticatedError      no token, or one the server does not know
        ├── ServerBusyError           too much to do: retry_after_s
        ├── ResourceExhaustedError    a message, or the response, is too large
        ├── UnavailableError          loading, draining, engine failed, or no answer
        ├── DeadlineExceededError     the time for the call is over
        ├── NotEnabledError           what the call asks for is switched off, or not in the model
        ├── NotFoundError             what the call names is not there, or not the caller's
        ├── CallCancelledError        the call was given up, for instance by close()
        └── InternalError             a bug in the server

The class of a failed call follows the reason that the server gives. Only where
there is no reason, or one that this client does not know, does it follow the
gRPC status code; a code without a class of its own is a plain RpcFailedError.
This module knows nothing of metadata or of protobuf.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import grpc

if TYPE_CHECKING:
    from groundwire.facts import CheckedFact


class ErrorReason(StrEnum):
    """The reasons that a server gives, as `RpcFailedError.reason` holds them."""

    MALFORMED_REQUEST = "MALFORMED_REQUEST"
    EMPTY_BATCH = "EMPTY_BATCH"
    TOO_MANY_CLAIMS = "TOO_MANY_CLAIMS"
    EMPTY_CLAIM = "EMPTY_CLAIM"
    CLAIM_TOO_LONG = "CLAIM_TOO_LONG"
    CONTEXT_TOO_LONG = "CONTEXT_TOO_LONG"
    UNKNOWN_BACKEND = "UNKNOWN_BACKEND"
    INVALID_TOKEN = "INVALID_TOKEN"  # noqa: S105 - a reason, not a secret
    QUEUE_FULL = "QUEUE_FULL"
    OVERLOADED = "OVERLOADED"
    LOADING = "LOADING"
    DRAINING = "DRAINING"
    ENGINE_FAILED = "ENGINE_FAILED"
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
    INTERNAL = "INTERNAL"
    EMPTY_TEXT = "EMPTY_TEXT"
    TEXT_TOO_LONG = "TEXT_TOO_LONG"
    INVALID_SOURCE = "INVALID_SOURCE"
    INVALID_OPTION = "INVALID_OPTION"
    RESPONSE_TOO_LARGE = "RESPONSE_TOO_LARGE"
    REQUEST_TOO_LARGE = "REQUEST_TOO_LARGE"
    NOT_ENABLED = "NOT_ENABLED"
    TOO_MANY_STEPS = "TOO_MANY_STEPS"
    INVALID_TOOL_CALL = "INVALID_TOOL_CALL"
    UNKNOWN_CORPUS = "UNKNOWN_CORPUS"
    BACKEND_BUSY = "BACKEND_BUSY"
    SPENDING_LIMIT = "SPENDING_LIMIT"
    BACKEND_UNREACHABLE = "BACKEND_UNREACHABLE"
    BACKEND_REFUSED = "BACKEND_REFUSED"
    QUEUE_UNAVAILABLE = "QUEUE_UNAVAILABLE"
    NOT_FOUND = "NOT_FOUND"
    DETECTION_NOT_FOUND = "DETECTION_NOT_FOUND"
    FEEDBACK_NOT_STORED = "FEEDBACK_NOT_STORED"
    CORPUS_UNAVAILABLE = "CORPUS_UNAVAILABLE"
    UNSUPPORTED_BY_PROFILE = "UNSUPPORTED_BY_PROFILE"
    QUOTA_EXCEEDED = "QUOTA_EXCEEDED"


@dataclass(frozen=True, slots=True)
class FieldViolation:
    """One field of a request that was refused, and why."""

    field: str
    """The field, such as `claims[17]` (counted from 0) or `evidence.sources[2].document.text`."""
    description: str
    """What is wrong with it, for people."""


class GroundwireError(Exception):
    """The base of every error that the client raises of its own."""


class ConfigurationError(GroundwireError, ValueError):
    """An argument of the client cannot be used; the text says what to do."""


class ClientClosedError(GroundwireError):
    """The client was used after close()."""


class InvalidResponseError(GroundwireError):
    """The server's answer breaks the contract, so none of it can be trusted."""


class FactNotGroundedError(GroundwireError):
    """The memory gate rejects facts, for whatever reason. Raised only where it is asked for."""

    def __init__(self, facts: "Sequence[CheckedFact]") -> None:
        """Holds the rejected facts, at least one; the message repeats none of their texts."""
        # All of it is in args, so that the error survives pickling and copying.
        super().__init__(tuple(facts))
        self.facts = tuple(facts)
        """The facts that were rejected, each with its reason and its numbers."""

    def __str__(self) -> str:
        first, count = self.facts[0], len(self.facts)
        more = f" (and {count - 1} more)" if count > 1 else ""
        return f"{first.reason}: {first.reason_text}{more}"


class RpcFailedError(GroundwireError):
    """A call failed. `__cause__` is the error of the transport, if there was one."""

    def __init__(
        self, message: str, code: grpc.StatusCode, reason: str | None = None, *extra: object
    ) -> None:
        """Holds the message, the status code and the server's reason."""
        # All of it is in args, so that the error survives pickling and copying.
        super().__init__(message, code, reason, *extra)
        self.message = message
        """What went wrong, for people."""
        self.code = code
        """The gRPC status code."""
        self.reason = reason
        """The server's reason, which compares equal to a member of ErrorReason; a newer server
        may give one that is not there. None: the server gave none, or did not answer."""

    def __str__(self) -> str:
        return f"{self.reason or self.code.name}: {self.message}"


class InvalidRequestError(RpcFailedError):
    """The request is wrong: a text is empty or too long, a batch is too large, and so on."""

    def __init__(
        self,
        message: str,
        code: grpc.StatusCode,
        reason: str | None = None,
        violations: Sequence[FieldViolation] = (),
    ) -> None:
        """As RpcFailedError, with the fields that are wrong."""
        self.violations = tuple(violations)
        """The fields that are wrong, as far as the server names them."""
        super().__init__(message, code, reason, self.violations)

    def __str__(self) -> str:
        fields = [f"{violation.field}: {violation.description}" for violation in self.violations]
        unsaid = [text for text in fields if text not in self.message]
        return "; ".join([super().__str__(), *unsaid])


class UnauthenticatedError(RpcFailedError):
    """The call carried no bearer token, or one that the server does not know."""


class NotEnabledError(RpcFailedError):
    """The server's operator has not switched on what the call asks for; the text names how.

    Or its model is not one that can do it, for the reason UNSUPPORTED_BY_PROFILE.
    """


class NotFoundError(RpcFailedError):
    """What the call names by its id is not there, or another caller's."""


class ServerBusyError(RpcFailedError):
    """The server has too much to do, and ran nothing of this call.

    The reason is QUEUE_FULL (no place is left), OVERLOADED (the answer would come too late) or
    QUOTA_EXCEEDED (the caller's tenant has used what it may for now; the text names the quota).
    """

    def __init__(
        self,
        message: str,
        code: grpc.StatusCode,
        reason: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        """As RpcFailedError, with the time to wait, in seconds."""
        super().__init__(message, code, reason, retry_after_s)
        self.retry_after_s = retry_after_s
        """How long to wait before another try, in seconds; None: the server does not say."""

    def __str__(self) -> str:
        if self.retry_after_s is None:
            return super().__str__()
        return f"{super().__str__()}; try again in {self.retry_after_s:g} s"


class ResourceExhaustedError(RpcFailedError):
    """A message is larger than the client's or the server's max_message_bytes."""


class UnavailableError(RpcFailedError):
    """No server answers, or it is LOADING, DRAINING or ENGINE_FAILED, as the reason says."""


class DeadlineExceededError(RpcFailedError):
    """The time for the call is over, by the client's time-out or by the server's own limit."""


class CallCancelledError(RpcFailedError):
    """The call was cancelled before an answer came, for instance by close()."""


class InternalError(RpcFailedError):
    """A bug in the server, whose log has the details; or bytes that are not its answer."""


def error_kind(error: Exception) -> str:
    """What a log may say of an error: its class, and the server's reason; no text of anybody."""
    kind = type(error).__name__
    if isinstance(error, RpcFailedError):
        return f"{kind} ({error.reason or error.code.name})"
    return kind
