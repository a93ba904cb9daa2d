"""What a call is, for both clients: its method, its request, and how what comes back is read."""

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


class Talk(StreamReader[Read_contra, Event_co], Protocol):
    """Makes requests of the pieces of a text, and events of what is said to them."""

    def piece(self, text: str, /) -> Message:
        """The request with the next piece. Raises TypeError or ValueError for what is no text."""

    def whole(self) -> Message:
        """The last request: the text is whole."""

    @property
    def is_over(self) -> bool:
        """Whether the last event was read."""


@dataclass(frozen=True, slots=True)
class TalkCall(Generic[Response, Result]):
    """A call with a stream of requests, which `request` begins, and one of responses."""

    method: str
    request: Message
    response: type[Response]
    talk: Callable[[], Talk[Response, Result]]
    """Makes what one call needs for its streams."""


def path_of(
    call: Call[Response, Result] | StreamCall[Response, Result] | TalkCall[Response, Result],
) -> str:
    """The path of a call's method, as gRPC has it."""
    return f"/groundwire.v1.{call.method}"
