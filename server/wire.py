"""Bytes to requests, with an error that names the field.

protobuf refuses a whole message for one text that is not UTF-8 and does not say which. Knows the
wire format through protobuf's own parser of unknown fields; does not know any service.
"""

from collections.abc import Callable
from dataclasses import dataclass

from google.protobuf import empty_pb2
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from server.status import MalformedRequestError

_LENGTH_DELIMITED = 2


@dataclass(frozen=True, slots=True)
class Malformed:
    """Stands for a request whose bytes could not be parsed."""

    error: MalformedRequestError


def tolerant(parse: Callable[[bytes], Message]) -> Callable[[bytes], Message | Malformed]:
    """A deserialiser that gives Malformed where `parse` raises.

    An exception inside a deserialiser would reach the client as an unknown error.
    """

    def deserialise(data: bytes) -> Message | Malformed:
        try:
            return parse(data)
        except DecodeError:
            # `parse` is the class method FromString of the request's type.
            descriptor: Descriptor = parse.__self__.DESCRIPTOR  # type: ignore[attr-defined]
            return Malformed(_explain(data, descriptor))

    return deserialise


def _explain(data: bytes, descriptor: Descriptor) -> MalformedRequestError:
    path = _bad_text(data, descriptor, "")
    if path:
        return MalformedRequestError(path, "is not valid UTF-8; send text encoded as UTF-8")
    return MalformedRequestError("", f"the bytes are no {descriptor.full_name} message")


def _bad_text(data: bytes, descriptor: Descriptor, at: str) -> str:
    """The path of the first text that is not UTF-8, also within messages; empty if none is."""
    try:
        fields = UnknownFieldSet(empty_pb2.Empty.FromString(data))
    except DecodeError:
        return ""
    seen: dict[int, int] = {}
    for field in (fields[i] for i in range(len(fields))):
        number = field.field_number
        known = descriptor.fields_by_number.get(number)
        # A field of another wire type is unknown to protobuf, so it does not count.
        if known is None or field.wire_type != _LENGTH_DELIMITED:
            continue
        index = seen[number] = seen.get(number, -1) + 1
        path = at + (f"{known.name}[{index}]" if known.is_repeated else known.name)
        if known.type == FieldDescriptor.TYPE_STRING and not _is_utf8(field.data):
            return path
        if known.message_type is not None:
            inner = _bad_text(field.data, known.message_type, f"{path}.")
            if inner:
                return inner
    return ""


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
