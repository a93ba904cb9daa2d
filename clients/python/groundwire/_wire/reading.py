"""Reads a message of the contract into the dataclass whose fields have its names.

A field is read by its type. Texts, whole numbers and truth values stay as they are, other numbers
have to be finite, or in the range of `Share` or `Difference`. An enum's member is UNKNOWN for a
value that a newer server sends. A dataclass is read in the same way, or by the reader that
`reads` names for it. What may be None is None where it is not set.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from datetime import date
from enum import StrEnum
from functools import partial
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from google.protobuf.message import Message

from groundwire._wire.fields import finite
from groundwire.errors import InvalidResponseError

Result = TypeVar("Result")
Sent = TypeVar("Sent")
# A FieldDescriptor, of whichever implementation protobuf has.
_Field = Any
# A value as protobuf has it, to what it is here.
_Reader = Callable[[Any, _Field], object]

_OWN: dict[object, Callable[[Any], object]] = {}
_KNOWN: dict[object, Mapping[str, tuple[_Reader, bool]]] = {}


def reads(kind: type[Result]) -> Callable[[Callable[[Sent], Result]], Callable[[Sent], Result]]:
    """Has every field of this type read by the function below. Raises what that raises."""

    def named(reader: Callable[[Sent], Result]) -> Callable[[Sent], Result]:
        _OWN[kind] = reader
        return reader

    return named


def read(kind: type[Result], message: Message, /, **given: object) -> Result:
    """The message as such a dataclass, but for the fields that are given.

    Raises InvalidResponseError for a number that is out of its range.
    """
    if kind not in _KNOWN:
        _KNOWN[kind] = _readers(kind)
    values = {
        name: _value(message, name, reader, optional=optional)
        for name, (reader, optional) in _KNOWN[kind].items()
        if name not in given
    }
    return kind(**values, **given)


def _value(message: Message, name: str, reader: _Reader, *, optional: bool) -> object:
    field: _Field = message.DESCRIPTOR.fields_by_name[name]
    value = getattr(message, name)
    if optional and not (message.HasField(name) if field.has_presence else value):
        return None
    return reader(value, field)


def _readers(kind: type[object]) -> Mapping[str, tuple[_Reader, bool]]:
    """How each field of a dataclass is read, and whether it may be None."""
    hints = get_type_hints(kind, include_extras=True)
    found: dict[str, tuple[_Reader, bool]] = {}
    for name, hint in hints.items():
        choices = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        optional = type(None) in choices
        found[name] = (_reader(choices[0]), optional)
    return found


def _reader(hint: Any) -> _Reader:  # noqa: ANN401 - a type, or what typing makes of several
    if get_origin(hint) is tuple:
        return partial(_each, _reader(get_args(hint)[0]))
    if get_origin(hint) is Annotated:
        return partial(_number, get_args(hint)[1])
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return partial(_member, hint)
    if isinstance(hint, type) and is_dataclass(hint):
        return partial(_nested, hint)
    simple: dict[object, _Reader] = {float: partial(_number, finite), date: _day}
    return simple.get(hint, _same)


def _nested(kind: type[object], value: Message, _: _Field) -> object:
    return _OWN[kind](value) if kind in _OWN else read(kind, value)


def _same(value: object, _: _Field) -> object:
    return value


def _each(reader: _Reader, values: Iterable[object], field: _Field) -> object:
    return tuple(reader(value, field) for value in values)


def _number(check: Callable[[str, float], float], value: float, field: _Field) -> float:
    return check(field.name, value)


def _member(kind: type[StrEnum], number: int, field: _Field) -> StrEnum:
    names = field.enum_type.values_by_number
    prefix = names[0].name.removesuffix("UNSPECIFIED")
    name = names[number].name.removeprefix(prefix) if number in names else ""
    members = kind.__members__
    return members.get(name) or members.get("UNRECOGNISED") or members["UNKNOWN"]


def _day(text: str, field: _Field) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidResponseError(f"a day in {field.name} that is no date") from None
