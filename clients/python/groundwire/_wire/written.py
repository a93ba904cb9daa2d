"""What can be written into a message: texts that are Unicode, and names of enums that can be sent.

What cannot is refused with the path of its field. Knows nothing of requests or channels.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TypeVar

import grpc

from groundwire.errors import ErrorReason, FieldViolation, InvalidRequestError

Member = TypeVar("Member", bound=StrEnum)


def names_of(enum: type[Member], contract: Iterable[str], prefix: str) -> dict[Member, str]:
    """The name in the contract of each member that can be sent."""
    names = set(contract)
    return {member: prefix + member.name for member in enum if prefix + member.name in names}


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


def name_in(path: str, member: Member | None, names: Mapping[Member, str]) -> str | None:
    """The contract's name of a member; None for none. Raises InvalidRequestError."""
    if member is None:
        return None
    if member not in names:
        raise refused(path, f"{member} cannot be asked for", ErrorReason.INVALID_OPTION)
    return names[member]


def refused(path: str, description: str, reason: ErrorReason) -> InvalidRequestError:
    """The error for a field that cannot be written."""
    return InvalidRequestError(
        "the request cannot be written",
        grpc.StatusCode.INVALID_ARGUMENT,
        reason,
        (FieldViolation(path, description),),
    )
