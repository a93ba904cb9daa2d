"""What one field may hold: as a request is written, and as a response is read.

What cannot be written is refused with the path of its field, such as
`evidence.sources[2].document.text`, as an InvalidRequestError; ranges and lengths are the server's
to check. What breaks the contract in a response is an InvalidResponseError.
"""

import math
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, TypeVar

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from groundwire.errors import (
    ErrorReason,
    FieldViolation,
    InvalidRequestError,
    InvalidResponseError,
)

Member = TypeVar("Member", bound=StrEnum)

_MIN_INT32, _MAX_INT32 = -(2**31), 2**31 - 1
_MAX_COSINE = 1.001
_NANOSECONDS_IN_SECOND = 1_000_000_000


def names_of(enum: type[Member], contract: Iterable[str], prefix: str) -> dict[Member, str]:
    """The name in the contract of each member that can be sent."""
    names = set(contract)
    return {member: prefix + member.name for member in enum if prefix + member.name in names}


def sent_name(path: str, member: Member | None, names: Mapping[Member, str]) -> str | None:
    if member is None:
        return None
    if member not in names:
        raise refused(path, f"{member} cannot be asked for", ErrorReason.INVALID_OPTION)
    return names[member]


def checked_texts(path: str, texts: Iterable[str]) -> list[str]:
    if isinstance(texts, str):
        raise TypeError(f"{path} must be many texts, not one: pass a list with one text")
    return [checked_text(f"{path}[{index}]", text) for index, text in enumerate(texts)]


def check_texts(texts: Mapping[str, str]) -> None:
    """Checks texts by the names of their fields. Raises InvalidRequestError."""
    for field, text in texts.items():
        checked_text(field, text)


def checked_text(field: str, text: str) -> str:
    """The same text. Raises InvalidRequestError, which names the field, if it is not Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        # The server could not say which field it was: it would never see the request.
        violation = FieldViolation(field, f"half a surrogate pair at character {error.start}")
        raise InvalidRequestError(
            "a text cannot be written as UTF-8",
            grpc.StatusCode.INVALID_ARGUMENT,
            ErrorReason.MALFORMED_REQUEST,
            (violation,),
        ) from error
    return text


def checked_option(path: str, value: int | None) -> int | None:
    return None if value is None else checked_int32(path, value, ErrorReason.INVALID_OPTION)


def checked_int32(path: str, value: int, reason: ErrorReason) -> int:
    if not _MIN_INT32 <= value <= _MAX_INT32:
        raise refused(path, f"{value} is beyond 32 bits", reason)
    return value


def refused(path: str, description: str, reason: ErrorReason) -> InvalidRequestError:
    return InvalidRequestError(
        "the request cannot be written",
        grpc.StatusCode.INVALID_ARGUMENT,
        reason,
        (FieldViolation(path, description),),
    )


def require(response: Message, *fields: str) -> None:
    """Checks that the fields of a response are set. Raises InvalidResponseError."""
    for field in fields:
        if not response.HasField(field):
            raise InvalidResponseError(f"{response.DESCRIPTOR.name} without {field}")


def share(name: str, value: float) -> float:
    """The same value. Raises InvalidResponseError if it is outside [0, 1]."""
    # Written so that NaN is refused too.
    if not 0 <= value <= 1:
        raise InvalidResponseError(f"a {name} of {value}, outside [0, 1]")
    return value


def difference(name: str, value: float) -> float:
    """The same value. Raises InvalidResponseError if it is outside [-1, 1]."""
    # Written so that NaN is refused too.
    if not -1 <= value <= 1:
        raise InvalidResponseError(f"a {name} of {value}, outside [-1, 1]")
    return value


def cosine(name: str, value: float) -> float:
    """The same value. Raises InvalidResponseError for none, but for what rounding adds to one."""
    return value if abs(value) <= _MAX_COSINE else difference(name, value)


def finite(name: str, value: float) -> float:
    """The same value. Raises InvalidResponseError if it is no finite number."""
    if not math.isfinite(value):
        raise InvalidResponseError(f"a {name} of {value}")
    return value


Share = Annotated[float, share]
"""A number in [0, 1]."""
Difference = Annotated[float, difference]
"""A number in [-1, 1]."""
Cosine = Annotated[float, cosine]
"""A number in [-1, 1], but for rounding."""


def duration_s(duration: Duration) -> float:
    """A duration in seconds."""
    return duration.seconds + duration.nanos / _NANOSECONDS_IN_SECOND
