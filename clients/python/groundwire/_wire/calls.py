"""What a call is, for both clients: its method, its request, and how what comes back is read.

The modules of `_calls` make these, and `_clients` runs them.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from google.protobuf.message import Message

Response = TypeVar("Response", bound=Message)
Result = TypeVar("Result")
Read_contra = TypeVar("Read_contra", contravariant=True)
Event_co = TypeVar("Event_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Call(Generic[Response, Result]):
    """A call with one response."""

    method: str
    """Service and method of the contract, such as `TraceAudit/AuditTrace`."""
    request: Message
    response: type[Response]
    read: Callable[[Response], Result]
    """Makes the result of the response. Raises InvalidResponseError."""


class StreamReader(Protocol[Read_contra, Event_co]):
    """Makes events of the responses of one stream. Raises InvalidResponseError."""

    def read(self, response: Read_contra, /) -> Iterable[Event_co]:
        """The events in the next response."""

    def end(self) -> Iterable[Event_co]:
        """The events that are left when the stream is over."""


@dataclass(frozen=True, slots=True)
class StreamCall(Generic[Response, Result]):
    """A call with a stream of responses."""

    method: str
    request: Message
    response: type[Response]
    reader: Callable[[], StreamReader[Response, Result]]
    """Makes the reader of one stream."""


def path_of(call: Call[Response, Result] | StreamCall[Response, Result]) -> str:
    """The path of a call's method, as gRPC has it."""
    return f"/groundwire.v1.{call.method}"
