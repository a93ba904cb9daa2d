"""Messages as JSON and back, with the names and the limits that protobuf has for them."""

import json
import re
from collections.abc import Iterator, Mapping

from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from groundwire_server.doors.upstream import LARGE_BYTES
from groundwire_server.rpc.dispatch import Answer, Sent
from groundwire_server.rpc.status import MalformedRequestError
from groundwire_server.rpc.wire import MAX_MESSAGE_FIELDS
from groundwire_verifier.domain.tasks import in_thread

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""A text of JSON; one that does not end is the rest of the body."""

MOST_NAMES = 40
"""Names of an enum that an error lists."""

_UNREADABLE = (
    json_format.ParseError,
    ValueError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
    SystemError,
)
"""What protobuf raises for JSON of another shape, and for half of a character: SystemError where
that stands in a field's name."""

_TAKES = {
    FieldDescriptor.CPPTYPE_BOOL: "true or false",
    FieldDescriptor.CPPTYPE_DOUBLE: "a number",
    FieldDescriptor.CPPTYPE_FLOAT: "a number",
    FieldDescriptor.CPPTYPE_INT32: "a whole number of 32 bits",
    FieldDescriptor.CPPTYPE_INT64: "a whole number of 64 bits",
    FieldDescriptor.CPPTYPE_UINT32: "a whole number of 32 bits, not negative",
    FieldDescriptor.CPPTYPE_UINT64: "a whole number of 64 bits, not negative",
    FieldDescriptor.CPPTYPE_STRING: "a text",
}


async def written(answer: Answer) -> bytes:
    """A response as JSON, made beside other calls where it is large."""
    if len(answer.data) < LARGE_BYTES:
        return to_json(answer.message)
    return await in_thread(to_json, answer.message)


def to_json(message: Message) -> bytes:
    """A message as JSON, with every field that is not optional, whatever its value."""
    # Who reads JSON by hand is not to wonder whether a field that is missing is false.
    text = json_format.MessageToJson(
        message, always_print_fields_with_no_presence=True, indent=None, ensure_ascii=False
    )
    return text.encode()


def from_json(data: bytes, kind: type[Message]) -> Sent:
    """The message that JSON describes. No data is an empty message.

    Raises MalformedRequestError, which names the first field that is wrong and repeats no value.
    """
    value = json_object(data or b"{}")
    try:
        return sent(json_format.ParseDict(value, kind()))
    except _UNREADABLE:
        described: Descriptor = kind.DESCRIPTOR  # type: ignore[assignment] # the C one is alike
        wrong = next(_wrong_fields(value, described, ""), ("", "the body cannot be read"))
        raise MalformedRequestError(*wrong) from None


def sent(message: Message) -> Sent:
    """A message as a request. Its bytes are what limits are held against."""
    return Sent(message.SerializeToString(), message)


def json_object(data: bytes) -> dict[str, object]:
    """The values of a body: no more than a request can need. Raises MalformedRequestError."""
    check_size(data)
    try:
        value = json.loads(data.decode())
    except UnicodeDecodeError:
        raise MalformedRequestError("", "the body is not valid UTF-8") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise MalformedRequestError("", f"the body is not JSON, at {place}") from None
    except (ValueError, RecursionError):
        raise MalformedRequestError("", "the body is not JSON") from None
    if not isinstance(value, dict):
        raise MalformedRequestError("", "the body has to be a JSON object")
    _check_count(value)
    return value


def check_size(data: bytes, most_values: int = MAX_MESSAGE_FIELDS) -> None:
    """Refuse JSON that holds more values than that, before any is made. Raises
    MalformedRequestError.

    While values are made, nothing else runs in this process, in whichever thread they are. Here
    others get their turn after each text. What passes has up to twice as many values, since an
    empty list is not told from another one.
    """
    commas = strings = at = 0
    opened = -1  # the outermost one is no value
    for found in _STRING.finditer(data):
        commas += data.count(b",", at, found.start())
        opened += data.count(b"[", at, found.start()) + data.count(b"{", at, found.start())
        strings, at = strings + 1, found.end()
        # A value may be a text and have another one for a name.
        if max(commas, opened, strings // 2) > most_values:
            raise _too_many(most_values)
    commas += data.count(b",", at)
    opened += data.count(b"[", at) + data.count(b"{", at)
    if max(commas, opened) > most_values:
        raise _too_many(most_values)


def _too_many(most: int) -> MalformedRequestError:
    words = f"the body holds more than {most:,} values: send a smaller one"
    return MalformedRequestError("", words)


def _check_count(value: Mapping[str, object]) -> None:
    """Refuse what holds more values than a request can need, before each becomes a field."""
    left = MAX_MESSAGE_FIELDS
    waiting: list[object] = [value]
    while waiting:
        at = waiting.pop()
        inner = at.values() if isinstance(at, dict) else at if isinstance(at, list) else ()
        left -= len(inner)
        if left < 0:
            raise _too_many(MAX_MESSAGE_FIELDS)
        waiting.extend(inner)


def _wrong_fields(
    value: Mapping[str, object], descriptor: Descriptor, at: str
) -> Iterator[tuple[str, str]]:
    """What protobuf would not read: the path of each field, and what is to be there."""
    fields = {name: field for field in descriptor.fields for name in (field.name, field.json_name)}
    for name, inner in value.items():
        field = fields.get(name)
        if field is None:
            known = ", ".join(field.json_name for field in descriptor.fields) or "no fields"
            # The name comes from the request: no more of it than a field's name could have.
            yield f"{at}{name[:64]!r}", f"is no field of {descriptor.name}, which has: {known}"
        elif inner is not None:
            yield from _wrong_values(inner, field, descriptor, f"{at}{field.name}")


def _wrong_values(
    value: object, field: FieldDescriptor, of: Descriptor, at: str
) -> Iterator[tuple[str, str]]:
    if field.is_repeated:
        if not isinstance(value, list):
            yield at, "takes a list"
            return
        for index, one in enumerate(value):
            yield from _wrong_value(one, field, of, f"{at}[{index}]")
    else:
        yield from _wrong_value(value, field, of, at)


def _wrong_value(
    value: object, field: FieldDescriptor, of: Descriptor, at: str
) -> Iterator[tuple[str, str]]:
    message = field.message_type
    if message is not None and not message.full_name.startswith("google.protobuf."):
        if isinstance(value, dict):
            yield from _wrong_fields(value, message, f"{at}.")
        else:
            yield at, "takes an object"
        return
    alone = message_factory.GetMessageClass(of)()
    try:
        json_format.ParseDict({field.name: [value] if field.is_repeated else value}, alone)
    except _UNREADABLE:
        yield at, f"takes {_what(field)}"


def _what(field: FieldDescriptor) -> str:
    if field.enum_type is not None:
        names = [value.name for value in field.enum_type.values]
        return f"one of {', '.join(names[:MOST_NAMES])}"
    if field.message_type is not None:
        return f"a {field.message_type.name} as a text, such as 1.5s"
    return _TAKES[field.cpp_type]
